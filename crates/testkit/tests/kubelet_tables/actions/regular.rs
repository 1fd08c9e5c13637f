//! A pod of three regular containers.

use super::{Then, ends, new_sandbox, nothing, start, stop};
use crate::plain::{Draft, main};
use crate::situation::{Deed, Situation, given};
use crate::table::{Row, Table, row};
use pillion_engine::pod::ProbeKind;
use pillion_engine::pod::RestartPolicy::{Always, Never, OnFailure};

pub(crate) fn table() -> Table<Situation, Then> {
    let mut rows = exits();
    rows.extend(kills());
    rows.extend(sandboxes());
    Table {
        original: "TestComputePodActions",
        len: 17,
        rows,
        left_out: vec![],
    }
}

fn all(is: impl Fn(Draft) -> Draft) -> [Draft; 3] {
    ["a", "b", "c"].map(|name| is(main(name)))
}

/// The first and the last one run.
fn second(is: impl Fn(Draft) -> Draft) -> [Draft; 3] {
    [main("a").up(), is(main("b")), main("c").up()]
}

fn exits() -> Vec<Row<Situation, Then>> {
    let two_exits = || [main("a").exited(0), main("b").exited(111), main("c").up()];
    vec![
        row(1, "where all is well nothing is done", given(Always, all(Draft::up)), nothing()),
        row(
            3,
            "Always: what has exited is started again, whatever the code",
            given(Always, two_exits()),
            start(["a", "b"]),
        ),
        row(
            4,
            "OnFailure: only what has failed is started again",
            given(OnFailure, two_exits()),
            start(["b"]),
        ),
        row(
            5,
            "OnFailure: what was created and never ran is started",
            given(OnFailure, [main("a").exited(0), main("b").created(), main("c").up()]),
            start(["b"]),
        ),
        row(6, "Never: nothing is started again", given(Never, two_exits()), nothing()),
        row(
            16,
            "Never: what is gone without a trace has run, and is not run again",
            given(Never, second(Draft::lost)),
            nothing(),
        )
        .differs(
            "the kubelet kills a container in unknown state and starts it again even under Never; \
             here a container that ran and left no trace has failed, and nothing is run a second time",
        ),
        row(
            17,
            "Never: what was created and never ran is started",
            given(Never, second(Draft::created)),
            start(["b"]),
        ),
    ]
}

fn kills() -> Vec<Row<Situation, Then>> {
    vec![
        row(
            10,
            "a container whose definition has changed is exchanged",
            given(Always, all(Draft::up)).and(Deed::Changed("b")),
            stop(["b"]).and_start(["b"]),
        ),
        row(
            11,
            "a container that failed its liveness probe is killed and started again",
            given(Always, second(|main| main.liveness_probe().up())).and(Deed::Probed(
                "b",
                ProbeKind::Liveness,
                false,
            )),
            stop(["b"]).and_start(["b"]),
        ),
        row(
            12,
            "a container that failed its startup probe is killed and started again",
            given(Always, second(|main| main.startup_probe().coming_up())).and(Deed::Probed(
                "b",
                ProbeKind::Startup,
                false,
            )),
            stop(["b"]).and_start(["b"]),
        ),
    ]
}

fn sandboxes() -> Vec<Row<Situation, Then>> {
    let succeeded = |main: Draft| main.exited(0);
    vec![
        row(
            2,
            "a new pod gets a sandbox, then all its containers",
            given(Always, all(|main| main)).without_sandbox(),
            new_sandbox(["a", "b", "c"]),
        ),
        row(
            7,
            "Always: in a new sandbox everything is run again",
            given(Always, all(Draft::up)).sandbox_lost(),
            new_sandbox(["a", "b", "c"]),
        ),
        row(
            8,
            "OnFailure: in a new sandbox everything is run again but what has succeeded",
            given(OnFailure, second(succeeded)).sandbox_lost(),
            new_sandbox(["a", "c"]),
        ),
        row(
            9,
            "a sandbox without an address is no sandbox",
            given(Always, all(Draft::up)).sandbox_lost(),
            new_sandbox(["a", "b", "c"]),
        )
        .mapped(
            "a driver calls a sandbox ready when it has its network, and lost when that is gone",
        ),
        row(
            13,
            "Never: a pod whose containers have all exited gets no new sandbox",
            given(Never, all(succeeded)).sandbox_lost(),
            ends([]),
        ),
        row(
            14,
            "OnFailure: a pod whose containers have all succeeded gets no new sandbox",
            given(OnFailure, all(succeeded)).sandbox_lost(),
            ends([]),
        ),
        row(
            15,
            "Never: a pod of which nothing was ever created gets a new sandbox",
            given(Never, all(Draft::image)).sandbox_lost(),
            new_sandbox(["a", "b", "c"]),
        ),
    ]
}
