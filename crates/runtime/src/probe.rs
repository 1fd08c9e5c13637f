//! One attempt of a network probe, or one call of an HTTP hook.
//!
//! What counts as a success is the kubelet's judgement: an answer of 200 to 399, a connection that opens, a health
//! service that says `SERVING`. One deadline covers all of an attempt, from looking up the name to the last byte that
//! matters, so that a server that hangs, drips or never ends is cut off in time. Nothing that a server sends can make
//! an attempt grow or panic.
//!
//! Calls block. [`thread::Probers`] makes them beside the driver.

mod connection;
mod deadline;
mod grpc;
mod http;
mod line;
mod tcp;
pub mod thread;
mod tls;
mod trouble;

use deadline::Deadline;
use line::Line;
use std::time::Duration;
use trouble::Trouble;

/// What to ask.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Target {
    /// An HTTP request.
    Http {
        /// HTTPS. Whose certificate it is does not matter.
        secure: bool,
        /// A name or an address, IPv6 without brackets.
        host: String,
        /// The port.
        port: u16,
        /// The path, and the query if there is one.
        path: String,
        /// Headers in the order given; names may repeat.
        headers: Vec<(String, String)>,
    },
    /// A connection that opens.
    Tcp {
        /// A name or an address, IPv6 without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// The standard health service of gRPC, without TLS.
    Grpc {
        /// A name or an address, IPv6 without brackets.
        host: String,
        /// The port.
        port: u16,
        /// The service to ask about; empty asks about the server.
        service: String,
    },
}

/// What it is asked for, which decides what counts as a success.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Purpose {
    /// To find out how a container is.
    Probe,
    /// To tell a container something: any answer will do.
    Hook,
}

/// What came of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// Whether it counts as a success.
    pub ok: bool,
    /// Why, in a few words.
    pub why: String,
}

/// Makes one attempt of a probe.
pub fn attempt(target: &Target, timeout: Duration) -> Answer {
    ask(target, Purpose::Probe, timeout)
}

/// Makes one attempt of a probe, or calls a hook. It is over when the timeout is, whatever the other side does.
pub fn ask(target: &Target, purpose: Purpose, timeout: Duration) -> Answer {
    ask_over(&Line::default(), target, purpose, timeout)
}

/// The same, unless somebody hangs up.
fn ask_over(line: &Line, target: &Target, purpose: Purpose, timeout: Duration) -> Answer {
    let deadline = Deadline::after(timeout, line);
    answer(target, purpose, deadline).unwrap_or_else(|trouble| Answer {
        ok: false,
        why: trouble.words(timeout),
    })
}

fn answer(target: &Target, purpose: Purpose, deadline: Deadline<'_>) -> Result<Answer, Trouble> {
    match target {
        Target::Http {
            secure,
            host,
            port,
            path,
            headers,
        } => {
            let url = http::url::Url::new(*secure, host, *port, path);
            http::get(&url, headers, purpose, deadline)
        }
        Target::Tcp { host, port } => tcp::open(host, *port, deadline),
        Target::Grpc {
            host,
            port,
            service,
        } => grpc::check(host, *port, service, deadline),
    }
}

// === impl Answer ===

impl Answer {
    fn success(why: impl Into<String>) -> Self {
        Self {
            ok: true,
            why: why.into(),
        }
    }

    fn failure(why: impl Into<String>) -> Self {
        Self {
            ok: false,
            why: why.into(),
        }
    }
}
