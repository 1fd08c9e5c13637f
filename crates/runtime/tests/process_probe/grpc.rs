//! gRPC probes of servers that follow a script of bytes.

use super::server::{closed, drip, hear_out, say, serve};
use super::{cut_off, grpc, no, probe, yes};
use pillion_runtime::probe::Target;
use std::io::Write as _;

const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
const HEADERS: &[u8] = b"\0\0\x01\x01\x04\0\0\0\x01\x88";

/// A server that says this, and listens.
fn scripted(frames: &[&[u8]]) -> Target {
    let bytes = frames.concat();
    grpc(serve(move |mut stream| {
        stream.write_all(&bytes).unwrap();
        hear_out(&mut stream);
    }))
}

fn health(number: u8) -> Vec<u8> {
    let mut frame = b"\0\0\x07\0\0\0\0\0\x01\0\0\0\0\x02\x08".to_vec();
    frame.push(number);
    frame
}

fn trailers(status: char) -> Vec<u8> {
    format!("\0\0\x0f\x01\x05\0\0\0\x01\0\x0bgrpc-status\x01{status}").into_bytes()
}

#[test]
fn a_grpc_service_tells_its_health() {
    let says = |number| scripted(&[SETTINGS, HEADERS, &health(number), &trailers('0')]);

    assert_eq!(probe(&says(1)), yes("gRPC SERVING"));
    assert_eq!(probe(&says(2)), no("gRPC NOT_SERVING"));
}

#[test]
fn a_grpc_service_that_is_not_known_is_a_failure() {
    let unknown = scripted(&[SETTINGS, &trailers('5')]);

    assert_eq!(probe(&unknown), no("gRPC NOT_FOUND"));
}

#[test]
fn what_is_no_grpc_server_is_a_failure() {
    let garbage = scripted(&[b"HTTP/1.1 400 Bad Request\r\n\r\n"]);
    let hangs_up = grpc(serve(|mut stream| say(&mut stream, SETTINGS)));

    assert_eq!(probe(&garbage), no("not a gRPC server"));
    assert_eq!(probe(&hangs_up), no("connection closed without an answer"));
    assert_eq!(probe(&grpc(closed())), no("connection refused"));
}

#[test]
fn a_grpc_server_that_lets_one_wait_is_cut_off() {
    let pings = b"\0\0\x08\x06\0\0\0\0\x0012345678";
    let dripping = serve(move |mut stream| {
        stream.write_all(SETTINGS).unwrap();
        drip(&mut stream, pings);
    });

    cut_off(&scripted(&[]));
    cut_off(&scripted(&[SETTINGS, HEADERS, &health(1)]));
    cut_off(&grpc(dripping));
}
