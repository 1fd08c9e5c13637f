//! Makes the bytes of a container harmless: text, tabs and colours pass, nothing else does.
//!
//! What a container writes may come from anywhere, and a terminal obeys: it can be told to erase
//! the screen, to answer as if somebody typed, to put something on the clipboard. Only sequences
//! that choose colours and styles pass, and they end with their line.

use memchr::memchr;
use std::borrow::Cow;

/// What to do with the colours of a container.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Colours {
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
pub fn clean(line: &[u8], colours: Colours, out: &mut Vec<u8>) {
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

/// What a line says, which holds no line feed: what may be shown of it, without colours.
pub fn text(line: &[u8]) -> Cow<'_, str> {
    if is_plain(line) {
        return String::from_utf8_lossy(line);
    }
    let mut text = Vec::with_capacity(line.len());
    clean(line, Colours::Drop, &mut text);
    Cow::Owned(String::from_utf8_lossy(&text).into_owned())
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
    c.is_control() && c != '\t' || is_unseen(c)
}

/// What nobody sees and makes a line read as what it is not: directions of writing, and characters of no width. Those that
/// join letters or pictures (U+200C, U+200D) belong to words of some languages, and pass.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(line: &[u8], colours: Colours) -> String {
        let mut out = Vec::new();
        clean(line, colours, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_no_text_is_marked() {
        assert_eq!(cleaned(b"a\xffb\xc3", Colours::Keep), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn colours_pass_and_end_with_the_line() {
        assert_eq!(
            cleaned(b"\x1b[1;31mred", Colours::Keep),
            "\x1b[1;31mred\x1b[0m"
        );
        assert_eq!(
            cleaned(b"\x1b[38:5:9mx\x1b[0m", Colours::Keep),
            "\x1b[38:5:9mx\x1b[0m"
        );
        assert_eq!(cleaned(b"\x1b[1;31mred\x1b[0m", Colours::Drop), "red");
    }

    #[test]
    fn whatever_else_a_terminal_would_obey_is_taken_out() {
        for (line, text) in [
            ("\x1b[2Jcleared", "cleared"),
            ("\x1b[10;10Hmoved", "moved"),
            ("\x1b[?25lhidden", "hidden"),
            ("\x1b[>4;2mkeys", "keys"),
            ("\x1b[6nanswer", "answer"),
            ("\x1b[1 qcursor", "cursor"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b]52;c;aGk=\u{9c}clipboard", "clipboard"),
            ("\x1bPq#0\x1b\\picture", "picture"),
            ("\x1b_command\x1b\\x", "x"),
            ("\x1b]never ended", ""),
            ("\x1b]broken off\x1b[2Jx", "x"),
            ("\x1bcreset", "reset"),
            ("\x1b(0lines", "lines"),
            ("\x1b#8letters", "letters"),
            ("\u{9b}2Jeight bits", "eight bits"),
            ("\u{9d}0;title\u{7}x", "x"),
            (
                "be\u{7}ll back\u{8}space nul\0 del\u{7f}",
                "bell backspace nul del",
            ),
            ("\x1b", ""),
            ("\x1b[", ""),
            ("\x1b[31", ""),
            ("\x1b[31ümlaut", "ümlaut"),
            ("a\tb", "a\tb"),
            ("\u{202e}evif\u{202c} \u{2067}six\u{2069}", "evif six"),
            ("\u{feff}no\u{200b}thing\u{200e}\u{200f}", "nothing"),
            ("join\u{200c}ed \u{200d}", "join\u{200c}ed \u{200d}"),
        ] {
            assert_eq!(cleaned(line.as_bytes(), Colours::Keep), text, "{line:?}");
        }
    }

    #[test]
    fn every_control_character_is_taken_out_and_nothing_else() {
        for c in (0..0x300).filter_map(char::from_u32) {
            if matches!(c, '\r' | '\u{1b}') || (0x90..0xa0).contains(&u32::from(c)) {
                continue;
            }
            let kept = if c.is_control() && c != '\t' {
                "ab".to_owned()
            } else {
                format!("a{c}b")
            };
            assert_eq!(cleaned(format!("a{c}b").as_bytes(), Colours::Keep), kept);
        }
    }

    #[test]
    fn a_line_says_its_text_however_it_is_coloured_or_written_over() {
        for (line, said) in [
            (&b"ready"[..], "ready"),
            (b"\x1b[32mrea\x1b[0mdy", "ready"),
            (b"\x1b]0;title\x07ready\x1b[K", "ready"),
            (b"90 %\rready\r", "ready"),
            (b"\x1b[32mf\xc3\xbcr \xff", "f\u{fc}r \u{fffd}"),
        ] {
            assert_eq!(text(line), said);
        }
        assert!(matches!(text(b"plain"), Cow::Borrowed(_)));
    }
}
