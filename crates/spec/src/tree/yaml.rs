//! Reads YAML: the parser's events, told to the builder.

use super::build::{Builder, Fatal, Scalar};
use super::input::TabbedInput;
use super::locate::Locator;
use super::syntax::syntax;
use super::{NodeId, Style, Tree};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use saphyr_parser::{Event, Parser, ScalarStyle, Span as Range, Tag};
use std::borrow::Cow;

/// Reads all documents of a file. After a mistake that ends a document, reading goes on with the
/// next one, so that its mistakes are found too.
pub(super) fn read_file(text: &str) -> (Tree, Vec<NodeId>, Vec<Diagnostic>) {
    let mut builder = Builder::new(Locator::of_file(text, 0));
    let mut start = 0;
    let mut broken = 0;
    while let Err((fatal, at)) = read_documents(&text[start..], &mut builder) {
        broken += 1;
        builder.diagnostics.push(fatal.0);
        let next = next_document(text, start, start + at).filter(|_| broken < MAX_BROKEN);
        let Some(next) = next else { break };
        start = next;
        builder.resume(Locator::of_file(&text[start..], start));
    }
    builder.finish()
}

/// A file with more broken documents than this is no file of documents.
const MAX_BROKEN: usize = 20;

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
                if builder.is_between_documents() && is_content(&event) {
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
            let value = as_written(value, style, &text[..end], text.len());
            if span.is_empty() {
                refuse_tight_colon(text, start, builder);
            }
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

/// Whether an event begins a value.
fn is_content(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..)
    )
}

/// The parser ends every block with a line break; `kubectl` gives the last line of a file none if
/// it has none.
fn as_written<'v>(value: Cow<'v, str>, style: Style, before: &str, length: usize) -> Cow<'v, str> {
    let is_block = matches!(style, Style::Literal | Style::Folded);
    if !is_block || before.len() < length || before.ends_with(['\n', '\r']) {
        return value;
    }
    match value.strip_suffix('\n') {
        Some(line) => Cow::Owned(line.to_owned()),
        None => value,
    }
}

/// `{a:}` is a key without a value to the parser, and the text `a:` to `kubectl`. Nobody means
/// the latter, and the former must not be taken for granted.
fn refuse_tight_colon(text: &str, at: usize, builder: &mut Builder<'_>) {
    // The parser places an empty value before or behind its colon.
    let at = at + usize::from(text[at..].starts_with(':'));
    let is_tight = text[..at].ends_with(':') && text[at..].starts_with([',', '}', ']']);
    if is_tight {
        let span = builder.locator.byte_span(at - 1, at);
        let message = "a colon must be followed by a space";
        let diagnostic = Diagnostic::new(Code::Syntax, message);
        let diagnostic = diagnostic.primary(span, "`kubectl` takes this as part of the key");
        builder.diagnostics.push(diagnostic);
    }
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
