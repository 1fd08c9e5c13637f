//! A line of its output that matches a pattern.

use regex::bytes::Regex;

/// Looks for a line in what one run writes to one stream.
#[derive(Clone, Debug)]
pub(in crate::process) struct LineWatch {
    pattern: Regex,
    /// The line so far.
    line: Vec<u8>,
}

/// A line that is longer is looked at up to here.
const LONGEST: usize = 64 << 10;

// === impl LineWatch ===

impl LineWatch {
    pub(in crate::process) fn new(pattern: Regex) -> Self {
        let line = Vec::new();
        Self { pattern, line }
    }

    /// Whether a line that ends in there, or begins there and matches already, is the one.
    pub(in crate::process) fn matches(&mut self, bytes: &[u8]) -> bool {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                Some(_) | None => (piece, false),
            };
            let room = LONGEST.saturating_sub(self.line.len());
            self.line.extend(&text[..text.len().min(room)]);
            if ended {
                let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
                let found = self.pattern.is_match(line);
                self.line.clear();
                if found {
                    return true;
                }
            }
        }
        false
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
