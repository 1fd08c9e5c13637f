//! Verdicts as people read them.

use super::*;
use crate::check::Claim;
use crate::line::{LineName, Who};
use pillion_engine::pod::{Backoff, RestartPolicy};
use pillion_engine::{Pod, Tick};
use std::collections::BTreeMap;
use std::time::Duration;

fn scenario(case: Case) -> Scenario {
    Scenario {
        cases: vec![case],
        ..Scenario::new(Pod {
            name: "p".into(),
            containers: Vec::new(),
            barriers: Vec::new(),
            restart_policy: RestartPolicy::Never,
            grace: Duration::ZERO,
            active_deadline: None,
            restart_limit: None,
            backoff: Backoff::default(),
        })
    }
}

fn record() -> Record {
    let mut record = Record::default();
    for (secs, name) in [
        (0, "m1 Starting"),
        (0, "m1 Started"),
        (4, "other Starting"),
        (5, "m1 Exiting"),
        (5, "m1 Exited"),
        (5, "r1 Exiting"),
        (10, "r2 Exiting"),
    ] {
        let LineName { who, word } = name.parse().unwrap();
        record.log.write(Tick::from_secs(secs), who, word);
    }
    record
}

fn exits_before(a: &str, b: &str) -> Check {
    Check {
        text: format!("{{exitsBefore: [{a}, {b}]}}").into(),
        place: Some(30),
        ..Check::new(Claim::ExitsBefore(Who::container(a), Who::container(b)))
    }
}

fn case(checks: Vec<Check>) -> Case {
    Case {
        id: "lifecycle-120".into(),
        title: "should terminate sidecars in reverse order".into(),
        checks,
        ..Case::default()
    }
}

fn verdict_on(case: Case, record: &Record) -> Verdict {
    judge(&scenario(case), record, Driver::Virtual).remove(0)
}

#[test]
fn a_failure_says_which_check_what_was_seen_and_shows_the_lines() {
    let record = Record {
        left_undone: vec!["`deleted`".into()],
        ..record()
    };
    let verdict = verdict_on(case(vec![exits_before("r2", "r1")]), &record);
    let text = "\
lifecycle-120 failed: should terminate sidecars in reverse order

  {exitsBefore: [r2, r1]}   (line 30)
  but r1 exited before r2
  >     5.000s  r1 Exiting
  >    10.000s  r2 Exiting
  never done: `deleted`";
    assert_eq!(verdict.to_string(), text);
}

#[test]
fn a_case_passes_when_all_its_checks_hold() {
    let verdict = verdict_on(case(vec![exits_before("m1", "r1")]), &record());
    assert!(verdict.passed());
}

#[test]
fn a_violation_fails_every_case() {
    let violation = crate::world::Violation {
        at: Tick::from_secs(3),
        what: "two at once".into(),
    };
    let record = Record {
        violations: vec![violation],
        ..record()
    };
    assert!(!verdict_on(case(vec![exits_before("m1", "r1")]), &record).passed());
}

#[test]
fn a_case_of_which_nothing_can_be_checked_fails() {
    let event = Claim::Event {
        told: false,
        of: "m1".into(),
        reason: Some("ProbeWarning".into()),
        says: None,
    };
    let only_event = verdict_on(case(vec![Check::new(event.clone())]), &record());
    assert!(!only_event.passed());
    let both = vec![Check::new(event), exits_before("m1", "r1")];
    let verdict = verdict_on(case(both), &record());
    assert!(verdict.passed());
    let [passed_over] = &*verdict.passed_over else {
        panic!("{verdict}");
    };
    assert_eq!(passed_over.why, "nobody tells Kubernetes events here");
}

#[test]
fn a_case_that_does_not_count_here_says_why() {
    let left_out = Case {
        not_on: BTreeMap::from([(Driver::Virtual, "needs a kubelet".into())]),
        ..case(vec![exits_before("r2", "r1")])
    };
    let verdict = verdict_on(left_out, &record());
    assert_eq!(verdict.outcome, Outcome::NotOn("needs a kubelet".into()));
}

#[test]
fn a_case_without_a_title_is_named_and_no_more() {
    let verdict = Verdict {
        case: "a".into(),
        title: "".into(),
        outcome: Outcome::NotOn("why".into()),
        passed_over: Vec::new(),
    };
    assert_eq!(verdict.to_string(), "a left out\n  why");
}
