//! The driver dies and comes back.

use super::{Draft, Stage};
use crate::pod::{List, ProbeKind, Reaction, RestartPolicy};
use crate::status::{ConditionKind, Phase};
use crate::{Engine, Event, Exit, Found, Tick, What};
use std::time::Duration;

fn running(_: &str, attempt: u32) -> Found {
    Found::Running { attempt }
}

#[test]
fn what_runs_is_found_again_and_nothing_is_started_twice() {
    let mut stage = Draft::new(&["setup", "proxy", "app"])
        .oneshot("setup")
        .requires("proxy", "setup")
        .requires("app", "proxy")
        .play();
    stage.runs("setup", 0);
    stage.started("proxy");
    stage.started("app");

    stage.crash(running);

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(stage.phase(), Phase::Running);
}

#[test]
fn a_start_that_never_happened_is_made_up_for() {
    let mut stage = Draft::new(&["app"]).play();
    assert_eq!(stage.asked(), ["start app"]);

    stage.crash(|_, _| Found::NeverCreated);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_start_that_happened_unseen_is_not_repeated() {
    let mut stage = Draft::new(&["migrate", "app"])
        .oneshot("migrate")
        .requires("app", "migrate")
        .play();
    stage.asked();

    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: Some(Exit::code(0)),
    });

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_start_that_is_found_to_have_happened_is_told() {
    let mut stage = Draft::new(&["app"]).play();
    stage.told();

    stage.crash(running);

    let told: Vec<_> = stage.told().into_iter().map(|entry| entry.what).collect();
    assert!(told.contains(&What::Running), "{told:?}");
}

/// An app after an init container that is through; the app's start was asked for.
fn after_init() -> Stage {
    let mut stage = Draft::new(&["init", "app"])
        .oneshot("init")
        .with("init", |init| init.list = List::Init)
        .requires("app", "init")
        .play();
    stage.runs("init", 0);
    stage
}

/// Whether the pod still counts as initialised when it is restarted and its init container runs again.
fn is_initialized_in_the_next_run(mut stage: Stage) -> bool {
    stage.ask(Reaction::RestartPod);
    if stage.engine.record(stage.id("app")).unwrap().is_up() {
        stage.exited("app", 0);
    }
    stage.started("init");
    let conditions = stage.engine.status().conditions;
    let mut conditions = conditions.iter();
    conditions.any(|condition| condition.kind == ConditionKind::Initialized && condition.status)
}

#[test]
fn a_pod_whose_app_was_found_running_has_been_initialized() {
    let mut stage = after_init();

    stage.crash(running);

    assert!(is_initialized_in_the_next_run(stage));
}

#[test]
fn a_pod_whose_app_ended_before_it_was_seen_has_been_initialized() {
    let mut stage = after_init();

    stage.exited("app", 1);

    assert!(is_initialized_in_the_next_run(stage));
}

#[test]
fn what_requires_a_target_that_ended_unseen_waits_for_it() {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.asked();

    stage.crash(|name, attempt| match name {
        "proxy" => Found::Ended {
            attempt,
            exit: Some(Exit::code(1)),
        },
        _ => Found::NeverCreated,
    });
    assert_eq!(stage.asked(), ["start proxy"]);
    stage.started("proxy");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn an_ordered_stop_goes_on_where_it_was() {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.pass_secs(5);
    stage.asked();

    stage.crash(running);
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: Some(Exit::code(0)),
    });

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn readiness_is_carried_over() {
    let mut stage = Draft::new(&["db"])
        .probe("db", ProbeKind::Readiness, 10)
        .play();
    stage.started("db");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);

    stage.crash(running);

    let status = stage.engine.status();
    assert!(status.container("db").unwrap().ready);
    assert!(status.container("db").unwrap().started);
}

