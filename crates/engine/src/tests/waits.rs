//! What a wait counts from, what ends it, and how closely its target is looked at meanwhile.

use super::{Draft, Stage};
use crate::pod::{Need, OnGiveUp, OnRestart, ProbeKind, Reaction, RestartPolicy, Until};
use crate::result::WaitState;
use crate::{Event, Impossible, What};
use std::time::Duration;

fn tell_ready(stage: &mut Stage, name: &str, ready: bool) {
    let container = stage.id(name);
    let attempt = stage.engine.record(container).unwrap().attempt;
    stage.event(Event::Notified {
        container,
        attempt,
        ready,
    });
}

fn gave_up(stage: &mut Stage) -> bool {
    stage.told().iter().any(|entry| entry.what == What::GaveUp)
}

/// An app that waits five seconds for a database which says when it is ready.
fn patient() -> Draft {
    let timeout = Some(Duration::from_secs(5));
    Draft::new(&["db", "cache", "app"])
        .with("db", |db| db.ready_on = true)
        .with("app", |app| app.on_give_up = OnGiveUp::Unready)
        .edge("app", "db", |edge| edge.timeout = timeout)
}

/// How often the database is probed in the next second; it does not answer well.
fn attempts_in_a_second(stage: &mut Stage) -> usize {
    let mut attempts = 0;
    for _ in 0..100 {
        stage.pass(Duration::from_millis(10));
        for _ in stage.asked() {
            attempts += 1;
            stage.probed("db", ProbeKind::Readiness, false);
        }
    }
    attempts
}

#[test]
fn a_later_wait_has_all_its_time() {
    let mut stage = patient().play();
    stage.started("db");
    tell_ready(&mut stage, "db", true);
    stage.started("app");
    stage.pass_secs(100);
    tell_ready(&mut stage, "db", false);
    stage.exited("app", 1);

    stage.pass_secs(4);
    assert!(!gave_up(&mut stage));
    stage.pass_secs(1);

    assert!(gave_up(&mut stage));
}

#[test]
fn a_requirement_that_is_lost_before_the_start_is_waited_for_again_until_its_time_is_up() {
    let mut stage = patient().requires("app", "cache").play();
    stage.started("db");
    stage.pass_secs(2);
    tell_ready(&mut stage, "db", true);
    tell_ready(&mut stage, "db", false);

    stage.pass_secs(2);
    assert!(!gave_up(&mut stage));
    stage.pass_secs(1);

    assert!(gave_up(&mut stage));
}

#[test]
fn a_wait_that_was_given_up_and_fulfilled_later_is_shown_as_fulfilled() {
    let mut stage = patient()
        .with("app", |app| app.requires[0].need = Need::Soft)
        .play();
    stage.started("db");
    let shown = |stage: &Stage| stage.engine.waits(stage.id("app"))[0].state;
    stage.pass_secs(5);
    assert_eq!(shown(&stage), WaitState::Impossible(Impossible::TimedOut));
    stage.started("app");

    tell_ready(&mut stage, "db", true);

    assert_eq!(shown(&stage), WaitState::Satisfied);
}

#[test]
fn a_restart_that_was_asked_for_does_not_let_a_soft_wait_go() {
    let mut stage = Draft::new(&["db", "app"])
        .with("db", |db| db.ready_on = true)
        .need("app", "db", Need::Soft)
        .play();
    stage.started("db");
    stage.ask_by(Some("db"), Reaction::Restart).unwrap();
    stage.asked();

    stage.exited("db", 143);

    assert_eq!(stage.asked(), ["start db"]);
}

#[test]
fn a_requirement_that_was_lost_counts_for_one_start_only() {
    let mut stage = Draft::new(&["db", "app"])
        .with("db", |db| db.ready_on = true)
        .edge("app", "db", |edge| {
            edge.need = Need::Order;
            edge.on_restart = OnRestart::Restart;
        })
        .play();
    stage.started("db");
    tell_ready(&mut stage, "db", true);
    stage.started("app");
    stage.exited("db", 1);
    stage.exited("app", 0);
    stage.started("db");
    tell_ready(&mut stage, "db", true);
    stage.started("app");
    tell_ready(&mut stage, "db", false);
    stage.asked();

    stage.exited("app", 1);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_container_that_a_phase_waits_for_is_probed_often() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 10)
        .phase(&["db"], &["app"])
        .play();
    stage.started("db");
    stage.asked();

    assert!(attempts_in_a_second(&mut stage) >= 20);
}

#[test]
fn a_container_is_probed_as_soon_as_somebody_waits_for_it() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 10)
        .requires("app", "db")
        .play();
    stage.started("db");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);
    stage.started("app");
    for _ in 0..3 {
        stage.pass_secs(10);
        stage.probed("db", ProbeKind::Readiness, false);
    }
    stage.asked();
    assert_eq!(attempts_in_a_second(&mut stage), 0);

    stage.exited("app", 1);

    assert!(attempts_in_a_second(&mut stage) >= 20);
}

#[test]
fn a_wait_whose_time_went_by_while_its_target_failed_is_over_at_once() {
    let mut stage = Draft::new(&["db", "app"])
        .with("db", |db| db.image = Some("db:1".into()))
        .requires("app", "db")
        .edge("app", "db", |edge| {
            edge.need = Need::Soft;
            edge.until = Until::Exited;
            edge.timeout = Some(Duration::from_secs(5));
        })
        .play();
    let (container, attempt) = (stage.id("db"), 1);
    let message = "no".into();
    stage.event(Event::PullFailed {
        container,
        attempt,
        message,
    });
    stage.pass_secs(10);
    stage.pulled("db");
    stage.asked();

    stage.started("db");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn nothing_is_pulled_in_the_instant_in_which_the_pod_ends() {
    let limit = Some(Duration::from_secs(39));
    let mut stage = Draft::new(&["slow", "app"])
        .with("slow", |slow| {
            slow.image = Some("slow:1".into());
            slow.start_timeout = limit;
        })
        .edge("app", "slow", |edge| edge.timeout = limit)
        .play();
    assert_eq!(stage.asked(), ["pull slow"]);

    stage.pass_secs(39);

    assert_eq!(stage.asked(), ["cancel pull slow"]);
    assert!(stage.result().is_some());
}

#[test]
fn every_image_is_pulled_again_when_the_pod_is_restarted() {
    let mut stage = Draft::new(&["setup", "net", "app"])
        .oneshot("setup")
        .policy("setup", RestartPolicy::Never)
        .with("setup", |setup| {
            setup.image = Some("setup:1".into());
            setup.start_timeout = Some(Duration::from_secs(10));
            setup.restart.failure_restarts_pod = true;
        })
        .with("net", |net| net.image = Some("net:1".into()))
        .with("app", |app| app.image = Some("app:1".into()))
        .requires("net", "setup")
        .requires("app", "net")
        .play();
    stage.asked();

    stage.pass_secs(10);

    let pulls = stage
        .asked()
        .into_iter()
        .filter(|it| it.starts_with("pull"));
    let pulls: Vec<_> = pulls.collect();
    assert_eq!(pulls, ["pull setup", "pull net", "pull app"]);
}
