//! `Initialized`. The original looks at status and reason; the messages are ours.

use super::{Shown, does_not_hold, holds};
use crate::plain::{init, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Table, extra, row};
use pillion_engine::pod::RestartPolicy::{Always, Never};

pub(crate) fn table() -> Table<Situation, Shown> {
    let [i, j, a] = [init("i"), init("j"), main("a")];
    let s = sidecar("s").startup_probe();
    Table {
        original: "TestGeneratePodInitializedCondition",
        len: 11,
        rows: vec![
            row(
                2,
                "there is nothing to initialise",
                given(Always, [a.clone()]),
                holds(),
            ),
            row(
                3,
                "the init container was never started",
                given(Always, [i.clone(), a.clone()]),
                incomplete("i"),
            ),
            row(
                4,
                "both init containers are done",
                given(Always, [i.clone().done(), j.clone().exited(0), a.clone()]),
                holds(),
            ),
            row(
                5,
                "one init container is done, the other was never started",
                given(Always, [i.clone().done(), j.clone(), a.clone()]),
                incomplete("j"),
            ),
            row(
                6,
                "one init container is done, the other runs",
                given(Always, [i.clone().done(), j.up(), a.clone()]),
                incomplete("j"),
            ),
            row(
                7,
                "a pod that has succeeded was initialised",
                given(Never, [i.clone().done(), a.clone().exited(0)]),
                holds().reason("PodCompleted"),
            ),
            row(
                8,
                "the sidecar has not started",
                given(Always, [s.clone().coming_up(), a.clone()]),
                incomplete("s"),
            ),
            row(
                9,
                "the sidecar has started",
                given(Always, [s.clone().up(), a.clone()]),
                holds(),
            ),
            row(
                10,
                "the sidecar has not started again, and the regular container runs",
                given(Always, [s.coming_up(), a.clone().up()]),
                holds(),
            ),
            row(
                11,
                "the init container waits to be run again, and the regular container has ended",
                given(Always, [i.clone().removed(), a.clone().removed()]),
                holds(),
            ),
            extra(
                "what was initialised stays so in a new sandbox",
                given(Always, [i.done(), a.up()]).sandbox_replaced(),
                holds(),
            ),
        ],
        left_out: vec![(1, "an engine has a status for each of its containers")],
    }
}

fn incomplete(names: &str) -> Shown {
    let message = format!("containers with incomplete status: [{names}]");
    does_not_hold()
        .reason("ContainersNotInitialized")
        .message(&message)
}
