//! The order of a stop, its hooks, and what is restarted meanwhile.

use super::Draft;
use crate::Exit;
use crate::pod::{HookKind, Hooks, ProbeKind, Reaction, RestartPolicy};
use crate::status::Phase;
use std::time::Duration;

const PRE_STOP: Hooks = Hooks {
    post_start: false,
    pre_stop: true,
    pod_stopping: false,
};

#[test]
fn a_target_is_stopped_when_all_that_require_it_are_down() {
    let mut stage = Draft::new(&["proxy", "a", "b"])
        .requires("a", "proxy")
        .requires("b", "proxy")
        .play();
    for name in ["proxy", "a", "b"] {
        stage.started(name);
    }
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["stop a by 30s", "stop b by 30s"]);
    stage.exited("a", 0);
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited("b", 0);
    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
    stage.exited("proxy", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn the_order_holds_through_containers_that_are_down() {
    let mut stage = Draft::new(&["a", "b", "c"])
        .requires("b", "a")
        .requires("c", "b")
        .play();
    for name in ["a", "b", "c"] {
        stage.started(name);
    }
    stage.exited("b", 1);
    stage.exited("b", 1);
    stage.asked();

    stage.delete();

    assert_eq!(
        stage.asked(),
        ["stop c by 30s"],
        "a waits for c, though b is down"
    );
}

#[test]
fn sidecars_are_stopped_after_all_mains() {
    let mut stage = Draft::new(&["log", "app", "job"])
        .sidecar("log")
        .sidecars_stop_last()
        .play();
    for name in ["log", "app", "job"] {
        stage.started(name);
    }
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["stop app by 30s", "stop job by 30s"]);
    stage.exited("app", 0);
    stage.exited("job", 0);

    assert_eq!(stage.asked(), ["stop log by 30s"]);
}

#[test]
fn a_sidecar_is_restarted_while_something_above_it_is_up() {
    let draft = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy");
    let mut stage = draft.play();
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.asked();

    stage.exited("proxy", 1);
    assert_eq!(stage.asked(), ["start proxy"]);
    stage.started("proxy");
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
}

#[test]
fn a_sidecar_that_is_restarted_in_a_stop_gets_its_image() {
    let draft = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy");
    let mut stage = draft
        .with("proxy", |proxy| proxy.image = Some("mesh/proxy".into()))
        .play();
    stage.pulled("proxy");
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.asked();

    stage.exited("proxy", 1);
    assert_eq!(stage.asked(), ["pull proxy"]);
    stage.pulled("proxy");
    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn an_image_for_a_restart_in_a_stop_is_not_waited_for_after_its_turn() {
    let draft = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy");
    let mut stage = draft
        .with("proxy", |proxy| proxy.image = Some("mesh/proxy".into()))
        .play();
    stage.pulled("proxy");
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.exited("proxy", 1);
    stage.asked();

    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["cancel pull proxy"]);
    assert!(stage.result().is_some());
}

#[test]
fn a_plain_sidecar_is_not_restarted_in_an_ending_pod() {
    let draft = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy");
    let mut stage = draft.with("proxy", |proxy| proxy.plain = true).play();
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.asked();

    stage.exited("proxy", 1);
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_pre_stop_hook_runs_at_the_containers_own_turn() {
    let draft = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .with("proxy", |proxy| proxy.hooks = PRE_STOP);
    let mut stage = draft.play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["preStop proxy"]);
    stage.hook_done("proxy", HookKind::PreStop, true);

    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
}

#[test]
fn a_plain_pre_stop_hook_runs_when_the_pod_begins_to_stop() {
    let draft = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .with("proxy", |proxy| {
            proxy.hooks = PRE_STOP;
            proxy.plain = true;
        });
    let mut stage = draft.play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["preStop proxy", "stop app by 30s"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), [""; 0], "its hook is waited for");
    stage.hook_done("proxy", HookKind::PreStop, false);

    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
}

#[test]
fn the_pod_stopping_hook_runs_everywhere_at_once() {
    let hooks = Hooks {
        pod_stopping: true,
        ..Hooks::default()
    };
    let draft = Draft::new(&["proxy", "app"]).requires("app", "proxy");
    let mut stage = draft
        .with("proxy", |proxy| proxy.hooks = hooks)
        .with("app", |app| app.hooks = hooks)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["podStopping proxy", "podStopping app"]);
    stage.hook_done("app", HookKind::PodStopping, true);

    assert_eq!(stage.asked(), ["stop app by 30s"]);
}

#[test]
fn a_stop_during_the_start_cancels_waits_and_pulls() {
    let draft = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .requires("app", "setup");
    let mut stage = draft
        .with("app", |app| app.image = Some("app:1".into()))
        .play();
    stage.started("setup");
    assert_eq!(stage.asked(), ["pull app", "start setup"]);

    stage.delete();
    assert_eq!(stage.asked(), ["cancel pull app", "stop setup by 30s"]);
    stage.exited("setup", 0);

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(
        stage.result(),
        Some((Phase::Failed, None, 1)),
        "a main that never ran is a failure"
    );
}

#[test]
fn a_container_that_is_being_started_is_told_to_stop_as_well() {
    let mut stage = Draft::new(&["app"]).play();
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.started("app");
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited_with("app", Exit::signal(15));

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 143)));
}

#[test]
fn an_undo_runs_when_all_that_require_the_oneshot_are_down() {
    let mut stage = Draft::new(&["net", "mount", "app"])
        .undo("mount")
        .requires("mount", "net")
        .requires("app", "mount")
        .play();
    stage.started("net");
    stage.runs("mount", 0);
    stage.started("app");
    stage.asked();

    stage.delete();
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["undo mount"]);
    stage.runs("mount", 1);

    assert_eq!(
        stage.asked(),
        ["stop net by 30s"],
        "what the oneshot requires stays until its undo has ended"
    );
}

#[test]
fn a_oneshot_that_failed_is_not_undone() {
    let draft = Draft::new(&["mount", "app"])
        .undo("mount")
        .policy("mount", RestartPolicy::Never);
    let mut stage = draft.play();
    stage.runs("mount", 1);
    stage.started("app");
    stage.asked();

    stage.delete();
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop app by 30s"]);
    assert_eq!(stage.result(), Some((Phase::Failed, Some("mount"), 1)));
}

#[test]
fn a_stop_timeout_limits_one_container() {
    let draft =
        Draft::new(&["app"]).with("app", |app| app.stop_timeout = Some(Duration::from_secs(5)));
    let mut stage = draft.play();
    stage.started("app");
    stage.asked();

    stage.delete();

    assert_eq!(stage.asked(), ["stop app by 5s"]);
}

#[test]
fn a_stop_timeout_limits_a_restart_that_was_asked_for() {
    for (limit, by) in [(5, "5s"), (1, "1s"), (50, "30s")] {
        let limit = Some(Duration::from_secs(limit));
        let draft = Draft::new(&["app"]).with("app", |app| app.stop_timeout = limit);
        let mut stage = draft.play();
        stage.started("app");
        stage.asked();

        stage.ask_by(Some("app"), Reaction::Restart).unwrap();

        assert_eq!(stage.asked(), [format!("stop app by {by}")]);
    }
}

#[test]
fn liveness_rests_when_the_container_is_being_stopped_and_readiness_does_not() {
    let draft = Draft::new(&["app"])
        .probe("app", ProbeKind::Liveness, 1)
        .probe("app", ProbeKind::Readiness, 1);
    let mut stage = draft.with("app", |app| app.hooks = PRE_STOP).play();
    stage.started("app");
    stage.delete();
    stage.asked();

    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["readiness app"]);
}
