//! How much time a stop has, for one container and for those that go down with another, and what
//! goes on or rests meanwhile.

use super::{Draft, Stage};
use crate::What;
use crate::pod::{HookKind, OnRestart, ProbeKind, Reaction, RestartPolicy, Until};
use std::time::Duration;

/// `top` restarts with `app`, which restarts with `base`; all are up.
fn tower(draft: Draft) -> Stage {
    let mut stage = draft
        .on_restart("app", "base", OnRestart::Restart)
        .on_restart("top", "app", OnRestart::Restart)
        .play();
    for name in ["base", "app", "top"] {
        stage.started(name);
    }
    stage.asked();
    stage
}

/// Three liveness failures, a period of a second apart.
fn liveness_fails(stage: &mut Stage, name: &str) {
    stage.pass_secs(0);
    for _ in 0..3 {
        stage.probed(name, ProbeKind::Liveness, false);
        stage.pass_secs(1);
    }
}

fn stops(stage: &mut Stage) -> Vec<String> {
    let mut asked = stage.asked();
    asked.retain(|action| action.starts_with("stop"));
    asked
}

#[test]
fn a_deletion_without_grace_leaves_a_hook_one_second() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.hooks.pre_stop = true)
        .play();
    stage.started("app");
    stage.asked();

    stage.delete_in(0);
    assert_eq!(stage.asked(), ["preStop app"]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop app by 3s"]);
}

#[test]
fn a_stop_timeout_is_exact_however_short() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.stop_timeout = Some(Duration::from_secs(1)))
        .play();
    stage.started("app");
    stage.asked();

    stage.delete();

    assert_eq!(stage.asked(), ["stop app by 1s"]);
}

#[test]
fn a_stop_timeout_does_not_take_the_last_two_seconds_from_a_kill_by_a_probe() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Liveness, 1)
        .with("app", |app| {
            app.stop_timeout = Some(Duration::from_secs(1));
            let probe = app.probes.liveness.as_mut().unwrap();
            probe.failure_threshold = 1;
            probe.grace = Some(Duration::from_secs(1));
        })
        .play();
    stage.started("app");
    stage.pass_secs(0);

    stage.probed("app", ProbeKind::Liveness, false);

    assert_eq!(stops(&mut stage), ["stop app by 2s"]);
}

#[test]
fn a_second_reason_to_go_down_gives_no_more_time() {
    let draft = Draft::new(&["other", "base", "app", "top"]);
    let mut stage = tower(draft.on_restart("app", "other", OnRestart::Stop));
    stage.started("other");
    stage.started("app");
    stage.started("top");
    stage.exited("base", 1);
    stage.pass_secs(10);
    stage.exited("other", 1);
    assert_eq!(stops(&mut stage), ["stop top by 30s"]);

    stage.pass_secs(20);

    assert_eq!(stops(&mut stage), ["stop app by 32s"]);
}

#[test]
fn those_that_go_down_with_another_have_one_grace_period_together() {
    let mut stage = tower(Draft::new(&["base", "app", "top"]));
    stage.exited("base", 1);
    assert_eq!(stops(&mut stage), ["stop top by 30s"]);
    stage.pass_secs(20);

    stage.exited("top", 0);

    assert_eq!(stops(&mut stage), ["stop app by 30s"]);
}

#[test]
fn a_hook_ends_with_the_time_to_go_down_with_another() {
    let draft = Draft::new(&["base", "app", "top"])
        .probe("app", ProbeKind::Liveness, 1)
        .with("app", |app| app.hooks.pre_stop = true);
    let mut stage = tower(draft);
    stage.exited("base", 1);
    // It is killed while it waits for its turn: by its own count it has until the 33rd second.
    liveness_fails(&mut stage, "app");
    assert!(stage.asked().contains(&"preStop app".to_owned()));

    stage.pass_secs(27);

    assert_eq!(stops(&mut stage), ["stop app by 32s"]);
}

#[test]
fn a_oneshot_that_has_ended_takes_nobody_along() {
    let mut stage = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .edge("app", "setup", |edge| {
            edge.until = Until::Started;
            edge.on_restart = OnRestart::Restart;
        })
        .play();
    stage.started("setup");
    stage.started("app");
    stage.asked();

    stage.exited("setup", 0);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn who_failed_before_it_was_brought_down_waits_its_back_off_out() {
    let mut stage = tower(Draft::new(&["base", "app", "top"]));
    stage.exited("app", 1);
    stage.exited("top", 0);
    stage.started("app");
    stage.started("top");
    stage.exited("base", 1);
    stage.started("base");
    stage.exited("app", 1);
    stage.asked();

    stage.exited("top", 0);
    stage.pass_secs(9);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_restart_of_all_containers_runs_no_hooks_and_misses_none() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| {
            app.hooks.pre_stop = true;
            app.hooks.pod_stopping = true;
        })
        .play();
    stage.started("app");
    stage.asked();
    stage.told();

    stage.ask(Reaction::RestartAllContainers);

    assert_eq!(stage.asked(), ["stop app by 2s"]);
    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    let skipped = What::HookSkipped(HookKind::PreStop);
    assert!(!told.contains(&skipped), "{told:?}");
}

#[test]
fn a_restart_of_all_containers_does_not_wait_for_a_hook_that_runs() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.hooks.pre_stop = true)
        .play();
    stage.started("app");
    stage.ask_by(Some("app"), Reaction::Restart).unwrap();
    assert_eq!(stage.asked(), ["start app", "preStop app"]);

    stage.ask(Reaction::RestartAllContainers);

    assert_eq!(stage.asked(), ["stop app by 2s"]);
}

#[test]
fn the_back_off_of_a_sidecar_goes_on_when_the_pod_begins_to_stop() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.exited("proxy", 1);
    stage.runs("proxy", 1);
    stage.asked();

    stage.delete();
    stage.pass_secs(9);
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn the_probes_of_a_plain_container_rest_when_the_pod_stops() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .probe("db", ProbeKind::Liveness, 1)
        .with("db", |db| db.plain = true)
        .play();
    stage.started("db");
    stage.started("app");
    stage.asked();

    stage.delete();
    stage.pass_secs(5);

    assert_eq!(stage.asked(), ["stop app by 30s"]);
}

#[test]
fn a_plain_sidecar_is_not_probed_for_life_while_its_pod_winds_down() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .with("proxy", |proxy| proxy.plain = true)
        .probe("proxy", ProbeKind::Liveness, 5)
        .policy("app", RestartPolicy::Never)
        .probe("app", ProbeKind::Liveness, 1)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("proxy", ProbeKind::Liveness, true);
    liveness_fails(&mut stage, "app");
    assert!(stage.asked().contains(&"stop app by 32s".to_owned()));

    stage.pass_secs(10);

    assert_eq!(stage.asked(), [""; 0]);
}
