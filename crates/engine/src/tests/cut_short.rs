//! Oneshots that do not come to their end: stopped with their target, killed, or too late for what they owe.

use super::{Draft, Stage};
use crate::pod::{Container, HookKind, OnRestart, ProbeKind, RestartPolicy};
use crate::status::Phase;
use crate::{Cause, Event, Exit, Found, What};
use std::time::Duration;

/// A migration through a tunnel, which has just ended well, and an app that needs the migration.
fn tunnelled() -> Stage {
    let mut stage = Draft::new(&["tunnel", "migrate", "app"])
        .undo("migrate")
        .on_restart("migrate", "tunnel", OnRestart::Restart)
        .requires("app", "migrate")
        .never()
        .play();
    stage.started("tunnel");
    stage.started("migrate");
    stage.exited("tunnel", 0);
    stage.asked();
    stage
}

/// A phase with one attempt before the app, in a pod that may run again.
fn one_attempt(change: impl FnOnce(&mut Container)) -> Stage {
    let draft = Draft::new(&["cred", "app"])
        .oneshot("cred")
        .phase(&["cred"], &["app"])
        .with("cred", |cred| {
            cred.restart.policy = RestartPolicy::Never;
            cred.restart.failure_restarts_pod = true;
        })
        .with("cred", change);
    draft.play()
}

fn told_whats(stage: &mut Stage) -> Vec<What> {
    stage.told().into_iter().map(|entry| entry.what).collect()
}

#[test]
fn a_oneshot_cut_short_with_its_target_has_not_succeeded() {
    let mut stage = tunnelled();

    stage.exited("migrate", 143);

    assert_eq!(stage.asked(), [""; 0], "neither the app nor an undo");
    assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 143)));
}

#[test]
fn a_oneshot_that_ended_with_0_when_its_target_had_gone_has_succeeded() {
    let mut stage = tunnelled();

    stage.exited("migrate", 0);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_oneshot_that_never_ran_to_its_end_has_not_succeeded_with_its_target() {
    let mut stage = Draft::new(&["tunnel", "migrate", "app"])
        .oneshot("migrate")
        .on_restart("migrate", "tunnel", OnRestart::Restart)
        .requires("app", "migrate")
        .policy("tunnel", RestartPolicy::Never)
        .play();
    stage.started("tunnel");
    stage.runs("migrate", 1);
    stage.runs("migrate", 1);
    stage.asked();

    stage.exited("tunnel", 0);

    assert_eq!(stage.asked(), [""; 0], "it was in its back-off");
    assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 1)));
}

#[test]
fn a_oneshot_cut_short_has_not_succeeded_when_the_pod_then_stops() {
    let mut stage = tunnelled();

    stage.delete();
    stage.exited("migrate", 143);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 143)));
}

#[test]
fn one_attempt_that_was_not_done_in_time_runs_the_pod_again() {
    let mut stage = one_attempt(|cred| cred.start_timeout = Some(Duration::from_secs(3)));
    stage.started("cred");
    stage.pass_secs(3);
    stage.asked();

    stage.exited("cred", 0);

    assert_eq!(stage.engine.run(), 2);
    assert_eq!(stage.asked(), ["start cred"]);
}

#[test]
fn one_attempt_that_could_not_be_started_in_time_runs_the_pod_again() {
    let mut stage = one_attempt(|cred| {
        cred.start_timeout = Some(Duration::from_secs(3));
        cred.image = Some("cred:1".into());
    });

    stage.pass_secs(3);

    assert_eq!(stage.engine.run(), 2);
}

#[test]
fn one_attempt_that_a_probe_killed_runs_the_pod_again() {
    let mut stage = Draft::new(&["cred", "app"])
        .oneshot("cred")
        .phase(&["cred"], &["app"])
        .probe("cred", ProbeKind::Liveness, 1)
        .with("cred", |cred| {
            cred.restart.policy = RestartPolicy::Never;
            cred.restart.failure_restarts_pod = true;
        })
        .play();
    stage.started("cred");
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("cred", ProbeKind::Liveness, false);
    }

    stage.exited("cred", 0);

    assert_eq!(stage.engine.run(), 2);
}

