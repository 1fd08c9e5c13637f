//! The code that HTTP/2 packs headers with.
//!
//! Codes are given out in the order of their lengths, and in the order of bytes among those of one length, so the
//! lengths alone tell all of them.

/// How many bits each byte takes, and after them the mark of the end.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

const LONGEST: u8 = 30;

/// How many codes there are of each length.
const COUNTS: [u32; 32] = counts();

/// The bits read so far of a code that is not complete.
#[derive(Default)]
struct Partial {
    code: u32,
    length: u8,
    /// The first code of this length.
    first: u32,
}

/// What the next bit makes of a code.
enum Step {
    /// It is not complete yet.
    More,
    /// It stands for this.
    Byte(u8),
    /// It stands for no byte.
    Nothing,
}

/// Unpacks a text; none if it is not packed in this way.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut partial = Partial::default();
    for byte in packed {
        for place in (0..8).rev() {
            match partial.add(byte >> place & 1) {
                Step::More => {}
                Step::Byte(symbol) => {
                    text.push(symbol);
                    partial = Partial::default();
                }
                Step::Nothing => return None,
            }
        }
    }
    partial.is_padding().then_some(text)
}

// === impl Partial ===

impl Partial {
    fn add(&mut self, bit: u8) -> Step {
        self.first = (self.first + count(self.length)) << 1;
        self.code = self.code << 1 | u32::from(bit);
        self.length += 1;
        let index = self.code.checked_sub(self.first);
        match index.filter(|index| *index < count(self.length)) {
            Some(index) => nth(self.length, index).map_or(Step::Nothing, Step::Byte),
            None if self.length < LONGEST => Step::More,
            None => Step::Nothing,
        }
    }

    /// The last byte is filled up with ones.
    fn is_padding(&self) -> bool {
        self.length < 8 && self.code == (1 << self.length) - 1
    }
}

/// How many codes have this length.
fn count(length: u8) -> u32 {
    COUNTS[usize::from(length) % COUNTS.len()]
}

const fn counts() -> [u32; 32] {
    let mut counts = [0; 32];
    let mut symbol = 0;
    while symbol < LENGTHS.len() {
        counts[LENGTHS[symbol] as usize] += 1;
        symbol += 1;
    }
    counts
}

/// What the nth code of a length stands for.
fn nth(length: u8, n: u32) -> Option<u8> {
    let mut same = LENGTHS
        .iter()
        .enumerate()
        .filter(|(_, other)| **other == length);
    let (symbol, _) = same.nth(usize::try_from(n).ok()?)?;
    // The mark of the end is none.
    u8::try_from(symbol).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_unpack() {
        let host = b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff";
        let date = b"\xd0\x7a\xbe\x94\x10\x54\xd4\x44\xa8\x20\x05\x95\x04\x0b\x81\x66\xe0\x82\xa6\x2d\x1b\xff";

        assert_eq!(unpack(host).unwrap(), b"www.example.com");
        assert_eq!(unpack(date).unwrap(), b"Mon, 21 Oct 2013 20:13:21 GMT");
        assert_eq!(unpack(b"").unwrap(), b"");
    }

    #[test]
    fn every_byte_has_its_code() {
        // The codes of `\0`, `|` and 249, from the standard's table.
        assert_eq!(unpack(b"\xff\xc7").unwrap(), b"\0");
        assert_eq!(unpack(b"\xff\x9f").unwrap(), b"|");
        assert_eq!(unpack(b"\xff\xff\xff\xef").unwrap(), [249]);
    }

    #[test]
    fn what_stands_for_no_byte_is_refused() {
        assert_eq!(unpack(b"\xff\xff\xff\xff"), None);
        assert_eq!(unpack(b"\xff"), None);
        assert_eq!(unpack(b"\x00\x00"), None);
    }
}
