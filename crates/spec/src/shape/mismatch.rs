//! How to say that a value is of the wrong type.

use super::At;
use crate::code::Code;
use crate::decode::annotation::LIFECYCLE;
use crate::diagnostic::Diagnostic;
use crate::fields::Kind;
use crate::source::Source;
use crate::tree::{Node, Value, plain_value};

/// `value` takes text, not the number `8080`.
pub(super) fn wrong_type(source: &Source, node: Node<'_>, kind: &Kind, at: At<'_>) -> Diagnostic {
    let raw = shortened(source.slice(node.span()));
    let message = format!("{at} takes {}, not {}", expected(kind), actual(node, &raw));
    let diagnostic = Diagnostic::new(Code::WrongType, message);
    let diagnostic = diagnostic.primary(node.span(), label(kind));
    match help(node, kind, &raw, at) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// A text that is short enough to stand in a sentence.
pub(super) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}

const LONGEST: usize = 40;

/// `a`, `b` or `c`.
pub(super) fn choices(words: &[&str]) -> String {
    let quoted: Vec<String> = words
        .iter()
        .filter(|word| !word.is_empty())
        .map(|word| format!("`{word}`"))
        .collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((_, rest)) if rest.len() >= MOST_CHOICES => {
            format!(
                "{} and {} more",
                rest[..MOST_CHOICES].join(", "),
                quoted.len() - MOST_CHOICES
            )
        }
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

const MOST_CHOICES: usize = 12;

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Any => "anything".to_owned(),
        Kind::Base64 | Kind::Text | Kind::Time => "text".to_owned(),
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::Int32 | Kind::Int64 => "a whole number".to_owned(),
        Kind::IntOrText => "a whole number or text".to_owned(),
        Kind::List(_) => "a list".to_owned(),
        Kind::Map(_) | Kind::Object(_) => "a map".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::OneOf(kinds) => kinds.iter().map(expected).collect::<Vec<_>>().join(" or "),
        Kind::Quantity => "a quantity".to_owned(),
        Kind::Words(words) => choices(words),
    }
}

fn actual(node: Node<'_>, raw: &str) -> String {
    match node.value() {
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) => format!("the boolean `{raw}`"),
        Value::Int(_) | Value::Float(_) => format!("the number `{raw}`"),
        Value::String(_) => format!("the text `{raw}`"),
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a map".to_owned(),
    }
}

fn label(kind: &Kind) -> String {
    match kind {
        Kind::Words(_) | Kind::OneOf(_) => "wrong type".to_owned(),
        Kind::Any
        | Kind::Base64
        | Kind::Bool
        | Kind::Int32
        | Kind::Int64
        | Kind::IntOrText
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Number
        | Kind::Object(_)
        | Kind::Quantity
        | Kind::Text
        | Kind::Time => format!("not {}", expected(kind)),
    }
}

fn help(node: Node<'_>, kind: &Kind, raw: &str, at: At<'_>) -> Option<String> {
    let takes_text = match kind {
        Kind::Base64 | Kind::Text | Kind::Time => true,
        Kind::Words(words) => words.contains(&raw),
        Kind::Any
        | Kind::Bool
        | Kind::Int32
        | Kind::Int64
        | Kind::IntOrText
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Number
        | Kind::Object(_)
        | Kind::OneOf(_)
        | Kind::Quantity => false,
    };
    match node.value() {
        Value::Bool(_) | Value::Int(_) | Value::Float(_) if takes_text => {
            Some(format!("quote it: `\"{raw}\"`"))
        }
        Value::String(text) if unquoted_fits(text, kind) => {
            Some(format!("remove the quotes: `{text}`"))
        }
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_)
            if matches!(kind, Kind::List(_)) =>
        {
            Some(format!("make it a list: `[{raw}]`"))
        }
        Value::Mapping(_) if matches!(kind, Kind::List(_)) => {
            Some("each entry of a list begins with `- `".to_owned())
        }
        Value::Mapping(_) if matches!(at, At::Field(LIFECYCLE)) => {
            Some(format!("an annotation is text: write `{LIFECYCLE}: |`"))
        }
        Value::Sequence(_) if matches!(kind, Kind::Map(_) | Kind::Object(_)) => {
            Some("remove the `- ` before its keys".to_owned())
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::String(_)
        | Value::Sequence(_)
        | Value::Mapping(_) => None,
    }
}

/// Whether a text is none of the words that are taken here, but would be right without its quotes.
pub(super) fn is_only_quoted(node: Node<'_>, kind: &Kind) -> bool {
    let Kind::OneOf(kinds) = kind else {
        return false;
    };
    let takes_any = kinds.iter().any(|kind| matches!(kind, Kind::Text));
    let text = node.as_str().filter(|_| !takes_any);
    text.is_some_and(|text| unquoted_fits(text, kind))
}

/// Whether a quoted text would be right without its quotes.
fn unquoted_fits(text: &str, kind: &Kind) -> bool {
    if let Kind::OneOf(kinds) = kind {
        return kinds.iter().any(|kind| unquoted_fits(text, kind));
    }
    match (plain_value(text), kind) {
        (Some(Value::Bool(_)), Kind::Bool)
        | (Some(Value::Int(_)), Kind::Int32 | Kind::Int64 | Kind::Number)
        | (Some(Value::Float(_)), Kind::Number) => true,
        (Some(_) | None, _) => false,
    }
}
