//! What Kubernetes' eyes see of the containers.

use super::{Draft, Stage};
use crate::Found;
use crate::pod::{Container, HookKind, List, OnGiveUp, Reaction, RestartPolicy, Rule, When};
use crate::status::{ConditionKind, ContainerState, ContainerStatus, Phase};

fn shown(stage: &Stage, name: &str) -> ContainerStatus {
    stage.engine.status().container(name).unwrap().clone()
}

/// A main with a postStart hook, after an init container that is through if there is one; it is just started.
fn hooked(names: &[&str]) -> Stage {
    let mut draft = Draft::new(names).with("app", |app| app.hooks.post_start = true);
    if names.contains(&"init") {
        draft = draft
            .oneshot("init")
            .with("init", |init| init.list = List::Init)
            .requires("app", "init");
    }
    let mut stage = draft.play();
    if names.contains(&"init") {
        stage.runs("init", 0);
    }
    stage.started("app");
    stage
}

#[test]
fn a_container_waits_until_its_post_start_hook_has_returned() {
    for (names, why) in [
        (&["app"][..], "ContainerCreating"),
        (&["init", "app"], "PodInitializing"),
    ] {
        let mut stage = hooked(names);

        let app = shown(&stage, "app");
        assert!(
            matches!(app.state, ContainerState::Waiting { reason, .. } if reason == why),
            "{app:?}"
        );
        assert_eq!((app.ready, app.started), (false, false));
        assert_eq!(stage.phase(), Phase::Pending);

        stage.hook_done("app", HookKind::PostStart, true);
        let app = shown(&stage, "app");
        assert!(matches!(app.state, ContainerState::Running { .. }));
        assert!(app.ready && app.started);
        assert_eq!(stage.phase(), Phase::Running);
    }
}

#[test]
fn a_restarted_container_is_shown_as_it_was_until_its_post_start_hook_has_returned() {
    let mut stage = hooked(&["app"]);
    stage.hook_done("app", HookKind::PostStart, true);
    stage.exited("app", 3);
    let before = shown(&stage, "app");
    assert!(matches!(&before.state, ContainerState::Terminated(end) if end.code == 3));

    stage.started("app");
    assert_eq!(shown(&stage, "app"), before);

    stage.hook_done("app", HookKind::PostStart, true);
    let app = shown(&stage, "app");
    assert!(matches!(app.state, ContainerState::Running { .. }));
    assert_eq!((app.restarts, app.last.unwrap().code), (1, 3));
}

#[test]
fn a_container_that_is_stopped_in_its_post_start_hook_is_seen_to_run() {
    let mut stage = hooked(&["app"]);

    stage.delete();

    let app = shown(&stage, "app");
    assert!(matches!(app.state, ContainerState::Running { .. }));
}

#[test]
fn an_end_that_nobody_saw_is_explained() {
    let mut stage = Draft::new(&["app"]).never().play();
    stage.started("app");

    stage.crash(|_, attempt| Found::Ended {
        attempt,
        exit: None,
    });

    let ContainerState::Terminated(end) = shown(&stage, "app").state else {
        panic!("{:?}", shown(&stage, "app"));
    };
    assert_eq!((end.code, &*end.reason), (137, "ContainerStatusUnknown"));
    assert_eq!(
        end.message.as_deref(),
        Some("The container could not be located when the pod was terminated")
    );
}

const REMOVED: &str = "The container is removed because RestartAllContainers in place";

