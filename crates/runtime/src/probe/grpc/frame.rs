//! The frames of HTTP/2, as far as one call needs them.

use crate::probe::trouble::Trouble;
use std::io::Read;

/// One frame. Kinds that a call has no use for have none.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Frame {
    pub(super) kind: Option<Kind>,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

/// What a frame is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Data,
    Headers,
    Reset,
    Settings,
    Ping,
    GoAway,
    Continuation,
}

/// An answer to settings or a ping.
pub(super) const ACK: u8 = 0x1;
/// The sender has said all.
pub(super) const END_STREAM: u8 = 0x1;
/// No more headers follow.
pub(super) const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;

/// The bytes before the payload.
pub(super) const HEAD: usize = 9;

/// Nobody may send longer payloads unasked, and we ask for none.
const LONGEST: usize = 16 << 10;

/// Appends a frame, unless it is too long for one.
pub(super) fn write(
    into: &mut Vec<u8>,
    kind: Kind,
    flags: u8,
    stream: u32,
    payload: &[u8],
) -> Option<()> {
    let length = u32::try_from(payload.len()).ok()?;
    if payload.len() > LONGEST {
        return None;
    }
    into.extend_from_slice(&length.to_be_bytes()[1..]);
    into.extend_from_slice(&[kind.number(), flags]);
    into.extend_from_slice(&stream.to_be_bytes());
    into.extend_from_slice(payload);
    Some(())
}

// === impl Frame ===

impl Frame {
    /// Waits for a frame. The first one of a connection tells whether the other side speaks HTTP/2 at all.
    pub(super) fn read(stream: &mut impl Read, is_first: bool) -> Result<Self, Trouble> {
        let mut head = [0; HEAD];
        stream.read_exact(&mut head)?;
        let [a, b, c, kind, flags, stream_id @ ..] = head;
        let length = u32::from_be_bytes([0, a, b, c]);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let kind = Kind::of(kind);
        let opens = kind == Some(Kind::Settings) && flags & ACK == 0;
        if length > LONGEST || (is_first && !opens) {
            return Err(Trouble::NotGrpc);
        }
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload)?;
        Ok(Self {
            kind,
            flags,
            stream: number(stream_id),
            payload,
        })
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The payload without what only fills it up.
    pub(super) fn unpadded(&self) -> Option<&[u8]> {
        if !self.has(PADDED) {
            return Some(&self.payload);
        }
        let (padding, rest) = self.payload.split_first()?;
        let length = rest.len().checked_sub(usize::from(*padding))?;
        rest.get(..length)
    }

    /// The headers in a frame of headers.
    pub(super) fn fragment(&self) -> Option<&[u8]> {
        let skipped = if self.has(PRIORITY) { 5 } else { 0 };
        self.unpadded()?.get(skipped..)
    }

    /// The last call that a server which is going away has taken on.
    pub(super) fn last_stream(&self) -> u32 {
        let first = self.payload.first_chunk();
        first.map_or(0, |bytes| number(*bytes))
    }
}

/// The first bit means nothing.
fn number(bytes: [u8; 4]) -> u32 {
    u32::from_be_bytes(bytes) & (u32::MAX >> 1)
}

// === impl Kind ===

impl Kind {
    fn of(number: u8) -> Option<Self> {
        let all = [
            Self::Data,
            Self::Headers,
            Self::Reset,
            Self::Settings,
            Self::Ping,
            Self::GoAway,
            Self::Continuation,
        ];
        all.into_iter().find(|kind| kind.number() == number)
    }

    fn number(self) -> u8 {
        match self {
            Self::Data => 0,
            Self::Headers => 1,
            Self::Reset => 3,
            Self::Settings => 4,
            Self::Ping => 6,
            Self::GoAway => 7,
            Self::Continuation => 9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(flags: u8, payload: &[u8]) -> Frame {
        Frame {
            kind: Some(Kind::Headers),
            flags,
            stream: 1,
            payload: payload.to_vec(),
        }
    }

    #[test]
    fn a_frame_reads_back_as_it_was_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, Kind::Ping, ACK, 7, b"12345678").unwrap();

        let frame = Frame::read(&mut bytes.as_slice(), false).unwrap();

        assert_eq!(frame.kind, Some(Kind::Ping));
        assert_eq!((frame.flags, frame.stream), (ACK, 7));
        assert_eq!(frame.payload, b"12345678");
    }

    #[test]
    fn a_payload_has_a_longest_length() {
        let long = vec![0; LONGEST + 1];
        let head = [0, 0x40, 1, 0, 0, 0, 0, 0, 1];

        assert!(write(&mut Vec::new(), Kind::Data, 0, 1, &long).is_none());
        assert!(Frame::read(&mut head.as_slice(), false).is_err());
    }

    #[test]
    fn padding_and_priority_are_not_headers() {
        let both = framed(PADDED | PRIORITY, b"\x02\0\0\0\0\0abc\0\0");

        assert_eq!(both.fragment(), Some(b"abc".as_slice()));
    }

    #[test]
    fn padding_longer_than_its_frame_is_refused() {
        assert_eq!(framed(PADDED, b"").unpadded(), None);
        assert_eq!(framed(PADDED, b"\x04abc").unpadded(), None);
        assert_eq!(framed(PRIORITY, b"abc").fragment(), None);
    }
}
