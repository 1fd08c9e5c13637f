//! Headers as HTTP/2 writes them.
//!
//! Ours are written in the plainest form. Of the server's only three matter. It was told to keep no table of its own,
//! so that a header is either one of the fixed table or written out; others cannot be understood.

use super::{huffman, number};

/// The fields that tell how a call ended. Those of the trailers come last and win.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Fields {
    /// `:status`, the answer of HTTP itself.
    pub(super) http: Option<String>,
    /// `grpc-status`, a number.
    pub(super) status: Option<String>,
    /// `grpc-message`, in words.
    pub(super) message: Option<String>,
}

/// How long the fixed table is.
const FIXED: u64 = 61;

/// Where `:status` stands in it, with these values.
const STATUS: [(u64, &str); 7] = [
    (8, "200"),
    (9, "204"),
    (10, "206"),
    (11, "304"),
    (12, "400"),
    (13, "404"),
    (14, "500"),
];

/// Appends a header that nobody has to remember.
pub(super) fn write(block: &mut Vec<u8>, name: &str, value: &str) {
    block.push(0);
    for text in [name, value] {
        write_length(block, text.len());
        block.extend_from_slice(text.as_bytes());
    }
}

/// A number that begins with seven bits.
fn write_length(block: &mut Vec<u8>, length: usize) {
    match u8::try_from(length) {
        Ok(short) if short < 0x7f => block.push(short),
        Ok(_) | Err(_) => {
            block.push(0x7f);
            number::write(block, length as u64 - 0x7f);
        }
    }
}

// === impl Fields ===

impl Fields {
    /// Takes in a block of headers; none if it cannot be understood.
    pub(super) fn read(&mut self, mut block: &[u8]) -> Option<()> {
        while let Some(first) = block.first().copied() {
            if first & 0x80 != 0 {
                self.take_fixed(read_number(&mut block, 7)?)?;
            } else if first & 0xe0 == 0x20 {
                // The size of a table that stays empty.
                read_number(&mut block, 5)?;
            } else {
                // The next bits tell whether to remember it, and there is nowhere to.
                let bits = if first & 0x40 != 0 { 6 } else { 4 };
                let index = read_number(&mut block, bits)?;
                let name = read_name(&mut block, index)?;
                let value = read_text(&mut block)?;
                self.take(&name, value);
            }
        }
        Some(())
    }

    fn take_fixed(&mut self, index: u64) -> Option<()> {
        if index == 0 || index > FIXED {
            return None;
        }
        if let Some((_, status)) = STATUS.iter().find(|(at, _)| *at == index) {
            self.http = Some((*status).to_owned());
        }
        Some(())
    }

    fn take(&mut self, name: &str, value: String) {
        match name {
            ":status" => self.http = Some(value),
            "grpc-status" => self.status = Some(value),
            "grpc-message" => self.message = Some(unescape(&value)),
            _ => {}
        }
    }
}

/// A name that is written out, or one of the fixed table, of which one is of interest.
fn read_name(block: &mut &[u8], index: u64) -> Option<String> {
    match index {
        0 => read_text(block),
        8..=14 => Some(":status".to_owned()),
        1..=FIXED => Some(String::new()),
        _ => None,
    }
}

fn read_text(block: &mut &[u8]) -> Option<String> {
    let is_packed = block.first()? & 0x80 != 0;
    let length = usize::try_from(read_number(block, 7)?).ok()?;
    let (text, rest) = block.split_at_checked(length)?;
    *block = rest;
    let text = if is_packed {
        huffman::unpack(text)?
    } else {
        text.to_vec()
    };
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// A number that begins with the last bits of a byte, and goes on in others if these are all ones.
fn read_number(block: &mut &[u8], bits: u32) -> Option<u64> {
    let (first, mut rest) = block.split_first()?;
    let most = (1 << bits) - 1;
    let mut number = u64::from(first & most);
    if number == u64::from(most) {
        number = number.checked_add(number::read(&mut rest)?)?;
    }
    *block = rest;
    Some(number)
}

/// `%20` is a space.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let code = code.filter(|_| *byte == b'%');
        bytes.push(code.unwrap_or(*byte));
        rest = match code {
            Some(_) => after.get(2..).unwrap_or_default(),
            None => after,
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &[u8]) -> Option<Fields> {
        let mut fields = Fields::default();
        fields.read(block).map(|()| fields)
    }

    #[test]
    fn what_is_written_reads_back() {
        let long = "x".repeat(1000);
        let mut block = Vec::new();
        write(&mut block, ":status", "201");
        write(&mut block, "grpc-message", &long);
        write(&mut block, "grpc-status", "5");

        let fields = read(&block).unwrap();

        assert_eq!(fields.http.as_deref(), Some("201"));
        assert_eq!(fields.status.as_deref(), Some("5"));
        assert_eq!(fields.message, Some(long));
    }

    #[test]
    fn fields_of_the_fixed_table_are_understood() {
        // A size, `:status: 404`, `content-type` with a value to be remembered, `:status` with another value.
        let block = b"\x20\x8d\x5f\x01x\x08\x03418";

        assert_eq!(read(&block[..2]).unwrap().http.as_deref(), Some("404"));
        assert_eq!(read(block).unwrap().http.as_deref(), Some("418"));
    }

    #[test]
    fn a_message_is_unescaped() {
        assert_eq!(unescape("a%20b%zz%4"), "a b%zz%4");
        assert_eq!(unescape("%C3%A9"), "é");
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        let broken: [&[u8]; 7] = [
            b"\x80",
            b"\xbe",
            b"\x7f\x40\x01x",
            b"\x00\x0aabc",
            b"\x00\x01",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\x00\x81\x00\x00",
        ];
        for block in broken {
            assert_eq!(read(block), None, "{block:?}");
        }
    }
}
