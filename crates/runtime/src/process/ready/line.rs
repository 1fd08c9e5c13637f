//! A line of its output that matches a pattern: the text that people see, whatever its colours.

use crate::clean;
use regex::bytes::Regex;

/// Looks for a line in what one run writes to one stream.
#[derive(Clone, Debug)]
pub(in crate::process) struct LineWatch {
    pattern: Regex,
    /// The line so far, without what has been written over.
    line: Vec<u8>,
    /// What comes next is written over it.
    returned: bool,
}

/// A line that is longer, with its colours, is looked at up to here.
const LONGEST: usize = 64 << 10;

// === impl LineWatch ===

impl LineWatch {
    pub(in crate::process) fn new(pattern: Regex) -> Self {
        Self {
            pattern,
            line: Vec::new(),
            returned: false,
        }
    }

    /// Whether a line that ends in there, or begins there and matches already, is the one.
    pub(in crate::process) fn matches(&mut self, bytes: &[u8]) -> bool {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                Some(_) | None => (piece, false),
            };
            self.write(text);
            if ended && self.end_line() {
                return true;
            }
        }
        false
    }

    /// Keeps only what shows: a progress bar before the line would leave no room for it.
    fn write(&mut self, text: &[u8]) {
        for piece in text.split_inclusive(|byte| *byte == b'\r') {
            let (text, returns) = match piece.split_last() {
                Some((b'\r', text)) => (text, true),
                Some(_) | None => (piece, false),
            };
            if !text.is_empty() && std::mem::take(&mut self.returned) {
                self.line.clear();
            }
            let room = LONGEST.saturating_sub(self.line.len());
            self.line.extend(&text[..text.len().min(room)]);
            self.returned |= returns;
        }
    }

    /// Whether the line that ends is the one.
    fn end_line(&mut self) -> bool {
        let found = self.pattern.is_match(clean::text(&self.line).as_bytes());
        self.line.clear();
        self.returned = false;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(pattern: &str) -> LineWatch {
        LineWatch::new(Regex::new(pattern).unwrap())
    }

    #[test]
    fn a_line_is_found_in_pieces() {
        let mut watch = watch("^listening on [0-9]+$");
        assert!(!watch.matches(b"starting\nlisten"));
        assert!(!watch.matches(b"ing on 80"));
        assert!(watch.matches(b"80\r\nmore"));
    }

    #[test]
    fn a_line_is_what_people_see_of_it() {
        for (pattern, bytes) in [
            ("^ready$", &b"\x1b[32mready\x1b[0m\n"[..]),
            ("ready", b"\x1b[32mrea\x1b[0mdy\n"),
            ("^ready$", b"\x1b]0;title\x07ready\x1b[K\r\n"),
            ("^ready$", b"90 %\r100 %\rready\r\r\n"),
            ("^gr\u{fc}n \u{fffd}$", b"gr\xc3\xbcn \xff\n"),
        ] {
            assert!(watch(pattern).matches(bytes), "{pattern}");
            let mut by_byte = watch(pattern);
            let mut found = bytes.chunks(1).map(|byte| by_byte.matches(byte));
            assert!(found.any(|found| found), "{pattern} byte by byte");
        }
        for bytes in [&b"\x1b]0;ready\x07up\n"[..], b"ready\rup\n"] {
            assert!(!watch("ready").matches(bytes), "nobody sees it");
        }
    }

    #[test]
    fn a_line_is_found_however_much_was_written_before_it() {
        let mut watch = watch("^ready$");
        let lead = vec![b'a'; LONGEST + 1];
        assert!(!watch.matches(&lead));
        assert!(!watch.matches(b"\r"));
        assert!(watch.matches(b"ready\n"));
    }

    #[test]
    fn a_line_that_has_not_ended_is_not_judged() {
        assert!(!watch("ready").matches(b"ready"));
    }

    #[test]
    fn a_line_without_end_takes_no_more_memory() {
        let mut watch = watch("x");
        for _ in 0..1000 {
            assert!(!watch.matches(&[b'a'; 1024]));
        }
        assert!(watch.line.len() <= LONGEST);
        assert!(!watch.matches(b"\n"));
        assert!(watch.matches(b"x\n"));
    }
}
