//! Oneshots that are reversed at shutdown.

use super::{Draft, Stage};
use crate::pod::{Kind, OnRestart, Reaction, Rerun};
use crate::status::Phase;
use crate::{Cause, Event, Found, What};
use std::time::Duration;

/// A mount that is made once in the pod's life and reversed at its end, and an app beside it; both are through and up.
fn once() -> Stage {
    let draft = Draft::new(&["mount", "app"]).with("mount", |mount| {
        mount.kind = Kind::Oneshot {
            undo: true,
            rerun: Rerun::Never,
        };
    });
    let mut stage = draft.play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.asked();
    stage
}

#[test]
fn an_end_in_the_middle_of_a_restart_reverses_what_the_restart_leaves() {
    let mut stage = once();
    stage.ask(Reaction::RestartPod);
    assert_eq!(stage.asked(), ["stop app by 30s"]);

    stage.delete();

    assert_eq!(stage.asked(), ["undo mount"]);
}

#[test]
fn a_restart_that_ran_out_of_time_leaves_the_undo_to_the_end() {
    let mut stage = once();
    stage.ask(Reaction::RestartPod);
    stage.pass_secs(30);
    stage.exited("app", 137);
    stage.started("app");
    stage.asked();

    stage.delete();
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["undo mount", "stop app by 60s"]);
}

#[test]
fn a_deletion_after_a_kill_of_all_has_a_budget_of_its_own() {
    let mut stage = once();
    stage.ask(Reaction::RestartAllContainers);
    stage.delete();
    assert_eq!(stage.asked(), ["stop app by 2s", "undo mount"]);
    stage.exited("app", 137);

    stage.pass_secs(29);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop mount by 32s"]);
}

#[test]
fn a_deletion_while_a_restart_waits_has_a_budget_of_its_own() {
    let mut stage = once();
    for _ in 0..2 {
        stage.ask(Reaction::RestartPod);
        stage.exited("app", 0);
        stage.started("app");
    }
    stage.asked();
    stage.pass_secs(5);

    stage.delete();
    stage.pass_secs(29);

    assert_eq!(stage.asked(), ["undo mount"]);
}

#[test]
fn nothing_is_reversed_where_nothing_can_run() {
    let draft = Draft::new(&["mount", "app"]).undo("mount");
    let mut stage = draft.requires("app", "mount").play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.asked();
    stage.delete();

    stage.event(Event::SandboxLost);

    assert_eq!(stage.asked(), ["stop app by 30s"]);
    assert!(stage.result().is_some());
}

#[test]
fn a_stop_timeout_limits_a_reversal() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .with("mount", |mount| {
            mount.stop_timeout = Some(Duration::from_secs(5));
        })
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.delete();
    stage.exited("app", 0);
    stage.started("mount");
    stage.pass_secs(3);
    stage.crash(|_, attempt| Found::Running { attempt });
    stage.asked();

    stage.pass_secs(1);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop mount by 7s"]);
}

#[test]
fn what_may_have_been_done_is_reversed() {
    let mut stage = Draft::new(&["claim"]).undo("claim").play();
    stage.started("claim");
    stage.delete();
    stage.asked();

    stage.exited("claim", 0);
    assert_eq!(
        stage.asked(),
        ["undo claim"],
        "it did not stop when it was told to"
    );
    stage.runs("claim", 0);

    assert!(stage.result().is_some());
}

#[test]
fn what_a_signal_ended_was_not_done() {
    let mut stage = Draft::new(&["claim"]).undo("claim").play();
    stage.started("claim");
    stage.delete();
    stage.asked();

    stage.exited("claim", 143);

    assert_eq!(stage.asked(), [""; 0]);
    assert!(stage.result().is_some());
}

#[test]
fn a_restart_that_used_up_its_time_leaves_the_end_its_own() {
    let mut stage = once();
    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);
    stage.started("app");
    stage.ask(Reaction::RestartPod);
    stage.pass_secs(30);
    stage.exited("app", 137);
    stage.asked();

    stage.delete();

    assert_eq!(stage.asked(), ["undo mount"]);
}

#[test]
fn a_reversal_that_a_lost_sandbox_makes_impossible_is_told() {
    let mut stage = Draft::new(&["mount", "app"]).never().undo("mount").play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.told();

    stage.event(Event::SandboxLost);

    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    assert!(told.contains(&What::UndoSkipped), "{told:?}");
    assert!(
        matches!(told.last(), Some(What::PodEnded { .. })),
        "{told:?}"
    );
}

#[test]
fn what_an_earlier_run_did_is_reversed_though_a_later_one_failed() {
    let mut stage = once();
    stage.ask_by(Some("mount"), Reaction::Restart).unwrap();
    stage.runs("mount", 1);
    stage.asked();

    stage.delete();
    stage.exited("app", 0);
    stage.exited("mount", 143);

    assert_eq!(stage.asked().last().unwrap(), "undo mount");
}

#[test]
fn what_runs_again_because_somebody_asked_says_so() {
    let mut stage = once();
    stage.told();
    stage.ask_by(Some("mount"), Reaction::Restart).unwrap();
    let told = stage.told().swap_remove(0);
    let after = Duration::ZERO;
    assert_eq!(told.what, What::Restarting { after });
    assert!(matches!(told.cause, Cause::Asked { .. }), "{told:?}");
}

/// A mount that was stopped with its tunnel, ended with 0, and waits for the tunnel to come back.
fn stopped_with_its_tunnel(rerun: Rerun) -> Stage {
    let mut stage = Draft::new(&["tunnel", "mount", "app"])
        .with("mount", |mount| {
            mount.kind = Kind::Oneshot { undo: true, rerun };
        })
        .on_restart("mount", "tunnel", OnRestart::Restart)
        .play();
    stage.started("tunnel");
    stage.started("mount");
    stage.started("app");
    stage.exited("tunnel", 1);
    stage.exited("mount", 0);
    stage.asked();
    stage
}

#[test]
fn what_may_have_been_done_before_a_restart_that_never_came_is_reversed() {
    let mut stage = stopped_with_its_tunnel(Rerun::OnPodRestart);

    stage.delete();
    stage.exited("app", 0);

    let asked = stage.asked();
    assert!(asked.contains(&"undo mount".to_owned()), "{asked:?}");
    stage.runs("mount", 0);
    stage.exited("tunnel", 0);
    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn what_may_not_have_been_done_is_run_again_with_the_pod() {
    let mut stage = stopped_with_its_tunnel(Rerun::Never);

    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);
    stage.runs("mount", 0);
    stage.exited("tunnel", 0);
    stage.asked();
    stage.started("tunnel");

    assert_eq!(stage.asked(), ["start mount"]);
}
