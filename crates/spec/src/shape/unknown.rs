//! What to say about a field that does not exist.

use super::At;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::fields::{self, Type};
use crate::nearest::nearest_with_distance;
use crate::source::Span;
use crate::tree::Node;

/// Words that people use elsewhere for what Pillion calls something else.
const SYNONYMS: &[(&str, &str)] = &[
    ("after", "requires"),
    ("dependsOn", "requires"),
    ("depends_on", "requires"),
    ("needs", "requires"),
    ("wants", "requires"),
];

/// Whether no unknown field may pass: the map is Pillion's own, or a restart rule that uses what
/// only Pillion understands. Nobody else would read it, so nothing but a slip can be meant.
pub(super) fn is_closed(object: &Type, node: Node<'_>) -> bool {
    let has_own = || own_names(object).any(|name| node.get(name).is_some());
    object.is_own() || object.name == "ContainerRestartRule" && has_own()
}

/// Whether a field is one that Kubernetes does not have.
pub(super) fn is_own(object: &Type, key: &str) -> bool {
    object.is_own() || own_names(object).any(|name| name == key)
}

/// What to say about a field that an object does not have, if anything. What comes nearer to a field of Pillion than to any of
/// Kubernetes is an error, because an order that somebody relies on would silently not hold.
pub(super) fn unknown_field(
    object: &Type,
    key: &str,
    span: Span,
    at: At<'_>,
    strict: bool,
) -> Option<Diagnostic> {
    if object.name == "EphemeralContainer" && is_container_field(key) {
        // Dialects object to these themselves, wherever they come from.
        return None;
    }
    if let Some(misplaced) = misplaced(object, key, span, at) {
        return Some(misplaced);
    }
    if strict {
        let names = object.fields.iter().map(|field| field.name);
        let near = near(key, names.chain(own_names(object)));
        return Some(with_suggestion(
            diagnostic(Code::MisspeltField, key, span, at),
            near,
        ));
    }
    let kubernetes = near(key, object.fields.iter().map(|field| field.name));
    let own = synonym(object, key).or_else(|| near(key, own_names(object)));
    let distance = |near: Option<(&str, usize)>| near.map_or(usize::MAX, |(_, distance)| distance);
    Some(if distance(own) < distance(kubernetes) {
        with_suggestion(diagnostic(Code::MisspeltField, key, span, at), own)
    } else {
        with_suggestion(diagnostic(Code::UnknownField, key, span, at), kubernetes)
    })
}

/// A field that belongs to a container, in the pod, or one of a requirement, in a container.
fn misplaced(object: &Type, key: &str, span: Span, at: At<'_>) -> Option<Diagnostic> {
    let takes_requires = object.field("requires").is_some();
    let help = if object.name == "PodSpec" && is_container_field(key) {
        "it belongs to a container, not to the pod".to_owned()
    } else if takes_requires && matches!(key, "need" | "onRestart" | "until") {
        format!("it belongs to an entry of `requires`: `{{container: NAME, {key}: …}}`")
    } else {
        return None;
    };
    Some(diagnostic(Code::MisspeltField, key, span, at).help(help))
}

/// Whether Pillion gives containers a field of this name.
fn is_container_field(key: &str) -> bool {
    container().is_some_and(|container| own_names(container).any(|name| name == key))
}

/// The nearest name: by letters, or because it begins with what was written.
fn near<'n>(key: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<(&'n str, usize)> {
    let begun = |name: &&str| key.len() >= SHORTEST_BEGINNING && name.starts_with(key);
    let longer = names
        .clone()
        .find(begun)
        .map(|name| (name, BEGINNING_DISTANCE));
    nearest_with_distance(key, names).or(longer)
}

/// `stopTimeout` is the beginning of `stopTimeoutSeconds`; `st` could be of anything.
const SHORTEST_BEGINNING: usize = 4;

/// A forgotten ending is worse than a slip or two, and better than nothing.
const BEGINNING_DISTANCE: usize = 3;

fn diagnostic(code: Code, key: &str, span: Span, at: At<'_>) -> Diagnostic {
    let key = super::mismatch::shortened(key);
    Diagnostic::new(code, format!("{at} has no field `{key}`")).primary(span, "no such field")
}

fn with_suggestion(diagnostic: Diagnostic, near: Option<(&str, usize)>) -> Diagnostic {
    match near {
        Some((near, _)) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// What Pillion adds to a type, without what Kubernetes has under the same name.
fn own_names(object: &Type) -> impl Iterator<Item = &'static str> + Clone {
    let is_own = |name: &&str| object.fields.iter().all(|field| field.name != *name);
    object
        .extension()
        .iter()
        .map(|field| field.name)
        .filter(is_own)
}

fn synonym(object: &Type, key: &str) -> Option<(&'static str, usize)> {
    let (_, meant) = SYNONYMS.iter().find(|(word, _)| *word == key)?;
    own_names(object)
        .any(|name| name == *meant)
        .then_some((*meant, 0))
}

fn container() -> Option<&'static Type> {
    let spec = fields::object("Pod")?.field("spec")?.kind.object()?;
    spec.field("containers")?.kind.object()
}
