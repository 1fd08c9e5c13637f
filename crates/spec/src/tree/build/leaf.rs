//! Scalars, and what becomes of them as keys.

use super::super::scalar::{self, Refusal};
use super::super::{NodeData, Style, Value};
use super::Builder;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use std::borrow::Cow;

/// A scalar as a reader sees it.
#[derive(Clone)]
pub(in crate::tree) struct Scalar<'s> {
    pub(in crate::tree) text: Cow<'s, str>,
    pub(in crate::tree) style: Style,
    /// The short form of its tag, such as `!!int`.
    pub(in crate::tree) tag: Option<&'s str>,
    pub(in crate::tree) span: Span,
    /// The number of its anchor; 0 if it has none.
    pub(in crate::tree) anchor: usize,
}

/// A key whose value is awaited.
#[derive(Debug)]
pub(super) enum Key {
    Named(String, Span),
    Merge(Span),
    /// It was refused, and its value is dropped.
    Refused,
}

impl Builder<'_> {
    pub(in crate::tree) fn scalar(&mut self, scalar: Scalar<'_>) {
        let Scalar {
            style,
            span,
            anchor,
            ..
        } = scalar;
        if self.awaits_key() {
            if anchor != 0 {
                let value = self.scalar_value(scalar.clone());
                let node = self.push(NodeData { span, value, style }, 1, 1);
                self.name(anchor, node);
            }
            let key = self.scalar_key(scalar);
            self.put_key(key);
            return;
        }
        let value = self.scalar_value(scalar);
        // Nothing has no place of its own; it is shown at its key.
        let place = if span.is_empty() {
            self.key_span()
        } else {
            None
        };
        let node = self.push(
            NodeData {
                span: place.unwrap_or(span),
                value,
                style,
            },
            1,
            1,
        );
        self.name(anchor, node);
        self.put(node);
    }

    fn scalar_key(&mut self, scalar: Scalar<'_>) -> Key {
        let Scalar {
            span, style, tag, ..
        } = scalar;
        let is_plain = tag.is_none() && style == Style::Plain;
        if scalar.text == "<<" && (is_plain || tag == Some("!!merge")) {
            return Key::Merge(span);
        }
        match resolve(scalar) {
            Err((Refusal::NoJsonForm, text)) => {
                Key::Named(scalar::infinite_key(&text).to_owned(), span)
            }
            Ok(value) => match scalar::key_text(value) {
                Some(text) => Key::Named(text, span),
                None => self.refused_key(span, QUOTE),
            },
            Err((Refusal::TagMismatch | Refusal::NotBase64, _)) => self.refused_key(span, QUOTE),
        }
    }

    pub(super) fn refused_key(&mut self, span: Span, help: &str) -> Key {
        self.diagnostics.push(
            Diagnostic::new(Code::BadKey, "a key must be a string")
                .primary(span, "this is not a string")
                .help(help),
        );
        Key::Refused
    }

    fn scalar_value(&mut self, scalar: Scalar<'_>) -> Value {
        let span = scalar.span;
        resolve(scalar).unwrap_or_else(|(refusal, text)| {
            let label = match refusal {
                Refusal::TagMismatch => "not of the type that its tag says",
                Refusal::NotBase64 => "not text in base64",
                Refusal::NoJsonForm => "infinity and not-a-number have no form in JSON",
            };
            let message = format!("`{text}` cannot be used as a value");
            let diagnostic = Diagnostic::new(Code::BadScalar, message).primary(span, label);
            self.diagnostics.push(diagnostic.help(QUOTE));
            Value::Null
        })
    }
}

/// What to do about a value that is none.
pub(super) const QUOTE: &str = "quote it if it is meant as text";

/// The value of a scalar, or its text with the reason why it has none.
fn resolve(scalar: Scalar<'_>) -> Result<Value, (Refusal, String)> {
    let Scalar {
        text, style, tag, ..
    } = scalar;
    let value = match (tag, style) {
        (Some(tag), _) => scalar::resolve_tagged(tag, &text),
        (None, Style::Plain) => scalar::resolve(&text),
        (None, Style::Single | Style::Double | Style::Literal | Style::Folded) => Ok(None),
    };
    match value {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Ok(Value::String(text.into_owned())),
        Err(refusal) => Err((refusal, text.into_owned())),
    }
}
