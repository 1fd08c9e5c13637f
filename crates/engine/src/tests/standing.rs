//! How a pod and its containers stand for others: readiness of the pod, conditions that waits are
//! about, and what a kill by a probe counts for.

use super::{Draft, Stage};
use crate::What;
use crate::pod::{
    Container, OnGiveUp, OnRestart, ProbeKind, RestartLimit, RestartPolicy, Role, Until,
};
use crate::status::ConditionKind;
use crate::{Refused, Request};

/// What was told of the pod's readiness.
fn told_of_readiness(stage: &mut Stage) -> Vec<What> {
    let told = stage.told().into_iter().map(|entry| entry.what);
    told.filter(|what| matches!(what, What::PodReady | What::PodUnready))
        .collect()
}

fn kill_by_liveness(stage: &mut Stage, name: &str) {
    stage.pass_secs(0);
    for _ in 0..3 {
        stage.probed(name, ProbeKind::Liveness, false);
        stage.pass_secs(1);
    }
    stage.asked();
}

fn replace(change: impl FnOnce(&mut Container)) -> Result<(), Refused> {
    let mut stage = Draft::new(&["db", "app"]).requires("app", "db").play();
    let container = stage.id("app");
    let mut with = Box::new(stage.engine.pod().containers[container.index()].clone());
    change(&mut with);
    stage.request(Request::Replace {
        container,
        with,
        timeout: None,
        force: false,
    })
}

#[test]
fn a_pod_without_services_is_not_told_to_be_ready() {
    let mut stage = Draft::new(&["a", "b"]).oneshot("a").oneshot("b").play();
    stage.started("a");
    stage.runs("b", 0);

    assert_eq!(told_of_readiness(&mut stage), []);
}

#[test]
fn a_pod_that_stops_is_not_ready_though_its_containers_are() {
    let mut stage = Draft::new(&["app"]).play();
    stage.started("app");
    assert_eq!(told_of_readiness(&mut stage), [What::PodReady]);

    stage.delete();

    assert!(stage.engine.status().container("app").unwrap().ready);
    assert_eq!(told_of_readiness(&mut stage), [What::PodUnready]);
}

#[test]
fn a_oneshot_that_gave_up_makes_the_pod_unready() {
    let limit = RestartLimit {
        max: 0,
        window: None,
    };
    let mut stage = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .with("setup", |setup| {
            setup.restart.limit = Some(limit);
            setup.on_give_up = OnGiveUp::Unready;
        })
        .play();
    stage.started("app");

    stage.runs("setup", 1);

    let status = stage.engine.status();
    assert!(!status.condition(ConditionKind::Ready).unwrap().status);
    assert_eq!(
        told_of_readiness(&mut stage),
        [What::PodReady, What::PodUnready]
    );
}

#[test]
fn who_is_being_killed_has_not_started_for_those_who_wait() {
    let mut stage = Draft::new(&["db", "app"])
        .probe("db", ProbeKind::Liveness, 1)
        .edge("app", "db", |edge| edge.until = Until::Started)
        .with("app", |app| app.image = Some("app".into()))
        .play();
    stage.started("db");
    kill_by_liveness(&mut stage, "db");

    stage.pulled("app");

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn who_is_about_to_go_down_has_not_started_for_those_who_wait() {
    let mut stage = Draft::new(&["base", "db", "top", "app"])
        .on_restart("db", "base", OnRestart::Restart)
        .on_restart("top", "db", OnRestart::Restart)
        .edge("app", "db", |edge| edge.until = Until::Started)
        .with("app", |app| app.image = Some("app".into()))
        .play();
    for name in ["base", "db", "top"] {
        stage.started(name);
    }
    stage.exited("base", 1);
    stage.asked();

    stage.pulled("app");

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn a_oneshot_that_waits_for_its_next_try_has_started() {
    let mut stage = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .edge("app", "setup", |edge| edge.until = Until::Started)
        .with("app", |app| app.image = Some("app".into()))
        .play();
    stage.runs("setup", 1);
    stage.runs("setup", 1);
    stage.asked();

    stage.pulled("app");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_sidecar_that_a_probe_killed_in_a_stop_has_failed_whatever_its_code() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .policy("proxy", RestartPolicy::OnFailure)
        .probe("proxy", ProbeKind::Liveness, 1)
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.delete();
    kill_by_liveness(&mut stage, "proxy");

    stage.exited("proxy", 0);

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn a_replacement_in_another_role_is_refused() {
    let answer = replace(|app| app.role = Role::Sidecar);

    assert_eq!(answer, Err(Refused::OtherShape));
}

#[test]
fn a_replacement_with_other_requirements_is_refused() {
    let answer = replace(|app| app.requires.clear());

    assert_eq!(answer, Err(Refused::OtherShape));
}

#[test]
fn who_is_in_back_off_and_cannot_come_back_is_not_waited_for() {
    let mut stage = Draft::new(&["db", "proxy", "app"])
        .requires("proxy", "db")
        .requires("app", "proxy")
        .sidecar("db")
        .policy("db", RestartPolicy::Never)
        .with("proxy", |proxy| {
            proxy.on_give_up = OnGiveUp::Unready;
            proxy.ready_on = true;
        })
        .with("app", |app| app.on_give_up = OnGiveUp::Unready)
        .play();
    stage.started("db");
    stage.runs("proxy", 1);
    stage.runs("proxy", 1);
    stage.told();

    stage.exited("db", 1);

    let app = stage.id("app");
    let told = stage.told();
    let gave_up = told.iter().filter(|entry| entry.what == What::GaveUp);
    let who: Vec<_> = gave_up.filter_map(|entry| entry.container).collect();
    assert_eq!(who, [stage.id("proxy"), app]);
}

#[test]
fn who_crashes_after_what_it_cannot_do_without_gives_up_at_once() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .sidecar("db")
        .policy("db", RestartPolicy::Never)
        .with("app", |app| {
            app.on_give_up = OnGiveUp::Unready;
            app.image = Some("app:1".into());
        })
        .play();
    stage.started("db");
    stage.pulled("app");
    stage.runs("app", 1);
    stage.pulled("app");
    stage.started("app");
    stage.exited("db", 1);
    stage.told();
    stage.asked();

    stage.exited("app", 1);

    assert!(stage.told().iter().any(|entry| entry.what == What::GaveUp));
    assert_eq!(stage.asked(), [""; 0], "whoever gives up needs no image");
}
