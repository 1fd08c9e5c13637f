//! What has a time keeps it when the driver dies and comes back.

use super::{Draft, Stage};
use crate::pod::{Need, OnRestart, ProbeKind, RestartPolicy};
use crate::status::Phase;
use crate::{Found, Request};
use std::time::Duration;

fn running(_: &str, attempt: u32) -> Found {
    Found::Running { attempt }
}

/// The driver is away from the 6th to the 8th second.
fn crash_at_six(stage: &mut Stage) {
    stage.pass_secs(6);
    stage.lose_time(2);
    stage.crash(running);
    stage.asked();
}

#[test]
fn a_start_has_the_time_that_it_had() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Readiness, 60)
        .with("app", |app| {
            app.start_timeout = Some(Duration::from_secs(20));
        })
        .play();
    stage.started("app");
    crash_at_six(&mut stage);

    stage.pass_secs(11);
    stage.asked();
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop app by 50s"]);
}

#[test]
fn a_start_that_is_over_is_not_timed_again() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Readiness, 1)
        .with("app", |app| {
            app.start_timeout = Some(Duration::from_secs(20));
        })
        .play();
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("app", ProbeKind::Readiness, true);
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("app", ProbeKind::Readiness, false);
    }
    assert!(!stage.engine.status().container("app").unwrap().ready);

    stage.crash(running);
    stage.asked();
    stage.pass_secs(60);

    assert!(
        !stage
            .asked()
            .iter()
            .any(|action| action.starts_with("stop"))
    );
}

#[test]
fn a_wait_has_the_time_that_it_had() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 60)
        .edge("app", "db", |edge| {
            edge.timeout = Some(Duration::from_secs(10));
        })
        .play();
    stage.started("db");
    crash_at_six(&mut stage);

    stage.pass_secs(1);
    assert_eq!(stage.phase(), Phase::Pending);
    stage.pass_secs(1);

    assert!(stage.asked().contains(&"stop db by 40s".to_owned()));
}

#[test]
fn a_wait_goes_on_counting_over_the_tries_of_its_target() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 60)
        .edge("app", "db", |edge| {
            edge.timeout = Some(Duration::from_secs(10));
        })
        .play();
    stage.started("db");
    stage.pass_secs(5);
    stage.exited("db", 1);
    stage.started("db");
    stage.crash(running);
    stage.asked();

    stage.pass_secs(5);

    assert!(stage.asked().contains(&"stop db by 40s".to_owned()));
}

#[test]
fn a_replacement_has_the_time_that_it_had() {
    let mut stage = Draft::new(&["proxy"])
        .probe("proxy", ProbeKind::Readiness, 60)
        .play();
    stage.started("proxy");
    stage.pass_secs(0);
    stage.probed("proxy", ProbeKind::Readiness, true);
    let container = stage.id("proxy");
    let with = Box::new(stage.engine.pod().containers[container.index()].clone());
    let timeout = Some(Duration::from_secs(20));
    let replace = Request::Replace {
        container,
        with,
        timeout,
        force: false,
    };
    stage.request(replace).unwrap();
    stage.exited("proxy", 0);
    stage.started("proxy");
    crash_at_six(&mut stage);

    stage.pass_secs(11);
    stage.asked();
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop proxy by 50s"], "it is rolled back");
}

#[test]
fn whoever_goes_down_with_another_must_go_when_it_had_to() {
    let mut stage = Draft::new(&["mount", "app", "web"])
        .on_restart("app", "mount", OnRestart::Restart)
        .on_restart("web", "app", OnRestart::Restart)
        .play();
    for name in ["mount", "app", "web"] {
        stage.started(name);
    }
    stage.exited("mount", 1);
    crash_at_six(&mut stage);

    stage.pass_secs(21);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop app by 32s"]);
}

#[test]
fn whoever_was_stopped_with_its_target_waits_for_it_whatever_its_need() {
    for need in [Need::Soft, Need::Order] {
        let mut stage = Draft::new(&["mount", "app"])
            .edge("app", "mount", |edge| {
                edge.need = need;
                edge.on_restart = OnRestart::Restart;
            })
            .probe("mount", ProbeKind::Readiness, 60)
            .play();
        stage.started("mount");
        stage.pass_secs(0);
        stage.probed("mount", ProbeKind::Readiness, true);
        stage.started("app");
        stage.exited("mount", 1);
        stage.exited("app", 0);
        stage.asked();

        stage.crash(|name, attempt| match name {
            "mount" => Found::NeverCreated,
            _ => Found::Running { attempt },
        });

        assert_eq!(stage.asked(), ["start mount"], "{need:?}");
    }
}

#[test]
fn a_requirement_that_had_held_still_has() {
    let mut stage = Draft::new(&["mount", "app"])
        .edge("app", "mount", |edge| {
            edge.need = Need::Soft;
            edge.on_restart = OnRestart::Restart;
        })
        .probe("mount", ProbeKind::Readiness, 1)
        .play();
    stage.started("mount");
    stage.pass_secs(0);
    stage.probed("mount", ProbeKind::Readiness, true);
    stage.started("app");
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("mount", ProbeKind::Readiness, false);
    }
    stage.crash(running);
    stage.asked();

    stage.exited("mount", 1);

    assert!(stage.asked().contains(&"stop app by 33s".to_owned()));
}

#[test]
fn a_requirement_that_never_held_still_has_not() {
    let mut stage = Draft::new(&["mount", "app"])
        .edge("app", "mount", |edge| {
            edge.need = Need::Soft;
            edge.on_restart = OnRestart::Restart;
        })
        .probe("mount", ProbeKind::Readiness, 1)
        .play();
    stage.runs("mount", 1);
    stage.started("app");
    stage.started("mount");
    stage.crash(running);
    stage.asked();

    stage.exited("mount", 1);

    assert_eq!(stage.asked(), [""; 0], "the app had been up without it");
}

#[test]
fn a_plain_sidecar_of_a_pod_that_winds_down_is_not_tended() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .with("proxy", |proxy| proxy.plain = true)
        .with("app", |app| app.plain = true)
        .policy("app", RestartPolicy::Never)
        .probe("app", ProbeKind::Liveness, 1)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.pass_secs(0);
    for _ in 0..3 {
        stage.probed("app", ProbeKind::Liveness, false);
        stage.pass_secs(1);
    }
    assert!(stage.asked().contains(&"stop app by 32s".to_owned()));
    stage.crash(running);
    stage.asked();

    stage.exited("proxy", 1);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_start_that_took_too_long_and_then_failed_has_failed_by_its_policy() {
    let late = || {
        let mut stage = Draft::new(&["app"])
            .never()
            .with("app", |app| {
                app.start_timeout = Some(Duration::from_secs(5));
            })
            .play();
        stage.pass_secs(5);
        assert!(stage.asked().contains(&"stop app by 35s".to_owned()));
        stage
    };
    let failed = Phase::Failed;

    let mut stage = late();
    stage.start_fails("app");
    assert_eq!(stage.result().map(|(phase, ..)| phase), Some(failed));

    let mut stage = late();
    stage.crash(|_, _| Found::NeverCreated);
    assert_eq!(stage.result().map(|(phase, ..)| phase), Some(failed));
}
