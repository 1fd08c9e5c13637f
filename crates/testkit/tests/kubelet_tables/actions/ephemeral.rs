//! A pod of one init container, three regular ones and one for debugging.

use super::{Then, ends, new_sandbox, nothing, start};
use crate::plain::{Draft, ephemeral, init, main};
use crate::situation::{Deed, Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::RestartPolicy::{Always, Never, OnFailure};

fn drafts(init: Draft, regular: impl Fn(Draft) -> Draft, debug: Draft) -> Vec<Draft> {
    let regular = ["a", "b", "c"].map(|name| regular(main(name)));
    [init].into_iter().chain(regular).chain([debug]).collect()
}

pub(crate) fn table() -> Table<Situation, Then> {
    let (i1, debug) = (init("i1"), ephemeral("debug"));
    let beside_running = |debug| drafts(i1.clone().done(), Draft::up, debug);
    let new = |main: Draft| main;
    Table {
        original: "TestComputePodActionsWithInitAndEphemeralContainers",
        len: 9,
        rows: vec![
            row(
                1,
                "an ephemeral container that runs is left alone",
                given(Always, beside_running(debug.clone().up())),
                nothing(),
            ),
            row(
                2,
                "an ephemeral container that was not started is started",
                given(Always, beside_running(debug.clone())),
                start(["debug"]),
            ),
            row(
                3,
                "a second ephemeral container is started beside the first",
                given(Always, beside_running(debug.clone().up())).and(Deed::Added("debug2")),
                start(["debug2"]),
            ),
            row(
                4,
                "Always: an ephemeral container that exited is not started again",
                given(Always, beside_running(debug.clone().exited(0))),
                nothing(),
            ),
            row(
                5,
                "an ephemeral container is started while the pod is still being initialised",
                given(Always, drafts(i1.clone().up(), new, debug.clone())),
                start(["debug"]),
            ),
            row(
                6,
                "OnFailure: a lost sandbox makes a failed initialisation begin anew, without the ephemeral container",
                given(
                    OnFailure,
                    drafts(i1.clone().exited(137), new, debug.clone().up()),
                )
                .sandbox_lost(),
                new_sandbox(["i1"]),
            ),
            row(
                7,
                "Always: an ephemeral container is not started again in a new sandbox",
                given(Always, beside_running(debug.clone().up())).sandbox_lost(),
                new_sandbox(["i1"]),
            ),
            row(
                8,
                "Never: an ephemeral container does not keep a pod alive",
                given(
                    Never,
                    drafts(i1.clone().done(), |main| main.exited(0), debug.clone().up()),
                ),
                ends(["debug"]),
            ),
            row(
                9,
                "Never: an ephemeral container that is gone without a trace is not started again",
                given(Never, beside_running(debug.clone().lost())),
                nothing(),
            )
            .mapped("nobody can tell how it ended: it is gone"),
        ],
        left_out: vec![],
    }
}