#[test]
fn a_back_off_goes_on_where_it_was() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 1);
    stage.runs("app", 1);
    stage.pass_secs(4);
    stage.asked();

    stage.crash(running);
    stage.pass_secs(5);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_container_that_vanished_has_failed() {
    let mut stage = Draft::new(&["app"]).never().play();
    stage.started("app");

    stage.crash(|_, _| Found::NeverCreated);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 137)));
}

#[test]
fn another_run_than_the_one_that_is_expected_is_not_taken_for_it() {
    let others: [fn(&str, u32) -> Found; 2] = [
        |_, attempt| Found::Running {
            attempt: attempt + 7,
        },
        |_, attempt| Found::Ended {
            attempt: attempt - 1,
            exit: Some(Exit::code(0)),
        },
    ];
    for other in others {
        let mut stage = Draft::new(&["app"]).never().play();
        stage.started("app");

        stage.crash(other);

        assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 137)));
    }
}

#[test]
fn a_turn_is_lost_with_a_sandbox_in_which_nothing_was_made() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| {
            app.image = Some("app:1".into());
            app.start_timeout = Some(Duration::from_secs(10));
        })
        .play();
    stage.pass_secs(9);
    stage.event(Event::SandboxLost);
    stage.pass_secs(5);
    stage.event(Event::SandboxReady);

    stage.pulled("app");

    assert_eq!(stage.asked().last().unwrap(), "start app");
}

#[test]
fn a_start_that_never_happened_does_not_end_a_pod_whose_sandbox_is_lost() {
    let mut stage = Draft::new(&["app"]).never().play();
    assert_eq!(stage.asked(), ["start app"]);

    stage.crash_and_lose_sandbox(|_, _| Found::NeverCreated);
    assert_eq!(stage.asked(), [""; 0]);
    stage.event(Event::SandboxReady);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn an_end_that_is_found_with_a_lost_sandbox_counts() {
    let mut stage = Draft::new(&["app"]).never().play();
    stage.started("app");

    stage.crash_and_lose_sandbox(|_, attempt| Found::Ended {
        attempt,
        exit: Some(Exit::code(0)),
    });

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_sidecar_that_ended_with_all_mains_is_not_started_again() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .policy("app", RestartPolicy::Never)
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: Some(Exit::code(0)),
    });

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_pod_that_has_ended_stays_so() {
    let mut stage = Draft::new(&["app"]).never().play();
    stage.runs("app", 3);

    stage.crash(running);

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 3)));
}

#[test]
fn an_undo_that_was_under_way_is_not_begun_again() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    stage.delete();
    stage.exited("app", 0);
    stage.asked();

    stage.crash(running);
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited("mount", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn an_undo_that_was_seen_and_left_no_trace_is_not_run_a_second_time() {
    for out_of_time in [false, true] {
        let mut stage = Draft::new(&["mount", "app"])
            .undo("mount")
            .requires("app", "mount")
            .play();
        stage.runs("mount", 0);
        stage.started("app");
        stage.delete();
        stage.exited("app", 0);
        assert_eq!(stage.asked().last().unwrap(), "undo mount");
        if out_of_time {
            stage.pass_secs(30);
        } else {
            stage.started("mount");
        }

        stage.crash(|_, _| Found::NeverCreated);

        assert_eq!(stage.asked(), [""; 0], "out of time: {out_of_time}");
        assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
    }
}

#[test]
fn a_process_that_is_gone_is_not_told_to_stop_again() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.delete();
    stage.asked();

    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: Some(Exit::code(0)),
    });

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_reversal_that_was_told_to_stop_is_told_again() {
    let mut stage = Draft::new(&["setup"]).undo("setup").play();
    stage.runs("setup", 0);
    stage.started("setup");
    stage.pass_secs(30);
    assert_eq!(
        stage.asked(),
        ["start setup", "undo setup", "stop setup by 32s"]
    );

    stage.crash(running);

    assert_eq!(stage.asked(), ["stop setup by 32s"]);
}

