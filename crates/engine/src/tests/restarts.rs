//! Exits: policies, rules, back-off, limits, and those that go down with a target.

use super::{Draft, Stage};
use crate::pod::{
    HookKind, OnRestart, ProbeKind, Reaction, RestartLimit, RestartPolicy, Rule, When,
};
use crate::status::{ContainerState, Phase};
use crate::{Event, Found, StartFailure};
use std::time::Duration;

fn waiting_reason(stage: &Stage, name: &str) -> String {
    match &stage.engine.status().container(name).unwrap().state {
        ContainerState::Waiting { reason, .. } => (*reason).to_owned(),
        other @ (ContainerState::Running { .. } | ContainerState::Terminated(_)) => {
            format!("{other:?}")
        }
    }
}

#[test]
fn a_crash_is_retried_at_once_and_then_with_growing_pauses() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 1);
    stage.runs("app", 1);
    assert_eq!(stage.asked(), ["start app", "start app"]);
    assert_eq!(waiting_reason(&stage, "app"), "CrashLoopBackOff");

    stage.pass_secs(9);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);
    assert_eq!(stage.asked(), ["start app"]);
    stage.runs("app", 1);
    stage.pass_secs(20);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_long_run_resets_the_back_off() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 1);
    stage.started("app");
    stage.pass_secs(601);
    stage.asked();

    stage.exited("app", 1);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn waiting_for_an_image_is_no_long_run_and_resets_no_back_off() {
    let mut stage = Draft::new(&["app"])
        .with("app", |app| {
            app.image = Some("missing".into());
            app.start_timeout = Some(Duration::from_secs(5));
        })
        .play();

    stage.pass_secs(3600);

    let pulls = stage
        .asked()
        .iter()
        .filter(|asked| *asked == "pull app")
        .count();
    assert!(pulls <= 18, "{pulls} pulls in an hour");
}

