//! A pod of three sidecars, the last two with startup and liveness probes, and three regular containers.

use super::{Then, ends, new_sandbox, nothing, start, stop};
use crate::plain::{Draft, init, main, sidecar};
use crate::situation::{Deed, Situation, given};
use crate::table::{Row, Table, extra, row};
use pillion_engine::pod::ProbeKind::{Liveness, Startup};
use pillion_engine::pod::RestartPolicy::{Always, Never, OnFailure};

fn first() -> Draft {
    sidecar("s1")
}

fn second() -> Draft {
    sidecar("s2").startup_probe().liveness_probe()
}

fn third() -> Draft {
    sidecar("s3").startup_probe().liveness_probe()
}

/// Sidecars before regular containers that were never started.
fn sidecars(first: Draft, second: Draft, third: Draft) -> Vec<Draft> {
    let regular = ["a", "b", "c"].map(main);
    [first, second, third].into_iter().chain(regular).collect()
}

fn with_regular(third: Draft, regular: impl Fn(Draft) -> Draft) -> Vec<Draft> {
    let mut drafts = vec![first().up(), second().up(), third];
    drafts.extend(["a", "b", "c"].map(|name| regular(main(name))));
    drafts
}

pub(crate) fn table() -> Table<Situation, Then> {
    let mut rows = start_up();
    rows.extend(probes());
    rows.extend(restarts());
    rows.extend(sandboxes());
    Table {
        original: "TestComputePodActionsWithRestartableInitContainers",
        len: 24,
        rows,
        left_out: vec![],
    }
}

fn start_up() -> Vec<Row<Situation, Then>> {
    vec![
        row(
            1,
            "when all sidecars have started all regular containers are started",
            given(Always, sidecars(first().up(), second().up(), third().up())),
            start(["a", "b", "c"]),
        ),
        // The first has no startup probe, so that its start is the second one's turn.
        row(
            2,
            "at first only the first sidecar is started",
            given(Always, sidecars(first().startup_probe(), second(), third())),
            start(["s1"]),
        ),
        row(
            3,
            "a sidecar that was created and never ran is started",
            given(
                Always,
                sidecars(first().up(), second().up(), third().created()),
            ),
            start(["s3"]),
        ),
        row(
            4,
            "when a sidecar has started the next one is",
            given(Always, sidecars(first().up(), second(), third())),
            start(["s2"]),
        ),
    ]
}

fn probes() -> Vec<Row<Situation, Then>> {
    let second_up = || sidecars(first().up(), second().up(), third());
    let second_coming_up = || sidecars(first().up(), second().coming_up(), third());
    let all_up = || sidecars(first().up(), second().up(), third().up());
    vec![
        row(
            5,
            "a liveness probe that has not run holds nothing back",
            given(Always, second_up()),
            start(["s3"]),
        ),
        row(
            6,
            "a liveness probe without an answer holds nothing back",
            given(Always, second_up()),
            start(["s3"]),
        )
        .mapped("a driver answers a probe or does not: there is no third answer"),
        row(
            7,
            "a liveness probe that passed holds nothing back",
            given(Always, second_up()).and(Deed::Probed("s2", Liveness, true)),
            start(["s3"]),
        ),
        row(
            8,
            "a sidecar that failed its liveness probe is restarted, and holds no regular container back",
            given(Always, all_up()).and(Deed::Probed("s3", Liveness, false)),
            stop(["s3"]).and_start(["s3", "a", "b", "c"]),
        ),
        row(
            9,
            "a startup probe that has not run holds the next one back",
            given(Always, second_coming_up()),
            nothing(),
        ),
        row(
            10,
            "a startup probe without an answer holds the next one back",
            given(Always, second_coming_up()),
            nothing(),
        )
        .mapped("a driver answers a probe or does not: there is no third answer"),
        row(
            11,
            "a startup probe that passed lets the next one start",
            given(Always, second_coming_up()).and(Deed::Probed("s2", Startup, true)),
            start(["s3"]),
        ),
        row(
            12,
            "a sidecar that failed its startup probe is restarted, and regular containers wait",
            given(
                Always,
                sidecars(first().up(), second().up(), third().coming_up()),
            )
            .and(Deed::Probed("s3", Startup, false)),
            stop(["s3"]).and_start(["s3"]),
        ),
        row(
            13,
            "a sidecar whose definition has changed is exchanged, and holds no regular container back",
            given(Always, all_up()).and(Deed::Changed("s3")),
            stop(["s3"]).and_start(["s3", "a", "b", "c"]),
        ),
    ]
}

