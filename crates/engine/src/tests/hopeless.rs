//! Whoever lacks something for ever gives up at once, also between two tries, in a stopping pod and after a crash of
//! the driver.

use super::{Draft, Stage};
use crate::life::State;
use crate::pod::{Keystone, OnGiveUp, OnRestart, RestartLimit, RestartPolicy, Target, Until};
use crate::{Cause, Event, Found, Impossible, What};
use std::time::Duration;

fn has_given_up(stage: &Stage, name: &str) -> bool {
    let record = stage.engine.record(stage.id(name)).unwrap();
    matches!(record.state, State::GaveUp { .. })
}

/// An app between two tries that is to go down with its database, after the top that requires it; what it needs beside
/// is gone for good.
fn backing_off() -> Stage {
    let mut stage = Draft::new(&["main", "db", "vault", "app", "top"])
        .sidecar("app")
        .sidecar("top")
        .on_restart("app", "db", OnRestart::Restart)
        .requires("app", "vault")
        .on_restart("top", "app", OnRestart::Restart)
        .policy("vault", RestartPolicy::Never)
        .with("app", |app| app.image = Some("app:1".into()))
        .play();
    for name in ["main", "db", "vault"] {
        stage.started(name);
    }
    stage.pulled("app");
    stage.started("app");
    stage.exited("app", 1);
    stage.pulled("app");
    stage.started("app");
    stage.started("top");
    stage.exited("db", 1);
    stage.exited("app", 1);
    let app = stage.engine.record(stage.id("app")).unwrap();
    assert!(matches!(app.state, State::BackOff { .. }));
    stage.exited("vault", 1);
    stage.asked();
    stage
}

#[test]
fn whoever_backs_off_gives_up_when_those_above_it_are_down() {
    let mut stage = backing_off();
    assert!(!has_given_up(&stage, "app"), "the top is still to go");

    stage.exited("top", 0);

    assert!(has_given_up(&stage, "app"));
}

#[test]
fn whoever_backs_off_gives_up_the_same_after_a_crash() {
    let mut stage = backing_off();

    stage.crash(|_, attempt| Found::Running { attempt });
    let pulls = stage.asked().iter().filter(|it| *it == "pull app").count();
    assert_eq!(pulls, 0, "it needs no image");
    assert!(!has_given_up(&stage, "app"));
    stage.exited("top", 0);

    assert!(has_given_up(&stage, "app"));
}

/// A proxy that went down in a stopping pod, and waits five seconds for its tunnel; the app above still runs.
fn waiting_in_a_stop() -> Stage {
    let mut stage = Draft::new(&["tunnel", "proxy", "app"])
        .sidecar("tunnel")
        .sidecar("proxy")
        .with("tunnel", |tunnel| tunnel.ready_on = true)
        .edge("proxy", "tunnel", |edge| {
            edge.timeout = Some(Duration::from_secs(5));
        })
        .requires("app", "proxy")
        .play();
    stage.started("tunnel");
    let container = stage.id("tunnel");
    stage.event(Event::Notified {
        container,
        attempt: 1,
        ready: true,
    });
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.exited("tunnel", 1);
    stage.exited("proxy", 1);
    stage.started("tunnel");
    stage.told();
    stage
}

#[test]
fn the_time_of_a_wait_in_a_stopping_pod_outlives_the_driver() {
    for crashes in [false, true] {
        let mut stage = waiting_in_a_stop();
        stage.pass_secs(1);
        if crashes {
            stage.crash(|_, attempt| Found::Running { attempt });
        }
        let gave_up = |stage: &mut Stage| {
            let told = stage.told();
            told.iter().any(|entry| entry.what == What::GaveUp)
        };

        stage.pass(Duration::from_millis(3999));
        assert!(!gave_up(&mut stage), "with a crash: {crashes}");
        stage.pass(Duration::from_millis(1));

        assert!(gave_up(&mut stage), "with a crash: {crashes}");
    }
}

#[test]
fn a_keystone_that_gives_up_ends_the_pod_whatever_else_that_does() {
    let mut stage = Draft::new(&["main", "lease"])
        .sidecar("lease")
        .with("lease", |lease| {
            lease.keystone = Some(Keystone::Failure);
            lease.on_give_up = OnGiveUp::Unready;
            lease.restart.limit = Some(RestartLimit {
                max: 0,
                window: None,
            });
        })
        .play();
    stage.started("main");
    stage.asked();

    stage.runs("lease", 1);

    assert_eq!(stage.asked(), ["stop main by 30s"]);
}

#[test]
fn waits_are_shown_in_the_order_in_which_they_are_written() {
    let mut stage = Draft::new(&["a", "b", "c", "app"])
        .requires("app", "c")
        .requires("app", "a")
        .requires("app", "b")
        .play();
    let targets = |stage: &Stage| {
        let waits = stage.engine.waits(stage.id("app"));
        waits
            .into_iter()
            .map(|wait| wait.target)
            .collect::<Vec<_>>()
    };
    let written = ["c", "a", "b"].map(|name| Target::Container(stage.id(name)));
    assert_eq!(targets(&stage), written);

    stage.started("b");

    assert_eq!(targets(&stage), written);
}

#[test]
fn the_first_requirement_that_is_written_is_the_one_that_is_blamed() {
    let mut stage = Draft::new(&["main", "a", "b", "app"])
        .sidecar("app")
        .requires("app", "b")
        .requires("app", "a")
        .policy("a", RestartPolicy::Never)
        .policy("b", RestartPolicy::Never)
        .play();
    for name in ["main", "a", "b", "app"] {
        stage.started(name);
    }
    stage.exited("a", 1);
    stage.exited("b", 1);
    stage.told();

    stage.exited("app", 1);

    let told = stage.told();
    let gave_up = told.iter().find(|entry| entry.what == What::GaveUp);
    let cause = Cause::Impossible {
        target: Target::Container(stage.id("b")),
        until: Until::Ready,
        why: Impossible::Ended,
    };
    assert_eq!(gave_up.map(|entry| &entry.cause), Some(&cause));
}
