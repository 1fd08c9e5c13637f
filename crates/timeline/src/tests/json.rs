//! The JSON form is fixed, tolerant of what is newer, and loses nothing.

use super::golden::golden;
use super::life::{Describe, Life, orders, pod};
use crate::json::{self, ReadError};
use crate::record::{Cause, Record, Target, What};
use crate::{Base, Timeline, Wall};
use pillion_engine::entry::Impossible;
use pillion_engine::event::StartFailure;
use pillion_engine::pod::{HookKind, ProbeKind, Reaction, Until};
use pillion_engine::status::Phase;
use pillion_engine::tick::Tick;
use std::time::Duration;

/// One of each, so that a variant without a name in the documentation is noticed.
fn every_what_of_a_container() -> Vec<What> {
    let target = || Target::Container("db".into());
    let time = Duration::from_millis(1500);
    let hook = HookKind::PreStop;
    vec![
        What::Waiting {
            target: target(),
            until: Until::Ready,
        },
        What::Waiting {
            target: Target::Barrier("phase 10".into()),
            until: Until::Settled,
        },
        What::Turn,
        What::Pulling,
        What::Pulled,
        What::PullFailed {
            message: "not found".into(),
            retry_in: time,
        },
        What::Starting,
        What::Running,
        What::StartFailed {
            reason: StartFailure::RunContainerError,
            message: "no".into(),
        },
        What::HookBegan { hook },
        What::HookEnded {
            hook: HookKind::PostStart,
            ok: false,
            message: Some("it exited 3".into()),
        },
        What::HookCut {
            hook: HookKind::PodStopping,
        },
        What::HookSkipped { hook },
        What::ProbeVerdict {
            probe: ProbeKind::Readiness,
            ok: true,
            message: None,
        },
        What::Started,
        What::Ready,
        What::Unready,
        What::Stopping {
            deadline: Some(time),
        },
        What::Stopping { deadline: None },
        What::Exited {
            code: 0,
            signal: None,
            oom: false,
            reason: None,
            message: None,
        },
        What::Exited {
            code: 137,
            signal: Some(9),
            oom: true,
            reason: Some("StartError".into()),
            message: Some("two\nlines".into()),
        },
        What::Restarting {
            after: Duration::from_secs(10),
        },
        What::Ended { ok: true },
        What::GaveUp,
        What::Ignored,
        What::Undoing,
        What::Undone { ok: false },
        What::UndoSkipped,
        What::ReplaceBegan,
        What::Replaced,
        What::RolledBack,
        What::ReplaceAbandoned,
    ]
}

fn every_what_of_the_pod() -> Vec<What> {
    let time = Duration::from_millis(1500);
    vec![
        What::PodStarted { run: 2 },
        What::PodReady,
        What::PodUnready,
        What::PodStopping {
            deadline: Some(time),
        },
        What::PodKilled,
        What::PodHurried {
            deadline: Some(time),
        },
        What::BudgetSpent,
        What::PodRestarting {
            after: Duration::ZERO,
        },
        What::PodEnded {
            phase: Phase::Failed,
            decider: Some("app".into()),
            code: 3,
            status: None,
        },
        What::PodEnded {
            phase: Phase::Succeeded,
            decider: None,
            code: 0,
            status: Some(130),
        },
        What::Recovered,
        What::PodNotDelayed {
            deadline: Some(time),
        },
    ]
}

