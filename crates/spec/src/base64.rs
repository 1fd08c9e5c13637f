//! Base64 as Kubernetes reads it: the standard alphabet, padded, line breaks ignored.

/// The bytes of a text, if it is base64.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let padding = digits
        .iter()
        .rev()
        .take(2)
        .take_while(|byte| **byte == b'=')
        .count();
    let payload = &digits[..digits.len() - padding];
    let mut bytes = Vec::with_capacity(payload.len() / 4 * 3 + 2);
    for group in payload.chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            bits = bits << 6 | sextet(*digit)?;
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

fn sextet(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_base64_is_decoded() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("aGVsbG8=", b"hello"),
            ("aGVs\nbG8=", b"hello"),
            ("/+8=", b"\xff\xef"),
            ("YQ==", b"a"),
            ("YWJj", b"abc"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for text in ["a", "YQ", "YQ=", "Y===", "====", "a-b_", "YQ== ", "Y=Q="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
