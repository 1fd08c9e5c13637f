//! Completion, keystones, restarts of the pod, and its result.

use super::{Draft, Stage};
use crate::pod::{
    Container, Keystone, Kind, Need, OnGiveUp, OnRestart, Reaction, Requirement, Rerun,
    RestartLimit, RestartPolicy, Role, Rule, When,
};
use crate::status::Phase;
use crate::{Cause, Event, Exit, Refused, Request, What};
use std::time::Duration;

#[test]
fn a_job_ends_though_its_proxy_runs_for_ever() {
    let mut stage = Draft::new(&["proxy", "job"])
        .never()
        .sidecar("proxy")
        .requires("job", "proxy")
        .play();
    stage.started("proxy");
    stage.runs("job", 0);
    assert_eq!(
        stage.asked(),
        ["start proxy", "start job", "stop proxy by 30s"]
    );
    assert_eq!(stage.phase(), Phase::Running);

    stage.exited("proxy", 1);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn the_first_main_that_failed_decides() {
    let mut stage = Draft::new(&["a", "b"]).never().play();
    stage.runs("b", 4);
    stage.pass_secs(1);
    stage.runs("a", 3);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("b"), 4)));
}

#[test]
fn a_keystone_ends_the_pod_with_its_result() {
    let draft = Draft::new(&["helper", "app"]).with("app", |app| {
        app.keystone = Some(Keystone::Any);
        app.restart.policy = RestartPolicy::Never;
    });
    let mut stage = draft.play();
    stage.started("helper");
    stage.runs("app", 0);
    assert_eq!(
        stage.asked(),
        ["start helper", "start app", "stop helper by 30s"]
    );

    stage.exited("helper", 1);

    assert_eq!(stage.result(), Some((Phase::Succeeded, Some("app"), 0)));
}

#[test]
fn a_keystone_of_failure_lets_a_success_pass() {
    let draft = Draft::new(&["helper", "app"]).with("helper", |helper| {
        helper.keystone = Some(Keystone::Failure);
        helper.restart.policy = RestartPolicy::Never;
    });
    let mut stage = draft.play();
    stage.runs("helper", 0);
    stage.started("app");

    assert_eq!(stage.phase(), Phase::Running);
    assert_eq!(stage.asked(), ["start helper", "start app"]);
}

#[test]
fn the_first_cause_of_the_end_decides() {
    let draft = Draft::new(&["a", "app"]).with("app", |app| {
        app.keystone = Some(Keystone::Any);
        app.restart.policy = RestartPolicy::Never;
    });
    let mut stage = draft.play();
    stage.started("a");
    stage.runs("app", 0);
    assert_eq!(
        stage.ask_by(Some("a"), Reaction::FailPod),
        Err(Refused::Ending)
    );
    stage.delete_in(5);
    stage.exited("a", 9);

    assert_eq!(stage.result(), Some((Phase::Succeeded, Some("app"), 0)));
}

#[test]
fn whoever_a_keystone_gave_up_for_decides() {
    let draft = Draft::new(&["setup", "app"])
        .never()
        .oneshot("setup")
        .requires("app", "setup")
        .with("app", |app| app.keystone = Some(Keystone::Any));
    let mut stage = draft.play();

    stage.runs("setup", 7);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("setup"), 7)));
}

#[test]
fn a_pod_restart_stops_and_starts_in_order() {
    let mut stage = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .requires("app", "setup")
        .play();
    stage.runs("setup", 0);
    stage.started("app");
    stage.asked();

    stage.ask_by(Some("app"), Reaction::RestartPod).unwrap();
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["start setup"]);
    stage.runs("setup", 0);

    assert_eq!(stage.asked(), ["start app"]);
    assert_eq!(stage.engine.run(), 2);
}

#[test]
fn a_oneshot_that_says_so_is_run_once_in_the_pods_life() {
    let draft = Draft::new(&["setup", "app"]).requires("app", "setup");
    let draft = draft.with("setup", |setup| {
        setup.kind = Kind::Oneshot {
            undo: false,
            rerun: Rerun::Never,
        }
    });
    let draft = draft.with("app", |app| {
        app.requires[0].until = crate::pod::Until::Succeeded;
    });
    let mut stage = draft.play();
    stage.runs("setup", 0);
    stage.started("app");
    stage.asked();

    stage.ask_by(Some("app"), Reaction::RestartPod).unwrap();
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop app by 30s", "start app"]);
}

