//! A pod of three regular containers, some with a policy of their own.

use super::{Then, new_sandbox, nothing, start};
use crate::plain::main;
use crate::situation::{Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::RestartPolicy::{self, Always, Never, OnFailure};

pub(crate) fn table() -> Table<Situation, Then> {
    let exits = |policy: RestartPolicy| {
        [
            main("a").policy(policy).exited(0),
            main("b").policy(policy).exited(111),
            main("c").up(),
        ]
    };
    Table {
        original: "TestComputePodActionsWithContainerRestartRules",
        len: 5,
        rows: vec![
            row(
                1,
                "a container's own Always goes before the pod's Never",
                given(Never, exits(Always)),
                start(["a", "b"]),
            ),
            row(
                2,
                "a container's own OnFailure goes before the pod's Never",
                given(Never, exits(OnFailure)),
                start(["b"]),
            ),
            row(
                3,
                "a container with its own OnFailure that was created and never ran is started",
                given(
                    Never,
                    [
                        main("a").policy(OnFailure).exited(0),
                        main("b").policy(OnFailure).created(),
                        main("c").up(),
                    ],
                ),
                start(["b"]),
            ),
            row(
                4,
                "a container's own Never goes before the pod's Always",
                given(Always, exits(Never)),
                nothing(),
            ),
            row(
                5,
                "in a new sandbox a container with its own OnFailure that has succeeded is not run again",
                given(
                    Always,
                    [
                        main("a").up(),
                        main("b").policy(OnFailure).exited(0),
                        main("c").up(),
                    ],
                )
                .sandbox_lost(),
                new_sandbox(["a", "c"]),
            ),
        ],
        left_out: vec![],
    }
}