#[test]
fn a_rule_overrides_the_policy() {
    let rule = Rule {
        when: When::CodeIn(vec![42]),
        reaction: Reaction::Restart,
    };
    let mut stage = Draft::new(&["app"])
        .never()
        .with("app", |app| app.restart.rules.push(rule))
        .play();
    stage.runs("app", 42);
    assert_eq!(stage.asked(), ["start app", "start app"]);

    stage.runs("app", 1);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn too_many_restarts_and_the_container_gives_up() {
    let limit = RestartLimit {
        max: 2,
        window: Some(Duration::from_mins(1)),
    };
    let draft = Draft::new(&["helper", "app"]).sidecar("helper");
    let mut stage = draft
        .with("helper", |helper| helper.restart.limit = Some(limit))
        .play();
    stage.started("app");
    stage.runs("helper", 1);
    stage.runs("helper", 1);
    stage.pass_secs(10);
    stage.runs("helper", 1);
    stage.asked();

    stage.pass_secs(600);

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(stage.phase(), Phase::Running);
}

/// A sidecar and a main that may be restarted twice, together.
fn limited(change: impl FnOnce(Draft) -> Draft) -> Stage {
    let mut draft = change(Draft::new(&["helper", "app"]).sidecar("helper"));
    draft.0.restart_limit = Some(2);
    draft.play()
}

#[test]
fn the_restarts_of_all_containers_together_can_be_too_many() {
    for failing in ["app", "helper"] {
        let mut stage = limited(|draft| draft);
        stage.runs("app", 1);
        stage.runs("helper", 0);
        assert_eq!(stage.phase(), Phase::Running);
        stage.started("app");
        stage.started("helper");
        stage.asked();

        // Whoever it is, and whatever its giving up would mean by itself.
        stage.exited(failing, 3);
        let other = if failing == "app" { "helper" } else { "app" };
        assert_eq!(stage.asked(), [format!("stop {other} by 30s")]);
        stage.exited(other, 0);

        assert_eq!(stage.result(), Some((Phase::Failed, Some(failing), 3)));
    }
}

#[test]
fn who_has_a_limit_of_its_own_is_not_counted_with_the_others() {
    let limit = RestartLimit {
        max: 2,
        window: None,
    };
    let mut stage =
        limited(|draft| draft.with("helper", |helper| helper.restart.limit = Some(limit)));
    stage.runs("helper", 1);
    stage.runs("helper", 1);
    stage.pass_secs(10);
    stage.runs("helper", 1);
    stage.runs("app", 1);
    stage.runs("app", 1);
    stage.pass_secs(10);
    assert_eq!(stage.phase(), Phase::Running);

    stage.runs("app", 1);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn the_restarts_of_all_containers_are_counted_on_after_a_crash() {
    let mut stage = limited(|draft| draft);
    stage.runs("helper", 1);
    stage.started("helper");
    stage.started("app");
    stage.crash(|_, attempt| Found::Running { attempt });
    stage.exited("app", 1);
    stage.started("app");
    stage.crash(|_, attempt| Found::Running { attempt });
    stage.asked();

    stage.exited("app", 1);
    assert_eq!(stage.asked(), ["stop helper by 30s"]);
    stage.exited("helper", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn a_dependant_restarts_with_its_target() {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Restart)
        .play();
    stage.started("mount");
    stage.started("app");
    stage.asked();

    stage.exited("mount", 1);
    assert_eq!(stage.asked(), ["stop app by 30s", "start mount"]);
    stage.started("mount");
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited("app", 143);

    assert_eq!(
        stage.asked(),
        ["start app"],
        "at once: a stop that was asked for is no failure"
    );
}

#[test]
fn stops_that_propagate_go_in_stop_order() {
    let draft = Draft::new(&["mount", "db", "app"]);
    let draft = draft
        .on_restart("db", "mount", OnRestart::Restart)
        .on_restart("app", "db", OnRestart::Restart);
    let mut stage = draft.play();
    for name in ["mount", "db", "app"] {
        stage.started(name);
    }
    stage.asked();

    stage.exited("mount", 1);
    assert_eq!(stage.asked(), ["stop app by 30s", "start mount"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["stop db by 30s"]);
    stage.exited("db", 0);
    stage.started("mount");
    assert_eq!(stage.asked(), ["start db"]);
    stage.started("db");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_dependant_that_says_stop_gives_up() {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Stop)
        .play();
    stage.started("mount");
    stage.started("app");
    stage.asked();

    stage.exited("mount", 1);
    stage.exited("app", 0);

    assert_eq!(
        stage.asked(),
        ["stop app by 30s", "start mount", "stop mount by 30s"]
    );
}

#[test]
fn a_target_that_ended_well_takes_its_dependants_along() {
    let draft = Draft::new(&["job", "tail"])
        .never()
        .on_restart("tail", "job", OnRestart::Restart);
    let mut stage = draft.play();
    stage.started("job");
    stage.started("tail");
    stage.exited("job", 0);
    assert_eq!(
        stage.asked(),
        ["start job", "start tail", "stop tail by 30s"]
    );

    stage.exited("tail", 143);

    assert_eq!(
        stage.result(),
        Some((Phase::Succeeded, None, 0)),
        "the tail counts as ended with 0"
    );
}

#[test]
fn a_dependant_that_keeps_going_is_left_alone() {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.exited("proxy", 1);

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn an_image_that_cannot_be_had_is_tried_again() {
    let draft = Draft::new(&["app"])
        .never()
        .with("app", |app| app.image = Some("app:1".into()));
    let mut stage = draft.play();
    let container = stage.id("app");
    stage.event(Event::PullFailed {
        container,
        attempt: 1,
        message: "no such image".into(),
    });
    assert_eq!(waiting_reason(&stage, "app"), "ImagePullBackOff");
    assert_eq!(stage.phase(), Phase::Pending);
    stage.pass_secs(10);
    assert_eq!(stage.asked(), ["pull app", "pull app"]);

    stage.event(Event::Pulled {
        container,
        attempt: 1,
    });

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_container_that_cannot_be_created_is_tried_again_whatever_the_policy() {
    let mut stage = Draft::new(&["app"]).never().play();
    let container = stage.id("app");
    let reason = StartFailure::CreateContainerConfigError;
    stage.event(Event::StartFailed {
        container,
        attempt: 1,
        reason,
        message: "no configmap".into(),
    });
    assert_eq!(waiting_reason(&stage, "app"), "CreateContainerConfigError");
    stage.pass_secs(10);

    assert_eq!(stage.asked(), ["start app", "start app"]);
    assert_eq!(stage.engine.status().container("app").unwrap().restarts, 0);
}

#[test]
fn a_container_that_could_not_be_run_is_a_failure_for_its_policy() {
    let mut stage = Draft::new(&["app"])
        .policy("app", RestartPolicy::Never)
        .play();
    let exit = crate::Exit {
        reason: Some("StartError".into()),
        ..crate::Exit::code(128)
    };
    stage.exited_with("app", exit);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 128)));
}

#[test]
fn restarts_are_counted_and_the_last_end_is_shown() {
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 3);
    stage.started("app");

    let status = stage.engine.status();
    let app = status.container("app").unwrap();
    assert_eq!(app.restarts, 1);
    assert_eq!(app.last.as_ref().unwrap().code, 3);
}

#[test]
fn a_late_answer_of_a_hook_harms_nobody() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.hook_done("app", HookKind::PreStop, true);
    stage.asked();

    assert_eq!(stage.phase(), Phase::Running);
}

#[test]
fn a_container_that_is_ready_again_has_started_in_time() {
    let draft = Draft::new(&["app"]);
    let mut stage = draft
        .with("app", |app| {
            app.start_timeout = Some(Duration::from_secs(5));
        })
        .play();
    stage.runs("app", 1);
    stage.started("app");
    stage.asked();

    stage.pass_secs(60);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn readiness_is_told_for_every_run() {
    use crate::What;
    let mut stage = Draft::new(&["app"]).play();
    stage.runs("app", 1);
    stage.started("app");
    stage.exited("app", 1);

    let told = std::iter::from_fn(|| stage.engine.poll_entry()).map(|entry| entry.what);
    let told: Vec<_> = told
        .filter(|what| matches!(what, What::PodReady | What::PodUnready))
        .collect();
    assert_eq!(
        told,
        [
            What::PodReady,
            What::PodUnready,
            What::PodReady,
            What::PodUnready
        ]
    );
}

#[test]
fn a_oneshot_that_succeeded_is_not_restarted_by_a_rule() {
    let rule = Rule {
        when: When::CodeIn(vec![0]),
        reaction: Reaction::Restart,
    };
    let draft = Draft::new(&["setup", "app"]).oneshot("setup");
    let mut stage = draft
        .with("setup", |setup| setup.restart.rules.push(rule))
        .requires("app", "setup")
        .play();
    stage.runs("setup", 0);

    assert_eq!(stage.asked(), ["start setup", "start app"]);
}

#[test]
fn a_oneshot_that_ran_out_of_memory_has_not_succeeded() {
    let draft = Draft::new(&["setup", "app"]).oneshot("setup");
    let mut stage = draft.requires("app", "setup").play();
    stage.started("setup");
    stage.exited_with(
        "setup",
        crate::Exit {
            code: 0,
            signal: None,
            ..crate::Exit::out_of_memory()
        },
    );

    assert_eq!(stage.asked(), ["start setup", "start setup"]);
}

#[test]
fn a_soft_dependant_that_restarts_with_its_target_waits_until_it_is_back() {
    let draft = Draft::new(&["db", "app"]).edge("app", "db", |edge| {
        edge.need = crate::pod::Need::Soft;
        edge.on_restart = OnRestart::Restart;
    });
    let mut stage = draft.play();
    stage.started("db");
    stage.started("app");
    stage.exited("db", 1);
    stage.exited("db", 1);
    stage.asked();

    stage.exited("app", 0);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(10);
    stage.started("db");

    assert_eq!(stage.asked(), ["start db", "start app"]);
}

#[test]
fn whoever_ends_before_it_is_brought_down_ends_by_its_own_rules() {
    let draft = Draft::new(&["base", "app", "top"])
        .sidecar("base")
        .on_restart("app", "base", OnRestart::Restart)
        .on_restart("top", "app", OnRestart::Restart);
    let mut stage = draft
        .with("app", |app| {
            app.keystone = Some(crate::pod::Keystone::Any);
            app.restart.policy = RestartPolicy::Never;
        })
        .play();
    for name in ["base", "app", "top"] {
        stage.started(name);
    }
    stage.exited("base", 1);
    stage.asked();

    // The top is still being stopped, and the app was not told to go yet.
    stage.exited("app", 3);
    stage.started("base");
    stage.exited("top", 0);
    stage.exited("base", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 3)));
}

