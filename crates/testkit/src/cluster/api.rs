//! Asks the API server: plain HTTP over the socket of `kubectl proxy`, which has the certificates and the token.
//!
//! One connection for each question, in the old form of the protocol in which the end of the connection is the end of
//! the answer. That is all a test needs, and a watch is then simply lines.

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The way to the API server.
#[derive(Clone, Debug)]
pub struct Api {
    socket: PathBuf,
    /// How long an answer may take.
    patience: Duration,
}

/// A change of something, as it is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Patch {
    /// Lists are merged by the keys that their kind has.
    Strategic,
    /// A list of single operations.
    Json,
}

/// Objects as they change, until it is dropped or the server ends it.
pub struct Watch {
    lines: BufReader<UnixStream>,
}

/// Ends a watch from another thread.
pub struct Hush(UnixStream);

/// The answer that something is not there.
const NOT_FOUND: u16 = 404;

// === impl Api ===

impl Api {
    /// Through this socket.
    pub fn at(socket: &Path) -> Self {
        Self {
            socket: socket.to_owned(),
            patience: PATIENCE,
        }
    }

    /// Whether whoever is asked there answers that it is well.
    pub fn is_well(&self, path: &str) -> bool {
        self.ask("GET", path, "", "").is_ok()
    }

    /// What is there.
    pub fn get(&self, path: &str) -> anyhow::Result<Value> {
        read(&self.ask("GET", path, "", "")?)
    }

    /// What is there, or nothing if it is not.
    pub fn find(&self, path: &str) -> anyhow::Result<Option<Value>> {
        match self.exchange("GET", path, "", "")? {
            (NOT_FOUND, _) => Ok(None),
            (status, body) => read(&good("GET", path, status, body)?).map(Some),
        }
    }

    /// Makes something.
    pub fn create(&self, path: &str, object: &Value) -> anyhow::Result<Value> {
        read(&self.ask("POST", path, JSON, &object.to_string())?)
    }

    /// Changes something.
    pub fn patch(&self, path: &str, form: Patch, change: &Value) -> anyhow::Result<Value> {
        read(&self.ask("PATCH", path, form.media_type(), &change.to_string())?)
    }

    /// Removes something; it need not be there any more.
    pub fn delete(&self, path: &str, options: &Value) -> anyhow::Result<()> {
        let (status, body) = self.exchange("DELETE", path, JSON, &options.to_string())?;
        if status == NOT_FOUND {
            return Ok(());
        }
        good("DELETE", path, status, body).map(drop)
    }

    /// Follows what is there; the path asks for a watch.
    pub fn watch(&self, path: &str) -> anyhow::Result<Watch> {
        let stream = self.send("GET", path, "", "")?;
        let mut lines = BufReader::new(stream);
        let status = answered("GET", path, head(&mut lines))?;
        if status != 200 {
            let mut body = String::new();
            lines.read_to_string(&mut body)?;
            good("GET", path, status, body)?;
        }
        // Nothing need ever happen.
        lines.get_ref().set_read_timeout(None)?;
        Ok(Watch { lines })
    }

    fn ask(&self, verb: &str, path: &str, kind: &str, body: &str) -> anyhow::Result<String> {
        let (status, body) = self.exchange(verb, path, kind, body)?;
        good(verb, path, status, body)
    }

    fn exchange(
        &self,
        verb: &str,
        path: &str,
        kind: &str,
        body: &str,
    ) -> anyhow::Result<(u16, String)> {
        let mut answer = BufReader::new(self.send(verb, path, kind, body)?);
        let status = answered(verb, path, head(&mut answer))?;
        let mut body = String::new();
        answered(verb, path, answer.read_to_string(&mut body))?;
        Ok((status, body))
    }

