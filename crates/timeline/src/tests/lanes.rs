//! Lanes show what each container did, without gaps.

use super::life::{Describe, Life, orders, pod};
use crate::Timeline;
use crate::lanes::Doing;
use pillion_engine::entry::{Cause, What};
use pillion_engine::pod::{HookKind, ProbeKind, Until};
use std::time::Duration;

/// The spans of a container that took time, in milliseconds.
fn spans(timeline: &Timeline, name: &str) -> Vec<(Doing, u128, u128)> {
    let lane = timeline
        .lanes()
        .into_iter()
        .find(|lane| &*lane.container == name)
        .unwrap();
    assert!(lane.spans.windows(2).all(|pair| pair[0].to == pair[1].from));
    let long = lane
        .spans
        .iter()
        .filter(|span| span.length() > Duration::ZERO);
    long.map(|span| (span.doing, span.from.as_millis(), span.to.as_millis()))
        .collect()
}

#[test]
fn a_service_waits_starts_is_ready_and_stops() {
    let timeline = orders().timeline;
    assert_eq!(
        spans(&timeline, "cache"),
        [
            (Doing::Waiting, 0, 310),
            (Doing::Starting, 310, 330),
            (Doing::Ready, 330, 3900),
            (Doing::Stopping, 3900, 4000),
            (Doing::Down, 4000, 4200),
        ]
    );
}

#[test]
fn a_oneshot_is_at_work_until_it_ends() {
    let timeline = orders().timeline;
    assert_eq!(
        spans(&timeline, "migrate"),
        [
            (Doing::Waiting, 0, 310),
            (Doing::Starting, 310, 330),
            (Doing::Running, 330, 820),
            (Doing::Down, 820, 4200),
        ]
    );
}

#[test]
fn a_pull_counts_only_once_the_turn_has_come() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.waits("app", "db", Until::Ready);
    life.tell("app", What::Pulling);
    life.at(1000).tell("app", What::Turn);
    life.at(3000).tell("app", What::Pulled);
    life.tell("app", What::Starting);
    life.at(4000).runs("app");
    life.ready("app");
    assert_eq!(
        spans(&life.timeline, "app"),
        [
            (Doing::Waiting, 0, 1000),
            (Doing::Pulling, 1000, 3000),
            (Doing::Starting, 3000, 4000)
        ]
    );
}

#[test]
fn a_pull_that_ends_while_waiting_is_not_seen() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.tell("app", What::Pulling);
    life.waits("app", "db", Until::Ready);
    life.at(500).tell("app", What::Pulled);
    life.at(1000).starts("app", Cause::PodStart);
    assert_eq!(spans(&life.timeline, "app"), [(Doing::Waiting, 0, 1000)]);
}

#[test]
fn a_crash_backs_off_and_is_marked() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    life.runs("app");
    life.ready("app");
    life.at(1000).exits("app", 137);
    life.tell_why(
        "app",
        What::Restarting {
            after: Duration::from_secs(10),
        },
        Cause::Policy,
    );
    life.at(11_000).starts("app", Cause::Policy);
    life.at(12_000).runs("app");
    life.ready("app");
    life.at(13_000).tell("app", What::Unready);
    life.at(14_000).ready("app");
    assert_eq!(
        spans(&life.timeline, "app"),
        [
            (Doing::Ready, 0, 1000),
            (Doing::BackingOff, 1000, 11_000),
            (Doing::Starting, 11_000, 12_000),
            (Doing::Ready, 12_000, 13_000),
            (Doing::Unready, 13_000, 14_000),
        ]
    );
    let lane = &life.timeline.lanes()[0];
    assert_eq!(lane.failures, [Duration::from_secs(1)]);
    assert_eq!(lane.time(Doing::Ready), Duration::from_secs(2));
    assert_eq!(lane.spans.last().unwrap().attempt, 2);
}

#[test]
fn an_exit_that_was_asked_for_is_no_failure() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    life.ready("app");
    life.at(1000).stops("app", Cause::Deletion);
    life.at(2000).ends("app", 143);
    assert_eq!(life.timeline.lanes()[0].failures, []);
}

#[test]
fn a_stop_begins_with_the_pre_stop_hook() {
    let mut life = Life::new(pod("p").main("app"));
    life.ready("app");
    life.at(1000)
        .tell("app", What::HookBegan(HookKind::PreStop));
    life.at(2000).tell("app", What::Unready);
    life.stops("app", Cause::Deletion);
    life.at(3000).exits("app", 0);
    assert_eq!(
        spans(&life.timeline, "app"),
        [(Doing::Ready, 0, 1000), (Doing::Stopping, 1000, 3000)]
    );
}

#[test]
fn who_gives_up_while_waiting_is_down() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.waits("app", "db", Until::Ready);
    life.at(1000).tell("app", What::GaveUp);
    life.at(2000).tell("db", What::GaveUp);
    assert_eq!(
        spans(&life.timeline, "app"),
        [(Doing::Waiting, 0, 1000), (Doing::Down, 1000, 2000)]
    );
    assert_eq!(life.timeline.lanes()[1].failures, [Duration::from_secs(1)]);
}

