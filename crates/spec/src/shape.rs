//! Whether a document has the shape that the table of fields asks for.
//!
//! Unknown and missing fields, wrong types and wrong words are found here, all of them, before
//! anything is decoded. What comes later can take values as they are and leave out what is not
//! usable: it has been reported.

mod mismatch;
#[cfg(test)]
mod tests;
mod unknown;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::fields::{Kind, Type};
use crate::findings::Findings;
use crate::nearest::nearest;
use crate::quantity::Quantity;
use crate::source::{Source, Span};
use crate::tree::{Node, Value};
use std::fmt;

/// Checks the nodes of one document.
pub(crate) struct Shape<'s> {
    pub(crate) source: &'s Source,
    pub(crate) findings: &'s mut Findings,
    /// Whether every unknown field is an error.
    pub(crate) strict: bool,
}

/// What a value is, for people.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'k> {
    /// A whole document or annotation.
    Whole(&'k str),
    /// The value of a field.
    Field(&'k str),
    /// An entry of the list in a field.
    Entry(&'k str),
}

// === impl Shape ===

impl Shape<'_> {
    /// Checks a node and everything in it.
    pub(crate) fn check(&mut self, node: Node<'_>, kind: &Kind, at: At<'_>) {
        if !fits(kind, node) {
            self.findings
                .push(mismatch::wrong_type(self.source, node, kind, at));
            return;
        }
        match kind {
            Kind::Any | Kind::Bool | Kind::IntOrText | Kind::Number | Kind::Text | Kind::Time => {}
            Kind::Base64 => self.check_base64(node, at),
            Kind::Int32 => self.check_range(node, i128::from(i32::MIN), i128::from(i32::MAX), at),
            Kind::Int64 => self.check_range(node, i128::from(i64::MIN), i128::from(i64::MAX), at),
            Kind::List(item) => self.check_list(node, item, at),
            Kind::Map(value) => self.check_map(node, value),
            Kind::Object(object) => self.check_object(node, object, at),
            Kind::OneOf(_) if mismatch::is_only_quoted(node, kind) => self
                .findings
                .push(mismatch::wrong_type(self.source, node, kind, at)),
            Kind::OneOf(kinds) => {
                if let Some(kind) = kinds.iter().find(|kind| fits(kind, node)) {
                    self.check(node, kind, at);
                }
            }
            Kind::Quantity => self.check_quantity(node, at),
            Kind::Words(words) => self.check_word(node, words, at),
        }
    }

    fn check_object(&mut self, node: Node<'_>, object: &'static Type, at: At<'_>) {
        let strict = self.strict || unknown::is_closed(object, node);
        for (key, span, value) in node.entries() {
            match object.field(key) {
                Some(field) if !value.is_null() => self.check(value, &field.kind, At::Field(key)),
                Some(_) if value.span() == span && unknown::is_own(object, key) => {
                    self.empty_field(key, span);
                }
                // A written null is the same as not given. To Kubernetes nothing is too, and tools
                // write it.
                Some(_) => {}
                None if self.findings.is_full() => self.findings.left_out(),
                None => {
                    let unknown = unknown::unknown_field(object, key, span, at, strict);
                    if let Some(unknown) = unknown {
                        self.findings.push(unknown);
                    }
                }
            }
        }
        let required = object
            .fields
            .iter()
            .chain(object.extension())
            .filter(|field| field.required);
        for field in required.filter(|field| node.get(field.name).is_none()) {
            self.missing(node.span(), field.name, at);
        }
    }

    /// Somebody began to say something that only Pillion understands.
    fn empty_field(&mut self, key: &str, span: Span) {
        let message = format!("`{key}` has no value and counts as not given");
        let diagnostic = Diagnostic::new(Code::EmptyEntry, message);
        let diagnostic = diagnostic.primary(span, "nothing after it");
        let diagnostic = diagnostic.severity(Severity::Warning);
        self.findings
            .push(diagnostic.help("give it a value, or remove it"));
    }

    fn check_list(&mut self, node: Node<'_>, item: &Kind, at: At<'_>) {
        let entry = match at {
            At::Field(key) => At::Entry(key),
            At::Whole(_) | At::Entry(_) => at,
        };
        for value in node.items() {
            if value.is_null() {
                let message = format!("{entry} is empty");
                let diagnostic = Diagnostic::new(Code::EmptyEntry, message);
                let diagnostic = diagnostic.primary(value.span(), "nothing");
                self.findings
                    .push(diagnostic.help("remove it, or write `\"\"` for empty text"));
            } else {
                self.check(value, item, entry);
            }
        }
    }

    fn check_map(&mut self, node: Node<'_>, kind: &Kind) {
        for (key, span, value) in node.entries() {
            if value.is_null() {
                let message = format!("`{key}` has no value; Kubernetes takes it as empty");
                let diagnostic = Diagnostic::new(Code::EmptyEntry, message);
                let diagnostic = diagnostic.primary(span, "nothing after it");
                let diagnostic = diagnostic.severity(Severity::Warning);
                self.findings
                    .push(diagnostic.help("write `\"\"` if that is meant"));
            } else {
                self.check(value, kind, At::Field(key));
            }
        }
    }

    fn check_range(&mut self, node: Node<'_>, least: i128, most: i128, at: At<'_>) {
        let number = node.as_int().unwrap_or_default();
        if !(least..=most).contains(&number) {
            let least = if at.takes_negative() { least } else { 0 };
            let message = format!("{at} takes a number from {least} to {most}");
            let diagnostic = Diagnostic::new(Code::OutOfRange, message);
            self.findings
                .push(diagnostic.primary(node.span(), "does not fit"));
        }
    }

    fn check_base64(&mut self, node: Node<'_>, at: At<'_>) {
        if crate::base64::decode(node.as_str().unwrap_or_default()).is_none() {
            let message = format!("{at} takes text in base64");
            let diagnostic = Diagnostic::new(Code::BadFormat, message);
            let diagnostic = diagnostic.primary(node.span(), "not base64");
            self.findings
                .push(diagnostic.help("plain text goes under `stringData` in a Secret"));
        }
    }

    fn check_quantity(&mut self, node: Node<'_>, at: At<'_>) {
        let Err(error) = quantity(node) else { return };
        let message = format!("{at} is not a quantity: {error}");
        let diagnostic = Diagnostic::new(Code::BadQuantity, message).primary(node.span(), "");
        self.findings
            .push(diagnostic.help("for example `250m`, `0.5`, `128Mi`, `1Gi`"));
    }

    fn check_word(&mut self, node: Node<'_>, words: &[&'static str], at: At<'_>) {
        let text = node.as_str().unwrap_or_default();
        // Kubernetes takes an empty word as not given.
        if text.is_empty() || words.contains(&text) {
            return;
        }
        let message = format!("{at} cannot be `{}`", mismatch::shortened(text));
        let diagnostic = Diagnostic::new(Code::UnknownValue, message);
        let near = nearest(text, words.iter().copied());
        let diagnostic = diagnostic.primary(node.span(), "not one of its values");
        let diagnostic = match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        };
        self.findings
            .push(diagnostic.help(format!("it takes {}", mismatch::choices(words))));
    }

    pub(crate) fn missing(&mut self, span: Span, name: &str, at: At<'_>) {
        let message = format!("{at} needs `{name}`");
        let diagnostic = Diagnostic::new(Code::MissingField, message);
        self.findings
            .push(diagnostic.primary(span, format!("`{name}` is missing")));
    }
}

