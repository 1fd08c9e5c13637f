//! Names and labels of objects.

use crate::code::Code;
use crate::decode::annotation;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::name;
use crate::tree::Node;

/// Checks the metadata of an object that an API server would have to store.
pub(crate) fn metadata(object: Node<'_>, kind: &str, findings: &mut Findings) {
    let metadata = object.get("metadata");
    let given = |key: &str| {
        metadata
            .and_then(|node| node.get(key))
            .is_some_and(|name| name.as_str() != Some(""))
    };
    if !given("name") && !given("generateName") {
        let diagnostic = Diagnostic::new(Code::MissingField, format!("a {kind} needs a name"));
        let span = metadata.unwrap_or(object).span();
        let diagnostic = diagnostic.primary(span, "`metadata.name` is missing");
        findings.push(diagnostic.help("give `metadata.name`, or `metadata.generateName`"));
    }
    if let Some(metadata) = metadata {
        check_name(
            metadata,
            "name",
            name::is_dns_subdomain,
            SUBDOMAIN,
            findings,
        );
        check_name(
            metadata,
            "generateName",
            name::is_dns_subdomain_prefix,
            SUBDOMAIN,
            findings,
        );
        check_name(metadata, "namespace", name::is_dns_label, LABEL, findings);
        labels(metadata, findings);
    }
}

/// Checks the labels and annotations of an object or of a template.
pub(crate) fn labels(metadata: Node<'_>, findings: &mut Findings) {
    let entries = |key| metadata.get(key).into_iter().flat_map(Node::entries);
    for (key, span, value) in entries("labels") {
        check_key(key, span, key, findings);
        let text = value.as_str().unwrap_or_default();
        if !name::is_label_value(text) {
            let message = format!("the label `{key}` has a value that labels cannot have");
            let diagnostic = Diagnostic::new(Code::BadName, message);
            findings.push(
                diagnostic
                    .primary(value.span(), "not a label value")
                    .help(SHORT_NAME),
            );
        }
    }
    for (key, span, _) in entries("annotations") {
        check_key(key, span, &key.to_lowercase(), findings);
        if let Some(unknown) = annotation::unknown_key(key, span) {
            findings.push(unknown);
        }
    }
}

const SUBDOMAIN: &str = "it takes at most 253 of a-z, 0-9, `-` and `.`, with a letter or digit at \
                         each end and around each dot";
const LABEL: &str = "it takes at most 63 of a-z, 0-9 and `-`, with a letter or digit at each end";
const SHORT_NAME: &str = "it takes at most 63 letters, digits, `-`, `_` and `.`, with a letter or \
                          digit at each end";

fn check_name(
    metadata: Node<'_>,
    key: &str,
    is_name: fn(&str) -> bool,
    help: &str,
    findings: &mut Findings,
) {
    let Some(value) = metadata.get(key) else {
        return;
    };
    let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    if !is_name(text) {
        let diagnostic = Diagnostic::new(Code::BadName, format!("`{key}` has the wrong form"));
        findings.push(
            diagnostic
                .primary(value.span(), "not such a name")
                .help(help),
        );
    }
}

fn check_key(key: &str, span: crate::source::Span, checked: &str, findings: &mut Findings) {
    if !name::is_qualified_name(checked) {
        let message = format!("`{key}` cannot be the key of a label or an annotation");
        let diagnostic = Diagnostic::new(Code::BadName, message);
        let diagnostic = diagnostic.primary(span, "not such a key");
        findings.push(diagnostic.help(format!(
            "with an optional domain and `/` before it, {SHORT_NAME}"
        )));
    }
}
