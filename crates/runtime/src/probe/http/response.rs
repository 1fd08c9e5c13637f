//! Answers: the head, and as much of the body as a probe waits for.

use crate::probe::connection::Stream;
use crate::probe::trouble::Trouble;
use std::io::{self, BufRead, BufReader, Read as _};

/// The head of an answer, and the connection that its body comes from.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    framing: Framing,
    stream: BufReader<Box<dyn Stream>>,
}

/// How the end of a body is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Framing {
    /// It is this long.
    Length(u64),
    /// In pieces, each with its length.
    Chunks,
    /// By the end of the connection.
    UntilClose,
}

/// What the head of an answer says.
#[derive(Debug, Default)]
struct Head {
    status: u16,
    location: Option<String>,
    length: Option<u64>,
    /// The body is told to come in pieces.
    is_chunked: bool,
    /// Before HTTP/1.1 nothing came in pieces, whatever the head says.
    is_old: bool,
}

/// No probe has a use for longer heads.
const HEAD: u64 = 256 << 10;

/// So much of a body is waited for; what follows is not read.
const BODY: u64 = 10 << 10;

// === impl Response ===

impl Response {
    /// Waits for the head of an answer, and passes over `100 Continue` and the like.
    pub(super) fn read(stream: Box<dyn Stream>) -> Result<Self, Trouble> {
        let mut limited = BufReader::new(stream).take(HEAD);
        let mut head = Head::read(&mut limited)?;
        while head.is_preliminary() {
            head = Head::read(&mut limited)?;
        }
        Ok(Self {
            status: head.status,
            framing: head.framing(),
            location: head.location,
            stream: limited.into_inner(),
        })
    }

    /// Waits for the end of the body, or for as much of it as matters.
    pub(super) fn finish(mut self) -> Result<(), Trouble> {
        let done = match self.framing {
            Framing::Length(length) => skip(&mut self.stream, length.min(BODY)),
            Framing::Chunks => skip_chunks(&mut self.stream),
            Framing::UntilClose => io::copy(&mut self.stream.take(BODY), &mut io::sink()).map(drop),
        };
        done.map_err(Trouble::from).map_err(|trouble| {
            let status = self.status;
            if matches!(trouble, Trouble::Late) {
                trouble
            } else {
                Trouble::Body { status }
            }
        })
    }
}

// === impl Head ===

impl Head {
    fn read(stream: &mut io::Take<impl BufRead>) -> Result<Self, Trouble> {
        let (is_old, status) = first_line(&line(stream)?).ok_or(Trouble::NotHttp)?;
        let mut head = Self {
            status,
            is_old,
            ..Self::default()
        };
        let mut is_first = true;
        loop {
            let line = line(stream)?;
            if line.is_empty() {
                return Ok(head);
            }
            // A line may go on in the next, as long as it is none of those that matter.
            let goes_on = line.starts_with(b" ") || line.starts_with(b"\t");
            if is_first || !goes_on {
                head.take(&line)?;
            }
            is_first = false;
        }
    }

    fn is_preliminary(&self) -> bool {
        matches!(self.status, 100 | 102..=199)
    }

    fn framing(&self) -> Framing {
        match self.length {
            _ if matches!(self.status, 100..=199 | 204 | 304) => Framing::Length(0),
            _ if self.is_chunked => Framing::Chunks,
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        }
    }

    fn take(&mut self, line: &[u8]) -> Result<(), Trouble> {
        let (name, value) = field(line).ok_or(Trouble::NotHttp)?;
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        if is("location") && self.location.is_none() {
            self.location = Some(value);
        } else if is("transfer-encoding") && !self.is_old {
            if self.is_chunked || !value.eq_ignore_ascii_case("chunked") {
                return Err(Trouble::NotHttp);
            }
            self.is_chunked = true;
        } else if is("content-length") {
            let length = decimal(&value).ok_or(Trouble::NotHttp)?;
            if self.length.is_some_and(|before| before != length) {
                return Err(Trouble::NotHttp);
            }
            self.length = Some(length);
        }
        Ok(())
    }
}

/// A header's name and value.
fn field(line: &[u8]) -> Option<(&[u8], String)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (line.get(..colon)?, line.get(colon + 1..)?);
    let is_odd = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    let is_name = name.first().is_some_and(u8::is_ascii_graphic) && name.is_ascii();
    if !is_name || name.iter().any(is_odd) || value.iter().any(is_odd) {
        return None;
    }
    Some((name, String::from_utf8_lossy(value).trim().to_owned()))
}

/// The standard library would take a sign, too.
fn decimal(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// One line of a head, without its end.
fn line(stream: &mut io::Take<impl BufRead>) -> Result<Vec<u8>, Trouble> {
    let mut line = Vec::new();
    stream.read_until(b'\n', &mut line)?;
    if line.pop_if(|byte| *byte == b'\n').is_none() {
        return Err(if stream.limit() == 0 {
            Trouble::TooLong
        } else if line.is_empty() || b"HTTP/".starts_with(line.get(..5).unwrap_or(&line)) {
            Trouble::Closed
        } else {
            Trouble::NotHttp
        });
    }
    line.pop_if(|byte| *byte == b'\r');
    Ok(line)
}

/// Whether the version is before 1.1, and the status: `HTTP/1.1 200 OK` is 200.
fn first_line(line: &[u8]) -> Option<(bool, u16)> {
    let line = String::from_utf8_lossy(line);
    let (version, rest) = line.split_once(' ')?;
    let version = version.strip_prefix("HTTP/")?;
    let is_version = matches!(version.as_bytes(), [b'0'..=b'9', b'.', b'0'..=b'9']);
    let status = rest.trim_start_matches(' ').split(' ').next()?;
    let is_status = status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit());
    let status = status.parse().ok().filter(|_| is_version && is_status)?;
    Some((version < "1.1", status))
}

