//! Hooks after the start, probes, readiness, time limits.

use super::Draft;
use crate::Event;
use crate::pod::{HookKind, Hooks, ProbeKind, Reaction, RestartPolicy, Rule, When};
use crate::status::{ConditionKind, Phase};
use std::time::Duration;

#[test]
fn a_container_has_started_when_its_hook_and_its_startup_probe_are_through() {
    let hooks = Hooks {
        post_start: true,
        ..Hooks::default()
    };
    let draft = Draft::new(&["proxy", "app"])
        .probe("proxy", ProbeKind::Startup, 1)
        .requires("app", "proxy");
    let mut stage = draft.with("proxy", |proxy| proxy.hooks = hooks).play();
    stage.started("proxy");
    stage.pass_secs(5);
    assert_eq!(stage.asked(), ["start proxy", "postStart proxy"]);

    stage.hook_done("proxy", HookKind::PostStart, true);
    stage.pass_secs(0);
    assert_eq!(stage.asked(), ["startup proxy"]);
    stage.probed("proxy", ProbeKind::Startup, true);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_failed_post_start_hook_kills_the_container() {
    let hooks = Hooks {
        post_start: true,
        ..Hooks::default()
    };
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.hooks = hooks)
        .play();
    stage.started("app");
    stage.hook_done("app", HookKind::PostStart, false);
    assert_eq!(
        stage.asked(),
        ["start app", "postStart app", "stop app by 30s"]
    );

    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start app"]);
}

/// A main under that policy with a rule for 42, which is killed for its hook or by its probe and ends with that code.
fn killed(plain: bool, policy: RestartPolicy, by_hook: bool, code: i32) -> Vec<String> {
    let mut stage = Draft::new(&["app", "web"])
        .policy("app", policy)
        .probe("app", ProbeKind::Startup, 1)
        .with("app", |app| {
            app.plain = plain;
            app.hooks.post_start = true;
            app.restart.rules.push(Rule {
                when: When::CodeIn(vec![42]),
                reaction: Reaction::Restart,
            });
        })
        .play();
    stage.started("web");
    stage.started("app");
    stage.hook_done("app", HookKind::PostStart, !by_hook);
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("app", ProbeKind::Startup, false);
    }
    let asked = stage.asked();
    assert!(asked.last().unwrap().starts_with("stop app"), "{asked:?}");
    stage.exited("app", code);
    stage.asked()
}

#[test]
fn a_plain_container_that_is_killed_for_its_hook_is_judged_by_its_code() {
    use RestartPolicy::{Never, OnFailure};
    assert_eq!(killed(true, OnFailure, true, 0), [""; 0]);
    assert_eq!(killed(true, OnFailure, true, 1), ["start app"]);
    assert_eq!(killed(true, Never, true, 42), ["start app"]);
    // With a Pillion field it has failed, and rules are not asked.
    assert_eq!(killed(false, OnFailure, true, 0), ["start app"]);
    assert_eq!(killed(false, Never, true, 42), [""; 0]);
}

#[test]
fn a_plain_container_that_a_probe_kills_is_judged_by_its_rules_if_its_policy_lets_it_down() {
    use RestartPolicy::{Never, OnFailure};
    assert_eq!(killed(true, OnFailure, false, 0), ["start app"]);
    assert_eq!(killed(true, Never, false, 42), ["start app"]);
    assert_eq!(killed(true, Never, false, 1), [""; 0]);
    assert_eq!(killed(false, Never, false, 42), [""; 0]);
}

/// What is asked for at once when a probe has killed the third run of a container after so many seconds.
fn third_kill(plain: bool, seconds: u64) -> Vec<String> {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Liveness, 1)
        .with("app", |app| app.plain = plain)
        .play();
    for _ in 0..3 {
        stage.pass_secs(20);
        stage.started("app");
        stage.pass_secs(seconds - 3);
        stage.asked();
        for _ in 0..3 {
            stage.pass_secs(1);
            stage.probed("app", ProbeKind::Liveness, false);
        }
        assert_eq!(stage.asked().last().unwrap(), &stop_of_app(&stage));
        stage.exited("app", 0);
    }
    stage.asked()
}

