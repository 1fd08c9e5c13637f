//! HTTP probes and hooks.
//!
//! A probe succeeds with 200 to 399. Redirects are followed as long as they stay on the host; one that leads away is
//! an answer like any other. A hook succeeds with any answer at all.

mod response;
pub(super) mod url;

use super::connection::{Connection, Stream};
use super::deadline::Deadline;
use super::trouble::Trouble;
use super::{Answer, Purpose, tls};
use response::Response;
use url::{Leads, Url};

/// Headers by name and value.
type Headers = [(String, String)];

/// How many requests are sent in a row.
const REQUESTS: usize = 10;

/// An answer that breaks off may be bad luck. The kubelet tries so often, too.
const TRIES: usize = 3;

/// Asks, and judges the answer.
pub(super) fn get(
    url: &Url,
    headers: &Headers,
    purpose: Purpose,
    deadline: Deadline<'_>,
) -> Result<Answer, Trouble> {
    match purpose {
        Purpose::Probe => probe(url, headers, deadline),
        Purpose::Hook => hook(url, headers, deadline),
    }
}

fn probe(url: &Url, headers: &Headers, deadline: Deadline<'_>) -> Result<Answer, Trouble> {
    let mut tries = 1;
    loop {
        match follow(url, headers, Purpose::Probe, deadline) {
            Err(Trouble::Body { .. }) if tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

/// A server that turns out not to speak TLS is asked again without, and without credentials.
fn hook(url: &Url, headers: &Headers, deadline: Deadline<'_>) -> Result<Answer, Trouble> {
    match follow(url, headers, Purpose::Hook, deadline) {
        Err(Trouble::PlainHttp) => {
            let plain = Url {
                secure: false,
                ..url.clone()
            };
            let is_harmless =
                |header: &&(String, String)| !header.0.eq_ignore_ascii_case("authorization");
            let headers: Vec<_> = headers.iter().filter(is_harmless).cloned().collect();
            follow(&plain, &headers, Purpose::Hook, deadline)
        }
        done => done,
    }
}

fn follow(
    first: &Url,
    headers: &Headers,
    purpose: Purpose,
    deadline: Deadline<'_>,
) -> Result<Answer, Trouble> {
    let mut url = first.clone();
    let mut host = given(headers, "host").filter(|host| !host.is_empty());
    for _ in 0..REQUESTS {
        let request = request(&url, host, headers, purpose)?;
        let response = exchange(&url, &request, deadline)?;
        let Some(location) = redirect(&response) else {
            return judge(response, purpose, "");
        };
        match url.join(location) {
            Leads::Away => return judge(response, purpose, " to another host"),
            Leads::To(next) => {
                // A name given for one place means nothing at another.
                host = host.filter(|_| !url::is_absolute(location));
                url = next;
            }
            Leads::Nowhere => {
                let location = location.chars().take(80).collect();
                return Err(Trouble::Redirect { location });
            }
        }
    }
    Err(Trouble::Redirects)
}

fn judge(response: Response, purpose: Purpose, addition: &str) -> Result<Answer, Trouble> {
    let status = response.status;
    let why = format!("HTTP {status}{addition}");
    match purpose {
        Purpose::Probe => {
            response.finish()?;
            let ok = (200..400).contains(&status);
            Ok(Answer { ok, why })
        }
        Purpose::Hook => Ok(Answer::success(why)),
    }
}

/// Where an answer says to go.
fn redirect(response: &Response) -> Option<&str> {
    let is_redirect = matches!(response.status, 301 | 302 | 303 | 307 | 308);
    let location = response.location.as_deref().filter(|_| is_redirect);
    location.filter(|location| !location.is_empty())
}

/// Sends a request on a connection of its own, and waits for the head of the answer.
fn exchange(url: &Url, request: &[u8], deadline: Deadline<'_>) -> Result<Response, Trouble> {
    let connection = Connection::open(&url.host, url.port, deadline)?;
    let mut stream: Box<dyn Stream> = if url.secure {
        tls::wrap(&url.host, connection)?
    } else {
        Box::new(connection)
    };
    stream.write_all(request)?;
    stream.flush()?;
    Response::read(stream)
}

fn request(
    url: &Url,
    host: Option<&str>,
    headers: &Headers,
    purpose: Purpose,
) -> Result<Vec<u8>, Trouble> {
    let authority = url.authority();
    let agent = given(headers, "user-agent").unwrap_or(match purpose {
        Purpose::Probe => "kube-probe/1.36",
        Purpose::Hook => "kube-lifecycle/1.36",
    });
    let mut request = format!("GET {} HTTP/1.1\r\n", url.target).into_bytes();
    header(&mut request, "Host", host.unwrap_or(&authority))?;
    if !agent.is_empty() {
        header(&mut request, "User-Agent", agent)?;
    }
    // Also if given as empty: then the name is left out below.
    let accept = given(headers, "accept").unwrap_or("*/*");
    if given(headers, "accept").is_none() {
        header(&mut request, "Accept", accept)?;
    }
    if given(headers, "connection").is_none() {
        header(&mut request, "Connection", "close")?;
    }
    for (name, value) in headers {
        let is_left_out = name.eq_ignore_ascii_case("accept") && accept.is_empty();
        if !is_left_out && !is_own(name) {
            header(&mut request, name, value)?;
        }
    }
    request.extend_from_slice(b"\r\n");
    Ok(request)
}

/// Headers that are written already, or that would tell of a body that there is not.
fn is_own(name: &str) -> bool {
    let own = [
        "host",
        "user-agent",
        "content-length",
        "transfer-encoding",
        "trailer",
    ];
    own.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// The first value of a header.
fn given<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    let found = headers
        .iter()
        .find(|(given, _)| given.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

fn header(request: &mut Vec<u8>, name: &str, value: &str) -> Result<(), Trouble> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_name = !name.is_empty() && name.bytes().all(is_token);
    // What would begin another line is taken for a space, and every other control character is refused.
    let value = value.replace(['\r', '\n'], " ");
    let is_value = value
        .bytes()
        .all(|byte| byte == b'\t' || !byte.is_ascii_control());
    if !is_name || !is_value {
        return Err(Trouble::Header { name: name.into() });
    }
    request.extend_from_slice(format!("{name}: {}\r\n", value.trim()).as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(headers: &[(&str, &str)], purpose: Purpose) -> Vec<String> {
        let url = Url::new(false, "::1", 80, "/x");
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers: Vec<_> = headers.iter().map(own).collect();
        let host = given(&headers, "host");
        let request = request(&url, host, &headers, purpose).unwrap();
        let request = String::from_utf8(request).unwrap();
        let text = request.strip_suffix("\r\n\r\n").unwrap();
        text.split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn a_request_names_host_agent_and_what_it_accepts() {
        let expected = [
            "GET /x HTTP/1.1",
            "Host: [::1]:80",
            "User-Agent: kube-probe/1.36",
            "Accept: */*",
            "Connection: close",
        ];

        assert_eq!(lines(&[], Purpose::Probe), expected);
        assert_eq!(
            lines(&[], Purpose::Hook)[2],
            "User-Agent: kube-lifecycle/1.36"
        );
    }

    #[test]
    fn given_headers_replace_the_usual_ones() {
        let headers = [
            ("host", "shop.example"),
            ("X-Twice", "1"),
            ("x-twice", "2"),
            ("accept", ""),
            ("USER-AGENT", "me"),
            ("Content-Length", "7"),
        ];
        let expected = [
            "GET /x HTTP/1.1",
            "Host: shop.example",
            "User-Agent: me",
            "Connection: close",
            "X-Twice: 1",
            "x-twice: 2",
        ];

        assert_eq!(lines(&headers, Purpose::Probe), expected);
    }

    #[test]
    fn a_header_cannot_smuggle_in_another() {
        let lines = lines(&[("X", "a\r\nY: b")], Purpose::Probe);
        let odd = header(&mut Vec::new(), "X: y\r\nZ", "");

        assert_eq!(lines.last().unwrap(), "X: a  Y: b");
        assert!(odd.is_err());
    }
}
