//! One budget for a whole stop.

use super::{Draft, Stage};
use crate::pod::{HookKind, Hooks, Keystone, ProbeKind, Reaction};
use crate::status::Phase;
use crate::{Entry, Tick, What};
use std::time::Duration;

/// Two in a row, both up.
fn pair() -> Stage {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();
    stage
}

#[test]
fn a_late_turn_gets_what_is_left_of_the_budget() {
    let mut stage = pair();
    stage.delete();
    stage.pass_secs(20);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop app by 30s", "stop proxy by 30s"]);
}

#[test]
fn the_last_turn_gets_at_least_two_seconds() {
    let mut stage = pair();
    stage.delete();
    stage.pass_secs(29);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop app by 30s", "stop proxy by 31s"]);
}

#[test]
fn at_the_end_of_the_budget_all_that_remain_are_told_at_once() {
    let mut stage = pair();
    stage.delete();
    stage.pass_secs(30);

    assert_eq!(stage.asked(), ["stop app by 30s", "stop proxy by 32s"]);
}

#[test]
fn a_second_deletion_only_shortens() {
    let mut stage = pair();
    stage.delete();
    stage.delete_in(60);
    assert_eq!(stage.asked(), ["stop app by 30s"]);

    stage.pass_secs(1);
    stage.delete_in(5);
    assert_eq!(stage.asked(), ["stop app by 6s"]);
    stage.pass_secs(5);

    assert_eq!(stage.asked(), ["stop proxy by 8s"]);
}

#[test]
fn a_second_deletion_that_gives_no_more_time_is_told() {
    let mut stage = pair();
    stage.delete_in(20);
    stage.pass_secs(5);
    stage.told();

    stage.delete_in(60);

    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    let deadline = Tick::from_secs(20);
    assert_eq!(told, [What::PodNotDelayed { deadline }]);
}

#[test]
fn a_deletion_without_grace_gives_a_second() {
    let mut stage = pair();
    stage.delete_in(0);

    assert_eq!(stage.asked(), ["stop app by 2s"]);
}

#[test]
fn every_ordered_stop_of_a_pod_without_grace_has_a_second_for_hooks() {
    let stops: [fn(&mut Stage); 5] = [
        Stage::delete,
        |stage| stage.exited("app", 0),
        |stage| stage.exited("key", 0),
        |stage| stage.ask(Reaction::RestartPod),
        |stage| stage.pass_secs(60),
    ];
    for (number, stop) in stops.into_iter().enumerate() {
        let mut draft = Draft::new(&["proxy", "key", "app"])
            .never()
            .sidecar("proxy")
            .sidecar("key")
            .with("proxy", |proxy| proxy.hooks.pod_stopping = true)
            .with("key", |key| key.keystone = Some(Keystone::Any));
        draft.0.grace = Duration::ZERO;
        draft.0.active_deadline = Some(Duration::from_mins(1));
        let mut stage = draft.play();
        for name in ["proxy", "key", "app"] {
            stage.started(name);
        }
        stage.asked();

        stop(&mut stage);

        let asked = stage.asked();
        assert!(
            asked.contains(&"podStopping proxy".to_owned()),
            "stop {number}: {asked:?}"
        );
        let deadline = stage.engine.goal().deadline().unwrap();
        assert_eq!(deadline, stage.now + Duration::from_secs(1));
    }
}

#[test]
fn a_hook_ends_with_the_budget() {
    let hooks = Hooks {
        pre_stop: true,
        ..Hooks::default()
    };
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.hooks = hooks)
        .play();
    stage.started("app");
    stage.delete();
    stage.pass_secs(30);
    assert_eq!(
        stage.asked(),
        ["start app", "preStop app", "stop app by 32s"]
    );

    stage.hook_done("app", HookKind::PreStop, true);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn an_undo_that_was_not_begun_is_skipped_at_the_end_of_the_budget() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.delete();
    stage.pass_secs(30);
    stage.exited("app", 137);

    assert_eq!(
        stage.asked(),
        ["start mount", "start app", "stop app by 30s"]
    );
    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 137)));
}

#[test]
fn an_undo_that_takes_too_long_is_stopped() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.delete();
    stage.exited("app", 0);
    stage.started("mount");
    stage.asked();

    stage.pass_secs(30);

    assert_eq!(stage.asked(), ["stop mount by 32s"]);
}

#[test]
fn who_was_told_before_for_its_own_sake_is_held_to_the_budget() {
    let mut stage = pair();
    stage.ask_by(Some("proxy"), Reaction::Restart).unwrap();
    stage.delete_in(1);
    assert_eq!(stage.asked(), ["stop proxy by 30s", "stop app by 2s"]);

    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop proxy by 3s"]);
}

#[test]
fn who_fails_in_a_pod_that_stops_has_no_more_time_than_the_others() {
    let draft = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .probe("proxy", ProbeKind::Liveness, 1);
    let mut stage = draft.play();
    stage.started("proxy");
    stage.started("app");
    stage.delete_in(5);
    stage.asked();

    stage.pass_secs(1);
    for _ in 0..3 {
        stage.probed("proxy", ProbeKind::Liveness, false);
        stage.pass_secs(1);
    }

    let asked = stage.asked();
    assert!(asked.contains(&"stop proxy by 5s".into()), "{asked:?}");
}

#[test]
fn a_hook_that_was_cut_and_one_that_was_skipped_are_told_apart() {
    let hooks = |container: &mut crate::pod::Container| container.hooks.pre_stop = true;
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .with("proxy", hooks)
        .with("app", hooks)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.delete_in(5);
    stage.told();

    stage.pass_secs(5);

    let hook = HookKind::PreStop;
    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    assert!(told.contains(&What::HookCut(hook)), "{told:?}");
    assert!(told.contains(&What::HookSkipped(hook)), "{told:?}");
}

#[test]
fn a_hook_that_was_cut_is_not_told_to_have_failed_when_its_answer_comes() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| {
            app.hooks.pre_stop = true;
            app.stop_timeout = Some(Duration::from_secs(3));
        })
        .play();
    stage.started("app");
    stage.delete();
    stage.pass_secs(3);
    let told = stage.told();
    let cut = |entry: &Entry| entry.what == What::HookCut(HookKind::PreStop);
    assert!(told.iter().any(cut), "{told:?}");

    stage.hook_done("app", HookKind::PreStop, false);

    assert_eq!(stage.told(), []);
}

#[test]
fn a_hook_that_a_second_deletion_leaves_no_time_for_is_told() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| {
            app.hooks.pre_stop = true;
            app.hooks.pod_stopping = true;
        })
        .play();
    stage.started("app");
    stage.delete();
    stage.pass_secs(2);
    stage.told();

    stage.delete_in(2);
    stage.pass_secs(2);

    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    assert!(
        told.contains(&What::HookCut(HookKind::PodStopping)),
        "{told:?}"
    );
    assert!(
        told.contains(&What::HookSkipped(HookKind::PreStop)),
        "{told:?}"
    );
}

#[test]
fn a_hook_that_its_deadline_ended_was_cut_and_has_not_failed() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.hooks.pre_stop = true)
        .play();
    stage.started("app");
    stage.delete_in(5);
    stage.lose_time(5);
    stage.told();

    stage.hook_done("app", HookKind::PreStop, false);

    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    assert_eq!(told, [What::HookCut(HookKind::PreStop)]);
}