fn stop_of_app(stage: &super::Stage) -> String {
    format!("stop app by {}s", stage.now.elapsed().as_secs() + 30)
}

#[test]
fn what_a_plain_container_owes_for_a_probe_counts_from_the_end_of_the_run_before() {
    // After the second kill it owes 10 s.
    assert_eq!(third_kill(true, 12), ["start app"]);
    assert_eq!(third_kill(false, 12), [""; 0]);
}

#[test]
fn a_startup_probe_that_fails_kills_the_container() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Startup, 1)
        .play();
    stage.started("app");
    for _ in 0..3 {
        stage.pass_secs(1);
        stage.probed("app", ProbeKind::Startup, false);
    }

    assert_eq!(stage.asked().last().unwrap(), "stop app by 33s");
}

#[test]
fn a_liveness_failure_is_a_failure_whatever_the_code() {
    let draft = Draft::new(&["app"])
        .policy("app", RestartPolicy::OnFailure)
        .probe("app", ProbeKind::Liveness, 1);
    let mut stage = draft
        .with("app", |app| {
            app.probes.liveness.as_mut().unwrap().failure_threshold = 1;
        })
        .play();
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("app", ProbeKind::Liveness, false);
    stage.asked();

    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_probe_can_have_a_grace_of_its_own() {
    let draft = Draft::new(&["app"])
        .probe("app", ProbeKind::Liveness, 1)
        .with("app", |app| {
            let probe = app.probes.liveness.as_mut().unwrap();
            probe.failure_threshold = 1;
            probe.grace = Some(Duration::from_secs(5));
        });
    let mut stage = draft.play();
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("app", ProbeKind::Liveness, false);

    assert_eq!(stage.asked().last().unwrap(), "stop app by 5s");
}

#[test]
fn readiness_is_a_level() {
    let draft = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 1)
        .requires("app", "db");
    let mut stage = draft
        .with("db", |db| {
            db.probes.readiness.as_mut().unwrap().failure_threshold = 1;
        })
        .play();
    stage.started("db");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);
    stage.started("app");
    let ready = |stage: &super::Stage| {
        stage
            .engine
            .status()
            .condition(ConditionKind::Ready)
            .unwrap()
            .status
    };
    assert!(ready(&stage));
    stage.asked();

    stage.pass_secs(1);
    stage.probed("db", ProbeKind::Readiness, false);

    assert!(!ready(&stage));
    assert_eq!(
        stage.asked(),
        ["readiness db"],
        "it stops and restarts nothing"
    );
    assert_eq!(stage.phase(), Phase::Running);
}

#[test]
fn an_awaited_container_is_probed_often() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 10)
        .requires("app", "db")
        .play();
    stage.started("db");
    stage.asked();
    let mut attempts = 0;
    for _ in 0..100 {
        stage.pass(Duration::from_millis(10));
        for _ in stage.asked() {
            attempts += 1;
            stage.probed("db", ProbeKind::Readiness, false);
        }
    }

    assert!(
        (20..=25).contains(&attempts),
        "{attempts} attempts in the first second"
    );
}

#[test]
fn nobody_is_probed_before_the_initial_delay() {
    let draft = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 1)
        .requires("app", "db");
    let delay = Duration::from_secs(5);
    let mut stage = draft
        .with("db", |db| {
            db.probes.readiness.as_mut().unwrap().initial_delay = delay;
        })
        .play();
    stage.started("db");
    stage.asked();

    stage.pass(Duration::from_millis(4999));
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass(Duration::from_millis(1));

    assert_eq!(stage.asked(), ["readiness db"]);
}

#[test]
fn the_initial_delay_counts_from_the_start_of_the_process() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Startup, 1)
        .probe("app", ProbeKind::Readiness, 10)
        .with("app", |app| {
            let readiness = app.probes.readiness.as_mut().unwrap();
            readiness.initial_delay = Duration::from_secs(5);
        })
        .play();
    stage.started("app");
    stage.pass_secs(3);
    stage.probed("app", ProbeKind::Startup, false);
    stage.pass_secs(1);
    stage.asked();
    stage.probed("app", ProbeKind::Startup, true);

    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["readiness app"]);
}