#[test]
fn what_never_ran_has_not_ended_well_with_its_target() {
    let draft = Draft::new(&["mount", "setup", "app"])
        .oneshot("setup")
        .requires("app", "setup")
        .on_restart("app", "mount", OnRestart::Restart)
        .policy("mount", RestartPolicy::Never);
    let mut stage = draft.play();
    stage.started("mount");
    stage.exited("mount", 0);
    stage.exited("setup", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn starts_that_fail_count_against_the_limit() {
    let limit = RestartLimit {
        max: 2,
        window: None,
    };
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.restart.limit = Some(limit))
        .play();
    stage.start_fails("app");
    stage.pass_secs(10);
    stage.start_fails("app");
    stage.pass_secs(20);
    stage.start_fails("app");

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn stops_that_propagate_do_not_count_against_the_back_off() {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Restart)
        .play();
    stage.started("mount");
    stage.started("app");
    for _ in 0..3 {
        stage.ask_by(Some("mount"), Reaction::Restart).unwrap();
        stage.exited("mount", 0);
        stage.exited("app", 143);
        stage.started("mount");
        assert_eq!(stage.asked().pop().unwrap(), "start app");
        stage.started("app");
    }

    stage.exited("app", 1);

    assert_eq!(
        stage.asked(),
        ["start app"],
        "its first crash is retried at once"
    );
}

#[test]
fn nothing_is_started_on_a_target_that_is_being_killed() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Liveness, 1)
        .requires("app", "db")
        .with("app", |app| app.image = Some("app".into()))
        .play();
    stage.started("db");
    stage.pass_secs(0);
    for _ in 0..3 {
        stage.probed("db", ProbeKind::Liveness, false);
        stage.pass_secs(1);
    }
    assert_eq!(stage.asked().pop().unwrap(), "stop db by 32s");

    stage.pulled("app");
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited("db", 0);
    stage.started("db");

    assert_eq!(stage.asked(), ["start db", "start app"]);
}
