//! HTTPS probes.

use super::server::{self, drip, hear_out, say, serve};
use super::{CLOSED_BODY, cut_off, http_at, https, no, probe, yes};
use rustls::version::{TLS12, TLS13};
use std::io::Write as _;

#[test]
fn anybodys_certificate_will_do() {
    let new = server::secure(&TLS13, CLOSED_BODY);
    let old = server::secure(&TLS12, CLOSED_BODY);

    assert_eq!(probe(&https(new)), yes("HTTP 200"));
    assert_eq!(probe(&https(old)), yes("HTTP 200"));
    assert_eq!(
        probe(&http_at(true, "localhost", new, &[])),
        yes("HTTP 200")
    );
}

#[test]
fn a_status_over_tls_counts_as_any_other() {
    let port = server::secure(&TLS13, "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");

    assert_eq!(probe(&https(port)), no("HTTP 503"));
}

#[test]
fn a_server_without_tls_is_a_failure() {
    let http = serve(|mut stream| say(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    let garbage = serve(|mut stream| say(&mut stream, b"220 mail.example ESMTP\r\n"));
    let hangs_up = serve(drop);

    assert_eq!(probe(&https(http)), no("the server speaks HTTP, not HTTPS"));
    assert_eq!(probe(&https(garbage)), no("the server does not speak TLS"));
    assert_eq!(
        probe(&https(hangs_up)),
        no("connection closed without an answer")
    );
}

#[test]
fn a_handshake_is_cut_off_too() {
    let silent = serve(|mut stream| hear_out(&mut stream));
    // The beginning of a long record.
    let dripping = serve(|mut stream| {
        stream.write_all(&[22, 3, 3, 0x3f, 0xff]).unwrap();
        drip(&mut stream, &[0]);
    });

    cut_off(&https(silent));
    cut_off(&https(dripping));
}