#[test]
fn a_container_can_tell_that_it_is_ready() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .with("db", |db| db.ready_on = true)
        .play();
    stage.started("db");
    assert_eq!(stage.asked(), ["start db"]);

    let container = stage.id("db");
    stage.event(Event::Notified {
        container,
        attempt: 1,
        ready: true,
    });

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn the_time_to_start_counts_anew_when_the_turn_was_lost() {
    let mut stage = Draft::new(&["net", "app"])
        .requires("app", "net")
        .with("app", |app| {
            app.image = Some("app:1".into());
            app.start_timeout = Some(Duration::from_secs(15));
        })
        .play();
    stage.started("net");
    stage.pass_secs(10);
    stage.exited("net", 1);
    stage.started("net");
    stage.pass_secs(10);
    stage.pulled("app");

    let asked = ["pull app", "start net", "start net", "start app"];
    assert_eq!(stage.asked(), asked);
}

#[test]
fn a_start_that_takes_too_long_is_a_failure() {
    let draft = Draft::new(&["db"]).with("db", |db| {
        db.ready_on = true;
        db.start_timeout = Some(Duration::from_secs(5));
    });
    let mut stage = draft.play();
    stage.started("db");
    stage.pass_secs(5);
    assert_eq!(stage.asked(), ["start db", "stop db by 35s"]);

    stage.exited("db", 0);

    assert_eq!(stage.asked(), ["start db"]);
}

#[test]
fn a_pull_that_takes_too_long_counts_against_the_start() {
    let draft = Draft::new(&["db"]).with("db", |db| {
        db.image = Some("db:1".into());
        db.start_timeout = Some(Duration::from_secs(5));
    });
    let mut stage = draft.play();
    stage.pass_secs(5);

    assert_eq!(stage.asked(), ["pull db", "cancel pull db", "pull db"]);
}

#[test]
fn an_oneshot_that_takes_too_long_has_not_succeeded() {
    let draft = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .requires("app", "setup")
        .with("setup", |setup| {
            setup.start_timeout = Some(Duration::from_secs(5));
            setup.restart.policy = RestartPolicy::Never;
        });
    let mut stage = draft.play();
    stage.started("setup");
    stage.pass_secs(5);
    stage.exited("setup", 0);

    assert_eq!(stage.result().unwrap().0, Phase::Failed);
}

#[test]
fn answers_of_an_old_run_are_dropped() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 1)
        .requires("app", "db")
        .play();
    stage.started("db");
    stage.pass_secs(0);
    stage.exited("db", 1);
    stage.started("db");
    stage.asked();

    let container = stage.id("db");
    stage.event(Event::Probed {
        container,
        attempt: 1,
        probe: ProbeKind::Readiness,
        ok: true,
    });

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn whoever_begins_to_wait_does_not_hasten_the_initial_delay() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Readiness, 1)
        .requires("app", "db")
        .with("db", |db| {
            db.probes.readiness.as_mut().unwrap().initial_delay = Duration::from_secs(5);
        })
        .play();
    stage.started("db");
    stage.pass_secs(2);
    stage.asked();

    stage.ask_by(Some("app"), Reaction::Ignore).unwrap();
    stage.ask_by(Some("app"), Reaction::Restart).unwrap();
    stage.pass(Duration::from_millis(2999));
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass(Duration::from_millis(1));

    assert_eq!(stage.asked(), ["readiness db"]);
}

#[test]
fn a_phase_that_nobody_waits_for_is_probed_at_its_period() {
    let mut stage = Draft::new(&["proxy", "app"])
        .probe("proxy", ProbeKind::Readiness, 10)
        .phase(&["proxy"], &["app"])
        .play();
    stage.started("proxy");
    stage.pass_secs(0);
    stage.probed("proxy", ProbeKind::Readiness, true);
    stage.started("app");
    for _ in 0..4 {
        stage.pass_secs(10);
        stage.probed("proxy", ProbeKind::Readiness, false);
    }
    stage.asked();

    stage.pass_secs(9);

    assert_eq!(stage.asked(), [""; 0]);
}