#[test]
fn the_second_pod_restart_waits() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.ask_by(Some("app"), Reaction::RestartPod).unwrap();
    stage.exited("app", 0);
    stage.started("app");
    stage.ask_by(Some("app"), Reaction::RestartPod).unwrap();
    stage.exited("app", 0);
    stage.asked();

    stage.pass_secs(9);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_deletion_ends_a_pod_that_is_being_restarted() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.ask_by(Some("app"), Reaction::RestartPod).unwrap();
    stage.delete();
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn restart_all_containers_kills_at_once_and_runs_everything_again() {
    let rule = Rule {
        when: When::CodeIn(vec![42]),
        reaction: Reaction::RestartAllContainers,
    };
    let draft = Draft::new(&["setup", "proxy", "app"])
        .oneshot("setup")
        .requires("proxy", "setup")
        .requires("app", "proxy");
    let mut stage = draft.with("app", |app| app.restart.rules.push(rule)).play();
    stage.runs("setup", 0);
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.exited("app", 42);
    assert_eq!(stage.asked(), ["stop proxy by 2s"]);
    stage.exited("proxy", 137);

    assert_eq!(stage.asked(), ["start setup"]);
}

#[test]
fn a_rule_can_fail_the_pod_whatever_the_codes() {
    let rule = Rule {
        when: When::CodeIn(vec![0]),
        reaction: Reaction::FailPod,
    };
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.restart.rules.push(rule))
        .play();
    stage.runs("app", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn an_ignored_container_counts_nowhere() {
    let rule = Rule {
        when: When::CodeNotIn(vec![0]),
        reaction: Reaction::Ignore,
    };
    let mut stage = Draft::new(&["a", "b"])
        .never()
        .with("a", |a| a.restart.rules.push(rule))
        .play();
    stage.runs("a", 5);
    stage.runs("b", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_broken_helper_does_not_touch_the_pod() {
    let draft = Draft::new(&["helper", "app"])
        .never()
        .with("helper", |helper| helper.on_give_up = OnGiveUp::Ignore);
    let mut stage = draft.play();
    stage.runs("helper", 5);
    stage.started("app");
    assert!(
        stage
            .engine
            .status()
            .condition(crate::status::ConditionKind::Ready)
            .unwrap()
            .status
    );
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn the_active_deadline_fails_the_pod() {
    let mut draft = Draft::new(&["app"]);
    draft.0.active_deadline = Some(Duration::from_mins(1));
    let mut stage = draft.play();
    stage.started("app");
    stage.pass_secs(60);
    assert_eq!(stage.asked(), ["start app", "stop app by 90s"]);
    stage.exited("app", 0);

    assert_eq!(
        stage.engine.result().unwrap().reason,
        Some(crate::PodReason::DeadlineExceeded)
    );
    assert_eq!(stage.phase(), Phase::Failed);
}

#[test]
fn a_lost_sandbox_runs_the_pod_again() {
    let mut stage = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .requires("app", "setup")
        .play();
    stage.runs("setup", 0);
    stage.started("app");
    stage.asked();

    stage.event(Event::SandboxLost);
    assert_eq!(stage.asked(), [""; 0]);
    stage.event(Event::SandboxReady);

    assert_eq!(stage.asked(), ["start setup"]);
}

#[test]
fn a_lost_sandbox_ends_a_pod_that_never_restarts() {
    let mut stage = Draft::new(&["app"]).never().play();
    stage.started("app");

    stage.event(Event::SandboxLost);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 137)));
}

#[test]
fn a_lost_sandbox_spares_what_has_succeeded_under_on_failure() {
    let mut draft = Draft::new(&["a", "b"])
        .policy("a", RestartPolicy::OnFailure)
        .policy("b", RestartPolicy::OnFailure);
    draft.0.restart_policy = RestartPolicy::OnFailure;
    let mut stage = draft.play();
    stage.runs("a", 0);
    stage.started("b");
    stage.asked();

    stage.event(Event::SandboxLost);
    stage.event(Event::SandboxReady);

    assert_eq!(stage.asked(), ["start b"]);
}

#[test]
fn an_ephemeral_container_is_never_restarted_and_never_counted() {
    let mut stage = Draft::new(&["app"])
        .policy("app", RestartPolicy::Never)
        .play();
    stage.started("app");
    let debug = Container::new("debug", RestartPolicy::Always);
    stage
        .request(Request::AddEphemeral(Box::new(debug)))
        .unwrap();
    assert_eq!(stage.asked(), ["start app", "start debug"]);

    stage.runs("debug", 1);
    assert_eq!(stage.asked(), [""; 0]);
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_restart_of_all_containers_leaves_ephemeral_ones_alone() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    let debug = Container::new("debug", RestartPolicy::Always);
    stage
        .request(Request::AddEphemeral(Box::new(debug)))
        .unwrap();
    stage.started("debug");
    stage.asked();

    stage.ask(Reaction::RestartAllContainers);
    assert_eq!(stage.asked(), ["stop app by 2s"]);
    stage.pass_secs(2);
    stage.exited("app", 137);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn an_out_of_memory_kill_can_have_a_rule_of_its_own() {
    let rule = Rule {
        when: When::OomKilled,
        reaction: Reaction::CompletePod,
    };
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.restart.rules.push(rule))
        .play();
    stage.started("app");
    stage.exited_with("app", Exit::out_of_memory());

    assert_eq!(stage.result(), Some((Phase::Succeeded, Some("app"), 0)));
}

#[test]
fn a_start_that_fails_in_an_ending_pod_does_not_hold_its_end_up() {
    let mut stage = Draft::new(&["app"]).play();
    stage.delete();

    stage.start_fails("app");

    assert_eq!(stage.result(), Some((Phase::Failed, None, 1)));
}

#[test]
fn a_lost_sandbox_ends_debugging_containers_too() {
    let mut stage = Draft::new(&["app"]).play();
    let mut debug = Container::new("debug", RestartPolicy::Never);
    debug.role = Role::Ephemeral;
    stage
        .request(Request::AddEphemeral(Box::new(debug)))
        .unwrap();
    stage.started("app");
    stage.started("debug");
    stage.delete();

    stage.event(Event::SandboxLost);

    assert!(stage.result().is_some());
}

#[test]
fn a_pod_of_oneshots_alone_is_never_ready() {
    let mut stage = Draft::new(&["a", "b"]).oneshot("a").oneshot("b").play();
    stage.started("a");

    let status = stage.engine.status();
    let ready = status.condition(crate::status::ConditionKind::Ready);
    assert!(!ready.unwrap().status);
}

#[test]
fn nothing_is_started_when_the_last_main_has_ended() {
    let draft = Draft::new(&["app", "helper"])
        .never()
        .sidecar("helper")
        .need("helper", "app", Need::Soft);
    let mut stage = draft.play();
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start app"]);
    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_sidecar_that_others_cannot_do_without_does_not_decide() {
    let draft = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .requires("app", "proxy")
        .with("proxy", |proxy| {
            proxy.restart.limit = Some(RestartLimit {
                max: 0,
                window: None,
            });
        });
    let mut stage = draft.play();
    stage.exited("proxy", 3);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("app"), 1)));
}

