//! `ContainersReady`, and `Ready`, which is the same where there are no readiness gates.

use super::{Shown, does_not_hold, holds};
use crate::plain::{Draft, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Row, Table, extra, row};
use pillion_engine::pod::RestartPolicy::{Always, Never};

const KNOWN: &str = "an engine has a status for each of its containers";
const EMPTY: &str = "a pod has at least one container";
const GATE: &str = "nobody can set the condition of a readiness gate without an API server";

pub(crate) fn containers_ready() -> Table<Situation, Shown> {
    let mut rows = shared();
    rows.extend(sidecars());
    Table {
        original: "TestGenerateContainersReadyCondition",
        len: 11,
        rows,
        left_out: vec![(1, KNOWN), (2, EMPTY)],
    }
}

pub(crate) fn ready() -> Table<Situation, Shown> {
    let mut rows = shared();
    rows.push(
        row(
            14,
            "a container that is not ready goes before everything else",
            given(Always, [main("a").readiness_probe().up()]),
            unready("a"),
        )
        .mapped(GATE),
    );
    Table {
        original: "TestGeneratePodReadyCondition",
        len: 14,
        rows,
        left_out: [(1, KNOWN), (2, EMPTY)]
            .into_iter()
            .chain((8..=13).map(|number| (number, GATE)))
            .collect(),
    }
}

fn unready(names: &str) -> Shown {
    let message = format!("containers with unready status: [{names}]");
    does_not_hold()
        .reason("ContainersNotReady")
        .message(&message)
}

fn shared() -> Vec<Row<Situation, Shown>> {
    let (a, b) = (main("a"), main("b"));
    vec![
        row(
            3,
            "a container that was never started is not ready",
            given(Always, [a.clone()]),
            unready("a"),
        )
        .mapped(KNOWN),
        row(
            4,
            "all are ready",
            given(Always, [a.clone().up(), b.clone().up()]),
            holds(),
        ),
        row(
            5,
            "one is ready, the other was never started",
            given(Always, [a.clone().up(), b.clone()]),
            unready("b"),
        )
        .mapped(KNOWN),
        row(
            6,
            "one is ready, the other is not",
            given(Always, [a.clone().up(), b.readiness_probe().up()]),
            unready("b"),
        ),
        row(
            7,
            "a pod that has succeeded is not ready",
            given(Never, [a.clone().exited(0)]),
            does_not_hold().reason("PodCompleted"),
        ),
        extra(
            "a pod that has failed is not ready",
            given(Never, [a.exited(1)]),
            does_not_hold().reason("PodFailed"),
        ),
    ]
}

fn sidecars() -> Vec<Row<Situation, Shown>> {
    let two = |second: Draft| given(Always, [sidecar("s1").up(), second, main("a").up()]);
    vec![
        row(
            8,
            "a sidecar that is down is not ready",
            given(Always, [sidecar("s1").backing_off(1), main("a").up()]),
            unready("s1"),
        )
        .mapped(KNOWN),
        row(
            9,
            "all sidecars are ready, and all others",
            two(sidecar("s2").up()),
            holds(),
        ),
        row(
            10,
            "one sidecar is ready, the other is down",
            two(sidecar("s2").backing_off(1)),
            unready("s2"),
        )
        .mapped(KNOWN),
        row(
            11,
            "one sidecar is ready, the other is not",
            two(sidecar("s2").readiness_probe().up()),
            unready("s2"),
        ),
    ]
}
