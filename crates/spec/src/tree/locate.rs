//! From positions in a text that was parsed to places in the file.
//!
//! The YAML reader counts characters, files are shown by bytes, and the text may itself be a
//! scalar inside the file, written with quotes, escapes or indentation. A [`Locator`] goes all
//! the way back.

use super::Style;
use crate::source::Span;

/// Finds the places of a text's characters.
#[derive(Debug)]
pub(crate) struct Locator<'t> {
    text: &'t str,
    /// The byte of every [`STRIDE`]th character; empty if characters are bytes.
    checkpoints: Vec<u32>,
    origin: Origin,
}

/// Where a text comes from.
#[derive(Debug)]
enum Origin {
    /// It is the file, or the rest of the file from a byte on.
    File { offset: usize },
    /// It is a scalar in the file: the place of each of its bytes, and of its end.
    Scalar { places: Vec<Span> },
}

const STRIDE: usize = 64;

// === impl Locator ===

impl<'t> Locator<'t> {
    /// For the text of a file from a byte on.
    pub(crate) fn of_file(text: &'t str, offset: usize) -> Self {
        Self::new(text, Origin::File { offset })
    }

    /// For the text of a scalar, given how it is written in the file and from which byte on.
    pub(crate) fn of_scalar(text: &'t str, style: Style, written: &str, offset: usize) -> Self {
        Self::new(
            text,
            Origin::Scalar {
                places: align(text, style, written, offset),
            },
        )
    }

    fn new(text: &'t str, origin: Origin) -> Self {
        let checkpoints = if text.is_ascii() {
            Vec::new()
        } else {
            let bytes = text.char_indices().step_by(STRIDE).map(|(byte, _)| byte);
            bytes.map(|byte| Span::new(byte, byte).start).collect()
        };
        Self {
            text,
            checkpoints,
            origin,
        }
    }

    /// The byte of the text at which a character starts.
    pub(crate) fn byte(&self, character: usize) -> usize {
        if self.checkpoints.is_empty() {
            return character.min(self.text.len());
        }
        let nearest = (character / STRIDE).min(self.checkpoints.len() - 1);
        let start = self.checkpoints[nearest] as usize;
        let mut rest = self.text[start..].char_indices();
        rest.nth(character - nearest * STRIDE)
            .map_or(self.text.len(), |(byte, _)| start + byte)
    }

    /// The place of a range of characters.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        self.byte_span(self.byte(start), self.byte(end))
    }

    /// The place of a range of bytes of the text.
    pub(crate) fn byte_span(&self, start: usize, end: usize) -> Span {
        match &self.origin {
            Origin::File { offset } => Span::new(offset + start, offset + end),
            Origin::Scalar { places } => {
                let at = |byte: usize| places[byte.min(places.len() - 1)];
                // The end is that of the last byte: what follows it may be indentation.
                let first = at(start).start;
                let last = if end > start { at(end - 1).end } else { first };
                Span {
                    start: first,
                    end: last.max(first),
                }
            }
        }
    }
}

/// The place of each byte of a scalar, and of its end.
///
/// Both texts are walked together. White space is what folding, indentation and chomping change,
/// so it is matched loosely; everything else appears in the file as it is, or as an escape.
fn align(text: &str, style: Style, written: &str, offset: usize) -> Vec<Span> {
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut rest = Written {
        text: written,
        at: content_start(style),
        style,
    };
    for character in text.chars() {
        let at = rest.find(character);
        let place = Span::new(offset + at, offset + rest.at.min(written.len()));
        places.extend(std::iter::repeat_n(place, character.len_utf8()));
    }
    let end = offset + rest.at.min(written.len());
    places.push(Span::new(end, end));
    places
}

/// Where the content begins: after the quote. The span of a block starts with its content.
fn content_start(style: Style) -> usize {
    match style {
        Style::Plain | Style::Literal | Style::Folded => 0,
        Style::Single | Style::Double => 1,
    }
}

/// A scalar as it is written, and how much of it is used up.
struct Written<'w> {
    text: &'w str,
    at: usize,
    style: Style,
}

impl Written<'_> {
    /// Goes to the next place of a character and past it.
    fn find(&mut self, character: char) -> usize {
        if character == '\n' || character == ' ' {
            return self.find_blank(character);
        }
        self.skip_blanks();
        let at = self.at;
        self.at += self.width(character);
        at
    }

    /// A blank is itself if it stands here; otherwise it is a line break that was folded.
    fn find_blank(&mut self, blank: char) -> usize {
        let at = self.at;
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.starts_with('\\') && self.style == Style::Double {
            self.at += self.width(blank);
        } else if blank == '\n' {
            let line = rest.find('\n').filter(|end| rest[..*end].trim().is_empty());
            self.at = line.map_or(at, |end| at + end + 1);
        } else if rest.starts_with(' ') {
            self.at += 1;
        }
        at
    }

    fn skip_blanks(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        // A backslash at the end of a line joins it with the next one.
        if self.style == Style::Double && rest[blank..].starts_with("\\\n") {
            let next = &rest[blank + 2..];
            blank += 2 + next.len() - next.trim_start_matches([' ', '\t']).len();
        }
        self.at += blank;
    }

    /// How many bytes stand here for one character.
    fn width(&self, character: char) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match (self.style, rest.as_bytes()) {
            (Style::Single, [b'\'', b'\'', ..]) => 2,
            (Style::Double, [b'\\', escape, ..]) => match escape {
                b'x' => 4,
                b'u' if rest.as_bytes().get(6..8) == Some(br"\u") && character > '\u{ffff}' => 12,
                b'u' => 6,
                b'U' => 10,
                _ => 2,
            },
            (Style::Plain | Style::Literal | Style::Folded | Style::Single | Style::Double, _) => {
                character.len_utf8()
            }
        }
    }
}