fn restarts() -> Vec<Row<Situation, Then>> {
    vec![
        row(
            14,
            "sidecars that exited are restarted, and regular containers wait for the last one",
            given(
                Always,
                sidecars(first().exited(0), second().up(), third().exited(0)),
            ),
            start(["s1", "s3"]),
        ),
        row(
            15,
            "regular containers do not wait for a sidecar that is not the last one",
            given(
                Always,
                sidecars(first().exited(0), second().up(), third().up()),
            ),
            start(["s1", "a", "b", "c"]),
        ),
        row(
            20,
            "Never: a sidecar that failed during initialisation is restarted",
            given(
                Never,
                sidecars(first().up(), second().up(), third().exited(137)),
            ),
            start(["s3"]),
        ),
        row(
            21,
            "Never: a sidecar that is gone without a trace is restarted",
            given(Never, sidecars(first().up(), second().up(), third().lost())),
            start(["s3"]),
        )
        .mapped("nobody can tell how it ended: it is gone, so there is nothing to kill"),
        row(
            22,
            "Never: a sidecar that failed beside running containers is restarted",
            given(Never, with_regular(third().exited(137), Draft::up)),
            start(["s3"]),
        ),
        row(
            23,
            "Never: when all regular containers have succeeded the sidecars are stopped and the pod ends",
            given(Never, with_regular(third().up(), |main| main.exited(0))),
            ends(["s1", "s2", "s3"]),
        ),
        row(
            24,
            "sidecars of which no trace is left are started, and hold no regular container back",
            given(
                Always,
                sidecars(first().lost(), second().lost(), third().up()),
            ),
            start(["s1", "s2", "a", "b", "c"]),
        ),
        // From the prober, kubernetes#132826.
        extra(
            "Never: a sidecar that was restarted is probed again, and regular containers follow",
            given(
                Never,
                sidecars(first().up(), second().up(), third().exited(1)),
            )
            .and(Deed::Probed("s3", Startup, true)),
            start(["s3", "a", "b", "c"]),
        ),
    ]
}

fn sandboxes() -> Vec<Row<Situation, Then>> {
    let failed = || sidecars(first().up(), second().up(), third().exited(137));
    // A sidecar with a startup probe in the first place, so that nothing follows it at once.
    let failed_slow = || {
        sidecars(
            first().startup_probe().up(),
            second().up(),
            third().exited(137),
        )
    };
    let fresh = || sidecars(first().startup_probe(), second(), third());
    vec![
        row(
            16,
            "Never: a lost sandbox ends a pod whose sidecars have run",
            given(Never, failed()).sandbox_lost(),
            ends([]),
        ),
        row(
            17,
            "Never: a pod of which nothing was ever created gets a new sandbox",
            given(Never, fresh().into_iter().map(Draft::image)).sandbox_lost(),
            new_sandbox(["s1"]),
        ),
        row(
            18,
            "OnFailure: in a new sandbox the first sidecar comes first again",
            given(OnFailure, failed_slow()).sandbox_lost(),
            new_sandbox(["s1"]),
        ),
        row(
            19,
            "Always: in a new sandbox the first sidecar comes first again",
            given(Always, failed_slow()).sandbox_lost(),
            new_sandbox(["s1"]),
        ),
        // From 1.37, kubernetes#138514.
        extra(
            "regular containers of an older sandbox do not stand for sidecars in this one",
            given(
                Always,
                [
                    init("i1").ended_before(0),
                    second().ended_before(137),
                    main("a").ended_before(137),
                ],
            ),
            start(["i1"]),
        ),
    ]
}