#[test]
fn all_that_are_run_again_were_removed_the_one_that_brought_it_about_too() {
    let mut stage = Draft::new(&["source", "app"])
        .never()
        .with("source", |source| {
            source.restart.rules.push(Rule {
                when: When::CodeIn(vec![42]),
                reaction: Reaction::RestartAllContainers,
            });
        })
        .play();
    stage.started("source");
    stage.started("app");

    stage.exited("source", 42);
    let source = shown(&stage, "source");
    assert!(matches!(&source.state, ContainerState::Terminated(end) if end.code == 42));
    assert_eq!(source.restarts, 0);

    stage.exited("app", 0);
    for name in ["source", "app"] {
        let container = shown(&stage, name);
        let ContainerState::Waiting { reason, message } = container.state else {
            panic!("{container:?}");
        };
        assert_eq!(reason, "RestartingAllContainers");
        assert_eq!(message.as_deref(), Some(REMOVED));
        assert_eq!(container.restarts, 1);
        let last = container.last.unwrap();
        assert_eq!((last.code, &*last.reason), (137, "RestartingAllContainers"));
        assert_eq!(last.message.as_deref(), Some(REMOVED));
    }

    stage.started("source");
    let source = shown(&stage, "source");
    assert!(matches!(source.state, ContainerState::Running { .. }));
    assert_eq!((source.restarts, source.last.unwrap().code), (1, 137));
}

#[test]
fn all_are_shown_as_removed_while_the_pod_waits_to_run_again() {
    let mut stage = Draft::new(&["app", "web"]).never().play();
    for _ in 0..2 {
        stage.started("app");
        stage.started("web");
        stage.ask(Reaction::RestartAllContainers);
        stage.exited("app", 137);
        stage.exited("web", 137);
    }

    let app = shown(&stage, "app");
    assert!(
        matches!(app.state, ContainerState::Waiting { reason, .. } if reason == "RestartingAllContainers"),
        "{app:?}"
    );
    assert_eq!(app.restarts, 2);
}

#[test]
fn a_pod_does_not_stay_pending_for_what_never_starts() {
    let mut stage = Draft::new(&["app", "job", "helper"])
        .policy("job", RestartPolicy::Never)
        .oneshot("job")
        .requires("helper", "job")
        .sidecar("helper")
        .with("job", |job| job.on_give_up = OnGiveUp::Ignore)
        .play();
    stage.started("app");

    stage.runs("job", 1);

    assert_eq!(stage.phase(), Phase::Running);
}

/// For what a container waits, if it does.
fn waits_for(stage: &Stage, name: &str) -> Option<&'static str> {
    match shown(stage, name).state {
        ContainerState::Waiting { reason, .. } => Some(reason),
        ContainerState::Running { .. } | ContainerState::Terminated(_) => None,
    }
}

#[test]
fn a_container_is_in_its_back_off_until_its_next_run_is_up() {
    let mut stage = hooked(&["app"]);
    stage.hook_done("app", HookKind::PostStart, true);
    stage.exited("app", 3);
    assert_eq!(waits_for(&stage, "app"), None);
    stage.started("app");
    stage.hook_done("app", HookKind::PostStart, true);
    stage.exited("app", 3);
    assert_eq!(waits_for(&stage, "app"), Some("CrashLoopBackOff"));

    stage.pass_secs(10);
    assert_eq!(waits_for(&stage, "app"), Some("CrashLoopBackOff"));
    stage.started("app");
    let app = shown(&stage, "app");
    assert_eq!(waits_for(&stage, "app"), Some("CrashLoopBackOff"));
    assert_eq!((app.restarts, app.last.unwrap().code), (1, 3));

    stage.hook_done("app", HookKind::PostStart, true);
    assert_eq!(waits_for(&stage, "app"), None);
    assert_eq!(shown(&stage, "app").restarts, 2);
}

#[test]
fn a_container_that_could_not_be_started_says_so_until_it_runs() {
    let mut stage = Draft::new(&["app"]).play();
    stage.start_fails("app");
    assert_eq!(waits_for(&stage, "app"), Some("CreateContainerError"));

    stage.pass_secs(10);
    assert_eq!(waits_for(&stage, "app"), Some("CreateContainerError"));

    stage.started("app");
    assert_eq!(waits_for(&stage, "app"), None);
}

#[test]
fn a_container_whose_post_start_hook_failed_says_so_until_it_is_up() {
    let mut stage = hooked(&["app"]);
    stage.hook_done("app", HookKind::PostStart, false);
    assert_eq!(waits_for(&stage, "app"), Some("ContainerCreating"));

    stage.exited("app", 1);
    assert_eq!(waits_for(&stage, "app"), Some("PostStartHookError"));
    assert_eq!(shown(&stage, "app").last.unwrap().code, 1);

    stage.started("app");
    stage.hook_done("app", HookKind::PostStart, true);
    assert_eq!(waits_for(&stage, "app"), None);
}