/// The amount in a node that may be text or a number.
pub(crate) fn quantity(node: Node<'_>) -> Result<Quantity, crate::quantity::InvalidQuantity> {
    match node.value() {
        Value::String(text) => text.trim().parse(),
        Value::Int(number) => number.to_string().parse(),
        Value::Float(number) => number.to_string().parse(),
        Value::Null | Value::Bool(_) | Value::Sequence(_) | Value::Mapping(_) => {
            Err(crate::quantity::InvalidQuantity::Form)
        }
    }
}

/// Whether a node is of the kind at all; its content is another question.
fn fits(kind: &Kind, node: Node<'_>) -> bool {
    let is_text = node.as_str().is_some();
    match kind {
        Kind::Any => true,
        Kind::Base64 | Kind::Text | Kind::Time | Kind::Words(_) => is_text,
        Kind::Bool => node.as_bool().is_some(),
        Kind::Int32 | Kind::Int64 => node.as_int().is_some(),
        Kind::IntOrText => is_text || node.as_int().is_some(),
        Kind::List(_) => node.is_sequence(),
        Kind::Map(_) | Kind::Object(_) => node.is_mapping(),
        Kind::Number => matches!(node.value(), Value::Int(_) | Value::Float(_)),
        Kind::OneOf(kinds) => kinds.iter().any(|kind| fits(kind, node)),
        Kind::Quantity => is_text || matches!(node.value(), Value::Int(_) | Value::Float(_)),
    }
}

// === impl At ===

impl At<'_> {
    /// Whether a number below zero means something here; almost nowhere it does.
    fn takes_negative(self) -> bool {
        matches!(self, Self::Field("phase" | "priority"))
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(name) => f.write_str(name),
            Self::Field(key) => write!(f, "`{key}`"),
            Self::Entry(key) => write!(f, "an entry of `{key}`"),
        }
    }
}
