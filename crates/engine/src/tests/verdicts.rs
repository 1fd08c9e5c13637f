//! The verdict over a run is kept with its end: a oneshot that was killed for a failure, or ran out of memory, has not
//! done its work, whatever its code, whenever that is asked.

use super::{Draft, Stage};
use crate::life::State;
use crate::pod::{HookKind, OnRestart, ProbeKind, RestartPolicy};
use crate::status::Phase;
use crate::{Exit, Found};
use std::time::Duration;

/// The ways in which a run of `migrate` fails though it ends with 0.
const FAILURES: [fn(&mut Stage); 4] = [
    |stage| {
        stage.hook_done("migrate", HookKind::PostStart, true);
        stage.pass_secs(3);
        stage.exited("migrate", 0);
    },
    |stage| {
        stage.hook_done("migrate", HookKind::PostStart, true);
        for _ in 0..3 {
            stage.probed("migrate", ProbeKind::Liveness, false);
            stage.pass_secs(1);
        }
        stage.exited("migrate", 0);
    },
    |stage| {
        stage.hook_done("migrate", HookKind::PostStart, false);
        stage.exited("migrate", 0);
    },
    |stage| {
        let exit = Exit {
            oom: true,
            ..Exit::code(0)
        };
        stage.exited_with("migrate", exit);
    },
];

/// A migration through a tunnel, which runs for the second time.
fn tunnelled() -> Stage {
    let mut stage = Draft::new(&["tunnel", "migrate", "app"])
        .undo("migrate")
        .on_restart("migrate", "tunnel", OnRestart::Restart)
        .requires("app", "migrate")
        .policy("tunnel", RestartPolicy::Never)
        .probe("migrate", ProbeKind::Liveness, 1)
        .with("migrate", |migrate| {
            migrate.start_timeout = Some(Duration::from_secs(3));
            migrate.hooks.post_start = true;
        })
        .play();
    stage.started("tunnel");
    stage.runs("migrate", 1);
    stage.started("migrate");
    stage
}

/// The migration has failed though it ended with 0, and is in its back-off.
fn failed(fail: fn(&mut Stage)) -> Stage {
    let mut stage = tunnelled();
    fail(&mut stage);
    stage.asked();
    let migrate = stage.engine.record(stage.id("migrate")).unwrap();
    assert!(matches!(migrate.state, State::BackOff { .. }));
    stage
}

#[test]
fn a_oneshot_that_failed_with_0_has_not_succeeded_with_its_target() {
    for fail in FAILURES {
        let mut stage = failed(fail);

        stage.exited("tunnel", 0);

        assert_eq!(stage.asked(), [""; 0], "neither the app nor an undo");
        assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 1)));
    }
}

#[test]
fn a_oneshot_that_failed_with_0_has_not_succeeded_when_the_pod_is_deleted() {
    for fail in FAILURES {
        let mut stage = failed(fail);

        stage.delete();
        stage.exited("tunnel", 0);

        assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 1)));
    }
}

#[test]
fn the_verdict_over_a_run_outlives_the_driver() {
    for fail in FAILURES {
        let mut stage = failed(fail);

        stage.crash(|_, attempt| Found::Running { attempt });
        stage.exited("tunnel", 0);

        assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 1)));
    }
}

#[test]
fn a_oneshot_that_a_stopping_pod_saw_killed_has_not_succeeded() {
    let mut stage = tunnelled();
    stage.hook_done("migrate", HookKind::PostStart, true);
    stage.pass_secs(3);

    stage.delete();
    stage.exited("migrate", 0);
    stage.exited("tunnel", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 1)));
}

#[test]
fn a_service_that_was_killed_and_ended_with_0_counts_by_its_code_when_the_pod_is_deleted() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Liveness, 1)
        .play();
    stage.runs("app", 1);
    stage.started("app");
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("app", ProbeKind::Liveness, false);
    }
    stage.exited("app", 0);

    stage.delete();

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}
