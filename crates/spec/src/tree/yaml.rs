//! Reads YAML: the parser's events, told to the builder.

use super::build::{Builder, Fatal, Scalar, too_deep};
use super::input::TabbedInput;
use super::locate::Locator;
use super::{NodeId, Style, Tree};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as Range, Tag};

/// Reads all documents of a file. After a mistake that ends a document, reading goes on with the
/// next one, so that its mistakes are found too.
pub(super) fn read_file(text: &str) -> (Tree, Vec<NodeId>, Vec<Diagnostic>) {
    let mut builder = Builder::new(Locator::of_file(text, 0));
    let mut start = 0;
    while let Err((fatal, at)) = read_documents(&text[start..], &mut builder) {
        builder.diagnostics.push(fatal.0);
        let Some(next) = next_document(text, start, start + at) else {
            break;
        };
        start = next;
        builder.resume(Locator::of_file(&text[start..], start));
    }
    builder.finish()
}

/// Reads the documents of a text that is itself a scalar in a file.
pub(super) fn read_scalar(
    text: &str,
    locator: Locator<'_>,
) -> (Tree, Vec<NodeId>, Vec<Diagnostic>) {
    let mut builder = Builder::new(locator);
    if let Err((fatal, _)) = read_documents(text, &mut builder) {
        builder.diagnostics.push(fatal.0);
    }
    builder.finish()
}

/// Tells the builder everything in the text, or fails with the byte at which it stopped.
fn read_documents(text: &str, builder: &mut Builder<'_>) -> Result<(), (Fatal, usize)> {
    let mut parser = Parser::new(TabbedInput::new(text));
    loop {
        match parser.next_event() {
            None => return Ok(()),
            Some(Err(error)) => {
                let at = builder.locator.byte(error.marker().index());
                return Err((syntax(text, &error, at, builder), at));
            }
            Some(Ok((event, range))) => {
                let at = builder.locator.byte(range.start.index());
                if builder.is_between_documents() {
                    refuse_tabs(text, at, builder).map_err(|fatal| (fatal, at))?;
                }
                tell(builder, text, event, range).map_err(|fatal| (fatal, at))?;
            }
        }
    }
}

fn tell(
    builder: &mut Builder<'_>,
    text: &str,
    event: Event<'_>,
    range: Range,
) -> Result<(), Fatal> {
    let span = builder.locator.span(range.start.index(), range.end.index());
    match event {
        Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        Event::DocumentEnd => builder.forget_document(),
        Event::Alias(anchor) => builder.alias(anchor, span)?,
        Event::Scalar(value, style, anchor, tag) => {
            let tag = tag.map(|tag| short_tag(&tag));
            let style = style_of(style);
            let start = builder.locator.byte(range.start.index());
            let end = builder.locator.byte(range.end.index());
            let (start, end) = content(text, style, start, end);
            let span = builder.locator.byte_span(start, end);
            builder.scalar(Scalar {
                text: value,
                style,
                tag: tag.as_deref(),
                span,
                anchor,
            });
        }
        Event::SequenceStart(anchor, _) => builder.begin_sequence(span, anchor)?,
        Event::MappingStart(anchor, _) => builder.begin_mapping(span, anchor)?,
        Event::SequenceEnd | Event::MappingEnd => builder.end(span),
    }
    Ok(())
}

/// The parser lets a tab stand before the first key of a document; `kubectl` does not.
fn refuse_tabs(text: &str, at: usize, builder: &Builder<'_>) -> Result<(), Fatal> {
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let Some(tab) = text[line..at]
        .find('\t')
        .filter(|_| text[line..at].trim().is_empty())
    else {
        return Ok(());
    };
    let span = builder.locator.byte_span(line + tab, line + tab + 1);
    let message = "a document is indented with a tab";
    let diagnostic = Diagnostic::new(Code::Syntax, message).primary(span, "a tab");
    Err(Fatal(diagnostic.help("YAML is indented with spaces")))
}

/// The scalar itself, without the anchor and tag before it and the blanks and comment behind it,
/// which the parser counts in.
fn content(text: &str, style: Style, start: usize, end: usize) -> (usize, usize) {
    let written = &text[start..end];
    let mut rest = written;
    while rest.starts_with(['&', '!'])
        && matches!(style, Style::Plain | Style::Single | Style::Double)
    {
        rest = rest
            .trim_start_matches(|c: char| !c.is_whitespace())
            .trim_start();
    }
    let start = end - rest.len();
    let length = match style {
        Style::Plain | Style::Literal | Style::Folded => rest.trim_end().len(),
        Style::Single => quoted_length(rest, b'\'', b'\''),
        Style::Double => quoted_length(rest, b'"', b'\\'),
    };
    (start, start + length)
}

/// The length of a quoted scalar, both quotes included, in which `escape` protects the next byte.
fn quoted_length(written: &str, quote: u8, escape: u8) -> usize {
    let bytes = written.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        let escaped = bytes[at] == escape && (escape != quote || bytes.get(at + 1) == Some(&quote));
        match bytes[at] {
            _ if escaped => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

fn short_tag(tag: &Tag) -> String {
    if tag.is_yaml_core_schema() {
        format!("!!{}", tag.suffix)
    } else {
        tag.to_string()
    }
}

/// Where the next document starts, given where this one did and where reading stopped.
fn next_document(text: &str, start: usize, stopped: usize) -> Option<usize> {
    // The parser may have stopped at the separator itself.
    let from = stopped.saturating_sub(1).max(start);
    let rest = text.get(from..)?;
    let mut separators = rest.match_indices("\n---");
    let found = separators.find(|(at, separator)| {
        let next = rest[at + separator.len()..].chars().next();
        next.is_none_or(char::is_whitespace)
    });
    found.map(|(at, _)| from + at + 1)
}

fn syntax(text: &str, error: &ScanError, at: usize, builder: &Builder<'_>) -> Fatal {
    let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let span = builder.locator.byte_span(at, end);
    let info = error.info();
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
    Fatal(match hint(text, at) {
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

/// What people usually did when reading stops at a place.
fn hint(text: &str, at: usize) -> Option<&'static str> {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let indentation = &line[..line.len() - line.trim_start().len()];
    if indentation.contains('\t') {
        Some("YAML is indented with spaces; this line has a tab")
    } else if line.contains("{{") {
        Some("this looks like a template: render it first")
    } else if line.contains(": ") && line.trim_start().matches(": ").count() > 1 {
        Some("a value that contains `: ` must be quoted")
    } else {
        None
    }
}
