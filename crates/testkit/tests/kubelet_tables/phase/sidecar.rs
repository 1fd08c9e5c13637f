//! Pods of one sidecar and two regular containers.

use crate::plain::{Draft, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Row, Table, row};
use pillion_engine::pod::RestartPolicy::{self, Always, Never};
use pillion_engine::status::Phase::{self, Pending, Running, Succeeded};

fn beside(policy: RestartPolicy, x: Draft, regular: impl Fn(Draft) -> Draft) -> Situation {
    given(policy, [x, regular(main("a")), regular(main("b"))])
}

/// The rows that both policies share.
fn shared(policy: RestartPolicy) -> Vec<Row<Situation, Phase>> {
    let x = sidecar("x").startup_probe();
    let alone = |x: Draft| beside(policy, x, |main| main);
    vec![
        row(1, "nothing has started", alone(x.clone()), Pending),
        row(
            2,
            "it runs and has not started",
            alone(x.clone().coming_up()),
            Pending,
        ),
        row(3, "it has stopped", alone(x.clone().exited(0)), Pending),
        row(
            4,
            "it waits, and had ended with 0",
            alone(x.clone().backing_off(0)),
            Pending,
        ),
        row(
            5,
            "it waits, and had failed",
            alone(x.clone().backing_off(1)),
            Pending,
        ),
        row(
            6,
            "it waits for its first start",
            alone(x.clone().image()),
            Pending,
        ),
        row(
            7,
            "it has started, and one of two regular containers runs",
            given(policy, [x.up(), main("a").up(), main("b")]),
            Pending,
        ),
    ]
}

pub(crate) fn always() -> Table<Situation, Phase> {
    let x = sidecar("x").startup_probe();
    let running = |x: Draft| beside(Always, x, Draft::up);
    let over = |x: Draft| beside(Always, x, |main| main.exited(0)).deleted();
    let mut rows = shared(Always);
    rows.extend([
        row(
            8,
            "it has started, and all others run",
            running(x.clone().up()),
            Running,
        ),
        row(
            9,
            "it runs and has not started again, and all others run",
            running(x.clone().coming_up()),
            Running,
        ),
        row(
            10,
            "it has stopped, and all others run",
            running(x.clone().exited(0)),
            Running,
        ),
        row(
            11,
            "it waits, and all others run",
            running(x.clone().backing_off(0)),
            Running,
        ),
        row(
            12,
            "it has failed and all others succeeded in a pod that is over",
            over(x.clone().exited(1)),
            Succeeded,
        ),
        row(
            13,
            "all have succeeded in a pod that is over",
            over(x.clone().exited(0)),
            Succeeded,
        ),
        row(
            14,
            "it has not started in the new sandbox, and all others ran in the old one",
            beside(Always, x.coming_up(), |main| main.ended_before(137)),
            Pending,
        )
        .mapped("what ran in an old sandbox is known to have ended"),
    ]);
    Table {
        original: "TestPodPhaseWithRestartAlwaysRestartableInitContainers",
        len: 14,
        rows,
        left_out: vec![],
    }
}

pub(crate) fn never() -> Table<Situation, Phase> {
    let x = sidecar("x").startup_probe();
    let succeeded = |x: Draft| beside(Never, x, |main| main.exited(0));
    let mut rows = shared(Never);
    rows.extend([
        row(
            8,
            "it has started, and all others succeeded",
            succeeded(x.clone().up()),
            Running,
        ),
        row(
            9,
            "it runs and has not started again, and all others succeeded",
            succeeded(x.clone().coming_up()),
            Running,
        ),
        row(
            10,
            "all have succeeded",
            succeeded(x.clone().exited(0)),
            Succeeded,
        ),
        row(
            11,
            "it has failed, and all others succeeded",
            succeeded(x.clone().exited(1)),
            Succeeded,
        ),
        row(
            12,
            "it waits and had ended with 0, and all others succeeded",
            succeeded(x.clone().backing_off(0)),
            Succeeded,
        ),
        row(
            13,
            "it waits and had failed, and all others succeeded",
            succeeded(x.backing_off(1)),
            Succeeded,
        ),
    ]);
    Table {
        original: "TestPodPhaseWithRestartNeverRestartableInitContainers",
        len: 13,
        rows,
        left_out: vec![],
    }
}
