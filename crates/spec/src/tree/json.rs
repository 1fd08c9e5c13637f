//! Reads JSON: one value, or several one after the other.
//!
//! JSON is almost YAML, but not quite: surrogate pairs, a colon on its own line and values that
//! follow each other without `---` are JSON only. As in `kubectl`, a file that begins like JSON is
//! read as JSON, and if it is not, as YAML after all.

use super::build::{Builder, Fatal, Scalar};
use super::locate::Locator;
use super::{NodeId, Style, Tree};
use crate::diagnostic::Diagnostic;
use std::borrow::Cow;

/// A cursor over the text.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// Why the text is not read as JSON.
enum Stop {
    /// It is no JSON.
    NotJson,
    /// It is JSON, and refused.
    Refused(Fatal),
}

/// Reads a file, or says that it is not JSON.
pub(super) fn read_file(text: &str) -> Option<(Tree, Vec<NodeId>, Vec<Diagnostic>)> {
    let mut reader = Reader { text, at: 0 };
    reader.accept("\u{feff}");
    reader.skip_blanks();
    if reader.peek() != Some(b'{') {
        return None;
    }
    let mut builder = Builder::new(Locator::of_file(text, 0));
    while reader.peek().is_some() {
        match reader.value(&mut builder) {
            Ok(()) => reader.skip_blanks(),
            Err(Stop::NotJson) => return None,
            Err(Stop::Refused(fatal)) => {
                builder.diagnostics.push(fatal.0);
                break;
            }
        }
    }
    Some(builder.finish())
}

// === impl Stop ===

impl From<Fatal> for Stop {
    fn from(fatal: Fatal) -> Self {
        Self::Refused(fatal)
    }
}

// === impl Reader ===

impl Reader<'_> {
    /// Reads one value. The builder refuses depth, so this cannot recurse without end.
    fn value(&mut self, builder: &mut Builder<'_>) -> Result<(), Stop> {
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.object(builder),
            Some(b'[') => self.array(builder),
            Some(b'"') => self.string(builder),
            Some(_) => self.word(builder),
            None => Err(Stop::NotJson),
        }
    }

    fn object(&mut self, builder: &mut Builder<'_>) -> Result<(), Stop> {
        builder.begin_mapping(builder.locator.byte_span(self.at, self.at + 1), 0)?;
        self.at += 1;
        self.skip_blanks();
        if !self.accept("}") {
            loop {
                self.skip_blanks();
                self.string(builder)?;
                self.skip_blanks();
                self.expect(":")?;
                self.value(builder)?;
                self.skip_blanks();
                if self.accept("}") {
                    break;
                }
                self.expect(",")?;
            }
        }
        builder.end(builder.locator.byte_span(self.at - 1, self.at));
        Ok(())
    }

    fn array(&mut self, builder: &mut Builder<'_>) -> Result<(), Stop> {
        builder.begin_sequence(builder.locator.byte_span(self.at, self.at + 1), 0)?;
        self.at += 1;
        self.skip_blanks();
        if !self.accept("]") {
            loop {
                self.value(builder)?;
                self.skip_blanks();
                if self.accept("]") {
                    break;
                }
                self.expect(",")?;
            }
        }
        builder.end(builder.locator.byte_span(self.at - 1, self.at));
        Ok(())
    }

    fn string(&mut self, builder: &mut Builder<'_>) -> Result<(), Stop> {
        let start = self.at;
        self.expect("\"")?;
        let length = self.quoted_length().ok_or(Stop::NotJson)?;
        let text = unescape(&self.text[self.at..self.at + length]).ok_or(Stop::NotJson)?;
        self.at += length + 1;
        self.tell(builder, text, Style::Double, start);
        Ok(())
    }

    /// `true`, `false`, `null` or a number: all of them mean the same in YAML.
    fn word(&mut self, builder: &mut Builder<'_>) -> Result<(), Stop> {
        let rest = &self.text[self.at..];
        let end = rest
            .find([' ', '\t', '\r', '\n', ',', ':', ']', '}'])
            .unwrap_or(rest.len());
        let word = &rest[..end];
        if !matches!(word, "true" | "false" | "null") && !is_number(word) {
            return Err(Stop::NotJson);
        }
        let start = self.at;
        self.at += end;
        self.tell(builder, Cow::Borrowed(word), Style::Plain, start);
        Ok(())
    }

    fn tell(&self, builder: &mut Builder<'_>, text: Cow<'_, str>, style: Style, start: usize) {
        let span = builder.locator.byte_span(start, self.at);
        builder.scalar(Scalar {
            text,
            style,
            tag: None,
            span,
            anchor: 0,
        });
    }

    /// The bytes up to the closing quote.
    fn quoted_length(&self) -> Option<usize> {
        let mut escaped = false;
        for (at, byte) in self.text.bytes().skip(self.at).enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => return Some(at),
                0..0x20 => return None,
                _ => {}
            }
        }
        None
    }

    fn skip_blanks(&mut self) {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\r', '\n']);
        self.at = self.text.len() - rest.len();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn accept(&mut self, token: &str) -> bool {
        let accepted = self.text[self.at..].starts_with(token);
        if accepted {
            self.at += token.len();
        }
        accepted
    }

    fn expect(&mut self, token: &str) -> Result<(), Stop> {
        if self.accept(token) {
            Ok(())
        } else {
            Err(Stop::NotJson)
        }
    }
}

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`
fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

fn unescape(quoted: &str) -> Option<Cow<'_, str>> {
    if !quoted.contains('\\') {
        return Some(Cow::Borrowed(quoted));
    }
    let mut text = String::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (character, after) = escape(&rest[at + 1..])?;
        text.push(character);
        rest = after;
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// The character of an escape, after its backslash, and what follows it.
fn escape(rest: &str) -> Option<(char, &str)> {
    let character = match rest.as_bytes().first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(&rest[1..]),
        _ => return None,
    };
    Some((character, &rest[1..]))
}

/// Four hex digits, or two such escapes that make one character; half a pair is replaced.
fn unicode_escape(rest: &str) -> Option<(char, &str)> {
    let (unit, after) = hex4(rest)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, after));
    }
    let low = after.strip_prefix("\\u").and_then(hex4);
    if let (0xd800..0xdc00, Some((low @ 0xdc00..0xe000, after))) = (unit, low) {
        let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return char::from_u32(code).map(|character| (character, after));
    }
    Some((char::REPLACEMENT_CHARACTER, after))
}

fn hex4(rest: &str) -> Option<(u32, &str)> {
    let digits = rest
        .get(..4)
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, &rest[4..]))
}
