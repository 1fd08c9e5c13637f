//! Sidecars of a stopping pod that end before their turn: what kubernetes#140133 proposes.
//!
//! Its feature gate has its match in the marker of a plain container: one without any field of
//! Pillion's own behaves as a kubelet of today.

use crate::driver::{Driver, Manner};
use crate::plain::{Draft, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Table, row};
use crate::termination_order::delete;
use pillion_engine::pod::RestartPolicy::Always;
use pillion_engine::{ContainerId, Event, Exit, Tick};
use std::time::Duration;

const SIDECAR: ContainerId = ContainerId(0);
const MAIN: ContainerId = ContainerId(1);

/// A sidecar and a main that run, and what happens to them.
pub(crate) struct Story {
    pod: Situation,
    happens: fn(&mut Driver),
}

/// What was asked of the driver.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Asked {
    stop: Vec<ContainerId>,
    start: Vec<ContainerId>,
}

pub(crate) fn table() -> Table<Story, Asked> {
    let tended = || sidecar("s").not_plain();
    Table {
        original: "proposed#140133",
        len: 5,
        rows: vec![
            row(
                1,
                "the turn of a sidecar comes when the main is down",
                story(tended(), |driver| {
                    delete(driver, Duration::from_secs(30));
                    driver.exit(MAIN, Exit::code(0));
                }),
                asked([MAIN, SIDECAR], []),
            ),
            row(
                2,
                "a sidecar that ends before its turn is started again",
                story(tended(), |driver| {
                    delete(driver, Duration::from_secs(30));
                    driver.exit(SIDECAR, Exit::code(0));
                }),
                asked([MAIN], [SIDECAR]),
            ),
            row(
                3,
                "a sidecar that ends when its turn has come stays down",
                story(tended(), |driver| {
                    delete(driver, Duration::from_secs(30));
                    driver.exit(MAIN, Exit::code(0));
                    driver.exit(SIDECAR, Exit::code(1));
                }),
                asked([MAIN, SIDECAR], []),
            ),
            row(
                4,
                "a plain sidecar that ends before its turn stays down",
                story(sidecar("s"), |driver| {
                    delete(driver, Duration::from_secs(30));
                    driver.exit(SIDECAR, Exit::code(0));
                }),
                asked([MAIN], []),
            )
            .mapped("instead of a gate for the whole node, a container says so by any field of Pillion's"),
            row(
                5,
                "a sidecar is not started again in a sandbox that is lost",
                story(tended(), |driver| driver.hear(Event::SandboxLost)),
                asked([], []),
            ),
        ],
        left_out: vec![],
    }
}

fn story(sidecar: Draft, happens: fn(&mut Driver)) -> Story {
    Story {
        pod: given(Always, [sidecar.up(), main("main").up()]),
        happens,
    }
}

fn asked<const N: usize, const M: usize>(stop: [ContainerId; N], start: [ContainerId; M]) -> Asked {
    Asked {
        stop: stop.into(),
        start: start.into(),
    }
}

pub(crate) fn play(story: &Story) -> Vec<Asked> {
    let mut driver = story.pod.found(Manner::Watches);
    (story.happens)(&mut driver);
    driver.pass(Duration::from_secs(1));
    let ids = |asked: &[(Tick, ContainerId)]| asked.iter().map(|(_, id)| *id).collect();
    vec![Asked {
        stop: ids(&driver.stops),
        start: ids(&driver.starts),
    }]
}
