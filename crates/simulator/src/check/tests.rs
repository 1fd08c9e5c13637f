//! Each check on records made by hand: when it holds, and what it says when it does not.

use super::status::{ContainerPart, Number};
use super::*;
use crate::record::End;
use pillion_engine::pod::List;
use pillion_engine::status::{ContainerState, ContainerStatus, Phase, Terminated};
use pillion_engine::{PodResult, PodStatus, Tick};
use std::collections::BTreeMap;

/// A record of lines such as `5 app Started`.
fn record(lines: &[&str]) -> Record {
    let mut record = Record::default();
    for line in lines {
        let (secs, name) = line.split_once(' ').unwrap();
        let at = Tick::from_secs(secs.parse().unwrap());
        let LineName { who, word } = name.parse().unwrap();
        record.log.write(at, who, word);
    }
    record
}

fn who(text: &str) -> Who {
    text.parse().unwrap()
}

fn line(text: &str) -> LineName {
    text.parse().unwrap()
}

const PASSED_OVER: &str = "passed over: ";

/// What is seen instead, or nothing if the claim holds.
fn seen(record: &Record, claim: Claim) -> Option<String> {
    seen_from(record, claim, 1)
}

fn seen_from(record: &Record, claim: Claim, in_run: u32) -> Option<String> {
    let check = Check {
        in_run,
        ..Check::new(claim)
    };
    match check.look(record) {
        Finding::Holds => None,
        Finding::PassedOver(why) => Some(format!("{PASSED_OVER}{why}")),
        Finding::Fails(evidence) => Some(evidence.seen),
    }
}

