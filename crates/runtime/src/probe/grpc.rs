//! gRPC probes: one call of the standard health service, over HTTP/2 without TLS.
//!
//! Only as much of HTTP/2 as one call with a short answer takes. All is sent at once; then frames are read until the
//! call is over. The server is asked to keep no table of headers, so that each header can be read by itself.

mod frame;
mod hpack;
mod huffman;
mod message;
mod number;

use super::Answer;
use super::connection::Connection;
use super::deadline::Deadline;
use super::http::url::authority;
use super::trouble::Trouble;
use frame::{Frame, Kind};
use hpack::Fields;
use message::Health;
use std::io::{Read, Write};

/// The one call that is made on a connection.
const STREAM: u32 = 1;

/// Everything that a server may send in one attempt, which is a thousand times what it takes.
const ANSWER: usize = 256 << 10;

/// What has come of a call so far.
#[derive(Debug, Default)]
struct Call {
    /// Headers that go on in the next frame, and whether the call ends with them.
    unfinished: Option<(Vec<u8>, bool)>,
    fields: Fields,
    message: Vec<u8>,
    is_over: bool,
}

/// Asks the health service about a service.
pub(super) fn check(
    host: &str,
    port: u16,
    service: &str,
    deadline: Deadline<'_>,
) -> Result<Answer, Trouble> {
    let mut connection = Connection::open(host, port, deadline)?;
    let milliseconds = deadline.left()?.as_millis();
    let request = request(&authority(host, port), service, milliseconds);
    connection.write_all(&request.ok_or(Trouble::TooLong)?)?;
    Ok(converse(&mut connection)?.judge())
}

/// All that the server needs to know.
fn request(authority: &str, service: &str, milliseconds: u128) -> Option<Vec<u8>> {
    let mut request = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // No table of headers (1), and no pushes (2).
    let settings = [0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0];
    frame::write(&mut request, Kind::Settings, 0, 0, &settings)?;
    let headers = headers(authority, milliseconds);
    frame::write(
        &mut request,
        Kind::Headers,
        frame::END_HEADERS,
        STREAM,
        &headers,
    )?;
    let question = message::question(service);
    frame::write(
        &mut request,
        Kind::Data,
        frame::END_STREAM,
        STREAM,
        &question,
    )?;
    Some(request)
}

fn headers(authority: &str, milliseconds: u128) -> Vec<u8> {
    // The number may have eight digits.
    let timeout = format!("{}m", milliseconds.clamp(1, 99_999_999));
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/grpc.health.v1.Health/Check"),
        (":authority", authority),
        ("content-type", "application/grpc"),
        ("user-agent", "kube-probe/1.36"),
        ("te", "trailers"),
        ("grpc-timeout", &timeout),
    ];
    let mut block = Vec::new();
    for (name, value) in fields {
        hpack::write(&mut block, name, value);
    }
    block
}

/// Reads frames until the call is over.
fn converse<S: Read + Write>(stream: &mut S) -> Result<Call, Trouble> {
    let mut call = Call::default();
    let mut left = ANSWER;
    let mut is_first = true;
    while !call.is_over {
        let frame = Frame::read(stream, is_first)?;
        is_first = false;
        left = left
            .checked_sub(frame.payload.len() + frame::HEAD)
            .ok_or(Trouble::TooLong)?;
        if let Some(reply) = reply(&frame) {
            stream.write_all(&reply)?;
        }
        call.take(&frame)?;
    }
    Ok(call)
}

/// What a server wants to hear at once.
fn reply(frame: &Frame) -> Option<Vec<u8>> {
    if frame.has(frame::ACK) {
        return None;
    }
    let mut reply = Vec::new();
    match frame.kind {
        Some(Kind::Settings) => frame::write(&mut reply, Kind::Settings, frame::ACK, 0, &[])?,
        Some(Kind::Ping) => frame::write(&mut reply, Kind::Ping, frame::ACK, 0, &frame.payload)?,
        Some(Kind::Data | Kind::Headers | Kind::Reset | Kind::GoAway | Kind::Continuation)
        | None => return None,
    }
    Some(reply)
}

