//! Makes the bytes of a container harmless: text, tabs and colours pass, nothing else does.
//!
//! What a container writes may come from anywhere, and a terminal obeys: it can be told to erase
//! the screen, to answer as if somebody typed, to put something on the clipboard. Only sequences
//! that choose colours and styles pass, and they end with their line.

use memchr::memchr;
use std::borrow::Cow;

/// What to do with the colours of a container.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Colours {
    /// They pass.
    Keep,
    /// Nobody wants them.
    Drop,
}

/// A line that is being cleaned.
struct Cleaner<'o> {
    out: &'o mut Vec<u8>,
    colours: Colours,
    /// A colour was chosen and not given back.
    open: bool,
}

/// Appends what may be shown of a line, which holds no line feed.
pub(crate) fn clean(line: &[u8], colours: Colours, out: &mut Vec<u8>) {
    if is_plain(line) {
        out.extend_from_slice(line);
        return;
    }
    let text = last_segment(line);
    let mut cleaner = Cleaner {
        out,
        colours,
        open: false,
    };
    cleaner.text(&text);
    cleaner.end();
}

/// The line itself, if all of it may be shown as it is.
pub(super) fn as_plain(line: &[u8]) -> Option<&str> {
    is_plain(line).then(|| str::from_utf8(line).ok()).flatten()
}

/// Whether every byte may be shown as it is. Nearly all lines are like that, so this is quick.
fn is_plain(line: &[u8]) -> bool {
    let odd = |byte: u8| !(b' '..=b'~').contains(&byte) && byte != b'\t';
    !line.iter().fold(false, |found, byte| found | odd(*byte))
}

/// What a terminal would show last of a line that is written over again and again.
fn last_segment(line: &[u8]) -> Cow<'_, str> {
    if memchr(b'\r', line).is_none() {
        return String::from_utf8_lossy(line);
    }
    let mut segments = line.rsplit(|byte| *byte == b'\r');
    let last = segments.find(|segment| !segment.is_empty());
    String::from_utf8_lossy(last.unwrap_or_default())
}

// === impl Cleaner ===

impl Cleaner<'_> {
    fn text(&mut self, mut rest: &str) {
        while let Some(start) = rest.find(is_control) {
            self.out.extend_from_slice(&rest.as_bytes()[..start]);
            rest = self.control(&rest[start..]);
        }
        self.out.extend_from_slice(rest.as_bytes());
    }

    /// Takes a control character, and all that belongs to it; gives what follows.
    fn control<'t>(&mut self, text: &'t str) -> &'t str {
        let mut chars = text.chars();
        match chars.next() {
            Some('\u{1b}') => self.escape(chars.as_str()),
            Some('\u{9b}') => self.sequence(chars.as_str()),
            Some('\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}') => {
                after_string(chars.as_str())
            }
            Some(_) | None => chars.as_str(),
        }
    }

    /// What follows an escape character.
    fn escape<'t>(&mut self, text: &'t str) -> &'t str {
        match text.bytes().next() {
            Some(b'[') => self.sequence(&text[1..]),
            Some(b']' | b'P' | b'X' | b'^' | b'_') => after_string(&text[1..]),
            Some(b' '..=b'/') => skip_final(skip(text, b' '..=b'/'), b'0'..=b'~'),
            Some(_) | None => skip_final(text, b'0'..=b'~'),
        }
    }

    /// A control sequence: numbers, and a letter that says what to do with them.
    fn sequence<'t>(&mut self, text: &'t str) -> &'t str {
        let after_numbers = skip(text, b'0'..=b'?');
        let numbers = &text[..text.len() - after_numbers.len()];
        if let Some(rest) = after_numbers.strip_prefix('m') {
            self.colour(numbers);
            return rest;
        }
        skip_final(skip(after_numbers, b' '..=b'/'), b'@'..=b'~')
    }

    fn colour(&mut self, numbers: &str) {
        // With another character in front it is not about colours: `>4;2` changes what keys send.
        let is_colour = numbers
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
        if self.colours == Colours::Keep && is_colour && numbers.len() <= LONGEST_COLOUR {
            self.out.extend_from_slice(b"\x1b[");
            self.out.extend_from_slice(numbers.as_bytes());
            self.out.push(b'm');
            self.open = !matches!(numbers, "" | "0");
        }
    }

    fn end(&mut self) {
        if self.open {
            self.out.extend_from_slice(b"\x1b[0m");
        }
    }
}

/// Enough for a style and two colours of three numbers each.
const LONGEST_COLOUR: usize = 64;

fn is_control(c: char) -> bool {
    c.is_control() && c != '\t'
}

/// What follows the bytes of that range.
fn skip(text: &str, range: std::ops::RangeInclusive<u8>) -> &str {
    text.trim_start_matches(|c: char| u8::try_from(c).is_ok_and(|byte| range.contains(&byte)))
}

/// What follows the one byte that ends a sequence; a sequence that has no end is over all the same.
fn skip_final(text: &str, range: std::ops::RangeInclusive<u8>) -> &str {
    match text.bytes().next() {
        Some(byte) if range.contains(&byte) => &text[1..],
        Some(_) | None => text,
    }
}

/// What follows a string that is meant for the terminal: a title, a link, the clipboard.
fn after_string(text: &str) -> &str {
    let Some(end) = text.find(['\u{7}', '\u{1b}', '\u{9c}']) else {
        return "";
    };
    let rest = &text[end..];
    if let Some(rest) = rest.strip_prefix("\u{1b}\\") {
        rest
    } else if rest.starts_with('\u{1b}') {
        // It breaks off, and another sequence begins.
        rest
    } else {
        rest.trim_start_matches(['\u{7}', '\u{9c}'])
    }
}