/// Reads so many bytes, which must be there.
fn skip(stream: &mut impl BufRead, length: u64) -> io::Result<()> {
    let read = io::copy(&mut stream.take(length), &mut io::sink())?;
    if read < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn skip_chunks(stream: &mut impl BufRead) -> io::Result<()> {
    let mut left = BODY;
    while let Some(length) = chunk_length(stream)? {
        skip(stream, length.min(left))?;
        left = left.saturating_sub(length);
        if left == 0 {
            return Ok(());
        }
        if !chunk_line(stream)?.is_empty() {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    skip_trailers(stream)
}

/// What follows the last piece has no meaning here, but the answer is whole only with it.
fn skip_trailers(stream: &mut impl BufRead) -> io::Result<()> {
    for _ in 0..TRAILERS {
        let line = chunk_line(stream)?;
        if line.is_empty() {
            return Ok(());
        }
        if field(&line).is_none() {
            break;
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

/// Many more than anybody sends.
const TRAILERS: usize = 100;

/// The length of the next piece; none after the last.
fn chunk_length(stream: &mut impl BufRead) -> io::Result<Option<u64>> {
    let line = chunk_line(stream)?;
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
    let digits = digits.trim_ascii_end();
    let is_number = digits.len() <= 16 && digits.iter().all(u8::is_ascii_hexdigit);
    let length = str::from_utf8(digits).ok().filter(|_| is_number);
    match length.and_then(|length| u64::from_str_radix(length, 16).ok()) {
        Some(length) => Ok((length > 0).then_some(length)),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Between pieces a line ends with both characters or is none.
fn chunk_line(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    stream.take(CHUNK_LINE).read_until(b'\n', &mut line)?;
    match line.strip_suffix(b"\r\n") {
        Some(line) => Ok(line.to_vec()),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// A length with its extensions, or a trailer.
const CHUNK_LINE: u64 = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Reads an answer to its end: its status, or why not.
    fn answer(text: &str) -> Result<u16, String> {
        let stream: Box<dyn Stream> = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let read = Response::read(stream).and_then(|response| {
            let status = response.status;
            response.finish().map(|()| status)
        });
        read.map_err(|trouble| trouble.to_string())
    }

    #[test]
    fn a_body_may_end_in_any_of_three_ways() {
        let length = answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more");
        let chunks = "HTTP/1.1 201 Made\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nT: t\r\n\r\n";
        let close = answer("HTTP/1.0 200\nX: y\n\nok");

        assert_eq!(length, Ok(200));
        assert_eq!(answer(chunks), Ok(201));
        assert_eq!(close, Ok(200));
    }

    #[test]
    fn a_body_that_breaks_off_is_told() {
        let broken = [
            "Content-Length: 3\r\n\r\nok",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nok",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
            "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "Transfer-Encoding: chunked\r\n\r\n+2\r\nok\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n 2\r\nok\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\nok\n0\n\n",
            "Transfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n00000000000000002\r\nok\r\n0\r\n\r\n",
        ];
        for rest in broken {
            let told = answer(&format!("HTTP/1.1 200 OK\r\n{rest}"));
            assert_eq!(
                told.unwrap_err(),
                "HTTP 200, but the answer broke off",
                "{rest}"
            );
        }
    }

    #[test]
    fn what_comes_after_ten_kilobytes_is_not_missed() {
        let text = "x".repeat(10 << 10);
        let length = answer(&format!(
            "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{text}"
        ));
        let chunks = answer(&format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{text}"
        ));

        assert_eq!(length, Ok(200));
        assert_eq!(chunks, Ok(200));
    }

    #[test]
    fn old_and_careless_servers_are_understood() {
        for text in [
            "HTTP/1.1  200  OK\r\nX: y\r\n z\r\n\r\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nbody",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nbody",
        ] {
            assert_eq!(answer(text), Ok(200), "{text}");
        }
    }

    #[test]
    fn some_answers_have_no_body_whatever_they_say() {
        assert_eq!(
            answer("HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n"),
            Ok(204)
        );
        assert_eq!(answer("HTTP/1.1 304 No\r\n\r\n"), Ok(304));
    }

    #[test]
    fn preliminary_answers_are_passed_over_but_not_for_ever() {
        let early = "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n";

        assert_eq!(answer(&format!("{early}HTTP/1.1 200 OK\r\n\r\n")), Ok(200));
        assert_eq!(answer("HTTP/1.1 101 Switch\r\n\r\n"), Ok(101));
        assert_eq!(
            answer(&early.repeat(9999)).unwrap_err(),
            "the answer is too long"
        );
    }

    #[test]
    fn what_is_no_answer_is_not_taken_for_one() {
        for text in [
            "SSH-2.0-OpenSSH\r\n",
            "\x15\x03\x01\x00\x02\x02\x16",
            "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/1.1 +20 OK\r\n\r\n",
            "HTTP/11 200 OK\r\n\r\n",
            "HTTP/1.1 200OK\r\n\r\n",
            "HTTP/1.1 2000\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
            "HTTP/1.1 200 OK\r\n goes: on\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: \x01\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        ] {
            assert_eq!(answer(text).unwrap_err(), "not an HTTP answer", "{text}");
        }
    }

    #[test]
    fn a_head_that_breaks_off_is_no_answer() {
        for text in ["", "HTT", "HTTP/1.1 200 OK\r\n"] {
            let told = answer(text).unwrap_err();
            assert_eq!(told, "connection closed without an answer", "{text}");
        }
    }

    #[test]
    fn a_head_has_a_longest_length() {
        let text = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(300 << 10));

        assert_eq!(answer(&text).unwrap_err(), "the answer is too long");
    }
}
