//! The annotation `pillion.dev/watch`: which files and folders a container is restarted for.
//!
//! Its text is YAML of its own, `<name>: [<path>, …]`, or one path without a list.

use super::annotation::{self, Inner};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::fields::Kind;
use crate::findings::Findings;
use crate::shape::{At, Shape};
use crate::source::Source;
use crate::tree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Its key.
pub(crate) const WATCH: &str = "pillion.dev/watch";

/// What its text holds.
const PATHS: Kind = Kind::Map(&Kind::OneOf(&[Kind::List(&Kind::Text), Kind::Text]));

const FORM: &str = "write `NAME: [PATH]`, a container and what it is restarted for";

/// Reads the annotation of a pod with these containers: the paths of each, as they are written.
pub(crate) fn watch(
    pod: Node<'_>,
    names: &BTreeSet<&str>,
    source: &Source,
    findings: &mut Findings,
) -> BTreeMap<String, Vec<String>> {
    let inner = annotation::inner(pod, WATCH, FORM, source, findings);
    let Some(Inner { tree, root }) = inner else {
        return BTreeMap::new();
    };
    let root = tree.node(root);
    let mut shape = Shape {
        source,
        findings,
        strict: true,
    };
    shape.check(root, &PATHS, At::Whole("the annotation"));
    let spans = root.entries().map(|(name, span, _)| (name, span));
    annotation::check_names(spans, names, findings);
    let paths = root
        .entries()
        .map(|(name, _, value)| (name.to_owned(), paths(value, findings)));
    paths.collect()
}

fn paths(node: Node<'_>, findings: &mut Findings) -> Vec<String> {
    let one = (!node.is_sequence()).then_some(node);
    let all = one.into_iter().chain(node.items());
    let texts = all.filter_map(|node| Some((node.as_str()?, node)));
    let given = texts.filter(|(text, node)| {
        if text.is_empty() {
            let diagnostic = Diagnostic::new(Code::EmptyEntry, "a path that is watched is empty");
            let diagnostic = diagnostic.primary(node.span(), "nothing");
            findings.push(diagnostic.help("name a file or a folder, or remove it"));
        }
        !text.is_empty()
    });
    given.map(|(text, _)| text.to_owned()).collect()
}
