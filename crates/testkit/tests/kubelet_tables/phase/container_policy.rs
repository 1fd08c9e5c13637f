//! Pods whose regular containers have policies of their own.

use crate::plain::main;
use crate::situation::{Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::RestartPolicy::{self, Always, Never, OnFailure};
use pillion_engine::status::Phase::{self, Failed, Running, Succeeded};

pub(crate) fn table() -> Table<Situation, Phase> {
    let failed = |own: RestartPolicy| given(Always, [main("a").policy(own).exited(1)]);
    let both = |a: i32, b: i32| {
        let (a, b) = (main("a").exited(a), main("b").exited(b));
        given(Always, [a.policy(Never), b.policy(OnFailure)])
    };
    Table {
        original: "TestPodPhaseWithContainerRestartPolicy",
        len: 6,
        rows: vec![
            row(
                1,
                "a failure under its own Never fails an Always pod",
                failed(Never),
                Failed,
            ),
            row(
                2,
                "a failure under its own OnFailure will be tried again",
                failed(OnFailure),
                Running,
            ),
            row(
                3,
                "a failure under its own Always will be tried again",
                failed(Always),
                Running,
            ),
            row(
                4,
                "one that will run again keeps a Never pod running",
                given(
                    Never,
                    [main("a").policy(Always).exited(0), main("b").exited(1)],
                ),
                Running,
            ),
            row(
                5,
                "none will run again, and one has failed",
                both(1, 0),
                Failed,
            ),
            row(
                6,
                "none will run again, and all have succeeded",
                both(0, 0),
                Succeeded,
            ),
        ],
        left_out: vec![],
    }
}
