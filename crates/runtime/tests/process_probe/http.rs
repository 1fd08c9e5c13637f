//! HTTP probes and hooks, and what they have in common with TCP.

use super::server::{self, always, closed, drip, hear_out, say, serve};
use super::{cut_off, empty, hook, http, http_at, no, probe, redirect, tcp, yes};
use pillion_runtime::probe::Target;
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc;

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

#[test]
fn a_connection_that_opens_is_a_success() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();

    assert_eq!(probe(&tcp(port)), yes("connected"));
    assert_eq!(probe(&tcp(closed())), no("connection refused"));
}

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
