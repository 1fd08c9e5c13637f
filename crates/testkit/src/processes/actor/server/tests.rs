//! Requests to an actor over loopback, made by Pillion's own prober.

use super::*;
use crate::processes::network::PART;
use crate::processes::ports::Ports;
use pillion_engine::pod::ProbeKind;
use pillion_runtime::clock;
use pillion_runtime::probe::{Answer, Purpose, Target, ask};
use pillion_simulator::actor::{Answers, HookRuns, HookScript, PerRun, Script};
use pillion_simulator::line::Part;
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;

/// For what ends by itself.
const LONG: Duration = Duration::from_mins(1);
/// For what must be cut off.
const SHORT: Duration = Duration::from_millis(100);

/// An actor that is up, with one port.
struct Theatre {
    _folder: TempDir,
    _ports: Ports,
    stage: Stage,
    address: SocketAddr,
}

impl Theatre {
    /// Plays this script as `m1`; what is spoken at the port is written as in the actor's file.
    fn open(language: &str, script: &Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::at(folder.path());
        let mut ports = Ports::default();
        let address = ports.place(80).unwrap();
        stage.cast("m1", script).unwrap();
        let service = format!("{address} {language}").parse().unwrap();
        stage.open("m1", &[service]).unwrap();
        let run = stage.next_run("m1").unwrap();
        open(&stage, "m1").unwrap();
        stage.is_up("m1", run, clock::now()).unwrap();
        Self {
            _folder: folder,
            _ports: ports,
            stage,
            address,
        }
    }

    fn http(&self, secure: bool, path: &str, part: &str) -> Target {
        Target::Http {
            secure,
            host: self.address.ip().to_string(),
            port: self.address.port(),
            path: path.into(),
            headers: vec![(PART.into(), part.into())],
        }
    }

    fn grpc(&self, part: &str) -> Target {
        Target::Grpc {
            host: self.address.ip().to_string(),
            port: self.address.port(),
            service: part.into(),
        }
    }

    fn tcp(&self) -> Target {
        Target::Tcp {
            host: self.address.ip().to_string(),
            port: self.address.port(),
        }
    }

    /// Waits until it has said so many words, and says which.
    fn words(&self, count: usize) -> String {
        let text = || {
            let lines = self.stage.lines().into_iter();
            let names = lines.map(|(_, line)| line.to_string());
            names.collect::<Vec<_>>()
        };
        let until = clock::now() + LONG;
        while text().len() < count && clock::now() < until {
            thread::yield_now();
        }
        text().join(", ")
    }

    fn set(&self, probe: ProbeKind, answers: &str) {
        let part = Part::from(probe);
        self.stage.set_answers("m1", part, answers).unwrap();
    }
}

fn probe(target: &Target) -> Answer {
    ask(target, Purpose::Probe, LONG)
}

fn hook(target: &Target) -> Answer {
    ask(target, Purpose::Hook, LONG)
}

fn says(ok: bool, why: &str) -> Answer {
    let why = why.into();
    Answer { ok, why }
}

fn liveness(answers: Answers) -> Script {
    Script {
        liveness: PerRun::same(answers),
        ..Script::default()
    }
}

fn pre_stop(runs: HookRuns, exits: i32) -> Script {
    let hook = HookScript {
        runs,
        exits,
        ..HookScript::default()
    };
    Script {
        pre_stop: PerRun::same(hook),
        ..Script::default()
    }
}

#[test]
fn a_probe_over_http_is_answered_by_its_script() {
    for (language, secure) in [("http", false), ("https", true)] {
        let theatre = Theatre::open(language, &liveness(Answers::Ok));
        let target = theatre.http(secure, "/healthz", "m1/liveness");

        assert_eq!(probe(&target), says(true, "HTTP 200"));
        let words =
            "m1/liveness Starting, m1/liveness Started, m1/liveness Exiting, m1/liveness Exited";
        assert_eq!(theatre.words(4), words);
        theatre.set(ProbeKind::Liveness, "fail");
        assert_eq!(probe(&target), says(false, "HTTP 500"));
    }
}

#[test]
fn a_request_that_stands_for_nothing_is_refused() {
    let theatre = Theatre::open("http", &Script::default());

    let answer = probe(&theatre.http(false, "/", "nobody/knows"));

    assert_eq!(answer, says(false, "HTTP 404"));
}

#[test]
fn a_redirect_is_answered_by_what_it_leads_to() {
    let theatre = Theatre::open("http", &liveness(Answers::Fail));
    let to = |place: &str| theatre.http(false, &format!("/redirect?loc={place}"), "m1/liveness");

    assert_eq!(probe(&to("%2Fhealthz")), says(false, "HTTP 500"));
    let away = probe(&to("http%3A%2F%2F0.0.0.0%2F"));
    assert_eq!(away, says(true, "HTTP 302 to another host"));
}

#[test]
fn a_hook_that_fails_is_not_answered() {
    for (language, secure) in [("http", false), ("https", true)] {
        let good = Theatre::open(language, &pre_stop(HookRuns::For(Duration::ZERO), 0));
        let bad = Theatre::open(language, &pre_stop(HookRuns::For(Duration::ZERO), 1));

        let answer = |theatre: &Theatre| hook(&theatre.http(secure, "/", "m1/preStop"));
        assert_eq!(answer(&good), says(true, "HTTP 200"));
        let silence = says(false, "connection closed without an answer");
        assert_eq!(answer(&bad), silence);
    }
}

#[test]
fn the_health_over_grpc_is_that_of_the_script() {
    let theatre = Theatre::open("grpc", &liveness(Answers::Ok));

    assert_eq!(
        probe(&theatre.grpc("m1/liveness")),
        says(true, "gRPC SERVING")
    );
    theatre.set(ProbeKind::Liveness, "fail");
    let fails = probe(&theatre.grpc("m1/liveness"));
    assert_eq!(fails, says(false, "gRPC NOT_SERVING"));
}

#[test]
fn a_port_is_open_as_long_as_its_probe_passes() {
    let theatre = Theatre::open("tcp m1/liveness", &liveness(Answers::Ok));
    let turns = |wanted: Answer| {
        let until = clock::now() + LONG;
        while clock::now() < until && probe(&theatre.tcp()) != wanted {
            thread::yield_now();
        }
        assert_eq!(probe(&theatre.tcp()), wanted);
    };

    turns(says(true, "connected"));
    theatre.words(4);
    theatre.set(ProbeKind::Liveness, "fail");
    turns(says(false, "connection refused"));
    theatre.set(ProbeKind::Liveness, "ok");
    turns(says(true, "connected"));
}

#[test]
fn what_is_given_up_ends_without_a_last_word() {
    let cases = [("http", false), ("https", true), ("grpc", false)];
    for (language, secure) in cases {
        let theatre = Theatre::open(language, &liveness(Answers::Hang));
        let target = match language {
            "grpc" => theatre.grpc("m1/liveness"),
            _ => theatre.http(secure, "/", "m1/liveness"),
        };

        assert!(!ask(&target, Purpose::Probe, SHORT).ok);

        let words = "m1/liveness Starting, m1/liveness Started, m1/liveness Exited";
        assert_eq!(theatre.words(3), words, "{language}");
    }
}

#[test]
fn a_hook_takes_its_time() {
    let theatre = Theatre::open("http", &pre_stop(HookRuns::For(SHORT), 0));
    let before = clock::now();

    let answer = hook(&theatre.http(false, "/", "m1/preStop"));

    assert_eq!(answer, says(true, "HTTP 200"));
    assert!(clock::now().since(before) >= SHORT);
}
