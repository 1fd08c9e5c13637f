//! Whole conversations, written down as bytes.

use super::*;
use std::io::{self, Cursor};

/// A server that has said everything in advance, and remembers what it was told.
struct Server {
    says: Cursor<Vec<u8>>,
    heard: Vec<u8>,
}

/// A script of frames.
#[derive(Default)]
struct Script(Vec<u8>);

impl Read for Server {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.says.read(buffer)
    }
}

impl Write for Server {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.heard.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Script {
    fn settings() -> Self {
        Self::default().frame(Kind::Settings, 0, 0, &[])
    }

    fn frame(mut self, kind: Kind, flags: u8, stream: u32, payload: &[u8]) -> Self {
        frame::write(&mut self.0, kind, flags, stream, payload).unwrap();
        self
    }

    fn headers(self, flags: u8, fields: &[(&str, &str)]) -> Self {
        let mut block = Vec::new();
        for (name, value) in fields {
            hpack::write(&mut block, name, value);
        }
        self.frame(Kind::Headers, frame::END_HEADERS | flags, STREAM, &block)
    }

    fn data(self, bytes: &[u8]) -> Self {
        self.frame(Kind::Data, 0, STREAM, bytes)
    }

    fn trailers(self, status: &str) -> Self {
        self.headers(frame::END_STREAM, &[("grpc-status", status)])
    }

    fn play(self) -> (Result<Answer, String>, Vec<u8>) {
        let mut server = Server {
            says: Cursor::new(self.0),
            heard: Vec::new(),
        };
        let call = converse(&mut server).map(|call| call.judge());
        (call.map_err(|trouble| trouble.to_string()), server.heard)
    }

