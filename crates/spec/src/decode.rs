//! From trees to the types of a pod.
//!
//! The shape of the document has been checked before, so a value of the wrong type is left out
//! here without another word. What the table of fields cannot say, ranges and forms and what goes
//! with what inside one value, is checked while decoding, and reported at its place.

pub(crate) mod annotation;
mod container;
mod env;
mod hook;
pub(crate) mod job;
mod merge;
pub(crate) mod metadata;
mod pillion;
pub(crate) mod pod;
mod probe;
mod resources;
mod restart;
mod security;
mod volume;
pub(crate) mod watch;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::quantity::Quantity;
use crate::source::Span;
use crate::tree::Node;
use crate::word::Word;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The text of a field.
fn text(node: Node<'_>, key: &str) -> Option<String> {
    node.get(key)?.as_str().map(str::to_owned)
}

/// The text of a field in which empty means not given.
fn some_text(node: Node<'_>, key: &str) -> Option<String> {
    text(node, key).filter(|text| !text.is_empty())
}

fn flag(node: Node<'_>, key: &str) -> Option<bool> {
    node.get(key)?.as_bool()
}

fn word<W: Word>(node: Node<'_>, key: &str) -> Option<W> {
    node.get(key)?.as_str().and_then(W::from_word)
}

/// The entries of a list that are not null.
fn items<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    let list = node.get(key);
    list.into_iter()
        .flat_map(Node::items)
        .filter(|item| !item.is_null())
}

fn texts(node: Node<'_>, key: &str) -> Vec<String> {
    items(node, key)
        .filter_map(Node::as_str)
        .map(str::to_owned)
        .collect()
}

fn text_map(node: Node<'_>, key: &str) -> BTreeMap<String, String> {
    let entries = node.get(key).into_iter().flat_map(Node::entries);
    // Kubernetes takes a key without a value as an empty text.
    let text = |value: Node<'_>| value.as_str().unwrap_or_default().to_owned();
    entries
        .map(|(key, _, value)| (key.to_owned(), text(value)))
        .collect()
}

fn quantity(node: Node<'_>, key: &str) -> Option<Quantity> {
    crate::shape::quantity(node.get(key)?).ok()
}

fn quantities(node: Node<'_>, key: &str) -> BTreeMap<String, Quantity> {
    let entries = node.get(key).into_iter().flat_map(Node::entries);
    let amounts = entries.filter_map(|(key, _, value)| {
        let amount = crate::shape::quantity(value).ok()?;
        Some((key.to_owned(), amount))
    });
    amounts.collect()
}

/// A number within limits; anything else is reported.
fn number(
    node: Node<'_>,
    key: &str,
    limits: RangeInclusive<i64>,
    findings: &mut Findings,
) -> Option<i64> {
    let value = node.get(key)?;
    let found = i64::try_from(value.as_int()?).ok()?;
    if limits.contains(&found) {
        return Some(found);
    }
    findings.push(out_of_range(&format!("`{key}`"), value.span(), &limits));
    None
}

fn out_of_range(what: &str, span: Span, limits: &RangeInclusive<i64>) -> Diagnostic {
    let (least, most) = (limits.start(), limits.end());
    let limits = if *most == i64::MAX {
        format!("{least} or more")
    } else {
        format!("a number from {least} to {most}")
    };
    Diagnostic::new(Code::OutOfRange, format!("{what} must be {limits}"))
        .primary(span, "out of range")
}

/// Seconds or a count, from a least value on. What does not fit 32 bits has been reported.
fn count(node: Node<'_>, key: &str, least: i64, findings: &mut Findings) -> Option<u32> {
    let found = number(node, key, least..=i64::MAX, findings)?;
    i32::try_from(found)
        .ok()
        .and_then(|found| u32::try_from(found).ok())
}

/// Seconds of 64 bits, from a least value on.
fn long_count(node: Node<'_>, key: &str, least: i64, findings: &mut Findings) -> Option<u64> {
    let found = number(node, key, least..=i64::MAX, findings)?;
    u64::try_from(found).ok()
}

/// A port number.
fn port(node: Node<'_>, key: &str, findings: &mut Findings) -> Option<u16> {
    number(node, key, 1..=65535, findings).and_then(|port| u16::try_from(port).ok())
}

/// Permission bits. Who writes 755 means 0755, which is another number.
fn mode(node: Node<'_>, key: &str, findings: &mut Findings) -> Option<u32> {
    let value = node.get(key)?;
    let found = i64::try_from(value.as_int()?).ok()?;
    let mode = u32::try_from(found).ok().filter(|mode| *mode <= 0o777);
    if mode.is_none() {
        let finding = out_of_range(&format!("`{key}`"), value.span(), &(0..=0o777));
        let digits = found.to_string();
        findings.push(match i64::from_str_radix(&digits, 8) {
            Ok(0..=0o777) => finding.help(format!("as octal, write `0{digits}`")),
            Ok(_) | Err(_) => finding,
        });
    }
    mode
}

/// The one of some keys that is given. None or several of them are reported.
fn only_one<'t, 'k>(
    node: Node<'t>,
    keys: &[&'k str],
    what: &str,
    findings: &mut Findings,
) -> Option<(&'k str, Node<'t>)> {
    let mut given = keys.iter().filter_map(|key| Some((*key, node.get(key)?)));
    let Some(first) = given.next() else {
        let choices: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
        let diagnostic = Diagnostic::new(Code::OneHandler, format!("{what} says nothing to do"));
        let diagnostic = diagnostic.primary(node.span(), "nothing is given");
        findings.push(diagnostic.help(format!("give one of {}", choices.join(", "))));
        return None;
    };
    if let Some(second) = given.next() {
        findings.push(two_given(node, what, first.0, second.0));
    }
    Some(first)
}

/// Two keys exclude each other.
fn two_given(node: Node<'_>, what: &str, first: &str, second: &str) -> Diagnostic {
    let span = |key| {
        node.entry(key)
            .map_or_else(|| node.span(), |(span, _)| span)
    };
    let message = format!("{what} has both `{first}` and `{second}`");
    Diagnostic::new(Code::OneHandler, message)
        .primary(span(second), "only one can be meant")
        .secondary(span(first), "given here")
        .help("keep one of them")
}

/// Something that must not be empty although the table lets it be left out.
fn needs(node: Node<'_>, key: &str, what: &str, findings: &mut Findings) {
    let given = node
        .get(key)
        .is_some_and(|value| value.as_str() != Some(""));
    if !given {
        let message = format!("{what} needs `{key}`");
        let diagnostic = Diagnostic::new(Code::MissingField, message);
        findings.push(diagnostic.primary(node.span(), format!("`{key}` is missing")));
    }
}

fn bad_format(span: Span, message: String, label: &str) -> Diagnostic {
    Diagnostic::new(Code::BadFormat, message).primary(span, label)
}
