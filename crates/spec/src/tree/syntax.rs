//! How to say that a text is not YAML.

use super::build::{Builder, Fatal, too_deep};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use saphyr_parser::ScanError;

/// What the parser could not take, at the byte where it stopped.
pub(super) fn syntax(text: &str, error: &ScanError, at: usize, builder: &Builder<'_>) -> Fatal {
    let mut info = error.info();
    let mut at = at;
    // Within quotes the parser takes this character for the end of the file.
    if let Some(nul) = text[at..]
        .find('\0')
        .filter(|_| info.contains("end of stream"))
    {
        at += nul;
        info = "found unprintable character";
    }
    let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let span = builder.locator.byte_span(at, end);
    if info.contains("recursion limit") {
        return too_deep(span);
    }
    if info.contains("unknown anchor") {
        let message = "an alias names an anchor that does not exist in this document";
        let diagnostic = Diagnostic::new(Code::BadAlias, message);
        return Fatal(diagnostic.primary(
            alias_span(text, at, builder),
            "no anchor before this has this name",
        ));
    }
    let message = "the file cannot be read beyond this place";
    let diagnostic = Diagnostic::new(Code::Syntax, message).primary(span, info.to_owned());
    Fatal(match hint(text, at, info) {
        Some(hint) => diagnostic.help(hint),
        None => diagnostic,
    })
}

fn alias_span(text: &str, at: usize, builder: &Builder<'_>) -> Span {
    let rest = &text[at..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}'));
    builder
        .locator
        .byte_span(at, at + end.unwrap_or(rest.len()))
}

/// What to do about `{{`.
pub(super) const TEMPLATE: &str = "this looks like a template: render it first";

/// What people usually did when reading stops at a place.
fn hint(text: &str, at: usize, info: &str) -> Option<&'static str> {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let indentation = &line[..line.len() - line.trim_start().len()];
    if indentation.contains('\t') {
        Some("YAML is indented with spaces; this line has a tab")
    } else if line.contains("{{") {
        Some(TEMPLATE)
    } else if line.contains(": ") && line.trim_start().matches(": ").count() > 1 {
        Some("a value that contains `: ` must be quoted")
    } else if info.contains("indentation") {
        Some("what continues a value must be indented deeper than its key")
    } else {
        None
    }
}
