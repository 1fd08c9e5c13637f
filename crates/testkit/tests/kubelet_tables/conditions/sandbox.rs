//! `PodReadyToStartContainers`.

use super::{Shown, does_not_hold, holds};
use crate::plain::main;
use crate::situation::{Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::RestartPolicy::Always;

pub(crate) fn table() -> Table<Situation, Shown> {
    let no = || does_not_hold();
    Table {
        original: "TestGeneratePodReadyToStartContainersCondition",
        len: 4,
        rows: vec![
            row(
                1,
                "there is no sandbox yet",
                given(Always, [main("a")]).without_sandbox(),
                no(),
            ),
            row(
                2,
                "the sandbox is lost",
                given(Always, [main("a").up()]).sandbox_lost(),
                no(),
            ),
            row(
                3,
                "the sandbox has no address",
                given(Always, [main("a")]).without_sandbox(),
                no(),
            )
            .mapped("a driver calls a sandbox ready when it has its network"),
            row(
                4,
                "the sandbox is there",
                given(Always, [main("a")]),
                holds(),
            ),
        ],
        left_out: vec![],
    }
}
