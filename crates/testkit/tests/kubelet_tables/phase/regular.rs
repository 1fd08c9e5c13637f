//! Pods of two regular containers.

use crate::plain::{Draft, main};
use crate::situation::{Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::RestartPolicy::{self, Always, Never, OnFailure};
use pillion_engine::status::Phase::{self, Failed, Pending, Running, Succeeded};

fn two(policy: RestartPolicy, a: fn(Draft) -> Draft, b: fn(Draft) -> Draft) -> Situation {
    given(policy, [a(main("a")), b(main("b"))])
}

fn new(main: Draft) -> Draft {
    main
}

fn succeeded(main: Draft) -> Draft {
    main.exited(0)
}

fn failed(main: Draft) -> Draft {
    main.exited(1)
}

pub(crate) fn always() -> Table<Situation, Phase> {
    let backing_off = |main: Draft| main.backing_off(0);
    Table {
        original: "TestPodPhaseWithRestartAlways",
        len: 9,
        rows: vec![
            row(1, "nothing has started", two(Always, new, new), Pending),
            row(2, "all run", two(Always, Draft::up, Draft::up), Running),
            row(
                3,
                "all have stopped and will run again",
                two(Always, succeeded, succeeded),
                Running,
            ),
            row(
                4,
                "all have succeeded in a pod that is over",
                two(Always, succeeded, succeeded).deleted(),
                Succeeded,
            ),
            row(
                5,
                "one has failed in a pod that is over",
                two(Always, succeeded, failed).deleted(),
                Failed,
            ),
            row(
                6,
                "one runs, one has stopped",
                two(Always, Draft::up, succeeded),
                Running,
            ),
            row(
                7,
                "one runs, of the other nothing is known",
                two(Always, Draft::up, new),
                Pending,
            ),
            row(
                8,
                "one runs, the other waits for its first start",
                two(Always, Draft::up, Draft::image),
                Pending,
            ),
            row(
                9,
                "one runs, the other waits to be started again",
                two(Always, Draft::up, backing_off),
                Running,
            ),
        ],
        left_out: vec![],
    }
}

pub(crate) fn never() -> Table<Situation, Phase> {
    Table {
        original: "TestPodPhaseWithRestartNever",
        len: 7,
        rows: vec![
            row(1, "nothing has started", two(Never, new, new), Pending),
            row(2, "all run", two(Never, Draft::up, Draft::up), Running),
            row(
                3,
                "all have succeeded",
                two(Never, succeeded, succeeded),
                Succeeded,
            ),
            row(4, "all have failed", two(Never, failed, failed), Failed),
            row(
                5,
                "one runs, one has succeeded",
                two(Never, Draft::up, succeeded),
                Running,
            ),
            row(
                6,
                "one runs, of the other nothing is known",
                two(Never, Draft::up, new),
                Pending,
            ),
            row(
                7,
                "one runs, the other waits for its first start",
                two(Never, Draft::up, Draft::image),
                Pending,
            ),
        ],
        left_out: vec![],
    }
}

pub(crate) fn on_failure() -> Table<Situation, Phase> {
    let backing_off = |main: Draft| main.backing_off(1);
    Table {
        original: "TestPodPhaseWithRestartOnFailure",
        len: 8,
        rows: vec![
            row(1, "nothing has started", two(OnFailure, new, new), Pending),
            row(2, "all run", two(OnFailure, Draft::up, Draft::up), Running),
            row(
                3,
                "all have succeeded",
                two(OnFailure, succeeded, succeeded),
                Succeeded,
            ),
            row(
                4,
                "all have failed and will run again",
                two(OnFailure, failed, failed),
                Running,
            ),
            row(
                5,
                "one runs, one has succeeded",
                two(OnFailure, Draft::up, succeeded),
                Running,
            ),
            row(
                6,
                "one runs, of the other nothing is known",
                two(OnFailure, Draft::up, new),
                Pending,
            ),
            row(
                7,
                "one runs, the other waits for its first start",
                two(OnFailure, Draft::up, Draft::image),
                Pending,
            ),
            row(
                8,
                "one runs, the other waits to be started again",
                two(OnFailure, Draft::up, backing_off),
                Running,
            )
            .mapped("what waits to be started again has failed: a success is not repeated"),
        ],
        left_out: vec![],
    }
}
