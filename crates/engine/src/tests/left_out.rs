//! Containers that count nowhere: those that asked for it, and those for debugging.

use super::{Draft, Stage};
use crate::fact::Goal;
use crate::life::State;
use crate::pod::{
    Container, Keystone, Kind, OnRestart, ProbeKind, Reaction, Rerun, RestartLimit, RestartPolicy,
};
use crate::status::Phase;
use crate::{Refused, Request};

fn is_over(stage: &Stage, name: &str) -> bool {
    stage.engine.record(stage.id(name)).unwrap().is_over()
}

/// A plain pod of two mains that are never restarted, the first of them watched, and a sidecar.
fn plain() -> Stage {
    let mut draft = Draft::new(&["side", "a", "b"])
        .never()
        .sidecar("side")
        .policy("side", RestartPolicy::Always)
        .probe("a", ProbeKind::Liveness, 1);
    for container in &mut draft.0.containers {
        container.plain = true;
    }
    let mut stage = draft.play();
    for name in ["side", "a", "b"] {
        stage.started(name);
    }
    stage
}

/// `a` is found dead, and is being killed.
fn kill_first(stage: &mut Stage) {
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("a", ProbeKind::Liveness, false);
    }
}

#[test]
fn whoever_asked_to_be_left_out_is_not_tried_again_after_a_failed_start() {
    let mut stage = Draft::new(&["helper", "app"]).play();
    stage.started("app");
    stage.ask_by(Some("helper"), Reaction::Ignore).unwrap();
    stage.asked();

    stage.start_fails("helper");
    stage.pass_secs(600);

    assert_eq!(stage.asked(), [""; 0]);
    assert!(is_over(&stage, "helper"));
}

#[test]
fn whoever_asked_to_be_left_out_does_not_come_back_with_its_target() {
    let mut stage = Draft::new(&["mount", "helper", "app"])
        .on_restart("helper", "mount", OnRestart::Restart)
        .play();
    for name in ["mount", "helper", "app"] {
        stage.started(name);
    }
    stage.ask_by(Some("helper"), Reaction::Ignore).unwrap();
    stage.exited("mount", 1);
    stage.exited("helper", 0);
    stage.asked();

    stage.started("mount");

    assert_eq!(stage.asked(), [""; 0]);
    assert!(is_over(&stage, "helper"));
}

#[test]
fn whoever_is_asked_to_run_again_counts_again() {
    let mut stage = Draft::new(&["helper", "app"])
        .policy("app", RestartPolicy::Never)
        .play();
    stage.started("helper");
    stage.started("app");
    stage.ask_by(Some("helper"), Reaction::Ignore).unwrap();

    stage.ask_by(Some("helper"), Reaction::Restart).unwrap();
    stage.exited("app", 0);

    assert_eq!(
        *stage.engine.goal(),
        Goal::Run,
        "the helper is still to end"
    );
}

#[test]
fn the_sidecars_of_a_pod_whose_end_is_called_off_are_tended_again() {
    let mut stage = plain();
    stage.exited("b", 0);
    kill_first(&mut stage);
    stage.exited("side", 1);
    stage.asked();

    stage.ask_by(Some("b"), Reaction::Restart).unwrap();

    assert_eq!(stage.asked(), ["start b", "start side"]);
}

#[test]
fn a_main_that_counts_nowhere_does_not_make_the_pod_wind_down() {
    let mut stage = plain();
    stage.ask_by(Some("a"), Reaction::Ignore).unwrap();
    kill_first(&mut stage);
    stage.asked();

    stage.exited("side", 1);

    assert_eq!(stage.asked(), ["start side"], "b still needs it");
}

fn debugging(name: &str) -> Request {
    let mut container = Container::new(name, RestartPolicy::Always);
    container.keystone = Some(Keystone::Any);
    Request::AddEphemeral(Box::new(container))
}

#[test]
fn a_debugging_container_ends_nothing_whatever_it_says() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.request(debugging("debug")).unwrap();

    stage.runs("debug", 0);

    assert_eq!(*stage.engine.goal(), Goal::Run);
}

#[test]
fn a_debugging_container_runs_nothing_again_and_is_not_reversed() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    let mut debug = Container::new("debug", RestartPolicy::Never);
    debug.kind = Kind::Oneshot {
        undo: true,
        rerun: Rerun::OnPodRestart,
    };
    debug.restart.failure_restarts_pod = true;
    for (name, code) in [("failed", 1), ("done", 0)] {
        let debug = Container {
            name: name.into(),
            ..debug.clone()
        };
        stage
            .request(Request::AddEphemeral(Box::new(debug)))
            .unwrap();
        stage.runs(name, code);
    }
    assert_eq!(*stage.engine.goal(), Goal::Run);
    stage.delete();
    stage.asked();

    stage.exited("app", 0);

    assert_eq!(stage.asked(), [""; 0]);
    assert!(stage.result().is_some());
}

#[test]
fn a_debugging_container_is_neither_restarted_nor_replaced() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.request(debugging("debug")).unwrap();
    stage.started("debug");
    stage.asked();

    let container = stage.id("debug");
    let with = Box::new(stage.engine.pod().containers[container.index()].clone());
    let replace = Request::Replace {
        container,
        with,
        timeout: None,
        force: false,
    };
    let refused = Err(Refused::Ephemeral);
    assert_eq!(stage.request(replace), refused);
    assert_eq!(stage.ask_by(Some("debug"), Reaction::Restart), refused);
    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_debugging_container_needs_a_name_of_its_own() {
    let mut stage = Draft::new(&["app"]).play();

    assert_eq!(stage.request(debugging("app")), Err(Refused::NameTaken));
}

#[test]
fn a_dependant_that_never_ran_does_not_give_up_with_its_target() {
    let mut stage = Draft::new(&["proxy", "slow", "app"])
        .on_restart("app", "proxy", OnRestart::Stop)
        .requires("app", "slow")
        .probe("slow", ProbeKind::Readiness, 1)
        .play();
    stage.started("proxy");
    stage.started("slow");

    stage.exited("proxy", 1);

    let app = stage.engine.record(stage.id("app")).unwrap();
    assert_eq!(app.state, State::Waiting, "there is nothing to stop");
}

#[test]
fn whoever_ended_well_is_not_blamed_by_those_that_came_too_late() {
    let mut stage = Draft::new(&["db", "app"])
        .never()
        .requires("app", "db")
        .with("app", |app| app.image = Some("app".into()))
        .play();
    stage.runs("db", 0);

    let (phase, decider, _) = stage.result().unwrap();

    assert_eq!((phase, decider), (Phase::Failed, Some("app")));
}

#[test]
fn whoever_counts_nowhere_is_not_blamed() {
    let mut stage = Draft::new(&["scratch", "app"])
        .requires("app", "scratch")
        .play();
    stage.ask_by(Some("scratch"), Reaction::Ignore).unwrap();

    stage.exited("scratch", 3);

    let (phase, decider, _) = stage.result().unwrap();
    assert_eq!((phase, decider), (Phase::Failed, Some("app")));
}

#[test]
fn a_debugging_container_that_cannot_be_started_does_not_touch_the_pod() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    let mut debug = Container::new("debug", RestartPolicy::Never);
    debug.restart.limit = Some(RestartLimit {
        max: 1,
        window: None,
    });
    stage
        .request(Request::AddEphemeral(Box::new(debug)))
        .unwrap();
    stage.asked();

    for _ in 0..4 {
        stage.start_fails("debug");
        stage.pass_secs(300);
    }

    assert_eq!(stage.asked(), ["start debug"; 4]);
}
