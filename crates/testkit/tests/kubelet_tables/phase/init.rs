//! Pods of one init container and two regular ones.

use crate::plain::{Draft, init, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Row, Table, row};
use pillion_engine::pod::RestartPolicy::{self, Always, Never, OnFailure};
use pillion_engine::status::Phase::{self, Failed, Pending, Running};

fn before_regular(policy: RestartPolicy, init: Draft) -> Situation {
    given(policy, [init, main("a"), main("b")])
}

/// The rows that both policies share.
fn shared(policy: RestartPolicy) -> Vec<Row<Situation, Phase>> {
    let x = init("x");
    vec![
        row(
            1,
            "nothing has started",
            before_regular(policy, x.clone()),
            Pending,
        ),
        row(
            2,
            "it runs",
            before_regular(policy, x.clone().up()),
            Pending,
        ),
        row(
            4,
            "it waits, and had succeeded",
            before_regular(policy, x.clone().ended_before(0)),
            Pending,
        )
        .mapped("one that has succeeded waits only when the whole pod is run again"),
        row(
            6,
            "it waits for its first start",
            before_regular(policy, x.clone().image()),
            Pending,
        ),
        row(
            7,
            "it has succeeded, and all others run",
            given(policy, [x.done(), main("a").up(), main("b").up()]),
            Running,
        ),
    ]
}

pub(crate) fn always() -> Table<Situation, Phase> {
    let mut rows = shared(Always);
    rows.extend([
        row(
            3,
            "it has failed and will be tried again",
            before_regular(Always, init("x").exited(1)),
            Pending,
        ),
        row(
            5,
            "it waits, and had failed",
            before_regular(Always, init("x").backing_off(1)),
            Pending,
        ),
    ]);
    Table {
        original: "TestPodPhaseWithRestartAlwaysInitContainers",
        len: 7,
        rows,
        left_out: vec![],
    }
}

pub(crate) fn never() -> Table<Situation, Phase> {
    let mut rows = shared(Never);
    rows.extend([
        row(
            3,
            "it has failed for good",
            before_regular(Never, init("x").exited(1)),
            Failed,
        ),
        row(
            5,
            "it was killed",
            before_regular(Never, init("x").exited(137)),
            Failed,
        )
        .mapped("one that is not tried again does not wait"),
    ]);
    Table {
        original: "TestPodPhaseWithRestartNeverInitContainers",
        len: 7,
        rows,
        left_out: vec![],
    }
}

pub(crate) fn own_policy() -> Table<Situation, Phase> {
    let failed = |draft: Draft| [draft.exited(1), main("a")];
    Table {
        original: "TestPodPhaseWithContainerRestartPolicyInitContainers",
        len: 3,
        rows: vec![
            row(
                1,
                "an init container that failed under its own Never fails an Always pod",
                given(Always, failed(init("x").policy(Never))),
                Failed,
            ),
            row(
                2,
                "an init container that failed under its own OnFailure does not fail a Never pod",
                given(Never, failed(init("x").policy(OnFailure))),
                Pending,
            ),
            row(
                3,
                "a sidecar that failed does not fail a Never pod",
                given(Never, failed(sidecar("x"))),
                Pending,
            ),
        ],
        left_out: vec![],
    }
}
