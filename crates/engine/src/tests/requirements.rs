//! What holds a start back, and what ends the wait.

use super::{Draft, Stage};
use crate::pod::{Need, OnRestart, ProbeKind, Reaction, RestartPolicy, Target, Until};
use crate::status::Phase;
use crate::{Cause, Entry, What};
use std::time::Duration;

#[test]
fn what_requires_nothing_starts_at_once_and_together() {
    let mut stage = Draft::new(&["a", "b"]).play();

    assert_eq!(stage.asked(), ["start a", "start b"]);
}

#[test]
fn a_dependant_waits_until_its_target_is_ready() {
    let mut stage = Draft::new(&["proxy", "app"])
        .probe("proxy", ProbeKind::Readiness, 1)
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    assert_eq!(stage.asked(), ["start proxy", "readiness proxy"][..1]);

    stage.pass_secs(0);
    assert_eq!(stage.asked(), ["readiness proxy"]);
    stage.probed("proxy", ProbeKind::Readiness, true);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_dependant_of_a_oneshot_waits_for_its_success() {
    let mut stage = Draft::new(&["migrate", "app"])
        .oneshot("migrate")
        .requires("app", "migrate")
        .play();
    stage.started("migrate");
    assert_eq!(stage.asked(), ["start migrate"]);

    stage.exited("migrate", 0);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_failed_oneshot_is_retried_while_its_dependant_waits() {
    let mut stage = Draft::new(&["migrate", "app"])
        .oneshot("migrate")
        .requires("app", "migrate")
        .play();
    stage.runs("migrate", 1);
    stage.runs("migrate", 1);
    assert_eq!(stage.asked(), ["start migrate", "start migrate"]);

    stage.pass_secs(10);
    stage.runs("migrate", 0);

    assert_eq!(stage.asked(), ["start migrate", "start app"]);
}

#[test]
fn an_impossible_requirement_ends_the_wait_and_the_pod() {
    let draft = Draft::new(&["migrate", "app"])
        .oneshot("migrate")
        .requires("app", "migrate");
    let mut stage = draft.policy("migrate", RestartPolicy::Never).play();

    stage.runs("migrate", 3);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("migrate"), 3)));
}

#[test]
fn a_soft_requirement_goes_on_when_its_target_fails() {
    let mut stage = Draft::new(&["cache", "app"])
        .need("app", "cache", Need::Soft)
        .play();
    assert_eq!(stage.asked(), ["start cache"]);

    stage.runs("cache", 1);

    assert_eq!(stage.asked(), ["start app", "start cache"]);
}

#[test]
fn an_order_holds_back_the_first_start_only() {
    let mut stage = Draft::new(&["proxy", "app"])
        .need("app", "proxy", Need::Order)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.exited("proxy", 1);
    stage.exited("proxy", 1);
    assert_eq!(stage.asked(), ["start proxy", "start app", "start proxy"]);

    // The proxy is in its back-off, and the app crashes.
    stage.exited("app", 1);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_hard_requirement_holds_back_every_start() {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.exited("proxy", 1);
    stage.exited("proxy", 1);
    stage.exited("app", 1);
    assert_eq!(stage.asked(), ["start proxy", "start app", "start proxy"]);

    stage.pass_secs(10);
    stage.started("proxy");

    assert_eq!(stage.asked(), ["start proxy", "start app"]);
}

#[test]
fn a_wait_that_takes_too_long_is_impossible() {
    let draft = Draft::new(&["slow", "app"]).probe("slow", ProbeKind::Startup, 60);
    let mut stage = draft
        .edge("app", "slow", |edge| {
            edge.timeout = Some(Duration::from_secs(5));
        })
        .play();
    stage.started("slow");

    stage.pass_secs(6);

    assert!(
        stage.asked().contains(&"stop slow by 35s".to_owned()),
        "the app gave up, which ends the pod"
    );
}

#[test]
fn the_time_of_a_wait_counts_from_the_targets_turn() {
    let draft = Draft::new(&["init", "slow", "app"])
        .oneshot("init")
        .requires("slow", "init");
    let mut stage = draft
        .edge("app", "slow", |edge| {
            edge.timeout = Some(Duration::from_secs(5));
        })
        .play();
    stage.started("init");
    stage.pass_secs(60);
    stage.exited("init", 0);

    stage.pass_secs(4);
    stage.started("slow");

    assert_eq!(stage.asked(), ["start init", "start slow", "start app"]);
}

#[test]
fn a_phase_is_through_when_all_of_it_is() {
    let draft = Draft::new(&["net", "setup", "a", "b"]).oneshot("setup");
    let mut stage = draft.phase(&["net", "setup"], &["a", "b"]).play();
    stage.started("net");
    stage.started("setup");
    assert_eq!(stage.asked(), ["start net", "start setup"]);

    stage.exited("setup", 0);

    assert_eq!(stage.asked(), ["start a", "start b"]);
}

#[test]
fn a_phase_that_fails_ends_the_pod_by_the_one_who_failed() {
    let draft = Draft::new(&["net", "setup", "a"])
        .oneshot("setup")
        .policy("setup", RestartPolicy::Never);
    let mut stage = draft.phase(&["net", "setup"], &["a"]).play();
    stage.started("net");
    stage.runs("setup", 9);

    stage.exited("net", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("setup"), 9)));
}

#[test]
fn started_stays_true_for_a_oneshot_that_ran() {
    let mut stage = Draft::new(&["once", "app"])
        .oneshot("once")
        .edge("app", "once", |edge| edge.until = Until::Started)
        .play();
    stage.runs("once", 0);

    assert_eq!(stage.asked(), ["start once", "start app"]);
}

