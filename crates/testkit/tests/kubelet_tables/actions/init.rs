//! A pod of three init containers and three regular ones.

use super::{Then, ends, new_sandbox, nothing, start};
use crate::plain::{Draft, init, main};
use crate::situation::{Situation, given};
use crate::table::{Row, Table, extra, row};
use pillion_engine::pod::RestartPolicy::{Always, Never, OnFailure};

const RESIZE: &str = "resources are the driver's; the engine decides nothing about them";
const GONE: &str = "nobody can tell how it ended: it is gone, so there is nothing to kill";

pub(crate) fn table() -> Table<Situation, Then> {
    let mut rows = progress();
    rows.extend(failures());
    rows.extend(sandboxes());
    Table {
        original: "TestComputePodActionsWithInitContainers",
        len: 18,
        rows,
        left_out: vec![(16, RESIZE), (17, RESIZE), (18, RESIZE)],
    }
}

fn all(inits: impl Fn(Draft) -> Draft, regular: impl Fn(Draft) -> Draft) -> Vec<Draft> {
    let inits = ["i1", "i2", "i3"].map(|name| inits(init(name)));
    let regular = ["a", "b", "c"].map(|name| regular(main(name)));
    inits.into_iter().chain(regular).collect()
}

fn new(draft: Draft) -> Draft {
    draft
}

/// The first two init containers are done, no regular one was started.
fn third(is: impl Fn(Draft) -> Draft) -> Vec<Draft> {
    let mut drafts = all(Draft::done, new);
    drafts[2] = is(init("i3"));
    drafts
}

fn succeeded(init: Draft) -> Draft {
    init.exited(0)
}

fn failed(init: Draft) -> Draft {
    init.exited(137)
}

fn progress() -> Vec<Row<Situation, Then>> {
    vec![
        row(
            1,
            "after the last init container all regular ones are started",
            given(Always, third(succeeded)),
            start(["a", "b", "c"]),
        ),
        row(
            2,
            "at first only the first init container is started",
            given(Always, all(new, new)),
            start(["i1"]),
        ),
        row(
            3,
            "while an init container runs nothing else is started",
            given(Always, third(Draft::up)),
            nothing(),
        ),
        row(
            14,
            "init containers of which no trace is left are not run again",
            given(Always, third(Draft::up)),
            nothing(),
        )
        .mapped("the engine remembers what the runtime has forgotten"),
        row(
            15,
            "an init container that was created and never ran is started",
            given(Always, third(Draft::created)),
            start(["i3"]),
        ),
    ]
}

fn failures() -> Vec<Row<Situation, Then>> {
    vec![
        row(
            5,
            "Always: an init container that failed is tried again",
            given(Always, third(failed)),
            start(["i3"]),
        ),
        row(
            6,
            "OnFailure: an init container that failed is tried again",
            given(OnFailure, third(failed)),
            start(["i3"]),
        ),
        row(
            7,
            "Never: an init container that failed ends the pod",
            given(Never, third(failed)),
            ends([]),
        ),
        row(
            8,
            "Always: an init container that is gone without a trace is tried again",
            given(Always, third(Draft::lost)),
            start(["i3"]),
        )
        .mapped(GONE),
        row(
            9,
            "OnFailure: an init container that is gone without a trace is tried again",
            given(OnFailure, third(Draft::lost)),
            start(["i3"]),
        )
        .mapped(GONE),
        row(
            10,
            "Never: an init container that is gone without a trace ends the pod",
            given(Never, third(Draft::lost)),
            ends([]),
        )
        .mapped(GONE),
    ]
}

fn sandboxes() -> Vec<Row<Situation, Then>> {
    vec![
        row(
            4,
            "in a new sandbox initialisation begins anew",
            given(Always, third(succeeded)).sandbox_lost(),
            new_sandbox(["i1"]),
        ),
        row(
            11,
            "Never: a lost sandbox ends a pod that has begun its initialisation",
            given(Never, third(succeeded)).sandbox_lost(),
            ends([]),
        ),
        row(
            12,
            "Never: a pod that had not begun its initialisation gets a new sandbox",
            given(Never, all(Draft::image, Draft::image)).sandbox_lost(),
            new_sandbox(["i1"]),
        ),
        row(
            13,
            "OnFailure: a lost sandbox makes a failed initialisation begin anew",
            given(OnFailure, third(failed)).sandbox_lost(),
            new_sandbox(["i1"]),
        ),
        // From 1.37, kubernetes#138514.
        extra(
            "regular containers of an older sandbox do not stand for an initialisation in this one",
            given(
                Always,
                all(|init| init.ended_before(0), |main| main.ended_before(137)),
            ),
            start(["i1"]),
        ),
    ]
}
