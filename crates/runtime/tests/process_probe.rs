//! Probes and hooks against real servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "process_probe/server.rs"]
mod server;

use pillion_engine::Tick;
use pillion_runtime::clock;
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::probe::thread::{AT_ONCE, Probers, Ticket};
use pillion_runtime::probe::{Answer, Purpose, Target, ask, attempt};
use rustls::version::{TLS12, TLS13};
use server::{always, closed, drip, hear_out, say, serve};
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

/// For what ends by itself.
const LONG: Duration = Duration::from_mins(1);
/// For what must be cut off.
const SHORT: Duration = Duration::from_millis(150);

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

// === HTTP ===

#[test]
fn answers_from_200_to_399_are_successes() {
    for status in [200, 204, 299, 300, 304, 399] {
        let answer = probe(&http(always(empty(status))));
        assert_eq!(answer, yes(&format!("HTTP {status}")));
    }
    for status in [101, 199, 400, 404, 500, 503] {
        // What is preliminary needs something to follow it.
        let answer = probe(&http(always(empty(status) + &empty(503))));
        let last = if status == 199 { 503 } else { status };
        assert_eq!(answer, no(&format!("HTTP {last}")));
    }
}

#[test]
fn a_request_says_what_it_was_told_to_say() {
    let (sender, heard) = mpsc::channel();
    let port = server::answer(move |request| {
        sender.send(request.to_owned()).unwrap();
        empty(200)
    });
    let headers = [("Host", "shop.example"), ("X-Probe", "yes"), ("Accept", "")];

    probe(&http_at(false, "127.0.0.1", port, &headers));
    hook(&http_at(false, "127.0.0.1", port, &[]));

    let told = "GET /health?full=1 HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: kube-probe/1.36\r\n\
                Connection: close\r\nX-Probe: yes\r\n\r\n";
    let usual = format!(
        "GET /health?full=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: kube-lifecycle/1.36\r\n\
         Accept: */*\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(heard.recv().unwrap(), told);
    assert_eq!(heard.recv().unwrap(), usual);
}

#[test]
fn redirects_on_the_host_are_followed() {
    let port = server::answer(|request| match request.split(' ').nth(1).unwrap() {
        "/health?full=1" => redirect(302, "elsewhere"),
        "/elsewhere" => redirect(308, "/end"),
        "/end" => empty(503),
        other => panic!("{other}"),
    });

    assert_eq!(probe(&http(port)), no("HTTP 503"));
}

#[test]
fn a_redirect_to_another_port_of_the_host_is_followed() {
    let end = always(empty(404));
    let port = always(redirect(301, &format!("http://127.0.0.1:{end}/")));

    assert_eq!(probe(&http(port)), no("HTTP 404"));
}

#[test]
fn a_redirect_to_another_host_is_a_success_and_not_followed() {
    let port = always(redirect(302, "http://nowhere.invalid/"));

    assert_eq!(probe(&http(port)), yes("HTTP 302 to another host"));
}

#[test]
fn a_redirect_that_says_not_where_to_is_a_success() {
    assert_eq!(probe(&http(always(empty(302)))), yes("HTTP 302"));
}

#[test]
fn redirects_end_after_ten_requests() {
    let (sender, requests) = mpsc::channel();
    let port = server::answer(move |_| {
        sender.send(()).unwrap();
        redirect(302, "/again")
    });

    assert_eq!(probe(&http(port)), no("stopped after 10 redirects"));
    assert_eq!(requests.try_iter().count(), 10);
}

#[test]
fn a_given_host_goes_along_as_long_as_the_place_stays() {
    let (sender, heard) = mpsc::channel();
    let tell = move |request: &str| {
        let host = request.lines().nth(1).unwrap();
        sender.send(host.to_owned()).unwrap();
    };
    let tell_end = tell.clone();
    let end = server::answer(move |request| {
        tell_end(request);
        empty(200)
    });
    let port = server::answer(move |request| {
        tell(request);
        match request.split(' ').nth(1).unwrap() {
            "/health?full=1" => redirect(302, "/relative"),
            _ => redirect(302, &format!("http://127.0.0.1:{end}/")),
        }
    });

    probe(&http_at(false, "127.0.0.1", port, &[("Host", "shop")]));

    let hosts: Vec<_> = heard.try_iter().collect();
    let own = format!("Host: 127.0.0.1:{end}");
    assert_eq!(hosts, ["Host: shop", "Host: shop", &own]);
}

#[test]
fn an_endless_body_is_not_read_to_its_end() {
    let port = serve(|mut stream| {
        server::head(&mut stream);
        let mut says = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while says.is_ok() {
            says = stream.write_all(&[b'x'; 4096]);
        }
    });

    assert_eq!(probe(&http(port)), yes("HTTP 200"));
}

#[test]
fn a_body_that_breaks_off_is_a_failure_after_three_tries() {
    let (sender, requests) = mpsc::channel();
    let port = server::answer(move |_| {
        sender.send(()).unwrap();
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".into()
    });

    let answer = probe(&http(port));

    assert_eq!(answer, no("HTTP 200, but the answer broke off"));
    assert_eq!(requests.try_iter().count(), 3);
}

#[test]
fn servers_that_let_one_wait_are_cut_off() {
    let silent = serve(|mut stream| hear_out(&mut stream));
    let dripping_head = serve(|mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n").unwrap();
        drip(&mut stream, b"X: y\r\n");
    });
    let dripping_body = serve(|mut stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n";
        stream.write_all(head).unwrap();
        drip(&mut stream, b"x");
    });

    cut_off(&http(silent));
    cut_off(&http(dripping_head));
    cut_off(&http(dripping_body));
}