#[test]
fn exited_is_satisfied_by_any_code() {
    let draft = Draft::new(&["job", "after"]).policy("job", RestartPolicy::Never);
    let mut stage = draft
        .edge("after", "job", |edge| edge.until = Until::Exited)
        .play();
    stage.runs("job", 7);

    assert_eq!(stage.asked(), ["start job", "start after"]);
}

#[test]
fn a_soft_wait_is_not_over_because_the_target_was_told_to_stop() {
    let mut stage = Draft::new(&["proxy", "app"])
        .edge("app", "proxy", |edge| {
            edge.need = Need::Soft;
            edge.on_restart = OnRestart::Restart;
        })
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.ask_by(Some("proxy"), Reaction::Restart).unwrap();
    stage.exited("proxy", 0);
    stage.asked();

    stage.exited("app", 0);
    assert_eq!(stage.asked(), [""; 0]);
    stage.started("proxy");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn whoever_waited_too_long_is_the_one_that_failed() {
    let draft = Draft::new(&["slow", "app"]).with("slow", |slow| slow.ready_on = true);
    let mut stage = draft
        .edge("app", "slow", |edge| {
            edge.timeout = Some(Duration::from_secs(5));
        })
        .play();
    stage.started("slow");
    stage.pass_secs(5);
    stage.exited("slow", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn a_oneshot_has_not_started_before_its_hook_returned() {
    let hooks = crate::pod::Hooks {
        post_start: true,
        ..crate::pod::Hooks::default()
    };
    let draft = Draft::new(&["once", "app"])
        .oneshot("once")
        .with("once", |once| once.hooks = hooks);
    let mut stage = draft
        .edge("app", "once", |edge| edge.until = Until::Started)
        .play();
    stage.started("once");
    assert_eq!(stage.asked(), ["start once", "postStart once"]);

    stage.hook_done("once", crate::pod::HookKind::PostStart, true);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn the_time_of_a_wait_is_not_begun_anew_by_a_restart_of_the_target() {
    let draft = Draft::new(&["slow", "app"]).with("slow", |slow| slow.ready_on = true);
    let mut stage = draft
        .edge("app", "slow", |edge| {
            edge.timeout = Some(Duration::from_secs(20));
        })
        .play();
    stage.started("slow");
    stage.pass_secs(15);
    stage.exited("slow", 1);
    stage.started("slow");
    stage.asked();

    stage.pass_secs(5);

    assert_eq!(stage.asked(), ["stop slow by 50s"], "the app gave up");
}

#[test]
fn a_soft_wait_is_over_when_a_oneshot_was_killed_whatever_its_code() {
    let draft = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .need("app", "setup", Need::Soft)
        .with("setup", |setup| {
            setup.start_timeout = Some(Duration::from_secs(5));
        });
    let mut stage = draft.play();
    stage.started("setup");
    stage.pass_secs(5);
    stage.asked();

    stage.exited("setup", 0);

    assert!(stage.asked().contains(&"start app".into()));
}

/// For whom `app` was told to wait.
fn told_waits(stage: &mut Stage) -> usize {
    let app = Some(stage.id("app"));
    let told = stage.told();
    let of_app = told.iter().filter(|entry| entry.container == app);
    of_app
        .filter(|entry| matches!(entry.what, What::Waiting { .. }))
        .count()
}

#[test]
fn a_wait_for_a_phase_is_told_once() {
    let mut stage = Draft::new(&["db", "app"]).phase(&["db"], &["app"]).play();

    assert_eq!(told_waits(&mut stage), 1);
}

#[test]
fn a_wait_that_begins_anew_is_told_anew() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 1)
        .requires("app", "db")
        .with("app", |app| app.image = Some("app".into()))
        .play();
    assert_eq!(told_waits(&mut stage), 1);
    stage.started("db");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);
    assert_eq!(told_waits(&mut stage), 0);

    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("db", ProbeKind::Readiness, false);
    }

    assert_eq!(told_waits(&mut stage), 1, "its image was not there in time");
}

#[test]
fn whoever_goes_on_without_its_target_is_not_said_to_have_it() {
    let mut stage = Draft::new(&["db", "app"])
        .need("app", "db", Need::Soft)
        .play();

    stage.start_fails("db");

    let turn = |entry: &Entry| entry.what == What::Turn && entry.attempt == 0;
    let turns: Vec<_> = stage.told().into_iter().filter(turn).collect();
    let (target, until) = (Target::Container(stage.id("db")), Until::Ready);
    assert_eq!(
        turns.last().unwrap().cause,
        Cause::Without { target, until }
    );
}

#[test]
fn nobody_is_said_to_wait_in_a_pod_that_ends() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .with("app", |app| app.image = Some("app".into()))
        .play();
    stage.started("db");
    told_waits(&mut stage);

    stage.delete();

    assert_eq!(told_waits(&mut stage), 0);
}

#[test]
fn a_oneshot_that_failed_before_its_hook_returned_has_not_started_and_one_that_succeeded_has() {
    let hooks = crate::pod::Hooks {
        post_start: true,
        ..crate::pod::Hooks::default()
    };
    for (code, app_starts) in [(1, false), (0, true)] {
        let draft = Draft::new(&["once", "app"])
            .oneshot("once")
            .with("once", |once| once.hooks = hooks);
        let mut stage = draft
            .edge("app", "once", |edge| edge.until = Until::Started)
            .play();
        stage.started("once");
        stage.asked();

        stage.exited("once", code);

        let starts = stage.asked().contains(&"start app".to_owned());
        assert_eq!(starts, app_starts, "it exited with {code}");
    }
}