fn every_cause() -> Vec<Cause> {
    let target = || Target::Container("db".into());
    let container = || "db".into();
    vec![
        Cause::PodStart,
        Cause::Itself,
        Cause::Fulfilled {
            target: target(),
            until: Until::Succeeded,
        },
        Cause::Without {
            target: target(),
            until: Until::Succeeded,
        },
        Cause::Impossible {
            target: Target::Barrier("phase 10".into()),
            until: Until::Settled,
            why: Impossible::TimedOut,
        },
        Cause::TargetDown {
            target: "db".into(),
        },
        Cause::Unneeded,
        Cause::Policy,
        Cause::Rule {
            container: container(),
            index: 1,
            reaction: Reaction::RestartAllContainers,
        },
        Cause::Probe {
            probe: ProbeKind::Liveness,
            message: None,
        },
        Cause::PostStart,
        Cause::StartTimeout,
        Cause::RestartLimit,
        Cause::Asked {
            by: Some(container()),
            reaction: Reaction::RestartPod,
            reason: "new".into(),
        },
        Cause::Asked {
            by: None,
            reaction: Reaction::FailPod,
            reason: "".into(),
        },
        Cause::Deletion { by: None },
        Cause::Completion,
        Cause::Keystone {
            container: container(),
        },
        Cause::GiveUp {
            container: container(),
        },
        Cause::ActiveDeadline,
        Cause::Budget,
        Cause::SandboxLost,
        Cause::Replacement {
            container: container(),
            by: None,
        },
        Cause::PodRestart,
        Cause::FailedAttempt {
            container: container(),
        },
        Cause::NeverRan {
            container: container(),
        },
        Cause::Deletion {
            by: Some("Ctrl-C".into()),
        },
        Cause::Replacement {
            container: container(),
            by: Some("orders.yaml changed".into()),
        },
        Cause::Probe {
            probe: ProbeKind::Readiness,
            message: Some("connection refused".into()),
        },
    ]
}

/// A timeline with every what and every cause.
fn everything() -> Timeline {
    let app = || Some("app".into());
    let own = every_what_of_a_container()
        .into_iter()
        .map(|what| (app(), what, Cause::Itself));
    let pod = every_what_of_the_pod()
        .into_iter()
        .map(|what| (None, what, Cause::Itself));
    let causes = every_cause()
        .into_iter()
        .map(|cause| (app(), What::Turn, cause));
    let mut timeline = Timeline::new(orders().timeline.header().clone());
    for (seq, (container, what, cause)) in (1..).zip(own.chain(pod).chain(causes)) {
        timeline.push(Record {
            seq,
            at: Duration::from_micros(seq * 310_000),
            time: None,
            attempt: u32::from(container.is_some()),
            container,
            what,
            cause,
            because: Some(seq - 1).filter(|seq| *seq > 0),
        });
    }
    timeline
}

#[test]
fn the_form_of_a_whole_life_is_fixed() {
    golden("orders.jsonl", &json::write(&orders().timeline));
}

#[test]
fn the_form_of_every_record_is_fixed() {
    golden("everything.jsonl", &json::write(&everything()));
}

#[test]
fn what_is_written_reads_back() {
    for timeline in [orders().timeline, everything(), Timeline::default()] {
        let reading = json::read(&json::write(&timeline)).unwrap();
        assert_eq!(reading.timeline, timeline);
        assert!(!reading.torn && reading.unreadable.is_empty());
    }
}

#[test]
fn every_name_in_the_form_is_documented() {
    let documentation = include_str!("../../../../docs/timeline.md");
    let text = json::write(&everything()) + &json::write(&orders().timeline);
    let mut names: Vec<&str> = text
        .split('"')
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let values = [
        "app",
        "db",
        "proxy",
        "migrate",
        "cache",
        "orders",
        "new",
        "no",
        "StartError",
    ];
    for name in names.into_iter().filter(|name| !values.contains(name)) {
        assert!(
            documentation.contains(&format!("`{name}`")),
            "`{name}` is not documented"
        );
    }
}

#[test]
fn wall_time_is_told_where_it_is_known() {
    let wall = "2026-11-15T08:30:00Z".parse::<Wall>().unwrap();
    let base = Base {
        tick: Tick::from_secs(100),
        elapsed: Duration::ZERO,
        wall: Some(wall),
    };
    let mut life = Life::with_base(pod("p").main("app"), base);
    life.at(102_500).tell("app", pillion_engine::What::Ready);
    let record = &life.timeline.records()[0];
    assert_eq!(record.at, Duration::from_millis(2500));
    assert_eq!(
        record.time.unwrap().to_string(),
        "2026-11-15T08:30:02.500000Z"
    );
    assert_eq!(life.timeline.header().started, Some(wall));
    let reading = json::read(&json::write(&life.timeline)).unwrap();
    assert_eq!(reading.timeline, life.timeline);
}