    fn send(&self, verb: &str, path: &str, kind: &str, body: &str) -> anyhow::Result<UnixStream> {
        let mut stream = UnixStream::connect(&self.socket).with_context(|| {
            format!(
                "nobody answers at {}; is the cluster up?",
                self.socket.display()
            )
        })?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        let length = body.len();
        let kind = if kind.is_empty() { JSON } else { kind };
        write!(
            stream,
            "{verb} {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        Ok(stream)
    }
}

// === impl Patch ===

impl Patch {
    fn media_type(self) -> &'static str {
        match self {
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Json => "application/json-patch+json",
        }
    }
}

// === impl Watch ===

impl Watch {
    /// Waits no longer than this for the next change.
    pub fn limit(&self, patience: Duration) -> anyhow::Result<()> {
        Ok(self.lines.get_ref().set_read_timeout(Some(patience))?)
    }

    /// What ends this watch from elsewhere.
    pub fn hush(&self) -> anyhow::Result<Hush> {
        Ok(Hush(self.lines.get_ref().try_clone()?))
    }

    /// The next change; none when there will be no more.
    pub fn next_change(&mut self) -> anyhow::Result<Option<Value>> {
        let mut line = String::new();
        let length = self.lines.read_line(&mut line);
        if length.context("there is no news from the API server")? == 0 {
            return Ok(None);
        }
        read(&line).map(Some)
    }
}

// === impl Hush ===

impl Drop for Hush {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

const JSON: &str = "application/json";

/// A server that says nothing for so long is not busy, but stuck; what waits for it for ever could not be taken down.
const PATIENCE: Duration = Duration::from_mins(1);

/// The same, with what it was the answer to.
fn answered<T>(
    verb: &str,
    path: &str,
    answer: Result<T, impl Into<anyhow::Error>>,
) -> anyhow::Result<T> {
    let answer = answer.map_err(Into::<anyhow::Error>::into);
    answer.with_context(|| format!("{verb} {path} was not answered"))
}

fn read(text: &str) -> anyhow::Result<Value> {
    serde_json::from_str(text)
        .with_context(|| format!("the API server says what is no JSON: {text}"))
}

fn good(verb: &str, path: &str, status: u16, body: String) -> anyhow::Result<String> {
    if (200..300).contains(&status) {
        return Ok(body);
    }
    let told: Option<Value> = serde_json::from_str(&body).ok();
    let told = told.as_ref().and_then(|told| told["message"].as_str());
    bail!(
        "{verb} {path} was answered with {status}: {}",
        told.unwrap_or(&body)
    )
}

/// The number in the first line; the lines up to the empty one say nothing that is needed.
fn head(answer: &mut impl std::io::BufRead) -> anyhow::Result<u16> {
    let mut first = String::new();
    answer.read_line(&mut first)?;
    let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.with_context(|| format!("`{}` is no answer", first.trim()))?;
    loop {
        let mut line = String::new();
        ensure!(answer.read_line(&mut line)? > 0, "the answer broke off");
        if line.trim().is_empty() {
            return Ok(status);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn the_head_of_an_answer_ends_at_the_empty_line() {
        let mut answer = &b"HTTP/1.0 404 Not Found\r\nDate: today\r\n\r\n{}"[..];
        assert_eq!(head(&mut answer).unwrap(), NOT_FOUND);
        assert_eq!(answer, b"{}");
        assert!(head(&mut &b"hello\r\n\r\n"[..]).is_err());
        assert!(head(&mut &b"HTTP/1.0 200 OK\r\n"[..]).is_err());
    }

    #[test]
    fn a_server_that_says_nothing_is_not_waited_for_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("api.sock");
        let _silent = UnixListener::bind(&socket).unwrap();
        let api = Api {
            socket,
            patience: Duration::from_millis(10),
        };
        let error = api.get("/pods").unwrap_err();
        assert_eq!(error.to_string(), "GET /pods was not answered");
    }

    #[test]
    fn a_refusal_is_told_in_the_words_of_the_server() {
        let body = r#"{"kind": "Status", "message": "pods \"a\" already exists"}"#;
        let error = good("POST", "/pods", 409, body.to_owned()).unwrap_err();
        let wanted = "POST /pods was answered with 409: pods \"a\" already exists";
        assert_eq!(error.to_string(), wanted);
    }
}