#[test]
fn one_attempt_whose_post_start_hook_failed_runs_the_pod_again() {
    let mut stage = one_attempt(|cred| cred.hooks.post_start = true);
    stage.started("cred");
    stage.hook_done("cred", HookKind::PostStart, false);

    stage.exited("cred", 0);

    assert_eq!(stage.engine.run(), 2);
}

#[test]
fn one_attempt_that_ran_out_of_memory_runs_the_pod_again_whatever_its_code() {
    let mut stage = one_attempt(|_| {});
    stage.started("cred");
    let exit = Exit {
        oom: true,
        ..Exit::code(0)
    };

    stage.exited_with("cred", exit);

    assert_eq!(stage.engine.run(), 2);
    let cred = stage.id("cred");
    let told = stage.told();
    let stops = told
        .iter()
        .find(|entry| matches!(entry.what, What::PodStopping { .. }));
    assert_eq!(
        stops.map(|entry| &entry.cause),
        Some(&Cause::FailedAttempt(cred))
    );
}

#[test]
fn one_attempt_that_its_target_cut_short_runs_the_pod_again() {
    for in_time in [true, false] {
        let mut stage = Draft::new(&["tunnel", "cred", "app"])
            .oneshot("cred")
            .phase(&["cred"], &["app"])
            .on_restart("cred", "tunnel", OnRestart::Restart)
            .policy("tunnel", RestartPolicy::Never)
            .with("cred", |cred| {
                cred.restart.policy = RestartPolicy::Never;
                cred.restart.failure_restarts_pod = true;
            })
            .play();
        stage.started("tunnel");
        stage.started("cred");
        stage.exited("tunnel", 0);

        stage.exited("cred", if in_time { 0 } else { 143 });

        assert_eq!(stage.engine.run(), if in_time { 1 } else { 2 });
    }
}

#[test]
fn one_attempt_that_succeeded_runs_nothing_again() {
    let mut stage = one_attempt(|_| {});

    stage.runs("cred", 0);

    assert_eq!(stage.engine.run(), 1);
}

#[test]
fn an_undo_after_the_budget_was_spent_is_told_as_skipped() {
    let mut stage = Draft::new(&["mount", "app"]).undo("mount").play();
    stage.started("mount");
    stage.started("app");
    stage.delete();
    stage.pass_secs(30);
    told_whats(&mut stage);

    stage.exited("mount", 0);

    assert!(told_whats(&mut stage).contains(&What::UndoSkipped));
}

#[test]
fn an_undo_that_the_budget_cuts_short_is_told_so() {
    for (code, cause) in [(143, Cause::Budget), (0, Cause::Itself)] {
        let mut stage = Draft::new(&["mount", "app"])
            .undo("mount")
            .requires("app", "mount")
            .play();
        stage.runs("mount", 0);
        stage.started("app");
        stage.delete();
        stage.exited("app", 0);
        stage.started("mount");
        stage.pass_secs(30);
        stage.told();

        stage.exited("mount", code);

        let told = stage.told();
        let undone = told
            .iter()
            .find(|entry| matches!(entry.what, What::Undone { .. }));
        assert_eq!(undone.map(|entry| &entry.cause), Some(&cause));
    }
}

#[test]
fn an_undo_that_is_lost_with_its_sandbox_is_told() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.delete();
    stage.exited("app", 0);
    stage.started("mount");
    told_whats(&mut stage);

    stage.event(Event::SandboxLost);

    assert!(told_whats(&mut stage).contains(&What::Undone { ok: false }));
    assert!(stage.result().is_some());
}

#[test]
fn an_undo_for_which_a_driver_came_back_too_late_is_told() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.delete();
    stage.lose_time(40);

    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: None,
    });

    assert!(told_whats(&mut stage).contains(&What::UndoSkipped));
    assert!(stage.result().is_some());
}
