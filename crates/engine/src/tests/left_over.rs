//! What a stop must not leave behind, and must not bring back: timers, marks, starts that nobody needs.

use super::{Draft, Stage};
use crate::pod::{Need, OnRestart, ProbeKind, Reaction, RestartPolicy, Until};
use crate::status::Phase;
use crate::{Engine, Event, Found, Tick, What};
use std::time::Duration;

/// An app through a proxy, and something on top of it; both go down with what they require.
fn tower() -> Draft {
    Draft::new(&["proxy", "app", "top"])
        .on_restart("app", "proxy", OnRestart::Restart)
        .on_restart("top", "app", OnRestart::Restart)
}

fn all_up(mut stage: Stage, names: &[&str]) -> Stage {
    for name in names {
        stage.started(name);
    }
    stage.asked();
    stage.told();
    stage
}

#[test]
fn an_end_in_the_middle_of_a_restart_has_what_is_left_of_its_budget() {
    let draft = Draft::new(&["db", "app"]).requires("app", "db");
    let mut stage = all_up(draft.play(), &["db", "app"]);
    stage.ask(Reaction::RestartPod);
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.pass_secs(20);

    stage.ask(Reaction::FailPod);
    stage.pass_secs(10);

    assert_eq!(stage.asked(), ["stop db by 32s"]);
}

#[test]
fn the_time_to_go_down_with_another_ends_when_the_pod_stops() {
    let mut stage = all_up(tower().play(), &["proxy", "app", "top"]);
    stage.exited("proxy", 1);
    stage.pass_secs(10);
    stage.delete();
    stage.asked();

    stage.pass_secs(25);

    assert_eq!(stage.asked(), [""; 0], "the top is still up");
}

#[test]
fn who_waits_for_its_next_try_when_the_pod_stops_has_ended_as_it_last_did() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 0);
    stage.runs("app", 0);

    stage.delete();

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_kill_that_began_before_the_stop_has_no_more_time_than_the_pod() {
    let draft = Draft::new(&["db", "app"])
        .requires("app", "db")
        .probe("db", ProbeKind::Liveness, 1)
        .with("db", |db| {
            db.hooks.pre_stop = true;
            let liveness = db.probes.liveness.as_mut().unwrap();
            liveness.grace = Some(Duration::from_secs(100));
        });
    let mut stage = all_up(draft.play(), &["db", "app"]);
    stage.pass_secs(0);
    for _ in 0..3 {
        stage.probed("db", ProbeKind::Liveness, false);
        stage.pass_secs(1);
    }
    stage.delete();
    stage.asked();

    stage.pass_secs(30);

    assert_eq!(stage.asked(), ["stop db by 35s"]);
}

#[test]
fn nobody_is_woken_for_a_wait_that_the_stop_has_ended() {
    let timeout = Some(Duration::from_secs(5));
    let mut stage = Draft::new(&["db", "app"])
        .edge("app", "db", |edge| edge.timeout = timeout)
        .play();

    stage.delete();

    assert_eq!(stage.engine.poll_deadline(), Some(Tick::from_secs(30)));
}

#[test]
fn who_ended_for_good_before_it_was_brought_down_stays_down() {
    let draft = tower().sidecar("top").policy("app", RestartPolicy::Never);
    let mut stage = all_up(draft.play(), &["proxy", "app", "top"]);
    stage.exited("proxy", 1);
    assert_eq!(stage.asked(), ["stop top by 30s", "start proxy"]);

    stage.exited("app", 1);
    stage.exited("top", 0);
    stage.started("proxy");

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_start_that_fails_after_it_was_called_off_is_not_tried_again_in_a_stop() {
    let draft = Draft::new(&["proxy", "side", "app"])
        .on_restart("side", "proxy", OnRestart::Restart)
        .requires("app", "side")
        .sidecar("side");
    let mut stage = all_up(draft.play(), &["proxy", "side", "app"]);
    stage.exited("side", 1);
    stage.exited("proxy", 1);
    stage.delete();
    stage.started("proxy");
    stage.asked();

    stage.start_fails("side");
    stage.pass_secs(29);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_start_is_counted_though_its_stop_came_first() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 1);
    stage.delete();

    stage.started("app");
    stage.exited("app", 0);

    assert_eq!(stage.engine.record(stage.id("app")).unwrap().restarts, 1);
}

#[test]
fn a_dependant_that_ends_the_pod_leaves_the_others_to_its_stop() {
    let draft = Draft::new(&["proxy", "first", "second", "top"])
        .on_restart("first", "proxy", OnRestart::Stop)
        .on_restart("second", "proxy", OnRestart::Restart)
        .requires("top", "second");
    let mut stage = all_up(draft.play(), &["proxy", "first", "second", "top"]);
    stage.exited("first", 1);
    stage.runs("first", 1);
    stage.asked();

    stage.exited("proxy", 1);

    assert_eq!(stage.asked(), ["stop top by 30s"]);
}

#[test]
fn a_oneshot_is_not_tried_again_in_a_stop() {
    let draft = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .sidecar("setup")
        .edge("app", "setup", |edge| edge.until = Until::Started);
    let mut stage = all_up(draft.play(), &["setup", "app"]);
    stage.delete();
    stage.asked();

    stage.exited("setup", 1);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_sidecar_that_never_ran_is_not_started_in_a_stop() {
    let mut stage = Draft::new(&["db", "side", "app"])
        .sidecar("side")
        .with("db", |db| db.ready_on = true)
        .with("side", |side| side.image = Some("side:1".into()))
        .requires("side", "db")
        .need("app", "side", Need::Soft)
        .play();
    stage.started("db");
    let container = stage.id("side");
    let message = "no".into();
    stage.event(Event::PullFailed {
        container,
        attempt: 1,
        message,
    });
    stage.started("app");
    stage.delete();
    stage.asked();

    let container = stage.id("db");
    stage.event(Event::Notified {
        container,
        attempt: 1,
        ready: true,
    });

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_sidecar_is_not_said_to_have_given_up_when_nobody_needed_it_any_more() {
    let draft = Draft::new(&["db", "side", "app"])
        .policy("db", RestartPolicy::Never)
        .sidecar("db")
        .sidecar("side")
        .requires("side", "db")
        .requires("app", "side");
    let mut stage = all_up(draft.play(), &["db", "side", "app"]);
    stage.delete();

    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: None,
    });

    assert!(stage.told().iter().all(|entry| entry.what != What::GaveUp));
    assert!(stage.result().is_some());
}

#[test]
fn a_start_of_which_a_driver_says_nothing_yet_has_its_time() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| {
            app.start_timeout = Some(Duration::from_secs(10));
        })
        .play();
    stage.engine = Engine::restore(stage.pod.clone(), stage.journal.clone()).unwrap();
    stage.engine.handle_resume(stage.now);
    stage.drain();
    stage.asked();

    stage.pass_secs(10);

    assert_eq!(stage.asked(), ["stop app by 40s"]);
}
