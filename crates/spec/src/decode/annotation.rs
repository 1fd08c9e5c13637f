//! The annotation `pillion.dev/lifecycle`: Pillion's fields where an API server keeps them.
//!
//! Its text is YAML of its own, `containers.<name>.<field>`. It is read as a document inside the
//! document, so that its mistakes are shown where they stand.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::fields::{ANNOTATION, Kind};
use crate::findings::Findings;
use crate::nearest::{nearest, nearest_with_distance};
use crate::shape::{At, Shape};
use crate::source::{Source, Span};
use crate::tree::{Documents, Node, NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Its key.
pub(crate) const LIFECYCLE: &str = "pillion.dev/lifecycle";

/// All names under Pillion's domain.
const NAMES: &[&str] = &["lifecycle", "pids-limit", "watch"];

const DOMAIN: &str = "pillion.dev";

const FORM: &str = "write `containers: {NAME: {FIELD: VALUE}}`";

/// What the annotation says, by container name.
#[derive(Debug)]
pub(crate) struct Annotation {
    pub(crate) tree: Arc<Tree>,
    containers: BTreeMap<String, (NodeId, Span)>,
}

/// The one document in the text of an annotation.
pub(crate) struct Inner {
    pub(crate) tree: Tree,
    pub(crate) root: NodeId,
}

// === impl Annotation ===

impl Annotation {
    /// Reads the annotation of a pod, if it has one.
    pub(crate) fn read(pod: Node<'_>, source: &Source, findings: &mut Findings) -> Option<Self> {
        let Inner { tree, root } = inner(pod, LIFECYCLE, FORM, source, findings)?;
        let whole = At::Whole("the annotation");
        let mut shape = Shape {
            source,
            findings,
            strict: true,
        };
        shape.check(tree.node(root), &Kind::Object(&ANNOTATION), whole);
        let containers = tree.node(root).get("containers");
        let entries = containers.into_iter().flat_map(Node::entries);
        let mapped = entries.filter(|(_, _, value)| value.is_mapping());
        let containers = mapped
            .map(|(name, span, value)| (name.to_owned(), (value.id(), span)))
            .collect();
        Some(Self {
            tree: Arc::new(tree),
            containers,
        })
    }

    /// What it says about a container.
    pub(crate) fn container(&self, name: &str) -> Option<Node<'_>> {
        self.containers.get(name).map(|(id, _)| self.tree.node(*id))
    }

    /// Objects to containers that do not exist.
    pub(crate) fn check_names(&self, names: &BTreeSet<&str>, findings: &mut Findings) {
        let containers = self.containers.iter();
        let spans = containers.map(|(name, (_, span))| (name.as_str(), *span));
        check_names(spans, names, findings);
    }
}

/// Reads the text of an annotation that holds a map.
pub(crate) fn inner(
    pod: Node<'_>,
    key: &str,
    form: &str,
    source: &Source,
    findings: &mut Findings,
) -> Option<Inner> {
    let node = pod.get("metadata")?.get("annotations")?.get(key)?;
    node.as_str()?;
    let Documents {
        tree,
        roots,
        diagnostics,
    } = Documents::of_scalar(source, node);
    let broken = !diagnostics.is_empty();
    for diagnostic in diagnostics {
        findings.push(diagnostic);
    }
    let roots = roots.into_iter();
    let roots: Vec<_> = roots.filter(|root| !tree.node(*root).is_null()).collect();
    let [root] = roots[..] else {
        if !broken {
            findings.push(not_one_document(key, form, node.span()));
        }
        return None;
    };
    Some(Inner { tree, root })
}

/// Objects to names in an annotation that no container has.
pub(crate) fn check_names<'n>(
    given: impl IntoIterator<Item = (&'n str, Span)>,
    names: &BTreeSet<&str>,
    findings: &mut Findings,
) {
    let given = given.into_iter();
    for (name, span) in given.filter(|(name, _)| !names.contains(name)) {
        if findings.is_full() {
            findings.left_out();
            continue;
        }
        let message = format!("the annotation talks about `{name}`, which does not exist");
        let diagnostic = Diagnostic::new(Code::UnknownAnnotated, message);
        let diagnostic = diagnostic.primary(span, "no container has this name");
        findings.push(match nearest(name, names.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }
}

/// What to say about a key under Pillion's domain, or under one that is almost it, that nobody reads.
pub(crate) fn unknown_key(key: &str, span: Span) -> Option<Diagnostic> {
    let (domain, name) = key.split_once('/')?;
    if domain == DOMAIN && NAMES.contains(&name) {
        return None;
    }
    let near = nearest(name, NAMES.iter().copied());
    let is_own = domain.eq_ignore_ascii_case(DOMAIN);
    let is_slip = nearest_with_distance(domain, [DOMAIN]).is_some_and(|(_, slips)| slips <= 2);
    if !(is_own || is_slip && near.is_some()) {
        return None;
    }
    let message = format!("there is no annotation `{key}`");
    let diagnostic = Diagnostic::new(Code::MisspeltField, message);
    let diagnostic = diagnostic.primary(span, "nobody reads it");
    Some(match near {
        Some(near) => diagnostic.help(format!("did you mean `{DOMAIN}/{near}`?")),
        None => diagnostic,
    })
}

fn not_one_document(key: &str, form: &str, span: Span) -> Diagnostic {
    let message = format!("the annotation `{key}` holds no map of containers");
    let diagnostic = Diagnostic::new(Code::WrongType, message).primary(span, "not one map");
    diagnostic.help(form)
}