#[test]
fn nothing_is_started_in_the_instant_in_which_the_pod_ends() {
    let within = |edge: &mut Requirement| edge.timeout = Some(Duration::from_secs(5));
    let draft = Draft::new(&["setup", "soft", "hard"]).oneshot("setup");
    let draft = draft.edge("soft", "setup", |edge| {
        edge.need = Need::Order;
        within(edge);
    });
    let mut stage = draft.edge("hard", "setup", within).play();
    assert_eq!(stage.asked(), ["start setup"]);

    stage.pass_secs(5);

    assert_eq!(stage.asked(), ["stop setup by 35s"]);
}

#[test]
fn an_ignored_keystone_ends_nothing() {
    let rule = Rule {
        when: When::CodeIn(vec![5]),
        reaction: Reaction::Ignore,
    };
    let mut stage = Draft::new(&["helper", "app"])
        .with("helper", |helper| {
            helper.keystone = Some(Keystone::Any);
            helper.restart.rules.push(rule);
        })
        .play();
    stage.started("app");

    stage.runs("helper", 5);

    assert_eq!(stage.phase(), Phase::Running);
    assert_eq!(stage.asked(), ["start helper", "start app"]);
}

#[test]
fn a_time_to_leave_ends_with_the_run_of_the_pod_that_set_it() {
    let draft = Draft::new(&["proxy", "app"]).sidecar("proxy").on_restart(
        "app",
        "proxy",
        OnRestart::Restart,
    );
    let mut stage = draft.play();
    stage.started("proxy");
    stage.started("app");
    stage.exited("proxy", 1);
    stage.event(Event::SandboxLost);
    stage.event(Event::SandboxReady);
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    stage.pass_secs(60);

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_pod_restart_goes_through_its_phases_again() {
    let draft = Draft::new(&["proxy", "app"]).sidecar("proxy");
    let mut stage = draft.phase(&["proxy"], &["app"]).play();
    stage.started("proxy");
    stage.started("app");
    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);
    stage.asked();

    stage.exited("proxy", 0);
    stage.started("proxy");

    assert_eq!(stage.asked(), ["start proxy", "start app"]);
}

#[test]
fn the_end_of_a_pod_is_told_with_what_it_comes_from() {
    let cause = |stage: &mut Stage| {
        let told = stage.told().into_iter();
        let mut ended = told.filter(|entry| matches!(entry.what, What::PodEnded { .. }));
        ended.next().map(|entry| entry.cause)
    };
    let mut draft = Draft::new(&["app"]);
    draft.0.active_deadline = Some(Duration::from_secs(5));
    let mut stage = draft.play();
    stage.started("app");
    stage.pass_secs(5);
    stage.exited("app", 0);
    assert_eq!(cause(&mut stage), Some(Cause::ActiveDeadline));

    let mut stage = Draft::new(&["late", "app"])
        .policy("app", RestartPolicy::Never)
        .requires("late", "app")
        .with("late", |late| late.on_give_up = OnGiveUp::Unready)
        .with("late", |late| late.image = Some("late:1".into()))
        .play();
    stage.runs("app", 0);
    let late = stage.id("late");
    assert_eq!(cause(&mut stage), Some(Cause::NeverRan(late)));
}
