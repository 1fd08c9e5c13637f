//! What the health service is asked, and what it answers.
//!
//! Both messages have one field, number 1: a text in the question, a number in the answer. Before each comes a byte
//! that says whether it is packed, and its length.

use super::number;
use std::fmt;

/// What a service says of itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Health {
    Unknown,
    Serving,
    NotServing,
    ServiceUnknown,
    /// A number that nobody has given a name yet.
    Other(u64),
}

const PREFIX: usize = 5;

/// Asks about a service.
pub(super) fn question(service: &str) -> Vec<u8> {
    let mut message = Vec::new();
    if !service.is_empty() {
        // Field 1, a length and so many bytes.
        message.push(1 << 3 | 2);
        number::write(&mut message, service.len() as u64);
        message.extend_from_slice(service.as_bytes());
    }
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut framed = vec![0];
    framed.extend_from_slice(&length.to_be_bytes());
    framed.append(&mut message);
    framed
}

/// What an answer says; none if it cannot be read.
pub(super) fn health(answer: &[u8]) -> Option<Health> {
    let (prefix, message) = answer.split_first_chunk::<PREFIX>()?;
    let [packed, length @ ..] = prefix;
    let is_whole = u32::try_from(message.len()).ok()? == u32::from_be_bytes(*length);
    if *packed != 0 || !is_whole {
        return None;
    }
    field(message).map(Health::of)
}

/// The last value of field 1, which is 0 if it is not there.
fn field(mut rest: &[u8]) -> Option<u64> {
    let mut value = 0;
    while !rest.is_empty() {
        let tag = number::read(&mut rest)?;
        match tag & 7 {
            0 => {
                let number = number::read(&mut rest)?;
                if tag >> 3 == 1 {
                    value = number;
                }
            }
            1 => rest = rest.get(8..)?,
            2 => {
                let length = usize::try_from(number::read(&mut rest)?).ok()?;
                rest = rest.get(length..)?;
            }
            5 => rest = rest.get(4..)?,
            _ => return None,
        }
    }
    Some(value)
}

// === impl Health ===

impl Health {
    fn of(number: u64) -> Self {
        match number {
            0 => Self::Unknown,
            1 => Self::Serving,
            2 => Self::NotServing,
            3 => Self::ServiceUnknown,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("UNKNOWN"),
            Self::Serving => f.write_str("SERVING"),
            Self::NotServing => f.write_str("NOT_SERVING"),
            Self::ServiceUnknown => f.write_str("SERVICE_UNKNOWN"),
            Self::Other(number) => write!(f, "status {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_service_unless_it_is_the_server() {
        let long = question(&"x".repeat(300));

        assert_eq!(question(""), b"\0\0\0\0\0");
        assert_eq!(question("db"), b"\0\0\0\0\x04\x0a\x02db");
        assert_eq!(long[..8], [0, 0, 0, 1, 47, 10, 0xac, 2]);
    }

    #[test]
    fn the_health_is_read_among_fields_of_later_times() {
        let unknown = b"\0\0\0\0\x17\x10\x05\x1a\x02ab\x21--------\x2d----\x08\x02".to_vec();
        let mut unknown = unknown;
        unknown[4] = u8::try_from(unknown.len() - PREFIX).unwrap();

        assert_eq!(health(&unknown), Some(Health::NotServing));
        assert_eq!(health(b"\0\0\0\0\x02\x08\x01"), Some(Health::Serving));
        assert_eq!(health(b"\0\0\0\0\0"), Some(Health::Unknown));
        assert_eq!(health(b"\0\0\0\0\x02\x08\x09"), Some(Health::Other(9)));
    }

    #[test]
    fn an_answer_that_cannot_be_read_has_no_health() {
        let broken: [&[u8]; 7] = [
            b"",
            b"\0\0\0\0",
            b"\x01\0\0\0\x02\x08\x01",
            b"\0\0\0\0\x03\x08\x01",
            b"\0\0\0\0\x01\x08",
            b"\0\0\0\0\x02\x0a\x7f",
            b"\0\0\0\0\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ];
        for answer in broken {
            assert_eq!(health(answer), None, "{answer:?}");
        }
    }
}
