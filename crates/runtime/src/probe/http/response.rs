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
#[derive(Debug, Eq, PartialEq)]
struct Head {
    status: u16,
    location: Option<String>,
    framing: Framing,
}

/// No probe has a use for longer heads.
const HEAD: u64 = 256 << 10;

/// So much of a body is waited for; what follows is not read.
const BODY: u64 = 10 << 10;

/// So many `100 Continue` and the like may precede the answer.
const PRELIMINARIES: usize = 5;

// === impl Response ===

impl Response {
    /// Waits for the head of an answer.
    pub(super) fn read(stream: Box<dyn Stream>) -> Result<Self, Trouble> {
        let mut stream = BufReader::new(stream);
        for _ in 0..=PRELIMINARIES {
            let head = Head::read(&mut stream)?;
            if !head.is_preliminary() {
                let Head {
                    status,
                    location,
                    framing,
                } = head;
                return Ok(Self {
                    status,
                    location,
                    framing,
                    stream,
                });
            }
        }
        Err(Trouble::TooLong)
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
    fn read(stream: &mut impl BufRead) -> Result<Self, Trouble> {
        let mut stream = stream.take(HEAD);
        let first = line(&mut stream)?;
        let status = status(&first).ok_or(Trouble::NotHttp)?;
        let mut head = Self {
            status,
            location: None,
            framing: Framing::UntilClose,
        };
        loop {
            let line = line(&mut stream)?;
            if line.is_empty() {
                break;
            }
            head.take(&line)?;
        }
        if matches!(status, 100..=199 | 204 | 304) {
            head.framing = Framing::Length(0);
        }
        Ok(head)
    }

    fn is_preliminary(&self) -> bool {
        matches!(self.status, 100 | 102..=199)
    }

    fn take(&mut self, line: &[u8]) -> Result<(), Trouble> {
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.ok_or(Trouble::NotHttp)?);
        let value = String::from_utf8_lossy(value.get(1..).unwrap_or_default());
        let value = value.trim();
        if name.eq_ignore_ascii_case(b"location") && self.location.is_none() {
            self.location = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            let is_known = value.eq_ignore_ascii_case("chunked");
            self.framing = is_known
                .then_some(Framing::Chunks)
                .ok_or(Trouble::NotHttp)?;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.take_length(value)?;
        }
        Ok(())
    }

    fn take_length(&mut self, value: &str) -> Result<(), Trouble> {
        let length = value.parse().map_err(|_| Trouble::NotHttp)?;
        match self.framing {
            Framing::UntilClose => self.framing = Framing::Length(length),
            Framing::Length(before) if before != length => return Err(Trouble::NotHttp),
            Framing::Length(_) | Framing::Chunks => {}
        }
        Ok(())
    }
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

/// `HTTP/1.1 200 OK` is 200.
fn status(line: &[u8]) -> Option<u16> {
    let line = str::from_utf8(line.get(..12)?).ok()?;
    let (version, status) = line.split_once(' ')?;
    let (major, minor) = version.strip_prefix("HTTP/")?.split_once('.')?;
    let is_digit = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_status = status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit());
    (is_digit(major) && is_digit(minor) && is_status).then(|| status.parse().ok())?
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
    // What follows the last piece has no meaning here, but the answer is whole only with it.
    for _ in 0..TRAILERS {
        if chunk_line(stream)?.is_empty() {
            return Ok(());
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
    let digits = str::from_utf8(digits.trim_ascii()).unwrap_or_default();
    // A number may have a sign for the standard library.
    let has_sign = digits.starts_with('+');
    match u64::from_str_radix(digits, 16) {
        Ok(length) if !has_sign => Ok((length > 0).then_some(length)),
        Ok(_) | Err(_) => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn chunk_line(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    stream.take(CHUNK_LINE).read_until(b'\n', &mut line)?;
    if line.pop_if(|byte| *byte == b'\n').is_none() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    line.pop_if(|byte| *byte == b'\r');
    Ok(line)
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
            answer(&early.repeat(9)).unwrap_err(),
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
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
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
