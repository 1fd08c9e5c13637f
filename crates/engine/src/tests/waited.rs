//! Containers that wait for another try when all are restarted, or when the pod comes to its end.

use super::{Draft, Stage};
use crate::Found;
use crate::pod::{List, Reaction, RestartPolicy};
use crate::status::{ContainerState, ContainerStatus};

/// `app` has crashed twice, and waits ten seconds.
fn crashed_twice() -> Stage {
    let mut stage = Draft::new(&["source", "app"])
        .never()
        .policy("app", RestartPolicy::Always)
        .with("app", |app| app.plain = true)
        .play();
    stage.started("source");
    stage.runs("app", 1);
    stage.runs("app", 1);
    stage
}

fn shown(stage: &Stage, name: &str) -> ContainerStatus {
    let containers = stage.engine.status().containers;
    let mut containers = containers.into_iter();
    containers.find(|one| &*one.name == name).unwrap()
}

/// Why it waits, how often it was restarted, and the code of its last end.
fn waits(stage: &Stage, name: &str) -> Option<(&'static str, u32, i32)> {
    let ContainerStatus {
        state,
        restarts,
        last,
        ..
    } = shown(stage, name);
    match state {
        ContainerState::Waiting { reason, .. } => Some((reason, restarts, last?.code)),
        ContainerState::Running { .. } | ContainerState::Terminated(_) => None,
    }
}

fn restart_all(stage: &mut Stage) {
    stage.ask(Reaction::RestartAllContainers);
    stage.exited("source", 137);
}

#[test]
fn who_waits_when_all_are_restarted_goes_on_to_be_shown_so() {
    let mut stage = crashed_twice();
    restart_all(&mut stage);
    assert_eq!(waits(&stage, "app"), Some(("CrashLoopBackOff", 1, 1)));
    assert_eq!(
        waits(&stage, "source"),
        Some(("RestartingAllContainers", 1, 137))
    );

    stage.started("app");
    let app = shown(&stage, "app");
    assert_eq!((app.restarts, app.last.unwrap().code), (2, 1));
}

#[test]
fn a_driver_that_comes_back_has_forgotten_why_it_waits_and_not_how_it_ended() {
    let mut stage = crashed_twice();
    restart_all(&mut stage);
    stage.crash(|_, _| Found::NeverCreated);
    assert_eq!(waits(&stage, "app"), Some(("ContainerCreating", 1, 1)));
}

#[test]
fn a_try_that_was_still_to_come_does_not_count() {
    let mut stage = crashed_twice();
    restart_all(&mut stage);
    stage.runs("app", 1);
    stage.asked();
    stage.pass_secs(9);
    assert_eq!(stage.asked(), [""; 0]);
    stage.pass_secs(1);
    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn who_was_removed_and_has_not_run_is_not_counted_again() {
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
    stage.exited("app", 1);
    stage.started("init");
    assert_eq!(waits(&stage, "app"), Some(("PodInitializing", 1, 137)));

    stage.ask(Reaction::RestartAllContainers);
    stage.exited("init", 1);
    stage.pass_secs(10);
    assert_eq!(
        waits(&stage, "app").map(|(_, restarts, code)| (restarts, code)),
        Some((1, 137))
    );
}

#[test]
fn a_plain_sidecar_in_its_back_off_is_lost_when_the_pod_completes_and_not_when_it_is_deleted() {
    let ends = [
        (true, false, "ContainerStatusUnknown"),
        (true, true, "Error"),
        (false, false, "Error"),
    ];
    for (plain, is_deleted, reason) in ends {
        let mut stage = Draft::new(&["proxy", "app"])
            .never()
            .sidecar("proxy")
            .policy("proxy", RestartPolicy::Always)
            .with("proxy", |proxy| {
                (proxy.list, proxy.plain) = (List::Init, plain);
            })
            .play();
        stage.started("app");
        stage.runs("proxy", 1);
        stage.runs("proxy", 1);
        if is_deleted {
            stage.delete();
        }
        stage.exited("app", 0);
        let ContainerState::Terminated(end) = shown(&stage, "proxy").state else {
            panic!("the pod has ended");
        };
        assert_eq!(&*end.reason, reason);
    }
}
