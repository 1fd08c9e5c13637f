//! Waits say who waited for whom, how long, and what came of it.

use super::life::{Describe, Life, find, orders, pod};
use crate::Timeline;
use crate::waits::Outcome;
use pillion_engine::entry::{Cause, Impossible, What};
use pillion_engine::pod::Until;

/// Who, for whom, since, to, outcome; times in milliseconds.
fn waits(timeline: &Timeline) -> Vec<(String, String, u128, u128, Outcome)> {
    let waits = timeline.waits().into_iter().map(|wait| {
        let (since, to) = (wait.since.as_millis(), wait.to.as_millis());
        (
            wait.container.into(),
            wait.target.name().to_owned(),
            since,
            to,
            wait.outcome,
        )
    });
    waits.collect()
}

fn wait(
    who: &str,
    whom: &str,
    to: u128,
    outcome: Outcome,
) -> (String, String, u128, u128, Outcome) {
    (who.to_owned(), whom.to_owned(), 0, to, outcome)
}

#[test]
fn each_wait_ends_when_its_own_target_fulfils_it() {
    assert_eq!(
        waits(&orders().timeline),
        [
            wait("migrate", "proxy", 310, Outcome::Fulfilled),
            wait("cache", "proxy", 310, Outcome::Fulfilled),
            wait("app", "migrate", 820, Outcome::Fulfilled),
            wait("app", "cache", 330, Outcome::Fulfilled),
        ]
    );
    let longest = orders().timeline.longest_wait().unwrap();
    assert_eq!(
        (&*longest.container, longest.target.name()),
        ("app", "migrate")
    );
}

#[test]
fn a_wait_that_cannot_be_fulfilled_says_why() {
    let mut life = Life::new(pod("p").sidecar("db").sidecar("log").main("app"));
    life.waits("app", "db", Until::Ready);
    life.waits("app", "log", Until::Ready);
    let (target, until) = (find(&life.pod, "db"), Until::Ready);
    let cause = Cause::Impossible {
        target,
        until,
        why: Impossible::TimedOut,
    };
    life.at(5000).tell_why("app", What::GaveUp, cause);
    assert_eq!(
        waits(&life.timeline),
        [
            wait("app", "db", 5000, Outcome::Impossible(Impossible::TimedOut)),
            wait("app", "log", 5000, Outcome::Cancelled),
        ]
    );
}

#[test]
fn waits_for_a_barrier_end_with_the_turn() {
    let mut life = Life::new(pod("p").main("app").barrier("phase 10"));
    life.waits("app", "phase 10", Until::Settled);
    let cause = life.fulfilled("phase 10", Until::Settled);
    life.at(700).starts("app", cause);
    assert_eq!(
        waits(&life.timeline),
        [wait("app", "phase 10", 700, Outcome::Fulfilled)]
    );
}

#[test]
fn one_target_can_keep_several_waiting() {
    let mut life = Life::new(pod("p").sidecar("db").main("a").main("b"));
    life.waits("a", "db", Until::Started);
    life.waits("b", "db", Until::Ready);
    life.at(100).tell("db", What::Started);
    let cause = life.fulfilled("db", Until::Started);
    life.starts("a", cause);
    life.at(300).ready("db");
    life.at(400).starts("b", Cause::PodStart);
    assert_eq!(
        waits(&life.timeline),
        [
            wait("a", "db", 100, Outcome::Fulfilled),
            wait("b", "db", 300, Outcome::Fulfilled)
        ]
    );
}

#[test]
fn a_wait_that_goes_on_lasts_until_now() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.waits("app", "db", Until::Ready);
    life.at(900).starts("db", Cause::PodStart);
    assert_eq!(
        waits(&life.timeline),
        [wait("app", "db", 900, Outcome::Pending)]
    );
}

#[test]
fn a_wait_told_twice_is_one_wait() {
    let mut life = Life::new(pod("p").sidecar("db").main("app"));
    life.waits("app", "db", Until::Ready);
    life.at(100).waits("app", "db", Until::Ready);
    life.at(200).ready("db");
    life.at(300).waits("app", "db", Until::Ready);
    life.at(400).stops("app", Cause::Deletion);
    let waits = waits(&life.timeline);
    assert_eq!(
        waits.len(),
        2,
        "it waited again after its target had been ready"
    );
    assert_eq!(waits[0], wait("app", "db", 200, Outcome::Fulfilled));
    assert_eq!(
        (waits[1].2, waits[1].3, waits[1].4),
        (300, 400, Outcome::Cancelled)
    );
}

#[test]
fn nobody_waited_longest_where_nobody_waited() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    assert_eq!(life.timeline.longest_wait(), None);
}

#[test]
fn a_wait_does_not_outlive_the_run_of_the_pod() {
    let mut life = Life::new(pod("p").main("db").main("app"));
    life.starts_pod();
    life.waits("app", "db", Until::Succeeded);
    life.at(5000).pod_stops(Cause::Deletion);
    life.at(25_000).ends("db", 143);
    assert_eq!(
        waits(&life.timeline),
        [wait("app", "db", 5000, Outcome::Cancelled)]
    );
}

#[test]
fn each_run_of_the_pod_has_waits_of_its_own() {
    let stops: [fn(&mut Life); 2] = [
        |life| {
            life.pod_stops(Cause::PodRestart);
        },
        |life| {
            life.tell_pod(What::PodKilled, Cause::PodRestart);
        },
    ];
    for stop in stops {
        let mut life = Life::new(pod("p").main("db").main("app"));
        life.starts_pod();
        life.waits("app", "db", Until::Ready);
        stop(life.at(5000));
        life.at(25_000)
            .tell_pod(What::PodStarted { run: 2 }, Cause::PodRestart);
        life.waits("app", "db", Until::Ready);
        life.at(27_000).runs("db");
        life.ready("db");
        let second = (
            "app".into(),
            "db".into(),
            25_000,
            27_000,
            Outcome::Fulfilled,
        );
        assert_eq!(
            waits(&life.timeline),
            [wait("app", "db", 5000, Outcome::Cancelled), second]
        );
    }
}

#[test]
fn a_wait_ends_with_the_sandbox() {
    let mut life = Life::new(pod("p").main("db").main("app"));
    life.starts_pod();
    life.waits("app", "db", Until::Ready);
    life.at(5000)
        .tell_pod(What::PodStarted { run: 2 }, Cause::SandboxLost);
    life.at(9000).tell("db", What::Pulling);
    assert_eq!(
        waits(&life.timeline),
        [wait("app", "db", 5000, Outcome::Cancelled)]
    );
}

#[test]
fn a_sidecar_that_is_started_in_a_stop_has_waited_until_then() {
    let mut life = Life::new(pod("p").sidecar("net").sidecar("proxy").main("app"));
    life.waits("proxy", "net", Until::Ready);
    life.at(5000).pod_stops(Cause::Deletion);
    life.at(6000).ready("net");
    let cause = life.fulfilled("net", Until::Ready);
    life.starts("proxy", cause);
    assert_eq!(
        waits(&life.timeline),
        [wait("proxy", "net", 6000, Outcome::Fulfilled)]
    );
}