    fn why(self) -> String {
        match self.play().0 {
            Ok(answer) => {
                assert!(!answer.ok, "{answer:?}");
                answer.why
            }
            Err(trouble) => trouble,
        }
    }
}

const OK: [(&str, &str); 1] = [(":status", "200")];
const SERVING: &[u8] = b"\0\0\0\0\x02\x08\x01";

#[test]
fn a_service_that_serves_is_a_success() {
    let script = Script::settings()
        .headers(0, &OK)
        .data(SERVING)
        .trailers("0");

    let (answer, heard) = script.play();

    assert_eq!(answer.unwrap(), Answer::success("gRPC SERVING"));
    assert_eq!(heard, [0, 0, 0, 4, 1, 0, 0, 0, 0]);
}

#[test]
fn a_message_may_come_in_pieces_and_headers_too() {
    let mut block = Vec::new();
    hpack::write(&mut block, "grpc-status", "0");
    let (first, second) = block.split_at(5);
    let script = Script::settings()
        .headers(0, &OK)
        .data(&SERVING[..3])
        .data(&SERVING[3..])
        .frame(Kind::Headers, frame::END_STREAM, STREAM, first)
        .frame(Kind::Continuation, frame::END_HEADERS, STREAM, second);

    assert_eq!(script.play().0.unwrap(), Answer::success("gRPC SERVING"));
}

#[test]
fn pings_are_answered_and_other_frames_passed_over() {
    let mut script = Script::settings().frame(Kind::Ping, 0, 0, b"12345678");
    // A window update.
    script
        .0
        .extend_from_slice(&[0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    let script = script
        .frame(Kind::Settings, frame::ACK, 0, &[])
        .frame(Kind::GoAway, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0])
        .headers(0, &OK)
        .data(SERVING)
        .trailers("0");

    let (answer, heard) = script.play();

    assert!(answer.unwrap().ok);
    assert_eq!(heard[9..], *b"\0\0\x08\x06\x01\0\0\0\x0012345678");
}

#[test]
fn every_other_health_is_a_failure() {
    let told = |number: u8| {
        let script = Script::settings().headers(0, &OK);
        let script = script.data(&[0, 0, 0, 0, 2, 8, number]);
        script.trailers("0").why()
    };

    assert_eq!(told(0), "gRPC UNKNOWN");
    assert_eq!(told(2), "gRPC NOT_SERVING");
    assert_eq!(told(3), "gRPC SERVICE_UNKNOWN");
    assert_eq!(told(4), "gRPC status 4");
}

#[test]
fn a_call_that_fails_tells_its_code() {
    let fields = |status, message| [("grpc-status", status), ("grpc-message", message)];
    let told = |status, message| {
        let script = Script::settings();
        script
            .headers(frame::END_STREAM, &fields(status, message))
            .why()
    };

    assert_eq!(
        told("5", "unknown%20service"),
        "gRPC NOT_FOUND (unknown service)"
    );
    assert_eq!(
        told("12", ""),
        "no gRPC health service on the server (UNIMPLEMENTED)"
    );
    assert_eq!(told("77", "\u{7}"), "gRPC code 77");
}

#[test]
fn health_without_a_good_end_is_a_failure() {
    let begun = || Script::settings().headers(0, &OK).data(SERVING);
    let without_trailers = begun().frame(Kind::Data, frame::END_STREAM, STREAM, &[]);
    let reset = begun().frame(Kind::Reset, 0, STREAM, &[0, 0, 0, 2]);

    assert_eq!(begun().trailers("13").why(), "gRPC INTERNAL");
    assert_eq!(without_trailers.why(), "gRPC answer without a status");
    assert_eq!(reset.why(), "gRPC call given up by the server");
    assert_eq!(begun().why(), "connection closed without an answer");
}

#[test]
fn a_web_server_without_grpc_tells_its_status() {
    let script = Script::settings().headers(frame::END_STREAM, &[(":status", "404")]);

    assert_eq!(script.why(), "HTTP 404, not a gRPC answer");
}

#[test]
fn what_is_not_http_2_is_no_grpc_server() {
    let http = Script(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    let no_settings = Script::default().headers(0, &OK);
    let interrupted = Script::settings()
        .frame(Kind::Headers, 0, STREAM, &[])
        .data(SERVING);
    let stray = Script::settings().frame(Kind::Continuation, 0, STREAM, &[]);

    assert_eq!(http.why(), "not a gRPC server");
    assert_eq!(no_settings.why(), "not a gRPC server");
    assert_eq!(interrupted.why(), "not a gRPC server");
    assert_eq!(stray.why(), "not a gRPC server");
}

#[test]
fn a_server_cannot_talk_for_ever() {
    let mut script = Script::settings();
    for _ in 0..20 {
        script = script.data(&[0; 16 << 10]);
    }

    assert_eq!(script.why(), "the answer is too long");
}

#[test]
fn a_server_that_goes_away_before_the_call_gives_it_up() {
    let script = Script::settings().frame(Kind::GoAway, 0, 0, &[0; 8]);

    assert_eq!(script.why(), "gRPC call given up by the server");
}

#[test]
fn no_change_of_a_byte_makes_it_panic() {
    let script = Script::settings()
        .headers(0, &OK)
        .data(SERVING)
        .trailers("0");
    for place in 0..script.0.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = script.0.clone();
            bytes[place] = value;
            // Whatever it says, it comes to an end.
            let _ = Script(bytes).play();
        }
    }
}

#[test]
fn a_request_is_a_preface_settings_headers_and_a_question() {
    let request = request("[::1]:50051", "db", 1000).unwrap();
    let mut rest = request
        .strip_prefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .unwrap();

    let settings = Frame::read(&mut rest, true).unwrap();
    let headers = Frame::read(&mut rest, false).unwrap();
    let data = Frame::read(&mut rest, false).unwrap();

    assert_eq!(settings.payload.len(), 12);
    assert_eq!(headers.flags, frame::END_HEADERS);
    assert!(String::from_utf8_lossy(&headers.payload).contains("[::1]:50051"));
    assert_eq!(data.flags, frame::END_STREAM);
    assert_eq!(data.payload, b"\0\0\0\0\x04\x0a\x02db");
    assert_eq!(rest, b"");
}

/// What the health server of Go's gRPC answers, bit by bit: it packs its headers, and fills them with what is of no interest here.
#[test]
fn a_real_server_is_understood() {
    let begin = "0000060400000000000005000040000000000401000000000000040800000000000000000500000806000000000002041010090e0707";
    let serving = "00001001040000000120880f108b1d75d0620d263d4c4d6564\
                   00000700000000000100000000020801\
                   00001801050000000100889acac8b21234da8f013000899acac8b5254207317f00";
    let unknown = "00003301050000000120880f108b1d75d0620d263d4c4d6564\
                   00889acac8b21234da8f013500899acac8b5254207317f8bb6aeb51fc54a20b677310b";

    let serving = Script(unhex(&[begin, serving].concat()));
    let unknown = Script(unhex(&[begin, unknown].concat()));

    assert_eq!(serving.play().0.unwrap(), Answer::success("gRPC SERVING"));
    assert_eq!(unknown.why(), "gRPC NOT_FOUND (unknown service)");
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().map(|c| c.to_digit(16).unwrap()).collect();
    let bytes = digits
        .chunks(2)
        .map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap());
    bytes.collect()
}