#[test]
fn every_container_has_a_lane_even_without_records() {
    let life = Life::new(pod("p").main("a").main("b"));
    let lanes = life.timeline.lanes();
    assert_eq!(lanes.len(), 2);
    assert!(lanes.iter().all(|lane| lane.spans.is_empty()));
}

#[test]
fn a_pull_during_back_off_is_not_what_holds_it_up() {
    let mut life = Life::new(pod("p").main("app"));
    life.runs("app");
    let after = Duration::from_secs(10);
    life.at(1000).exits("app", 1);
    life.tell("app", What::Restarting { after });
    life.tell("app", What::Pulling);
    life.tell("app", What::Pulled);
    life.at(11_000).starts("app", Cause::Policy);
    life.at(12_000).ready("app");
    assert_eq!(
        spans(&life.timeline, "app"),
        [
            (Doing::Starting, 0, 1000),
            (Doing::BackingOff, 1000, 11_000),
            (Doing::Starting, 11_000, 12_000),
        ]
    );
}

#[test]
fn a_pull_for_a_replacement_that_fails_leaves_the_old_one_ready() {
    let mut life = Life::new(pod("p").main("app"));
    life.runs("app");
    life.ready("app");
    life.at(1000).tell("app", What::ReplaceBegan);
    life.tell("app", What::Pulling);
    let failed = What::PullFailed {
        message: "no such image".into(),
        retry_in: Duration::from_secs(10),
    };
    life.at(2000).tell("app", failed);
    life.at(3000).tell("app", What::ReplaceAbandoned);
    assert_eq!(spans(&life.timeline, "app"), [(Doing::Ready, 0, 3000)]);
    assert!(life.timeline.lanes()[0].failures.is_empty());
}

#[test]
fn who_is_stopped_because_it_failed_has_failed_then() {
    for (cause, failures) in [
        (Cause::Probe(ProbeKind::Liveness), 1),
        (Cause::StartTimeout, 1),
        (Cause::PostStart, 1),
        (Cause::Deletion, 0),
    ] {
        let mut life = Life::new(pod("p").main("app"));
        life.runs("app");
        life.at(1000).stops("app", cause);
        life.at(5000).exits("app", 137);
        let seen = &life.timeline.lanes()[0].failures;
        assert_eq!(seen, &vec![Duration::from_secs(1); failures]);
    }
}

#[test]
fn whose_image_cannot_be_had_at_its_turn_backs_off() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.waits("app", "db", Until::Ready);
    life.tell("app", What::Pulling);
    let failed = What::PullFailed {
        message: "no such image".into(),
        retry_in: Duration::from_secs(10),
    };
    life.at(500).tell("app", failed);
    life.at(1000).tell("app", What::Turn);
    life.at(10_500).tell("app", What::Pulling);
    life.at(11_000).tell("app", What::Pulled);
    life.tell("app", What::Starting);
    life.at(12_000).ready("app");
    assert_eq!(
        spans(&life.timeline, "app"),
        [
            (Doing::Waiting, 0, 1000),
            (Doing::BackingOff, 1000, 10_500),
            (Doing::Pulling, 10_500, 11_000),
            (Doing::Starting, 11_000, 12_000),
        ]
    );
}

#[test]
fn who_has_its_image_before_its_turn_waits() {
    let mut life = Life::new(pod("p").main("app"));
    life.tell("app", What::Pulling);
    life.tell("app", What::Pulled);
    life.at(1000).starts("app", Cause::PodStart);
    life.at(2000).ready("app");
    assert_eq!(
        spans(&life.timeline, "app"),
        [(Doing::Waiting, 0, 1000), (Doing::Starting, 1000, 2000)]
    );
}

#[test]
fn who_is_not_up_when_the_pod_stops_does_not_wait_on() {
    let mut life = Life::new(pod("p").main("db").main("app").main("web"));
    life.waits("app", "db", Until::Ready);
    life.tell("web", What::Turn);
    life.tell("web", What::Starting);
    life.at(5000).pod_stops(Cause::Deletion);
    life.at(6000).stops("web", Cause::Deletion);
    life.at(25_000).ends("web", 0);
    assert_eq!(
        spans(&life.timeline, "app"),
        [(Doing::Waiting, 0, 5000), (Doing::Down, 5000, 25_000)]
    );
    assert_eq!(
        spans(&life.timeline, "web"),
        [(Doing::Starting, 0, 6000), (Doing::Stopping, 6000, 25_000)]
    );
}

#[test]
fn a_sidecar_that_is_started_in_a_stop_has_waited_until_then() {
    let mut life = Life::new(pod("p").sidecar("net").sidecar("proxy").main("app"));
    life.waits("proxy", "net", Until::Ready);
    life.at(5000).pod_stops(Cause::Deletion);
    life.at(6000).tell("proxy", What::Turn);
    life.tell("proxy", What::Starting);
    life.at(7000).runs("proxy");
    assert_eq!(
        spans(&life.timeline, "proxy"),
        [(Doing::Waiting, 0, 6000), (Doing::Starting, 6000, 7000)]
    );
}