fn at_most<T>(most: T) -> Range<T> {
    Range {
        at_least: None,
        at_most: Some(most),
    }
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

#[test]
fn starts_before_wants_every_start_after_the_other_has_started() {
    let claim = || Claim::StartsBefore(who("a"), who("b"));
    let good = record(&["0 a Starting", "1 a Started", "1 b Starting"]);
    assert_eq!(seen(&good, claim()), None);
    let late = record(&["0 b Starting", "1 a Started", "2 b Starting"]);
    assert_eq!(
        seen(&late, claim()).unwrap(),
        "b was starting before a had started"
    );
    assert_eq!(
        seen(&record(&["0 b Starting"]), claim()).unwrap(),
        "there is no `a Started`"
    );
}

#[test]
fn lines_of_one_instant_are_in_the_order_in_which_they_were_written() {
    let claim = || Claim::StartsBefore(who("a"), who("b"));
    let wrong = record(&["0 b Starting", "0 a Started"]);
    assert!(seen(&wrong, claim()).is_some());
}

#[test]
fn exits_before_looks_at_the_first_exit_of_each() {
    let claim = || Claim::ExitsBefore(who("a"), who("b"));
    let good = record(&["1 a Exiting", "2 b Exiting", "3 a Exiting"]);
    assert_eq!(seen(&good, claim()), None);
    let wrong = record(&["1 b Exiting", "2 a Exiting", "3 b Exiting"]);
    assert_eq!(seen(&wrong, claim()).unwrap(), "b exited before a");
}

#[test]
fn any_start_after_does_not_mind_earlier_ones_and_works_for_restarts() {
    let restarted = record(&["0 a Starting", "0 a Started", "5 a Starting"]);
    assert_eq!(
        seen(&restarted, Claim::AnyStartAfter(who("a"), who("a"))),
        None
    );
    let once = record(&["0 a Starting", "0 a Started"]);
    assert_eq!(
        seen(&once, Claim::AnyStartAfter(who("a"), who("a"))).unwrap(),
        "after `0.000s a Started` there is no `a Starting`"
    );
}

#[test]
fn running_together_needs_an_overlap_and_both_ends() {
    let overlap = ["0 a Started", "1 b Started", "2 a Exiting", "3 b Exiting"];
    let first = |a, b| Claim::RunsTogetherFirst(who(a), who(b));
    assert_eq!(seen(&record(&overlap), first("a", "b")), None);
    assert!(seen(&record(&overlap), first("b", "a")).is_some());
    assert_eq!(
        seen(&record(&overlap), Claim::RunsTogether(who("b"), who("a"))),
        None
    );
    assert!(seen(&record(&overlap[..3]), first("a", "b")).is_some());
    let apart = ["0 a Started", "1 a Exiting", "2 b Started", "3 b Exiting"];
    assert_eq!(
        seen(&record(&apart), first("a", "b")).unwrap(),
        "b started after a had exited"
    );
}

#[test]
fn a_check_on_a_later_run_does_not_see_the_runs_before() {
    let lines = [
        "0 a Starting",
        "0 a Started",
        "0 b Starting",
        "5 b Starting",
        "6 a Starting",
        "6 a Started",
    ];
    let claim = || Claim::StartsBefore(who("a"), who("b"));
    assert_eq!(seen_from(&record(&lines), claim(), 1), None);
    assert!(seen_from(&record(&lines), claim(), 2).is_some());
}

#[test]
fn restarts_are_counted_by_starting_lines() {
    let once = record(&["0 a Starting"]);
    let twice = record(&["0 a Starting", "1 a Starting"]);
    assert_eq!(seen(&twice, Claim::Restarted(who("a"))), None);
    assert!(seen(&once, Claim::Restarted(who("a"))).is_some());
    assert_eq!(seen(&once, Claim::NotRestarted(who("a"))), None);
    assert!(seen(&twice, Claim::NotRestarted(who("a"))).is_some());
    // What never started has not "not restarted".
    assert!(seen(&record(&[]), Claim::NotRestarted(who("a"))).is_some());
}

#[test]
fn hooks_last_from_their_beginning_until_they_are_gone() {
    let lasts = |least, most| Claim::Lasts {
        of: who("a/preStop"),
        range: Range {
            at_least: Some(secs(least)),
            at_most: Some(secs(most)),
        },
    };
    let record = record(&["1 a/preStop Starting", "33 a/preStop Exited"]);
    assert_eq!(seen(&record, lasts(30, 33)), None);
    assert_eq!(
        seen(&record, lasts(33, 34)).unwrap(),
        "a/preStop lasted 32.000s"
    );
}

#[test]
fn lines_are_counted_between_lines_and_acts() {
    let mut record = record(&["0 a Started", "1 b Started", "2 b Started", "3 a Exiting"]);
    let moment = Moment {
        at: Tick::from_secs(2),
        lines: 2,
        statuses: 0,
    };
    record.moments.insert("cut".into(), moment);
    let between = |from: Point, to: Option<Point>, most| Claim::Between {
        line: line("b Started"),
        from,
        to,
        range: at_most(most),
    };
    let start = || Point::Line(line("a Started"));
    let end = || Some(Point::Line(line("a Exiting")));
    let cut = || Point::Act("cut".into());
    assert_eq!(seen(&record, between(start(), end(), 2)), None);
    assert_eq!(
        seen(&record, between(start(), end(), 1)).unwrap(),
        "there are 2 of `b Started`"
    );
    assert_eq!(seen(&record, between(start(), Some(cut()), 1)), None);
    assert_eq!(seen(&record, between(cut(), None, 1)), None);
    let never = Some(Point::Line(line("c Started")));
    assert_eq!(
        seen(&record, between(start(), never, 9)).unwrap(),
        "there is no `c Started`"
    );
}

#[test]
fn the_end_of_a_span_is_not_in_it() {
    let record = record(&["0 a Started", "1 a Exiting", "2 b Exiting"]);
    let claim = Claim::Between {
        line: line("a Exiting"),
        from: Point::Line(line("a Started")),
        to: Some(Point::Line(line("a Exiting"))),
        range: at_most(0),
    };
    assert_eq!(seen(&record, claim), None);
}

#[test]
fn gaps_are_measured_from_the_first_to_the_first_after_it() {
    let record = record(&["0 b Started", "1 a Started", "4 b Started"]);
    let gap = |most| Claim::Gap {
        from: Point::Line(line("a Started")),
        to: Point::Line(line("b Started")),
        range: at_most(secs(most)),
    };
    assert_eq!(seen(&record, gap(3)), None);
    assert_eq!(
        seen(&record, gap(2)).unwrap(),
        "from 1.000s to 4.000s it is 3.000s"
    );
}

#[test]
fn together_is_within_the_time_of_the_widest_two() {
    let record = record(&["0 a Started", "1 b Started", "2 c Started"]);
    let together = |within| Claim::Together {
        lines: ["a Started", "b Started", "c Started"].map(line).to_vec(),
        within: secs(within),
    };
    assert_eq!(seen(&record, together(2)), None);
    assert_eq!(seen(&record, together(1)).unwrap(), "they are 2.000s apart");
}

// --- status ---

fn status(phase: Phase, state: ContainerState, restarts: u32) -> PodStatus {
    PodStatus {
        phase,
        reason: None,
        message: None,
        conditions: Vec::new(),
        containers: vec![ContainerStatus {
            name: "a".into(),
            list: List::Regular,
            image: None,
            state,
            last: None,
            ready: false,
            started: false,
            restarts,
        }],
    }
}

fn waiting() -> ContainerState {
    ContainerState::Waiting {
        reason: "ContainerCreating",
        message: None,
    }
}

fn running() -> ContainerState {
    ContainerState::Running { since: Tick::ZERO }
}

fn terminated(code: i32) -> ContainerState {
    ContainerState::Terminated(Terminated {
        code,
        signal: None,
        reason: "Error".into(),
        message: None,
        started: None,
        finished: Tick::ZERO,
    })
}

/// Pending, from 2 s Running, from 5 s Failed and over.
fn life() -> Record {
    let mut record = Record::default();
    record.sample(Tick::ZERO, status(Phase::Pending, waiting(), 0));
    record.sample(Tick::from_secs(2), status(Phase::Running, running(), 1));
    record.sample(Tick::from_secs(5), status(Phase::Failed, terminated(3), 1));
    record.end = Some(End {
        at: Tick::from_secs(5),
        result: Some(PodResult {
            phase: Phase::Failed,
            decider: None,
            code: 3,
            reason: None,
        }),
        decided_by: Some("a".into()),
    });
    record
}

fn phase(phase: &str, time: Time) -> Claim {
    Claim::Status {
        want: Box::new(StatusPart::phase(phase)),
        time,
        since: None,
    }
}

#[test]
fn a_status_within_a_time_counts_the_last_instant_and_throughout_does_not() {
    let life = life();
    assert_eq!(seen(&life, phase("Running", Time::Within(secs(2)))), None);
    assert_eq!(
        seen(&life, phase("Running", Time::Within(secs(1)))).unwrap(),
        "at 0.000s: phase is Pending"
    );
    assert_eq!(
        seen(&life, phase("Pending", Time::Throughout(secs(2)))),
        None
    );
    assert_eq!(
        seen(&life, phase("Pending", Time::Throughout(secs(3)))).unwrap(),
        "at 2.000s: phase is Running"
    );
}

#[test]
fn a_status_is_looked_at_at_a_time_at_the_end_and_whenever() {
    let life = life();
    assert_eq!(seen(&life, phase("Running", Time::At(secs(4)))), None);
    assert_eq!(seen(&life, phase("Failed", Time::AtEnd)), None);
    let whenever = |name| Time::Whenever(Box::new(StatusPart::phase(name)));
    let part = ContainerPart {
        restarts: Some(Number::AtLeast(1)),
        ..ContainerPart::default()
    };
    let restarted = |time| Claim::Status {
        want: Box::new(StatusPart::container("a", part.clone())),
        time,
        since: None,
    };
    assert_eq!(seen(&life, restarted(whenever("Running"))), None);
    assert_eq!(
        seen(&life, restarted(whenever("Pending"))).unwrap(),
        "at 0.000s: a restarts is 0"
    );
}

#[test]
fn a_status_can_be_counted_from_an_act() {
    let mut life = life();
    let claim = |time| Claim::Status {
        want: Box::new(StatusPart::phase("Pending")),
        time,
        since: Some("cut".into()),
    };
    assert_eq!(
        seen(&life, claim(Time::Within(secs(9)))).unwrap(),
        "the act `cut` was never done"
    );
    let moment = Moment {
        at: Tick::from_secs(3),
        lines: 0,
        statuses: 2,
    };
    life.moments.insert("cut".into(), moment);
    assert!(seen(&life, claim(Time::Within(secs(9)))).is_some());
}

#[test]
fn misses_name_everything_that_is_not_so() {
    let want = StatusPart {
        containers: BTreeMap::from([(
            "a".into(),
            ContainerPart {
                state: Some(Text::written("!running")),
                code: Some(0),
                reason: Some(Text::written("Completed")),
                ready: Some(true),
                ..ContainerPart::default()
            },
        )]),
        ..StatusPart::phase("Succeeded")
    };
    let misses = want.misses(&status(Phase::Failed, terminated(3), 0));
    assert_eq!(
        misses,
        [
            "phase is Failed",
            "a reason is Error",
            "a code is 3",
            "a ready is false"
        ]
    );
}

#[test]
fn a_condition_that_the_pod_does_not_have_counts_as_false() {
    let status = status(Phase::Running, running(), 0);
    assert!(StatusPart::condition("Ready", false).holds(&status));
    assert!(!StatusPart::condition("Ready", true).holds(&status));
}

#[test]
fn the_end_has_a_time_a_result_and_a_code() {
    let life = life();
    let gone = |within| Claim::Gone {
        within: secs(within),
        since: None,
    };
    assert_eq!(seen(&life, gone(5)), None);
    assert_eq!(
        seen(&life, gone(4)).unwrap(),
        "the pod was gone at 5.000s, after 5.000s"
    );
    let result = |phase, by| Claim::Result {
        phase: Some(Text::written(phase)),
        decided_by: Some(Text::written(by)),
        reason: None,
    };
    assert_eq!(seen(&life, result("Failed", "a")), None);
    assert_eq!(
        seen(&life, result("Succeeded", "b")).unwrap(),
        "phase is Failed; decidedBy is a"
    );
    assert_eq!(seen(&life, Claim::ExitCode(3)), None);
    assert_eq!(seen(&life, Claim::ExitCode(0)).unwrap(), "it was 3");
}

#[test]
fn what_nobody_tells_is_passed_over() {
    let mut life = life();
    let before = Record::default();
    assert!(seen(&before, Claim::ExitCode(3)).is_some_and(|seen| !seen.starts_with(PASSED_OVER)));
    life.end.as_mut().unwrap().result = None;
    let result = Claim::Result {
        phase: Some(Text::written("Failed")),
        decided_by: None,
        reason: None,
    };
    let event = Claim::Event {
        told: false,
        of: "a".into(),
        reason: None,
        says: None,
    };
    for claim in [result, Claim::ExitCode(3), event] {
        assert!(seen(&life, claim).unwrap().starts_with(PASSED_OVER));
    }
}

#[test]
fn restarts_that_fall_are_seen() {
    let mut life = life();
    let claim = || Claim::RestartsNeverFall("a".into());
    assert_eq!(seen(&life, claim()), None);
    life.sample(Tick::from_secs(9), status(Phase::Failed, terminated(3), 0));
    assert_eq!(
        seen(&life, claim()).unwrap(),
        "at 9.000s: a had 0 restarts after 1"
    );
}
