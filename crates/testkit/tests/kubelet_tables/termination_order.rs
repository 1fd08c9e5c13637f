//! The order in which the containers of a pod are told to stop, and how long each waits for its turn.

use crate::driver::{Driver, Manner};
use crate::plain::{Draft, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Table, extra, row};
use pillion_engine::pod::RestartPolicy::Always;
use pillion_engine::{ContainerId, Exit, Request, Tick};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A pod that is deleted.
pub(crate) struct Deletion {
    pod: Situation,
    grace: u64,
    /// How long each container needs to end.
    takes: Duration,
}

/// After how many whole seconds each was told to stop.
pub(crate) type Turns = BTreeMap<String, u64>;

pub(crate) fn table() -> Table<Deletion, Turns> {
    let sidecars = || ["s1", "s2", "s3"].map(|name| sidecar(name).up());
    Table {
        original: "TestTerminationOrdering",
        len: 3,
        rows: vec![
            row(
                1,
                "a sidecar waits for the main",
                deletion([sidecar("s1").up()], 30, 1000),
                turns([("main", 0), ("s1", 1)]),
            ),
            row(
                2,
                "sidecars stop after the main, the last one first",
                deletion(sidecars(), 30, 1250),
                turns([("main", 0), ("s3", 1), ("s2", 2), ("s1", 3)]),
            ),
            row(
                3,
                "nobody waits longer than the grace period",
                deletion(sidecars(), 2, 1000),
                turns([("main", 0), ("s3", 1), ("s2", 2), ("s1", 2)]),
            ),
            extra(
                "the order holds through a sidecar that is down",
                deletion(
                    [sidecar("s1").up(), sidecar("s2").backing_off(1), sidecar("s3").up()],
                    30,
                    1000,
                ),
                turns([("main", 0), ("s3", 1), ("s1", 2)]),
            )
            .differs("under the kubelet a sidecar waits for its neighbour only, so s1 and s3 go together"),
        ],
        left_out: vec![],
    }
}

fn deletion(sidecars: impl IntoIterator<Item = Draft>, grace: u64, millis: u64) -> Deletion {
    Deletion {
        pod: given(Always, sidecars.into_iter().chain([main("main").up()])),
        grace,
        takes: Duration::from_millis(millis),
    }
}

fn turns<const N: usize>(turns: [(&str, u64); N]) -> Turns {
    turns.map(|(name, after)| (name.into(), after)).into()
}

/// Deletes the pod and watches it until all are down.
pub(crate) fn play(deletion: &Deletion) -> Vec<Turns> {
    let mut driver = deletion.pod.found(Manner::Watches);
    let began = driver.now;
    delete(&mut driver, Duration::from_secs(deletion.grace));
    let mut ending: VecDeque<(Tick, ContainerId)> = VecDeque::new();
    let mut told = 0;
    while driver.engine.result().is_none() {
        let (at, next) = *driver
            .stops
            .get(told)
            .unwrap_or(&(Tick::NEVER, ContainerId(0)));
        if at != Tick::NEVER {
            told += 1;
            ending.push_back((at + deletion.takes, next));
            continue;
        }
        let (end, container) = *ending.front().expect("something ends until all are down");
        // The budget may run out before.
        let due = driver
            .engine
            .poll_deadline()
            .map_or(end, |due| due.min(end));
        driver.pass(due.since(driver.now));
        if driver.now == end {
            ending.pop_front();
            driver.exit(container, Exit::code(0));
        }
    }
    let whole_seconds = |(at, id): &(Tick, ContainerId)| {
        let name = driver.engine.pod().containers[id.index()].name.to_string();
        (name, at.since(began).as_secs())
    };
    vec![driver.stops.iter().map(whole_seconds).collect()]
}

pub(crate) fn delete(driver: &mut Driver, grace: Duration) {
    let request = Request::Delete { grace: Some(grace) };
    let taken = driver.engine.handle_request(driver.now, request);
    taken.expect("a deletion is always taken");
    driver.carry_out();
}
