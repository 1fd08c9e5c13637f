//! What Kubernetes refuses, and what it takes although it looks alike.

mod life;
mod mounts;
mod names;
mod values;

use crate::code::Code::{self, *};
use crate::diagnostic::Diagnostic;
use crate::file::read;

/// A pod with these lines in its `spec`.
fn spec(lines: &str) -> String {
    let lines = lines.trim_matches('\n').replace('\n', "\n  ");
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: orders}}\nspec:\n  {lines}\n")
}

/// A pod whose only container has these entries.
fn container(entries: &str) -> String {
    spec(&format!("containers: [{{name: app, image: x, {entries}}}]"))
}

/// A pod with an init container that has these entries.
fn init(entries: &str) -> String {
    spec(&format!(
        "containers: [{{name: app, image: x}}]\ninitContainers: [{{name: i, image: x, {entries}}}]"
    ))
}

/// A pod with an ephemeral container that has these entries.
fn ephemeral(entries: &str) -> String {
    spec(&format!(
        "containers: [{{name: app, image: x}}]\nephemeralContainers: [{{name: e, image: x, {entries}}}]\nvolumes: [{{name: v}}]"
    ))
}

/// Each finding as its code and the text it points at.
fn found(text: &str) -> Vec<(Code, String)> {
    let outcome = read("pod.yaml", text.as_bytes());
    let pointed = |diagnostic: &Diagnostic| {
        let place = diagnostic.place().map(|span| outcome.source.slice(span));
        (diagnostic.code, place.unwrap_or_default().to_owned())
    };
    outcome.diagnostics.iter().map(pointed).collect()
}

#[track_caller]
fn refused(text: &str, code: Code, at: &str) {
    assert_eq!(found(text), [(code, at.to_owned())], "{text}");
}

#[track_caller]
fn taken(text: &str) {
    assert_eq!(found(text), [], "{text}");
}