#[test]
fn in_a_pod_that_has_ended_what_may_have_run_is_lost() {
    let draft = || {
        let plain = |container: &mut Container| container.plain = true;
        Draft::new(&["first", "second", "app"])
            .never()
            .oneshot("first")
            .oneshot("second")
            .with("first", plain)
            .with("second", plain)
            .with("app", plain)
            .with("first", |first| first.list = List::Init)
            .with("second", |second| second.list = List::Init)
            .requires("second", "first")
            .requires("app", "second")
    };
    let lost = |stage: &Stage| {
        let containers = stage.engine.status().containers;
        let lost = containers.iter().filter(|status| {
            matches!(&status.state, ContainerState::Terminated(end) if &*end.reason == "ContainerStatusUnknown" && end.code == 137)
        });
        let names: Vec<_> = lost.map(|status| status.name.to_string()).collect();
        names.join(" ")
    };

    let mut stage = draft().play();
    stage.delete();
    stage.start_fails("first");
    assert_eq!((stage.phase(), &*lost(&stage)), (Phase::Failed, "first"));

    let mut stage = draft().play();
    stage.runs("first", 1);
    assert_eq!((stage.phase(), &*lost(&stage)), (Phase::Failed, ""));

    let mut stage = draft().play();
    stage.runs("first", 0);
    stage.runs("second", 0);
    stage.delete();
    assert_eq!(lost(&stage), "");
    stage.start_fails("app");
    assert_eq!((stage.phase(), &*lost(&stage)), (Phase::Failed, "app"));
}

#[test]
fn what_a_pod_that_was_to_run_again_did_not_come_to_is_lost() {
    let mut stage = Draft::new(&["init", "app"])
        .never()
        .oneshot("init")
        .with("init", |init| init.list = List::Init)
        .with("app", |app| app.plain = true)
        .requires("app", "init")
        .play();
    stage.runs("init", 0);
    stage.started("app");
    stage.ask(Reaction::RestartAllContainers);
    stage.exited("app", 0);
    stage.started("init");
    assert_eq!(waits_for(&stage, "app"), Some("PodInitializing"));

    stage.exited("init", 3);

    let app = shown(&stage, "app");
    assert!(
        matches!(&app.state, ContainerState::Terminated(end) if &*end.reason == "ContainerStatusUnknown"),
        "{app:?}"
    );
    let last = app.last.unwrap();
    assert_eq!(
        (app.restarts, &*last.reason),
        (1, "RestartingAllContainers")
    );
}

#[test]
fn a_sidecar_that_ended_with_0_shows_its_end_while_it_is_in_its_back_off() {
    for (code, shows) in [(0, None), (1, Some("CrashLoopBackOff"))] {
        let mut stage = Draft::new(&["proxy", "app"])
            .sidecar("proxy")
            .with("proxy", |proxy| proxy.list = List::Init)
            .play();
        stage.started("app");
        stage.runs("proxy", code);
        stage.runs("proxy", code);

        assert_eq!(waits_for(&stage, "proxy"), shows);
        stage.pass_secs(10);
        assert_eq!(waits_for(&stage, "proxy"), shows);
    }
}

#[test]
fn a_pod_that_is_deleted_while_pending_gives_no_reason_for_not_restarting_all() {
    let mut stage = Draft::new(&["app", "web"])
        .with("app", |app| {
            app.restart.rules.push(Rule {
                when: When::CodeIn(vec![42]),
                reaction: Reaction::RestartAllContainers,
            });
        })
        .play();
    stage.started("app");
    stage.delete();
    stage.start_fails("web");
    stage.exited("app", 0);

    let status = stage.engine.status();
    let condition = status.condition(ConditionKind::AllContainersRestarting);
    assert_eq!(status.phase, Phase::Failed);
    assert_eq!(condition.unwrap().reason, None);
}
