//! What probes make of a container's status: the kubelet's prober.

use crate::driver::Manner;
use crate::plain::{Draft, init, main, sidecar};
use crate::situation::{Deed, Situation, given};
use crate::table::{Table, row};
use pillion_engine::pod::ProbeKind::Readiness;
use pillion_engine::pod::RestartPolicy::Never;

/// Whether a container shows that it has started, and that it is ready.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Shown {
    started: bool,
    ready: bool,
}

fn shown(started: bool, ready: bool) -> Shown {
    Shown { started, ready }
}

/// The container that is looked at, beside one that keeps the pod going.
fn beside_another(draft: Draft) -> Situation {
    given(Never, [draft, main("other").up()])
}

pub(crate) fn regular() -> Table<Situation, Shown> {
    let x = main("x");
    let answered =
        |ok| beside_another(main("x").readiness_probe().up()).and(Deed::Probed("x", Readiness, ok));
    Table {
        original: "TestUpdatePodStatus",
        len: 7,
        rows: vec![
            row(
                1,
                "without a readiness probe it is ready",
                beside_another(x.clone().liveness_probe().up()),
                shown(true, true),
            ),
            row(
                2,
                "its readiness probe passed",
                answered(true),
                shown(true, true),
            ),
            row(
                3,
                "its readiness probe has no answer yet",
                beside_another(x.clone().readiness_probe().up()),
                shown(true, false),
            ),
            row(
                4,
                "its readiness probe failed",
                answered(false),
                shown(true, false),
            ),
            row(
                5,
                "its startup probe has not passed",
                beside_another(x.clone().startup_probe().coming_up()),
                shown(false, false),
            ),
            row(
                6,
                "its startup probe passed, and it has no other",
                beside_another(x.clone().startup_probe().up()),
                shown(true, true),
            ),
            row(
                7,
                "it has ended, whatever its readiness probe said",
                beside_another(x.readiness_probe().exited(0)),
                shown(false, false),
            ),
        ],
        left_out: vec![],
    }
}

pub(crate) fn init_list() -> Table<Situation, Shown> {
    let s = sidecar("x").startup_probe();
    Table {
        original: "TestUpdatePodStatusWithInitContainers",
        len: 6,
        rows: vec![
            row(
                2,
                "an init container that runs is not ready",
                given(Never, [init("x").up(), main("a")]),
                shown(true, false),
            ),
            row(
                3,
                "an init container that has succeeded is ready",
                given(Never, [init("x").exited(0), main("a")]),
                shown(false, true),
            ),
            row(
                4,
                "a sidecar whose startup probe has not passed is not ready",
                beside_another(s.clone().coming_up()),
                shown(false, false),
            ),
            row(
                5,
                "a sidecar whose startup probe passed is ready",
                beside_another(s.clone().up()),
                shown(true, true),
            ),
            row(
                6,
                "a sidecar that has ended is not ready",
                beside_another(s.exited(0)),
                shown(false, false),
            ),
        ],
        left_out: vec![(
            1,
            "init containers that run to completion cannot have probes",
        )],
    }
}

pub(crate) fn play(situation: &Situation) -> Vec<Shown> {
    let mut driver = situation.found(Manner::Watches);
    situation.happen(&mut driver);
    let status = driver.engine.status();
    let container = status.container("x").expect("every row looks at x");
    vec![shown(container.started, container.ready)]
}
