//! Never pods in which one container, when it exits with 42, makes everything run again.

use crate::plain::{Draft, init, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Row, Table, row};
use pillion_engine::pod::RestartPolicy::Never;
use pillion_engine::status::Phase::{self, Failed, Pending, Running};

const INITIALISED: &str = "the original says that the pod has initialised in this sandbox, which no kubelet \
    finds when all containers were removed; with a sidecar that has started the row holds";

const NO_REGULAR: &str = "a pod without any regular container is none";

pub(crate) fn table() -> Table<Situation, Phase> {
    let mut rows = exits();
    rows.extend(cleaned_up());
    rows.extend(started_again());
    Table {
        original: "TestPodPhaseWithRestartAllContainers",
        len: 15,
        rows,
        left_out: vec![],
    }
}

fn regular_source() -> Draft {
    main("x").policy(Never).restarts_all_on(42)
}

fn init_source() -> Draft {
    init("x").policy(Never).restarts_all_on(42)
}

fn sidecar_source() -> Draft {
    sidecar("x").restarts_all_on(42)
}

fn exits() -> Vec<Row<Situation, Phase>> {
    vec![
        row(
            1,
            "a regular container asks for it",
            given(Never, [regular_source().exited(42)]),
            Running,
        ),
        row(
            2,
            "an init container asks for it",
            given(Never, [init_source().exited(42), main("a")]),
            Pending,
        )
        .mapped(NO_REGULAR),
        row(
            3,
            "a sidecar asks for it before a regular container has started",
            given(Never, [sidecar_source().exited(42), main("a")]),
            Pending,
        ),
        row(
            4,
            "a sidecar asks for it before an init container has started",
            given(Never, [sidecar_source().exited(42), init("i"), main("a")]),
            Pending,
        ),
    ]
}

fn cleaned_up() -> Vec<Row<Situation, Phase>> {
    vec![
        row(
            5,
            "a regular container asked for it",
            given(Never, [regular_source().removed()]),
            Running,
        ),
        row(
            6,
            "an init container asked for it",
            given(Never, [init_source().removed(), main("a")]),
            Pending,
        )
        .mapped(NO_REGULAR),
        row(
            7,
            "a sidecar asked for it before a regular container had started",
            given(Never, [sidecar_source().removed(), main("a")]),
            Pending,
        ),
        row(
            8,
            "a sidecar asked for it, and an init container was killed",
            given(
                Never,
                [sidecar_source().removed(), init("i").removed(), main("a")],
            ),
            Pending,
        ),
    ]
}

fn started_again() -> Vec<Row<Situation, Phase>> {
    vec![
        row(
            9,
            "a regular container asked for it, and the init container has succeeded again",
            given(Never, [init("i").exited(0), regular_source().removed()]),
            Running,
        ),
        row(
            10,
            "a regular container asked for it, and the init container fails this time",
            given(Never, [init("i").exited(1), regular_source().removed()]),
            Failed,
        ),
        row(
            11,
            "an init container asks for it before the regular container has started",
            given(Never, [init_source().exited(42), main("a")]),
            Pending,
        ),
        row(
            12,
            "an init container asked for it and has succeeded now",
            given(Never, [init_source().exited(0), main("a")]),
            Pending,
        ),
        row(
            13,
            "a sidecar asked for it, and the regular container was killed",
            given(Never, [sidecar_source().removed(), main("a").removed()]),
            Running,
        ),
        row(
            14,
            "a sidecar asked for it and runs again, and the regular container was killed",
            given(Never, [sidecar_source().up(), main("a").removed()]),
            Running,
        )
        .mapped(INITIALISED),
        row(
            15,
            "a sidecar asked for it and runs again, and an init container was killed",
            given(
                Never,
                [
                    sidecar_source().startup_probe().coming_up(),
                    init("i").removed(),
                    main("a"),
                ],
            ),
            Pending,
        ),
    ]
}
