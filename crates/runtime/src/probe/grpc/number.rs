//! Numbers of any size, seven bits to a byte, the lowest first; the eighth says that more follow.
//!
//! Both the messages and, beyond their first byte, the headers write numbers like this.

/// Appends a number.
pub(super) fn write(into: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            into.push(low & 0x7f);
            return;
        }
        into.push(low | 0x80);
    }
}

/// Takes a number off the front; none if it does not end, or is too great.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..10 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were_written() {
        for number in [0, 1, 0x7f, 0x80, 300, u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, number);
            let mut rest = bytes.as_slice();

            assert_eq!(read(&mut rest), Some(number));
            assert_eq!(rest, b"");
        }
    }

    #[test]
    fn a_number_ends() {
        assert_eq!(read(&mut [0x80].as_slice()), None);
        assert_eq!(read(&mut [0xff; 20].as_slice()), None);
    }
}
