//! Every start tells why it comes just then.

use super::{Draft, Stage};
use crate::pod::{BarrierId, Container, Need, OnRestart, Reaction, RestartPolicy, Target, Until};
use crate::{Cause, Event, StartFailure, What};

/// Why the turn of a container came, the newest time.
fn turn(stage: &mut Stage, name: &str) -> Cause {
    let id = Some(stage.id(name));
    let mut told = stage.told().into_iter().rev();
    let turn = told.find(|entry| entry.container == id && entry.what == What::Turn);
    turn.expect("its turn has come").cause
}

#[test]
fn who_was_stopped_with_its_target_starts_because_that_is_back() {
    let mut stage = Draft::new(&["db", "app"])
        .on_restart("app", "db", OnRestart::Restart)
        .play();
    stage.started("db");
    stage.started("app");
    // It is back before the other one is down.
    stage.exited("db", 1);
    stage.started("db");
    stage.exited("app", 0);

    let (target, until) = (Target::Container(stage.id("db")), Until::Ready);
    assert_eq!(turn(&mut stage, "app"), Cause::Fulfilled { target, until });
}

#[test]
fn who_starts_anew_with_the_pod_says_so() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    assert_eq!(turn(&mut stage, "app"), Cause::PodStart);

    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);

    assert_eq!(turn(&mut stage, "app"), Cause::PodRestart);
}

#[test]
fn who_could_not_be_created_is_tried_again_by_itself() {
    let mut stage = Draft::new(&["app"]).play();
    let container = stage.id("app");
    stage.event(Event::StartFailed {
        container,
        attempt: 1,
        reason: StartFailure::CreateContainerError,
        message: "no such volume".into(),
    });
    stage.pass_secs(10);

    assert_eq!(stage.asked(), ["start app", "start app"]);
    assert_eq!(turn(&mut stage, "app"), Cause::Itself);
}

#[test]
fn a_new_container_starts_because_it_replaces_the_old_one() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    stage.replace("app", |app: &mut Container| app.ready_on = true);
    stage.exited("app", 0);

    let id = stage.id("app");
    assert_eq!(turn(&mut stage, "app"), Cause::Replacement(id));
}

#[test]
fn a_crowd_that_is_complete_without_one_names_that_one() {
    let play = |code: i32| {
        let mut draft = Draft::new(&["certs", "log", "app"])
            .phase(&["certs", "log"], &["app"])
            .policy("certs", RestartPolicy::Never);
        for edge in &mut draft.0.barriers[0].requires {
            edge.need = Need::Order;
        }
        let mut stage = draft
            .with("certs", |certs| certs.ready_on = code != 0)
            .play();
        stage.started("certs");
        if code != 0 {
            stage.exited("certs", code);
        }
        stage.started("log");
        let certs = Target::Container(stage.id("certs"));
        (turn(&mut stage, "app"), certs)
    };
    let target = Target::Barrier(BarrierId(0));
    let until = Until::Settled;
    assert_eq!(play(0).0, Cause::Fulfilled { target, until });

    let (cause, target) = play(1);
    let until = Until::Ready;
    assert_eq!(cause, Cause::Without { target, until });
}
