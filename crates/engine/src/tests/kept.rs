//! What is kept and what is forgotten: over a restart of the pod, over a crash of the driver, and
//! when a container that was over is asked for again.

use super::{Draft, Stage};
use crate::pod::{
    Container, Need, OnRestart, ProbeKind, Reaction, RestartLimit, RestartPolicy, Rule, Until, When,
};
use crate::status::Phase;
use crate::{Event, Found, Refused, Request};
use std::time::Duration;

fn running(_: &str, attempt: u32) -> Found {
    Found::Running { attempt }
}

/// Ends everything there is and waits until the pod runs again.
fn restart_pod(stage: &mut Stage, names: &[&str]) {
    stage.ask(Reaction::RestartPod);
    for name in names {
        stage.exited(name, 0);
    }
    stage.asked();
}

/// An app that may be active for 100 seconds.
fn limited() -> Stage {
    let mut draft = Draft::new(&["app"]);
    draft.0.active_deadline = Some(Duration::from_secs(100));
    let mut stage = draft.play();
    stage.started("app");
    stage.asked();
    stage
}

/// The app is told to stop in the 100th second, and not before.
fn assert_stopped_at_100(mut stage: Stage, now: u64) {
    stage.pass_secs(99 - now);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop app by 130s"]);
}

#[test]
fn a_pod_restart_goes_on_counting_the_restarts_of_a_container() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 1);
    stage.started("app");

    restart_pod(&mut stage, &["app"]);
    stage.started("app");

    assert_eq!(stage.engine.status().container("app").unwrap().restarts, 2);
}

#[test]
fn a_long_run_of_the_pod_resets_its_back_off() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    restart_pod(&mut stage, &["app"]);
    stage.started("app");
    stage.pass_secs(601);

    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop app by 631s", "start app"]);
}

#[test]
fn what_had_held_in_an_earlier_run_of_the_pod_has_not_held_in_this_one() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 60)
        .edge("app", "db", |edge| {
            edge.need = Need::Soft;
            edge.on_restart = OnRestart::Restart;
            edge.timeout = Some(Duration::from_secs(5));
        })
        .play();
    stage.started("db");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);
    stage.started("app");
    restart_pod(&mut stage, &["app", "db"]);
    stage.started("db");
    stage.pass_secs(5);
    stage.started("app");
    stage.asked();

    stage.exited("db", 1);

    assert_eq!(stage.asked(), ["start db"], "the app never had it");
}

#[test]
fn the_active_deadline_counts_from_the_creation_after_a_crash() {
    let mut stage = limited();
    stage.pass_secs(40);
    stage.lose_time(10);

    stage.crash(running);

    assert_stopped_at_100(stage, 50);
}

#[test]
fn the_active_deadline_counts_from_the_creation_after_a_pod_restart() {
    let mut stage = limited();
    stage.pass_secs(40);

    restart_pod(&mut stage, &["app"]);
    stage.started("app");

    assert_stopped_at_100(stage, 40);
}

#[test]
fn the_active_deadline_counts_from_the_creation_after_a_pod_restart_and_a_crash() {
    let mut stage = limited();
    stage.pass_secs(40);
    restart_pod(&mut stage, &["app"]);
    stage.started("app");

    stage.crash(running);

    assert_stopped_at_100(stage, 40);
}

#[test]
fn the_active_deadline_holds_when_the_driver_dies_in_a_pod_restart() {
    let mut stage = limited();
    stage.ask(Reaction::RestartPod);

    stage.crash(running);
    stage.exited("app", 0);
    stage.started("app");
    stage.asked();

    assert_stopped_at_100(stage, 0);
}

/// The driver dies while a hook runs in `proxy`, which is not told to stop before `app` is down.
fn crash_in_hook(change: impl FnOnce(&mut Container)) -> Stage {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .with("proxy", change)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();
    stage.delete();
    stage.asked();
    stage.crash(running);
    stage.asked();
    stage.exited("app", 0);
    stage
}

#[test]
fn a_pod_stopping_hook_that_had_begun_before_a_crash_is_not_waited_for() {
    let mut stage = crash_in_hook(|proxy| proxy.hooks.pod_stopping = true);

    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
}

#[test]
fn a_pre_stop_hook_that_had_begun_before_a_crash_is_not_waited_for() {
    let mut stage = crash_in_hook(|proxy| {
        proxy.hooks.pre_stop = true;
        proxy.plain = true;
    });

    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
}

