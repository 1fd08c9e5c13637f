//! The critical path says whose time the pod waited for.

use super::life::{Describe, Life, find, orders, pod};
use crate::path::Path;
use pillion_engine::entry::{Cause, Impossible, What};
use pillion_engine::pod::Until;
use std::time::Duration;

/// `proxy 310, migrate 510`: who, and milliseconds.
fn text(path: &Path) -> String {
    let step = |step: &crate::path::Step| {
        let name = step.container.as_deref().unwrap_or("pod");
        format!("{name} {}", step.length().as_millis())
    };
    path.steps.iter().map(step).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_path_to_ready_leaves_out_what_took_no_part() {
    let timeline = orders().timeline;
    let path = timeline.path_to_ready().unwrap();
    assert_eq!(text(&path), "proxy 310, migrate 510, app 80");
    assert_eq!(Some(path.length()), timeline.time_to_ready());
    assert_eq!(path.records.first(), Some(&1));
}

#[test]
fn the_path_to_the_end_goes_on_through_the_stop() {
    let timeline = orders().timeline;
    let last = timeline.records().last().unwrap().seq;
    let path = timeline.critical_path(last);
    assert_eq!(
        text(&path),
        "proxy 310, migrate 510, app 3080, cache 100, proxy 200"
    );
    assert_eq!(path.length(), timeline.end());
}

#[test]
fn time_before_the_first_turn_is_the_pods_own() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts_pod();
    life.at(200).starts("app", Cause::PodStart);
    life.at(500).ready("app");
    life.tell_pod(What::PodReady, Cause::Itself);
    assert_eq!(
        text(&life.timeline.path_to_ready().unwrap()),
        "pod 200, app 300"
    );
}

#[test]
fn a_restart_is_time_of_who_was_restarted() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts_pod();
    life.starts("app", Cause::PodStart);
    life.at(1000).exits("app", 1);
    life.tell_why(
        "app",
        What::Restarting {
            after: Duration::from_secs(10),
        },
        Cause::Policy,
    );
    life.at(11_000).starts("app", Cause::Policy);
    life.at(12_000).ready("app");
    life.tell_pod(What::PodReady, Cause::Itself);
    assert_eq!(text(&life.timeline.path_to_ready().unwrap()), "app 12000");
}

#[test]
fn a_wait_that_timed_out_is_time_of_who_did_not_come() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.starts_pod();
    life.starts("db", Cause::PodStart);
    life.waits("app", "db", Until::Ready);
    let (target, until) = (find(&life.pod, "db"), Until::Ready);
    let cause = Cause::Impossible {
        target,
        until,
        why: Impossible::TimedOut,
    };
    let gave_up = life.at(5000).tell_why("app", What::GaveUp, cause);
    assert_eq!(text(&life.timeline.critical_path(gave_up)), "db 5000");
}

#[test]
fn a_pod_that_was_never_ready_has_no_path_to_it() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts_pod();
    assert_eq!(life.timeline.path_to_ready(), None);
    assert_eq!(life.timeline.time_to_ready(), None);
    assert_eq!(life.timeline.critical_path(99), Path::default());
}
