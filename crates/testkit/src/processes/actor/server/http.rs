//! HTTP: one request, one answer.
//!
//! A header says which part is asked for. `/redirect?loc=PLACE` leads elsewhere, as in the kubelet's own test image; the
//! part is played by what it leads to.

use super::{Outcome, Visitor};
use crate::processes::network::PART;
use pillion_simulator::line::{Part, Who};
use std::io::{self, Read, Write};

/// As much of a request as matters.
#[derive(Debug, Eq, PartialEq)]
struct Request {
    /// Path and query.
    target: String,
    who: Option<Who>,
}

/// What is answered.
#[derive(Debug, Eq, PartialEq)]
enum Answer {
    Ok,
    Found(String),
    NotFound,
    Error,
    /// The connection closes, and that is all.
    Nothing,
}

/// Nobody sends more than this.
const LONGEST: usize = 64 << 10;

/// The path that leads elsewhere.
const REDIRECT: &str = "/redirect?loc=";

/// Answers one request.
pub(super) fn converse<S: Read + Write>(stream: &mut S, visitor: &Visitor) -> io::Result<()> {
    let request = Request::read(stream)?;
    stream.write_all(answer(&request, visitor)?.text().as_bytes())?;
    stream.flush()
}

fn answer(request: &Request, visitor: &Visitor) -> io::Result<Answer> {
    if let Some(place) = request.target.strip_prefix(REDIRECT) {
        return Ok(Answer::Found(unescape(place)));
    }
    let Some(who) = &request.who else {
        return Ok(Answer::NotFound);
    };
    Ok(match visitor.ask(who)? {
        Outcome::Good => Answer::Ok,
        // Any answer to a hook would be a success.
        Outcome::Bad if is_hook(who.part) => Answer::Nothing,
        Outcome::Bad => Answer::Error,
        Outcome::GivenUp => Answer::Nothing,
    })
}

fn is_hook(part: Part) -> bool {
    match part {
        Part::PostStart | Part::PreStop | Part::PodStopping => true,
        Part::Itself | Part::Undo | Part::Startup | Part::Readiness | Part::Liveness => false,
    }
}

/// `%2F` is a slash.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let code = after
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

// === impl Request ===

impl Request {
    fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && head.len() < LONGEST {
            stream.read_exact(&mut byte)?;
            head.extend(byte);
        }
        let head = String::from_utf8_lossy(&head);
        let request = Self::parse(&head);
        request.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.lines();
        let target = lines.next()?.split(' ').nth(1)?.to_owned();
        let mut headers = lines.filter_map(|line| line.split_once(':'));
        let part = headers.find(|(name, _)| name.eq_ignore_ascii_case(PART));
        let who = part.and_then(|(_, who)| who.trim().parse().ok());
        Some(Self { target, who })
    }
}

// === impl Answer ===

impl Answer {
    fn text(&self) -> String {
        match self {
            Self::Ok => whole("200 OK", "", "ok"),
            Self::Found(place) => {
                let location = format!("Location: {place}\r\n");
                let body = format!("<a href=\"{place}\">Found</a>.\n\n");
                whole("302 Found", &location, &body)
            }
            Self::NotFound => whole("404 Not Found", "", "whom?"),
            Self::Error => whole("500 Internal Server Error", "", "it fails"),
            Self::Nothing => String::new(),
        }
    }
}

fn whole(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_what_it_stands_for() {
        let request =
            Request::parse("GET /a?b HTTP/1.1\r\nHost: x\r\npillion-part: m1/preStop\r\n");

        let who = Who::part("m1", Part::PreStop);
        let (target, who) = ("/a?b".to_owned(), Some(who));
        assert_eq!(request, Some(Request { target, who }));
        assert_eq!(Request::parse("hello\r\n"), None);
    }

    #[test]
    fn a_place_is_unescaped() {
        assert_eq!(unescape("http%3A%2F%2f0.0.0.0%2F"), "http://0.0.0.0/");
        assert_eq!(unescape("a%zz%4"), "a%zz%4");
    }
}