// === impl Call ===

impl Call {
    fn take(&mut self, frame: &Frame) -> Result<(), Trouble> {
        if self.unfinished.is_some() && frame.kind != Some(Kind::Continuation) {
            return Err(Trouble::NotGrpc);
        }
        let is_ours = frame.stream == STREAM;
        match frame.kind {
            Some(Kind::Data) if is_ours => self.take_data(frame)?,
            Some(Kind::Headers) if is_ours => {
                let block = frame.fragment().ok_or(Trouble::NotGrpc)?.to_vec();
                self.take_block(block, frame.has(frame::END_STREAM), frame)?;
            }
            Some(Kind::Continuation) => {
                let (mut block, is_last) = self.unfinished.take().ok_or(Trouble::NotGrpc)?;
                block.extend_from_slice(&frame.payload);
                self.take_block(block, is_last, frame)?;
            }
            Some(Kind::Reset) if is_ours => return Err(Trouble::Reset),
            // A server that is going away may still answer what it has taken on.
            Some(Kind::GoAway) if frame.last_stream() < STREAM => return Err(Trouble::Reset),
            Some(
                Kind::Data
                | Kind::Headers
                | Kind::Reset
                | Kind::Settings
                | Kind::Ping
                | Kind::GoAway,
            )
            | None => {}
        }
        Ok(())
    }

    fn take_data(&mut self, frame: &Frame) -> Result<(), Trouble> {
        let data = frame.unpadded().ok_or(Trouble::NotGrpc)?;
        self.message.extend_from_slice(data);
        self.is_over = frame.has(frame::END_STREAM);
        Ok(())
    }

    fn take_block(&mut self, block: Vec<u8>, is_last: bool, frame: &Frame) -> Result<(), Trouble> {
        if frame.has(frame::END_HEADERS) {
            self.fields.read(&block).ok_or(Trouble::NotGrpc)?;
            self.is_over = is_last;
        } else {
            self.unfinished = Some((block, is_last));
        }
        Ok(())
    }

    fn judge(&self) -> Answer {
        let Fields {
            http,
            status,
            message,
        } = &self.fields;
        match (status.as_deref().and_then(code), http.as_deref()) {
            (Some(0), _) => self.judge_health(),
            (Some(UNIMPLEMENTED), _) => {
                Answer::failure("no gRPC health service on the server (UNIMPLEMENTED)")
            }
            (Some(code), _) => {
                Answer::failure(format!("gRPC {}{}", name(code), words(message.as_deref())))
            }
            (None, Some(http)) if http != "200" => {
                Answer::failure(format!("HTTP {http}, not a gRPC answer"))
            }
            (None, _) => Answer::failure("gRPC answer without a status"),
        }
    }

    fn judge_health(&self) -> Answer {
        let Some(health) = message::health(&self.message) else {
            return Answer::failure("gRPC answer that is no health");
        };
        Answer {
            ok: health == Health::Serving,
            why: format!("gRPC {health}"),
        }
    }
}

fn code(status: &str) -> Option<u32> {
    status.parse().ok()
}

/// The names of gRPC's codes, by their numbers.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

const UNIMPLEMENTED: u32 = 12;

fn name(code: u32) -> String {
    let index = usize::try_from(code).unwrap_or(usize::MAX);
    CODES
        .get(index)
        .map_or_else(|| format!("code {code}"), |name| (*name).to_owned())
}

/// What the server says of it, if anything, shortened and harmless.
fn words(message: Option<&str>) -> String {
    let message = message.unwrap_or_default();
    let harmless = message.chars().filter(|c| !c.is_control()).take(80);
    let harmless: String = harmless.collect();
    if harmless.is_empty() {
        return harmless;
    }
    format!(" ({harmless})")
}

#[cfg(test)]
mod tests;
