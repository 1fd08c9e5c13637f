//! The text of one file, and places in it.
//!
//! A [`Source`] is text that was accepted: valid UTF-8, not empty, at most [`MAX_SIZE`] bytes.
//! A [`Span`] is a range of bytes of that text; only a [`Source`] can turn it into lines and
//! columns. Nothing here opens a file: the bytes come from outside.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// The largest file that is read. The API server takes no request above 3 MB, so a larger file
/// could not be applied anyway.
pub const MAX_SIZE: usize = 3 * 1024 * 1024;

/// A named text with its line starts.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

/// A range of bytes of a [`Source`]. It never splits a character.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A line and a column as people count them: from one, columns in characters.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

// === impl Source ===

impl Source {
    /// Accepts the bytes of a file, or says why not.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Result<Self, Diagnostic> {
        if bytes.len() > MAX_SIZE {
            return Err(too_large());
        }
        let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, &error))?;
        if text
            .trim_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
            .is_empty()
        {
            return Err(empty("the file is empty"));
        }
        Ok(Self::from_text(name, text))
    }

    /// A source that holds no text: the place of a file that could not be read at all.
    pub fn unread(name: impl Into<String>) -> Self {
        Self::from_text(name, "")
    }

    fn from_text(name: impl Into<String>, text: &str) -> Self {
        let line_starts = line_starts(text);
        Self {
            name: name.into(),
            text: text.to_owned(),
            line_starts,
        }
    }

    /// The name by which people know the file: its path, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not of this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The bytes of a line, counted from 0, without its line break; empty if there is none.
    pub(crate) fn line_range(&self, line: usize) -> Range<usize> {
        let start = self
            .line_starts
            .get(line)
            .map_or(self.text.len(), |start| *start as usize);
        let next = self
            .line_starts
            .get(line + 1)
            .map_or(self.text.len(), |next| *next as usize);
        start..start + self.text[start..next].trim_end_matches(['\n', '\r']).len()
    }

    /// The line and column where a span starts.
    pub fn position(&self, span: Span) -> Position {
        self.position_at(span.start as usize)
    }

    /// The line and column just after a span.
    pub fn end_position(&self, span: Span) -> Position {
        self.position_at(span.end as usize)
    }

    fn position_at(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self
            .line_starts
            .partition_point(|start| *start as usize <= offset)
            .max(1);
        let start = self.line_starts[line - 1] as usize;
        Position {
            line,
            column: self.text[start..offset].chars().count() + 1,
        }
    }
}

// === impl Span ===

impl Span {
    /// The span of a byte range. Offsets beyond 4 GB saturate; no source is that long.
    pub fn new(start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        Self {
            start,
            end: end.max(start),
        }
    }

    /// As a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many bytes it covers.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it covers nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(breaks.map(|(at, _)| Span::new(at + 1, at + 1).start))
        .collect()
}

/// There is nothing in a file.
pub(crate) fn empty(message: &str) -> Diagnostic {
    Diagnostic::new(Code::EmptyFile, message)
        .help("a pod file holds at least one document with `kind: Pod` or a workload")
}

fn too_large() -> Diagnostic {
    let message = format!("the file is larger than {} MiB", MAX_SIZE >> 20);
    Diagnostic::new(Code::FileTooLarge, message).help("split it: one workload per file is plenty")
}

fn not_utf8(bytes: &[u8], error: &std::str::Utf8Error) -> Diagnostic {
    let before = &bytes[..error.valid_up_to()];
    let line = before.split(|byte| *byte == b'\n').count();
    let message = format!(
        "the file is not UTF-8 text: byte {} (line {line}) is 0x{:02x}",
        error.valid_up_to(),
        bytes[error.valid_up_to()]
    );
    Diagnostic::new(Code::NotUtf8, message).help("save it as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> Diagnostic {
        Source::new("pod.yaml", bytes).unwrap_err()
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("pod.yaml", "a: ä\nbü: c\n".as_bytes()).unwrap();
        let at = source.text().find('c').unwrap();
        assert_eq!(
            source.position(Span::new(at, at + 1)),
            Position { line: 2, column: 5 }
        );
        assert_eq!(
            source.position(Span::new(0, 1)),
            Position { line: 1, column: 1 }
        );
    }

    #[test]
    fn a_span_beyond_the_text_is_placed_at_its_end() {
        let source = Source::new("pod.yaml", b"a: b").unwrap();
        assert_eq!(
            source.position(Span::new(900, 901)),
            Position { line: 1, column: 5 }
        );
        assert_eq!(source.slice(Span::new(900, 901)), "");
    }

    #[test]
    fn three_megabytes_are_read_and_one_byte_more_is_refused() {
        let mut bytes = vec![b'#'; MAX_SIZE];
        assert!(Source::new("pod.yaml", &bytes).is_ok());
        bytes.push(b'\n');
        assert_eq!(refusal(&bytes).code, Code::FileTooLarge);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_line() {
        let refused = refusal(b"kind: Pod\nname: \xff\n");
        assert_eq!(refused.code, Code::NotUtf8);
        assert!(
            refused.message.contains("byte 16 (line 2) is 0xff"),
            "{}",
            refused.message
        );
    }

    #[test]
    fn blank_files_are_refused() {
        for bytes in [&b""[..], b" \n\t\r\n", "\u{feff}\n".as_bytes()] {
            assert_eq!(refusal(bytes).code, Code::EmptyFile);
        }
    }
}
