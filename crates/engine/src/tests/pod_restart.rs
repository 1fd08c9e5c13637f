//! Restarts of the whole pod, and what is asked for meanwhile.

use super::{Draft, Stage};
use crate::pod::{Kind, ProbeKind, Reaction, Rerun, RestartPolicy, Rule, When};
use crate::status::Phase;
use crate::{Refused, Request};

/// `app` requires `mount`, a oneshot that can be reversed.
fn mounted(rerun: Rerun) -> Draft {
    Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .with("mount", |mount| {
            mount.kind = Kind::Oneshot { undo: true, rerun };
        })
}

fn restart(stage: &mut Stage) -> Vec<String> {
    stage.runs("mount", 0);
    stage.started("app");
    stage.asked();
    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);
    stage.asked()
}

#[test]
fn what_will_be_done_again_is_undone_first() {
    let mut stage = mounted(Rerun::OnPodRestart).play();

    assert_eq!(restart(&mut stage), ["stop app by 30s", "undo mount"]);
}

#[test]
fn what_is_done_once_is_not_undone_by_a_restart_but_by_the_end() {
    let mut stage = mounted(Rerun::Never).play();

    assert_eq!(restart(&mut stage), ["stop app by 30s", "start app"]);
    stage.started("app");
    stage.delete();
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop app by 30s", "undo mount"]);
}

#[test]
fn a_oneshot_that_a_restart_cut_short_is_run_again() {
    let mut stage = mounted(Rerun::Never).play();
    stage.started("mount");
    stage.asked();

    stage.ask(Reaction::RestartPod);
    stage.exited("mount", 0);
    assert_eq!(
        stage.asked(),
        ["stop mount by 30s", "undo mount"],
        "it may have done its work"
    );
    stage.runs("mount", 0);

    assert_eq!(stage.asked(), ["start mount"], "and it may not have");
}

#[test]
fn a_rule_can_end_a_pod_that_is_being_restarted() {
    let rule = Rule {
        when: When::CodeIn(vec![42]),
        reaction: Reaction::FailPod,
    };
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .with("db", |db| db.restart.rules.push(rule))
        .play();
    stage.started("db");
    stage.started("app");
    stage.ask(Reaction::RestartPod);

    stage.exited("db", 42);
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, Some("db"), 42)));
}

#[test]
fn an_exit_that_the_restart_asked_for_is_no_matter_of_rules() {
    let rule = Rule {
        when: When::CodeIn(vec![42]),
        reaction: Reaction::FailPod,
    };
    let mut stage = Draft::new(&["app"])
        .with("app", |app| app.restart.rules.push(rule))
        .play();
    stage.started("app");
    stage.ask(Reaction::RestartPod);

    stage.exited("app", 42);

    assert_eq!(stage.engine.run(), 2);
}

#[test]
fn a_pod_that_is_being_restarted_says_so_to_whoever_wants_one_container_changed() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.ask(Reaction::RestartPod);

    let container = stage.id("app");
    let with = Box::new(stage.engine.pod().containers[0].clone());
    let ephemeral = Request::AddEphemeral(with.clone());
    let replace = Request::Replace {
        container,
        with,
        timeout: None,
        force: false,
    };
    let restarting = Err(Refused::Restarting);
    assert_eq!(stage.request(replace), restarting);
    assert_eq!(stage.request(ephemeral), restarting);
    assert_eq!(stage.ask_by(Some("app"), Reaction::Restart), restarting);
    assert_eq!(stage.ask_by(Some("app"), Reaction::Ignore), restarting);
    assert_eq!(
        stage.ask_by(None, Reaction::RestartPod),
        Ok(()),
        "it is being done"
    );
}

#[test]
fn whoever_counts_as_ended_with_its_target_does_so_when_the_pod_then_stops() {
    let mut stage = Draft::new(&["job", "tail", "other"])
        .never()
        .on_restart("tail", "job", crate::pod::OnRestart::Restart)
        .play();
    for name in ["job", "tail", "other"] {
        stage.started(name);
    }
    stage.exited("job", 0);
    assert!(stage.asked().contains(&"stop tail by 30s".to_owned()));

    stage.delete();
    stage.exited("tail", 143);
    stage.exited("other", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_container_that_asks_to_be_left_out_counts_nowhere_and_stays_down() {
    let mut stage = Draft::new(&["helper", "app"])
        .policy("app", RestartPolicy::Never)
        .play();
    stage.started("helper");
    stage.started("app");
    stage.asked();

    stage.ask_by(Some("helper"), Reaction::Ignore).unwrap();
    stage.exited("helper", 1);
    stage.pass_secs(600);
    assert_eq!(stage.asked(), [""; 0], "it stays down");
    stage.exited("app", 0);

    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn a_pod_does_not_wait_for_the_end_of_whoever_asked_to_be_left_out() {
    let mut stage = Draft::new(&["helper", "app"])
        .policy("app", RestartPolicy::Never)
        .play();
    stage.started("helper");
    stage.started("app");
    stage.ask_by(Some("helper"), Reaction::Ignore).unwrap();
    stage.asked();

    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["stop helper by 30s"]);
}

#[test]
fn only_a_container_can_be_left_out() {
    let mut stage = Draft::new(&["app"]).play();

    let asked = stage.ask_by(None, Reaction::Ignore);

    assert_eq!(asked, Err(Refused::NoSuchContainer));
}

#[test]
fn a_main_that_has_not_run_again_has_not_ended_well() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .probe("db", ProbeKind::Readiness, 60)
        .play();
    stage.started("db");
    stage.pass_secs(0);
    stage.probed("db", ProbeKind::Readiness, true);
    stage.started("app");
    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);
    stage.exited("db", 0);
    stage.started("db");

    stage.delete();
    stage.exited("db", 0);

    assert_eq!(stage.result(), Some((Phase::Failed, None, 1)));
}