#[test]
fn what_is_no_answer_is_a_failure() {
    let hangs_up = serve(|mut stream| drop(server::head(&mut stream)));
    let garbage = always("220 mail.example ESMTP\r\n");
    let endless = serve(|mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").unwrap();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });

    assert_eq!(
        probe(&http(hangs_up)),
        no("connection closed without an answer")
    );
    assert_eq!(probe(&http(garbage)), no("not an HTTP answer"));
    assert_eq!(probe(&http(endless)), no("the answer is too long"));
    assert_eq!(probe(&http(closed())), no("connection refused"));
}

#[test]
fn names_and_ipv6_addresses_are_found() {
    let port = always(empty(200));
    assert_eq!(
        probe(&http_at(false, "localhost", port, &[])),
        yes("HTTP 200")
    );

    // Too long for a name, so that no resolver is asked.
    let long = "x".repeat(64);
    let unknown = probe(&http_at(false, &long, port, &[]));
    assert_eq!(unknown, no(&format!("no address for {long}")));

    // Not every machine has it.
    if let Ok(listener) = TcpListener::bind("[::1]:0") {
        let port = listener.local_addr().unwrap().port();
        let host = "::1".into();
        assert_eq!(probe(&Target::Tcp { host, port }), yes("connected"));
    }
}

// === Hooks ===

#[test]
fn a_hook_is_done_with_any_answer() {
    let broken = always("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");

    assert_eq!(hook(&http(always(empty(500)))), yes("HTTP 500"));
    assert_eq!(hook(&http(broken)), yes("HTTP 200"));
    assert_eq!(hook(&http(closed())), no("connection refused"));
}

#[test]
fn a_hook_falls_back_to_http_without_its_credentials() {
    let (sender, heard) = mpsc::channel();
    let port = serve(move |mut stream| {
        let mut first = [0];
        stream.peek(&mut first).unwrap();
        if first == *b"G" {
            sender.send(server::head(&mut stream)).unwrap();
        }
        say(&mut stream, b"HTTP/1.0 400 Bad Request\r\n\r\n");
    });
    let headers = [("Authorization", "secret"), ("X-Kept", "yes")];

    let answer = hook(&http_at(true, "127.0.0.1", port, &headers));

    assert_eq!(answer, yes("HTTP 400"));
    let request = heard.recv().unwrap();
    assert!(request.contains("X-Kept: yes"), "{request}");
    assert!(!request.contains("secret"), "{request}");
}

// === TLS ===

const CLOSED_BODY: &str = "HTTP/1.1 200 OK\r\n\r\nup";

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

// === TCP ===

#[test]
fn a_connection_that_opens_is_a_success() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();

    assert_eq!(probe(&tcp(port)), yes("connected"));
    assert_eq!(probe(&tcp(closed())), no("connection refused"));
}

// === gRPC ===

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

// === Threads ===

/// Waits until the bell rings.
fn wait(probers: &Probers) {
    let poller = Poller::new().unwrap();
    poller.add(probers, Token(7)).unwrap();
    assert_eq!(poller.wait(Tick::ZERO, None).unwrap(), [Token(7)]);
}

/// So many answers, in the order of their tickets.
fn collect(probers: &mut Probers, count: usize) -> Vec<(Ticket, Answer)> {
    let mut answers = Vec::new();
    while answers.len() < count {
        wait(probers);
        answers.append(&mut probers.answers());
    }
    answers.sort_by_key(|(ticket, _)| *ticket);
    answers
}

#[test]
fn answers_come_with_their_tickets_and_no_thread_is_left() {
    let mut probers = Probers::new().unwrap();
    let port = server::secure(&TLS13, CLOSED_BODY);

    let refused = probers.start(tcp(closed()), Purpose::Probe, LONG);
    let good = probers.start(https(port), Purpose::Probe, LONG);

    let expected = [(refused, no("connection refused")), (good, yes("HTTP 200"))];
    assert_eq!(collect(&mut probers, 2), expected);
    assert_eq!(probers.threads(), 0);
}

#[test]
fn an_answer_to_what_was_called_off_is_not_told() {
    let mut probers = Probers::new().unwrap();
    let (release, released) = mpsc::channel::<()>();
    let port = server::answer(move |_| {
        released.recv().unwrap();
        empty(200)
    });

    let ticket = probers.start(http(port), Purpose::Probe, LONG);
    probers.cancel(ticket);
    release.send(()).unwrap();
    wait(&probers);

    assert_eq!(probers.answers(), []);
}

#[test]
fn more_than_can_be_made_at_once_wait_for_their_turn() {
    let mut probers = Probers::new().unwrap();
    let (release, released) = mpsc::channel::<()>();
    let (sender, requests) = mpsc::channel();
    let mut is_released = false;
    let port = server::answer(move |_| {
        if !is_released {
            released.recv().unwrap();
            is_released = true;
        }
        sender.send(()).unwrap();
        empty(200)
    });

    let start = |_| probers.start(http(port), Purpose::Probe, LONG);
    let tickets: Vec<_> = (0..AT_ONCE + 3).map(start).collect();
    assert_eq!(probers.threads(), AT_ONCE);
    probers.cancel(tickets[AT_ONCE]);
    release.send(()).unwrap();

    let answers = collect(&mut probers, AT_ONCE + 2);
    assert!(answers.iter().all(|(_, answer)| answer.ok), "{answers:?}");
    assert!(
        answers
            .iter()
            .all(|(ticket, _)| *ticket != tickets[AT_ONCE])
    );
    assert_eq!(requests.try_iter().count(), AT_ONCE + 2);
    assert_eq!(probers.threads(), 0);
}
