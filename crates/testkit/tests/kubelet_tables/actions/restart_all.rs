//! Pods in which everything is killed at once and run again.
//!
//! The kubelet removes all containers in one sync, those whose exit asked for it last, and starts
//! the pod in the next. Here what runs is killed, and the next run begins: there are no containers
//! to remove, and so no order among them.

use super::{Then, nothing, start, stop};
use crate::plain::{Draft, init, main, sidecar};
use crate::situation::{Deed, Situation, given};
use crate::table::{Row, Table, row};
use pillion_engine::pod::Reaction::RestartAllContainers;
use pillion_engine::pod::RestartPolicy::{Always, Never};

const ASKED: Deed = Deed::Asked(RestartAllContainers);
const REMOVAL: &str = "nothing is removed: what runs is killed, and the next run begins";

pub(crate) fn table() -> Table<Situation, Then> {
    let mut rows = asked();
    rows.extend(by_rule());
    rows.extend(next_run());
    Table {
        original: "TestComputePodActionsForRestartAllContainers",
        len: 10,
        rows,
        left_out: vec![],
    }
}

fn regular(is: impl Fn(Draft) -> Draft) -> [Draft; 3] {
    ["a", "b", "c"].map(|name| is(main(name)))
}

/// Each with a startup probe, so that nothing follows it at once.
fn sidecars(is: impl Fn(Draft) -> Draft) -> [Draft; 3] {
    ["s1", "s2", "s3"].map(|name| is(sidecar(name).startup_probe()))
}

fn asked() -> Vec<Row<Situation, Then>> {
    let inits = ["i1", "i2", "i3"].map(|name| init(name).done());
    vec![
        row(
            1,
            "nobody has asked for it",
            given(Always, regular(Draft::up)),
            nothing(),
        ),
        row(
            2,
            "all regular containers are killed and run again",
            given(Always, regular(Draft::up)).and(ASKED),
            stop(["a", "b", "c"]).and_start(["a", "b", "c"]),
        )
        .mapped(REMOVAL),
        row(
            3,
            "init containers that are done are run again, from the first",
            given(Always, inits.into_iter().chain(regular(Draft::up))).and(ASKED),
            stop(["a", "b", "c"]).and_start(["i1"]),
        )
        .mapped(REMOVAL),
        row(
            4,
            "sidecars are killed with all others and run again, from the first",
            given(
                Always,
                sidecars(Draft::up).into_iter().chain(regular(Draft::up)),
            )
            .and(ASKED),
            stop(["s1", "s2", "s3", "a", "b", "c"]).and_start(["s1"]),
        )
        .mapped(REMOVAL),
    ]
}

fn by_rule() -> Vec<Row<Situation, Then>> {
    let [s1, s2, s3] = sidecars(|sidecar| sidecar);
    let [a, b, c] = regular(|main| main);
    let source = |main: Draft| main.policy(Never).restarts_all_on(1).exited(1);
    vec![
        row(
            5,
            "the exit of an init container kills the sidecars before it, and all is run again",
            given(
                Always,
                [
                    init("i1").done(),
                    sidecar("s2").up(),
                    source(init("i3")),
                    a.clone(),
                ],
            ),
            stop(["s2"]).and_start(["i1"]),
        )
        .mapped(REMOVAL),
        row(
            6,
            "the exit of a sidecar kills all others, and all is run again",
            given(
                Always,
                [
                    s1.clone().up(),
                    s2.clone().up(),
                    s3.clone().restarts_all_on(1).exited(1),
                    a.clone().up(),
                    b.clone().backing_off(1),
                ],
            ),
            stop(["s1", "s2", "a"]).and_start(["s1"]),
        )
        .mapped(REMOVAL),
        row(
            7,
            "the exit of a regular container kills all others, and all is run again",
            given(
                Always,
                [
                    s1.up(),
                    s2.up(),
                    s3.up(),
                    a.clone().up(),
                    b.clone().up(),
                    source(c.clone()),
                ],
            ),
            stop(["s1", "s2", "s3", "a", "b"]).and_start(["s1"]),
        )
        .mapped(REMOVAL),
        row(
            8,
            "how often a container has run before makes no difference",
            given(
                Always,
                [
                    a.up_again(99),
                    b.up_again(99),
                    c.policy(Always).restarts_all_on(1).exited(1),
                ],
            ),
            stop(["a", "b"]).and_start(["a", "b", "c"]),
        )
        .mapped(REMOVAL),
    ]
}

fn next_run() -> Vec<Row<Situation, Then>> {
    let inits = ["i1", "i2", "i3"].map(|name| init(name).removed());
    vec![
        row(
            9,
            "when all are down the first init container is started",
            given(Always, inits.into_iter().chain(regular(Draft::removed))),
            start(["i1"]),
        ),
        row(
            10,
            "when all are down and there is no init container, the regular ones are started",
            given(Always, regular(Draft::removed)),
            start(["a", "b", "c"]),
        ),
    ]
}