#[test]
fn a_pull_that_failed_early_is_an_attempt_when_the_turn_has_come() {
    let mut stage = Draft::new(&["setup", "db", "app"])
        .oneshot("setup")
        .requires("db", "setup")
        .with("db", |db| db.image = Some("db:1".into()))
        .edge("app", "db", |edge| edge.until = Until::Attempted)
        .play();
    let container = stage.id("db");
    let message = "no such image".into();
    stage.event(Event::PullFailed {
        container,
        attempt: 1,
        message,
    });
    stage.started("setup");
    assert_eq!(stage.asked(), ["pull db", "start setup"]);

    stage.exited("setup", 0);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_pull_that_failed_early_does_not_keep_a_soft_wait_up() {
    let mut stage = Draft::new(&["setup", "db", "app"])
        .oneshot("setup")
        .requires("db", "setup")
        .with("db", |db| db.image = Some("db:1".into()))
        .need("app", "db", Need::Soft)
        .play();
    let container = stage.id("db");
    let message = "no such image".into();
    stage.event(Event::PullFailed {
        container,
        attempt: 1,
        message,
    });

    stage.runs("setup", 0);

    assert!(stage.asked().contains(&"start app".to_owned()));
}

#[test]
fn a_failure_is_forgotten_once_the_container_is_ready() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 1)
        .need("app", "db", Need::Soft)
        .play();
    stage.runs("db", 1);
    stage.started("db");
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("db", ProbeKind::Readiness, false);
    }
    stage.asked();

    stage.exited("app", 0);
    assert_eq!(stage.asked(), [""; 0], "it waits for what is not ready");
    stage.pass_secs(1);
    stage.probed("db", ProbeKind::Readiness, true);

    assert_eq!(stage.asked().last().unwrap(), "start app");
}

#[test]
fn a_rule_does_not_restart_who_is_left_out() {
    let rule = Rule {
        when: When::CodeIn(vec![1]),
        reaction: Reaction::Restart,
    };
    let mut stage = Draft::new(&["helper", "app"])
        .with("helper", |helper| helper.restart.rules.push(rule))
        .play();
    stage.started("helper");
    stage.started("app");
    stage.ask_by(Some("helper"), Reaction::Ignore).unwrap();
    stage.asked();

    stage.exited("helper", 1);
    stage.pass_secs(600);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn who_gave_up_and_is_asked_for_has_all_its_restarts_again() {
    let limit = RestartLimit {
        max: 1,
        window: None,
    };
    let mut stage = Draft::new(&["helper", "app"])
        .sidecar("helper")
        .with("helper", |helper| helper.restart.limit = Some(limit))
        .play();
    stage.started("app");
    stage.runs("helper", 1);
    stage.runs("helper", 1);
    stage.asked();
    stage.ask_by(Some("helper"), Reaction::Restart).unwrap();
    assert_eq!(stage.asked(), ["start helper"]);

    stage.runs("helper", 1);
    stage.pass_secs(300);

    assert_eq!(stage.asked(), ["start helper"]);
}

#[test]
fn who_ended_and_is_asked_for_begins_its_back_off_anew() {
    let mut stage = Draft::new(&["job", "app"])
        .policy("job", RestartPolicy::OnFailure)
        .play();
    stage.started("app");
    stage.runs("job", 1);
    stage.runs("job", 1);
    stage.pass_secs(10);
    stage.runs("job", 0);
    stage.asked();
    stage.ask_by(Some("job"), Reaction::Restart).unwrap();

    stage.runs("job", 1);

    assert_eq!(stage.asked(), ["start job", "start job"]);
}

#[test]
fn a_debugging_container_has_no_rules() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    let mut debugger = Container::new("debugger", RestartPolicy::Always);
    debugger.restart.rules.push(Rule {
        when: When::CodeIn(vec![3]),
        reaction: Reaction::FailPod,
    });
    stage
        .request(Request::AddEphemeral(Box::new(debugger)))
        .unwrap();

    stage.runs("debugger", 3);
    stage.delete();
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_debugging_container_that_ended_is_not_taken_back() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    let debug = Container::new("debug", RestartPolicy::Always);
    stage
        .request(Request::AddEphemeral(Box::new(debug)))
        .unwrap();
    stage.runs("debug", 0);
    stage.asked();

    let answer = stage.ask_by(Some("debug"), Reaction::Restart);

    assert_eq!(answer, Err(Refused::Ephemeral));
    assert_eq!(stage.asked(), [""; 0]);
}
