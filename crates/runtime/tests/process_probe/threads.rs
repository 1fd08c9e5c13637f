//! Probes beside a driver.

use super::server::{self, closed};
use super::{CLOSED_BODY, LONG, empty, http, https, no, tcp, yes};
use pillion_engine::Tick;
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::probe::thread::{Probers, Ticket, at_once};
use pillion_runtime::probe::{Answer, Purpose};
use rustls::version::TLS13;
use std::io::Read as _;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

/// Waits until the bell rings.
fn wait(probers: &Probers) {
    let poller = Poller::new().unwrap();
    poller.add(probers, Token::Source(7)).unwrap();
    assert_eq!(poller.wait(Tick::ZERO, None).unwrap(), [Token::Source(7)]);
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
fn what_was_called_off_holds_no_thread() {
    let mut probers = Probers::new().unwrap();
    let (told, heard) = mpsc::channel();
    let port = server::serve(move |mut stream| {
        server::head(&mut stream);
        told.send("asked").unwrap();
        // Never answered.
        let rest = stream.read_to_end(&mut Vec::new());
        told.send(if rest.is_ok() { "gone" } else { "cut" })
            .unwrap();
    });

    let hour = Duration::from_hours(1);
    let hook = probers.start(http(port), Purpose::Hook, hour);
    assert_eq!(heard.recv().unwrap(), "asked");
    probers.cancel(hook);

    assert_eq!(heard.recv().unwrap(), "gone");
    wait(&probers);
    assert_eq!(probers.threads(), 0);
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

    let most = at_once(Purpose::Probe);
    let start = |_| probers.start(http(port), Purpose::Probe, LONG);
    let tickets: Vec<_> = (0..most + 3).map(start).collect();
    assert_eq!(probers.threads(), most);
    probers.cancel(tickets[most]);
    release.send(()).unwrap();

    let answers = collect(&mut probers, most + 2);
    assert!(answers.iter().all(|(_, answer)| answer.ok), "{answers:?}");
    assert!(answers.iter().all(|(ticket, _)| *ticket != tickets[most]));
    assert_eq!(requests.try_iter().count(), most + 2);
    assert_eq!(probers.threads(), 0);
}

#[test]
fn hooks_that_get_no_answer_take_no_turn_of_a_probe() {
    let mut probers = Probers::new().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let start = |_| probers.start(http(port), Purpose::Hook, LONG);
    let hooks: Vec<_> = (0..=at_once(Purpose::Hook)).map(start).collect();

    let good = probers.start(
        https(server::secure(&TLS13, CLOSED_BODY)),
        Purpose::Probe,
        LONG,
    );

    assert_eq!(collect(&mut probers, 1), [(good, yes("HTTP 200"))]);
    for hook in hooks {
        probers.cancel(hook);
    }
}

#[test]
fn a_hundred_that_hang_keep_nobody_waiting() {
    let mut probers = Probers::new().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let start = |_| probers.start(http(port), Purpose::Probe, LONG);
    let hanging: Vec<_> = (0..100).map(start).collect();

    let good = probers.start(tcp(port), Purpose::Probe, LONG);

    assert_eq!(collect(&mut probers, 1)[0].0, good);
    for ticket in hanging {
        probers.cancel(ticket);
    }
}
