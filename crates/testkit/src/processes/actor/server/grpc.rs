//! The health service of gRPC, over HTTP/2 without TLS.
//!
//! Only as much of HTTP/2 as one short call takes. Whatever is called is taken for a check of health: the service that it
//! asks about is the part. Its headers are never read, so nothing has to be remembered of them.

use super::{Outcome, Visitor};
use pillion_simulator::line::Who;
use std::io::{self, Read, Write};

/// One frame.
#[derive(Debug, Default, Eq, PartialEq)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

/// The first words of a client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;

const ACK: u8 = 0x1;
const END_STREAM: u8 = 0x1;
const END_HEADERS: u8 = 0x4;

/// Nobody may send longer payloads unasked.
const LONGEST: usize = 16 << 10;

/// `:status: 200` of the fixed table, and then texts that nobody is to remember.
const FOUND: &[u8] = b"\x88\0\x0ccontent-type\x10application/grpc";
const DONE: &[u8] = b"\0\x0bgrpc-status\x010";

const SERVING: u8 = 1;
const NOT_SERVING: u8 = 2;

/// Answers one call.
pub(super) fn converse(visitor: &Visitor) -> io::Result<()> {
    let mut socket = &visitor.stream;
    // A client may wait for it before it asks for anything.
    Frame::new(SETTINGS, 0, 0, &[]).write(&mut socket)?;
    let mut preface = [0; PREFACE.len()];
    socket.read_exact(&mut preface)?;
    let (stream, question) = question(&mut socket)?;
    let who = asked(&question).ok_or(io::ErrorKind::InvalidData)?;
    let health = match visitor.ask(&who)? {
        Outcome::Good => SERVING,
        Outcome::Bad => NOT_SERVING,
        Outcome::GivenUp => return Ok(()),
    };
    answer(&mut socket, stream, health)?;
    // The client hangs up; until then it may want to know whether somebody is there.
    while let Ok(frame) = Frame::read(&mut socket) {
        frame.acknowledge(&mut socket)?;
    }
    Ok(())
}

/// Reads the first call: its number and its message.
fn question<S: Read + Write>(socket: &mut S) -> io::Result<(u32, Vec<u8>)> {
    let mut message = Vec::new();
    loop {
        let frame = Frame::read(socket)?;
        frame.acknowledge(socket)?;
        if frame.kind == DATA {
            message.extend_from_slice(&frame.payload);
            if frame.flags & END_STREAM != 0 {
                return Ok((frame.stream, message));
            }
        }
    }
}

/// The service in field 1 of a message, which comes after a byte that says whether it is packed, and its length.
fn asked(message: &[u8]) -> Option<Who> {
    let [0, _, _, _, _, 0x0a, length, service @ ..] = message else {
        return None;
    };
    let service = service.get(..usize::from(*length))?;
    str::from_utf8(service).ok()?.parse().ok()
}

fn answer(socket: &mut impl Write, stream: u32, health: u8) -> io::Result<()> {
    let message = [0, 0, 0, 0, 2, 1 << 3, health];
    Frame::new(HEADERS, END_HEADERS, stream, FOUND).write(socket)?;
    Frame::new(DATA, 0, stream, &message).write(socket)?;
    Frame::new(HEADERS, END_HEADERS | END_STREAM, stream, DONE).write(socket)
}

// === impl Frame ===

impl Frame {
    fn new(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Self {
        Self {
            kind,
            flags,
            stream,
            payload: payload.to_vec(),
        }
    }

    fn read(socket: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 9];
        socket.read_exact(&mut head)?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let length = u32::from_be_bytes([0, a, b, c]);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut payload = vec![0; length];
        socket.read_exact(&mut payload)?;
        Ok(Self {
            kind,
            flags,
            stream: u32::from_be_bytes(stream),
            payload,
        })
    }

    fn write(&self, socket: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.payload.len()).unwrap_or(u32::MAX);
        let mut bytes = length.to_be_bytes()[1..].to_vec();
        bytes.extend([self.kind, self.flags]);
        bytes.extend(self.stream.to_be_bytes());
        bytes.extend_from_slice(&self.payload);
        socket.write_all(&bytes)
    }

    /// Answers what wants an answer at once.
    fn acknowledge(&self, socket: &mut impl Write) -> io::Result<()> {
        if self.flags & ACK != 0 {
            return Ok(());
        }
        match self.kind {
            SETTINGS => Self::new(SETTINGS, ACK, 0, &[]).write(socket),
            PING => Self::new(PING, ACK, 0, &self.payload).write(socket),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_simulator::line::Part;

    #[test]
    fn a_frame_reads_back_as_it_was_written() {
        let frame = Frame::new(PING, 0, 7, b"12345678");
        let mut bytes = Vec::new();
        frame.write(&mut bytes).unwrap();

        assert_eq!(bytes[..9], [0, 0, 8, PING, 0, 0, 0, 0, 7]);
        assert_eq!(Frame::read(&mut bytes.as_slice()).unwrap(), frame);
    }

    #[test]
    fn settings_and_pings_are_acknowledged_once() {
        let reply = |kind, flags| {
            let mut bytes = Vec::new();
            let frame = Frame::new(kind, flags, 0, b"12345678");
            frame.acknowledge(&mut bytes).unwrap();
            Frame::read(&mut bytes.as_slice()).ok()
        };

        assert_eq!(reply(SETTINGS, 0), Some(Frame::new(SETTINGS, ACK, 0, b"")));
        assert_eq!(reply(PING, 0), Some(Frame::new(PING, ACK, 0, b"12345678")));
        assert_eq!(reply(PING, ACK), None);
        assert_eq!(reply(DATA, 0), None);
    }

    #[test]
    fn a_question_names_a_part() {
        let who = asked(b"\0\0\0\0\x0d\x0a\x0bm1/liveness");

        assert_eq!(who, Some(Who::part("m1", Part::Liveness)));
        assert_eq!(asked(b"\0\0\0\0\0"), None);
        assert_eq!(asked(b"\0\0\0\0\x0d\x0a\x0bm1"), None);
    }
}
