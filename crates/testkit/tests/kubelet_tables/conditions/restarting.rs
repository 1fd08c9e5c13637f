//! `AllContainersRestarting`, in a pod with a container that can ask for it.

use super::{Shown, does_not_hold, holds, is_absent};
use crate::plain::{Draft, main};
use crate::situation::{Situation, given};
use crate::table::{Table, extra, row};
use pillion_engine::pod::RestartPolicy::{Always, Never};

pub(crate) fn table() -> Table<Situation, Shown> {
    let source = main("x").policy(Never).restarts_all_on(42);
    let beside = |a: Draft, x: Draft| given(Never, [a, x]);
    let restarting = || {
        let restarting = holds().reason("RestartAllContainersStarted");
        restarting.message("container exited with restart policy rule")
    };
    Table {
        original: "TestGenerateAllContainersRestartingCondition",
        len: 6,
        rows: vec![
            row(
                1,
                "nobody has asked for it",
                beside(main("a"), source.clone()),
                does_not_hold(),
            ),
            row(
                2,
                "the pod has failed",
                beside(main("a").exited(1), source.clone().exited(1)),
                does_not_hold().reason("PodFailed"),
            ),
            row(
                3,
                "the pod has succeeded",
                beside(main("a").exited(0), source.clone().exited(0)),
                does_not_hold().reason("PodCompleted"),
            ),
            row(
                4,
                "it was asked for, and another one runs",
                beside(main("a").up(), source.clone().exited(42)),
                restarting(),
            ),
            row(
                5,
                "it was asked for, and not all others are down",
                given(
                    Never,
                    [
                        main("a").exited(0),
                        main("b").up(),
                        source.clone().exited(42),
                    ],
                ),
                restarting(),
            )
            .mapped("nothing is removed: it is over when all are down"),
            row(
                6,
                "all were killed, and the next run has begun",
                beside(main("a").removed(), source.removed()),
                does_not_hold(),
            ),
            extra(
                "a pod in which nobody can ask for it does not show it",
                given(Always, [main("a").up()]),
                is_absent(),
            ),
        ],
        left_out: vec![],
    }
}