#[test]
fn unknown_fields_and_kinds_are_skipped() {
    let text = concat!(
        r#"{"format":"pillion-timeline","version":1,"pod":"p","mood":"good","containers":[{"name":"a","age":3}]}"#,
        "\n",
        r#"{"seq":1,"at":0.5,"container":"a","what":"ready","heat":[1],"cause":{"kind":"policy","x":{}}}"#,
        "\n",
        r#"{"seq":2,"at":1,"what":"teleported","where":"moon","cause":{"kind":"magic","wand":1}}"#,
        "\n",
        r#"{"seq":3,"at":1,"what":"podReady"}"#,
        "\n",
    );
    let reading = json::read(text).unwrap();
    let records = reading.timeline.records();
    assert_eq!(reading.unreadable, []);
    assert_eq!(
        (&records[0].what, &records[0].cause),
        (&What::Ready, &Cause::Policy)
    );
    assert_eq!(
        (&records[1].what, &records[1].cause),
        (&What::Unknown, &Cause::Unknown)
    );
    assert_eq!(
        (&records[2].what, &records[2].cause),
        (&What::PodReady, &Cause::Unknown)
    );
}

#[test]
fn a_torn_last_line_is_dropped_wherever_it_was_torn() {
    let text = json::write(&orders().timeline);
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let count = orders().timeline.records().len();
    for end in last + 1..text.len() - 1 {
        let reading = json::read(&text[..end]).unwrap();
        assert!(reading.torn);
        assert_eq!(reading.timeline.records().len(), count - 1);
    }
    let whole = json::read(&text[..text.len() - 1]).unwrap();
    assert!(!whole.torn, "only the line feed is missing");
    assert_eq!(whole.timeline.records().len(), count);
}

#[test]
fn a_broken_line_in_the_middle_is_reported_and_the_rest_is_read() {
    let text = json::write(&orders().timeline);
    let broken = text.replacen(r#"{"seq":2,"#, r#"{"seq":"two","#, 1);
    let reading = json::read(&broken).unwrap();
    assert_eq!(reading.unreadable.len(), 1);
    assert_eq!(reading.unreadable[0].line, 3);
    assert_eq!(
        reading.timeline.records().len(),
        orders().timeline.records().len() - 1
    );
}

#[test]
fn lines_of_logs_among_the_records_are_skipped() {
    let whole = orders().timeline;
    let log = "{\"log\":{\"container\":\"app\",\"stream\":\"stdout\",\"at\":1,\"line\":\"x\"}}\n";
    let text: String = json::write(&whole)
        .split_inclusive('\n')
        .flat_map(|line| [line, log])
        .collect();
    let reading = json::read(&text).unwrap();
    assert_eq!((reading.torn, reading.unreadable.len()), (false, 0));
    assert_eq!(reading.timeline, whole);
    let torn = json::read(&text[..text.len() - 5]).unwrap();
    assert!(torn.torn);
}

#[test]
fn what_is_no_timeline_is_refused_with_the_reason() {
    for (text, error) in [
        ("", ReadError::Empty),
        ("\n \n", ReadError::Empty),
        (r#"{"format":"pillion-ti"#, ReadError::Empty),
        (
            "{\"format\":\"pillion-ti\n{\"seq\":1}\n",
            ReadError::NotATimeline,
        ),
        ("kind: Pod\n", ReadError::NotATimeline),
        (r#"{"seq":1,"at":0,"what":"turn"}"#, ReadError::NotATimeline),
        (r#"{"format":"other","version":1}"#, ReadError::NotATimeline),
        (
            r#"{"format":"pillion-timeline","version":2,"pod":7}"#,
            ReadError::Version { found: 2 },
        ),
    ] {
        assert_eq!(json::read(text), Err(error), "{text}");
    }
}

#[test]
fn times_survive_to_the_microsecond() {
    for micros in [0, 1, 999_999, 1_000_001, 86_400_000_000 * 365 * 60 + 1] {
        let mut timeline = Timeline::default();
        let mut record = everything().records()[0].clone();
        record.at = Duration::from_micros(micros);
        timeline.push(record);
        assert_eq!(
            json::read(&json::write(&timeline)).unwrap().timeline,
            timeline
        );
    }
}

#[test]
fn a_negative_time_is_unreadable() {
    let line = r#"{"seq":1,"at":-1,"what":"turn"}"#;
    let text = format!(
        "{}{line}\n{line}\n",
        json::header_line(orders().timeline.header())
    );
    let reading = json::read(&text).unwrap();
    assert_eq!((reading.unreadable.len(), reading.torn), (1, true));
}