#[test]
fn a_sidecar_whose_restart_in_a_stop_never_happened_is_restarted() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.exited("proxy", 1);
    assert_eq!(stage.asked().last().unwrap(), "start proxy");

    stage.crash(|name, attempt| match name {
        "proxy" => Found::NeverCreated,
        _ => Found::Running { attempt },
    });

    assert_eq!(stage.asked(), ["stop app by 30s", "start proxy"]);
}

#[test]
fn readiness_is_probed_on_in_a_stop() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Readiness, 1)
        .play();
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("app", ProbeKind::Readiness, true);
    stage.delete();
    stage.asked();

    stage.crash(running);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["stop app by 30s", "readiness app"]);
}

#[test]
fn what_a_driver_comes_back_too_late_to_stop_gets_the_signal_first() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.delete();
    stage.asked();

    stage.lose_time(60);
    stage.crash(running);

    assert_eq!(stage.asked(), ["stop app by 62s"]);
}

#[test]
fn a_start_that_never_happened_is_not_made_up_for_in_a_stop_that_is_through_above_it() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy")
        .sidecars_stop_last()
        .play();
    stage.delete();
    assert_eq!(stage.asked(), ["start proxy", "stop proxy by 30s"]);

    stage.crash(|_, _| Found::NeverCreated);

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(stage.result(), Some((Phase::Failed, None, 1)));
}

#[test]
fn a_sidecar_is_not_restarted_when_the_budget_was_spent_in_the_drivers_absence() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    stage.asked();
    stage.lose_time(40);

    stage.crash(|name, attempt| match name {
        "proxy" => Found::Ended {
            attempt,
            exit: Some(Exit::code(1)),
        },
        _ => Found::Running { attempt },
    });

    assert_eq!(stage.asked(), ["stop app by 42s"]);
}

/// The machine was down for that long, and its clock has begun anew: the driver goes on from the newest moment it
/// knows.
fn reboot(stage: &mut Stage, down: u64) {
    let restored = Engine::restore(stage.pod.clone(), stage.journal.clone()).unwrap();
    stage.now = restored.newest_tick() + Duration::from_secs(down);
    stage.crash_and_lose_sandbox(|_, _| Found::NeverCreated);
}

#[test]
fn the_newest_moment_that_is_known_is_one_that_has_been() {
    let mut stage = Draft::new(&["app", "b"]).play();
    stage.started("app");
    stage.pass_secs(7);
    stage.exited("app", 1);
    stage.started("app");
    stage.pass_secs(1);
    stage.exited("app", 1);

    let restored = Engine::restore(stage.pod.clone(), stage.journal.clone()).unwrap();

    assert_eq!(
        restored.newest_tick(),
        Tick::from_secs(8),
        "not the back-off's end"
    );
}

#[test]
fn the_moment_of_a_deletion_is_known() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.pass_secs(100);

    stage.delete();
    let restored = Engine::restore(stage.pod.clone(), stage.journal.clone()).unwrap();

    assert_eq!(restored.newest_tick(), Tick::from_secs(100));
}

#[test]
fn a_pod_that_lived_long_before_a_reboot_is_run_again_at_once() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.pass_secs(900_000);
    for _ in 0..2 {
        stage.ask(Reaction::RestartPod);
        stage.exited("app", 0);
        stage.pass_secs(10);
        stage.started("app");
    }

    reboot(&mut stage, 30);
    stage.event(Event::SandboxReady);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn the_active_deadline_counts_on_over_a_reboot() {
    let mut draft = Draft::new(&["app"]);
    draft.0.active_deadline = Some(Duration::from_hours(1));
    let mut stage = draft.play();
    stage.started("app");
    stage.pass_secs(1000);
    stage.exited("app", 1);
    stage.started("app");

    reboot(&mut stage, 30);

    assert_eq!(stage.engine.poll_deadline(), Some(Tick::from_secs(3600)));
    assert_eq!(stage.now, Tick::from_secs(1030));
}
