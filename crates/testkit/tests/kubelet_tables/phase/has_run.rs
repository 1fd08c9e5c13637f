//! An init container, a sidecar that has not started, and a regular container that ran before.

use crate::plain::{Draft, init, main, sidecar};
use crate::situation::{Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::RestartPolicy::Always;
use pillion_engine::status::Phase::{self, Pending, Running};

const OLD: &str = "what ran in an old sandbox is known to have ended, and no sidecar runs before the \
    init container in front of it has ended";

pub(crate) fn table() -> Table<Situation, Phase> {
    let y = sidecar("y").startup_probe();
    let pod = |x: Draft, y: Draft, a: Draft| given(Always, [x, y, a]);
    Table {
        original: "TestPodPhaseWithRestartAlwaysAndPodHasRun",
        len: 5,
        rows: vec![
            row(
                1,
                "the init container runs again, and both others were killed with the old sandbox",
                pod(
                    init("x").up(),
                    y.clone().ended_before(137),
                    main("a").ended_before(137),
                ),
                Pending,
            )
            .mapped(OLD),
            row(
                2,
                "the init container runs again, and the regular container had stopped before",
                pod(
                    init("x").up(),
                    y.clone().ended_before(137),
                    main("a").ended_before(0),
                ),
                Pending,
            )
            .mapped(OLD),
            row(
                3,
                "the sidecar has not started in the new sandbox, and the regular container had stopped before",
                pod(
                    init("x").done(),
                    y.clone().coming_up(),
                    main("a").ended_before(0),
                ),
                Pending,
            ),
            row(
                4,
                "the sidecar has not started again, and the regular container has stopped in this sandbox",
                pod(init("x").done(), y.clone().coming_up(), main("a").exited(0)),
                Running,
            ),
            row(
                5,
                "the sidecar has not started again, and the regular container runs",
                pod(init("x").done(), y.coming_up(), main("a").up()),
                Running,
            ),
        ],
        left_out: vec![],
    }
}
