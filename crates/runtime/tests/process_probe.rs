//! Probes and hooks against real servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "process_probe/server.rs"]
mod server;

#[path = "process_probe/grpc.rs"]
mod grpc;
#[path = "process_probe/http.rs"]
mod http;
#[path = "process_probe/threads.rs"]
mod threads;
#[path = "process_probe/tls.rs"]
mod tls;

use pillion_runtime::clock;
use pillion_runtime::probe::{Answer, Purpose, Target, ask, attempt};
use std::time::Duration;

/// For what ends by itself.
const LONG: Duration = Duration::from_mins(1);
/// For what must be cut off.
const SHORT: Duration = Duration::from_millis(150);

/// An answer that ends with the connection.
const CLOSED_BODY: &str = "HTTP/1.1 200 OK\r\n\r\nup";

fn http(port: u16) -> Target {
    http_at(false, "127.0.0.1", port, &[])
}

fn https(port: u16) -> Target {
    http_at(true, "127.0.0.1", port, &[])
}

fn http_at(secure: bool, host: &str, port: u16, headers: &[(&str, &str)]) -> Target {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Target::Http {
        secure,
        host: host.into(),
        port,
        path: "/health?full=1".into(),
        headers: headers.iter().map(own).collect(),
    }
}

fn tcp(port: u16) -> Target {
    Target::Tcp {
        host: "127.0.0.1".into(),
        port,
    }
}

fn grpc(port: u16) -> Target {
    Target::Grpc {
        host: "127.0.0.1".into(),
        port,
        service: "db".into(),
    }
}

fn yes(why: &str) -> Answer {
    Answer {
        ok: true,
        why: why.into(),
    }
}

fn no(why: &str) -> Answer {
    Answer {
        ok: false,
        why: why.into(),
    }
}

fn probe(target: &Target) -> Answer {
    attempt(target, LONG)
}

fn hook(target: &Target) -> Answer {
    ask(target, Purpose::Hook, LONG)
}

/// Probes what must be cut off: it takes its time, and not much more.
fn cut_off(target: &Target) {
    let begin = clock::now();
    let answer = attempt(target, SHORT);
    let took = clock::now() - begin;

    assert_eq!(answer, no("no answer within 0.15 s"), "{target:?}");
    assert!(took >= SHORT, "{target:?} took only {took:?}");
    assert!(took < LONG / 4, "{target:?} took {took:?}");
}

fn empty(status: u16) -> String {
    format!("HTTP/1.1 {status} Some Words\r\nContent-Length: 0\r\n\r\n")
}

fn redirect(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
}
