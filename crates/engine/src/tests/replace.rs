//! Exchanging one container in place.

use super::{Draft, Stage};
use crate::pod::{
    Container, HookKind, Need, OnGiveUp, OnRestart, ProbeKind, Reaction, RestartPolicy,
};
use crate::{Event, Found, Refused, Request};
use std::time::Duration;

fn replace(
    stage: &mut Stage,
    name: &str,
    change: impl FnOnce(&mut Container),
    force: bool,
) -> Result<(), Refused> {
    let container = stage.id(name);
    let mut with = stage.engine.pod().containers[container.index()].clone();
    change(&mut with);
    stage.request(Request::Replace {
        container,
        with: Box::new(with),
        timeout: Some(Duration::from_secs(20)),
        force,
    })
}

fn image(name: &str) -> impl FnOnce(&mut Container) {
    move |container| container.image = Some(name.into())
}

fn pulled(stage: &mut Stage, name: &str, attempt: u32) {
    let container = stage.id(name);
    stage.event(Event::Pulled { container, attempt });
}

#[test]
fn the_new_image_is_pulled_before_the_old_container_is_stopped() {
    let draft = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .with("proxy", image("proxy:1"));
    let mut stage = draft.play();
    pulled(&mut stage, "proxy", 1);
    stage.started("proxy");
    stage.started("app");
    stage.asked();

    replace(&mut stage, "proxy", image("proxy:2"), false).unwrap();
    assert_eq!(stage.asked(), ["pull proxy"]);
    pulled(&mut stage, "proxy", 2);
    assert_eq!(
        stage.asked(),
        ["stop proxy by 30s"],
        "the app keeps running"
    );
    stage.exited("proxy", 0);

    assert_eq!(stage.asked(), ["start proxy v1"]);
}

#[test]
fn a_container_can_be_replaced_again_under_what_keeps_running() {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    for version in 1..=2 {
        stage.asked();
        replace(&mut stage, "proxy", |_| {}, false).unwrap();
        assert_eq!(stage.asked(), ["stop proxy by 30s"]);
        stage.exited("proxy", 0);
        assert_eq!(stage.asked(), [format!("start proxy v{version}")]);
        stage.started("proxy");
    }
}

#[test]
fn dependants_that_say_so_are_stopped_first_and_started_again() {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Restart)
        .play();
    stage.started("mount");
    stage.started("app");
    stage.asked();

    replace(&mut stage, "mount", |_| {}, false).unwrap();
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["stop mount by 30s"]);
    stage.exited("mount", 0);
    assert_eq!(stage.asked(), ["start mount v1"]);
    stage.started("mount");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_dependant_that_would_stop_for_good_refuses_it() {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Stop)
        .play();
    stage.started("mount");
    stage.started("app");
    let app = stage.id("app");

    assert_eq!(
        replace(&mut stage, "mount", |_| {}, false),
        Err(Refused::WouldStop(app))
    );
    assert_eq!(replace(&mut stage, "mount", |_| {}, true), Ok(()));
}

#[test]
fn the_old_container_is_put_back_if_the_new_one_is_not_ready_in_time() {
    let mut stage = Draft::new(&["proxy"])
        .probe("proxy", ProbeKind::Readiness, 1)
        .play();
    stage.started("proxy");
    stage.pass_secs(0);
    stage.probed("proxy", ProbeKind::Readiness, true);
    stage.asked();
    replace(&mut stage, "proxy", |_| {}, false).unwrap();
    stage.exited("proxy", 0);
    stage.started("proxy");
    assert_eq!(stage.asked(), ["stop proxy by 30s", "start proxy v1"]);

    stage.pass_secs(20);
    assert_eq!(stage.asked().last().unwrap(), "stop proxy by 50s");
    stage.exited("proxy", 0);

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn the_old_container_is_put_back_if_the_new_one_ends_for_good() {
    let mut stage = Draft::new(&["proxy"])
        .policy("proxy", RestartPolicy::Never)
        .play();
    stage.started("proxy");
    stage.asked();
    replace(
        &mut stage,
        "proxy",
        |container| container.ready_on = true,
        false,
    )
    .unwrap();
    stage.exited("proxy", 0);
    stage.started("proxy");

    stage.exited("proxy", 1);

    assert_eq!(
        stage.asked(),
        ["stop proxy by 30s", "start proxy v1", "start proxy"]
    );
}

#[test]
fn a_container_that_has_not_started_takes_it_at_its_start() {
    let mut stage = Draft::new(&["setup", "app"])
        .oneshot("setup")
        .requires("app", "setup")
        .play();
    stage.started("setup");
    stage.asked();

    replace(&mut stage, "app", |_| {}, false).unwrap();
    stage.exited("setup", 0);

    assert_eq!(stage.asked(), ["start app v1"]);
}

#[test]
fn a_container_that_ended_for_good_is_not_started() {
    let mut stage = Draft::new(&["setup", "app"]).oneshot("setup").play();
    stage.runs("setup", 0);
    stage.started("app");
    stage.asked();

    replace(&mut stage, "setup", |_| {}, false).unwrap();

    assert_eq!(stage.asked(), [""; 0]);
}

#[test]
fn an_image_that_cannot_be_had_leaves_the_old_container_alone() {
    let mut stage = Draft::new(&["app"]).with("app", image("app:1")).play();
    pulled(&mut stage, "app", 1);
    stage.started("app");
    stage.asked();
    replace(&mut stage, "app", image("app:2"), false).unwrap();
    let container = stage.id("app");
    stage.event(Event::PullFailed {
        container,
        attempt: 2,
        message: "no such image".into(),
    });

    stage.pass_secs(20);

    assert_eq!(stage.asked(), ["pull app", "pull app", "cancel pull app"]);
    assert_eq!(
        &**stage.engine.pod().containers[0].image.as_ref().unwrap(),
        "app:1"
    );
}

#[test]
fn another_shape_is_refused() {
    let mut stage = Draft::new(&["a", "b"]).play();

    let answer = replace(
        &mut stage,
        "a",
        |container| container.name = "c".into(),
        false,
    );

    assert_eq!(answer, Err(Refused::OtherShape));
}

#[test]
fn what_is_put_back_is_stopped_though_others_require_it() {
    let mut stage = Draft::new(&["proxy", "app"])
        .requires("app", "proxy")
        .play();
    stage.started("proxy");
    stage.started("app");
    replace(&mut stage, "proxy", |_| {}, false).unwrap();
    stage.exited("proxy", 0);
    stage.asked();

    stage.pass_secs(20);

    assert_eq!(stage.asked(), ["stop proxy by 50s"]);
}

#[test]
fn a_dependant_by_order_that_restarts_waits_for_the_new_one() {
    let mut stage = Draft::new(&["proxy", "app"])
        .edge("app", "proxy", |edge| {
            edge.need = Need::Order;
            edge.on_restart = OnRestart::Restart;
        })
        .play();
    stage.started("proxy");
    stage.started("app");
    stage.asked();
    replace(&mut stage, "proxy", |_| {}, false).unwrap();
    stage.exited("app", 0);
    assert_eq!(stage.asked(), ["stop app by 30s", "stop proxy by 30s"]);
    stage.exited("proxy", 0);
    assert_eq!(stage.asked(), ["start proxy v1"]);

    stage.started("proxy");

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_pod_that_ends_does_not_go_on_with_a_replacement() {
    let mut stage = Draft::new(&["proxy"])
        .with("proxy", image("proxy:1"))
        .play();
    pulled(&mut stage, "proxy", 1);
    stage.started("proxy");
    replace(&mut stage, "proxy", image("proxy:2"), false).unwrap();
    let container = stage.id("proxy");
    stage.event(Event::PullFailed {
        container,
        attempt: 2,
        message: "no such image".into(),
    });
    stage.delete();
    stage.asked();

    stage.pass_secs(15);
    assert_eq!(stage.asked(), [""; 0], "the pull is not tried again");
    pulled(&mut stage, "proxy", 2);

    assert_eq!(stage.engine.result(), None, "the proxy is still up");
}

#[test]
fn a_replacement_that_ends_the_pod_lets_all_stop_in_one_order() {
    let mut stage = Draft::new(&["mount", "setup", "app"])
        .oneshot("setup")
        .on_restart("app", "mount", OnRestart::Stop)
        .play();
    stage.started("mount");
    stage.started("setup");
    stage.runs("app", 1);
    stage.runs("app", 1);
    stage.asked();

    // The app is between two tries, and with its mount gone it gives up: the pod fails.
    replace(&mut stage, "mount", |_| {}, true).unwrap();

    assert_eq!(stage.asked(), ["stop setup by 30s", "stop mount by 30s"]);
    assert_eq!(stage.result(), None, "both are still up");
}

#[test]
fn a_dependant_of_a_dependant_that_would_stop_for_good_refuses_it() {
    let draft = Draft::new(&["mount", "db", "app"])
        .on_restart("db", "mount", OnRestart::Restart)
        .on_restart("app", "db", OnRestart::Stop);
    let mut stage = draft.play();
    for name in ["mount", "db", "app"] {
        stage.started(name);
    }
    let app = stage.id("app");

    assert_eq!(
        replace(&mut stage, "mount", |_| {}, false),
        Err(Refused::WouldStop(app))
    );
}

#[test]
fn a_container_that_is_just_being_started_is_stopped_for_its_replacement() {
    let mut stage = Draft::new(&["app"]).play();
    stage.asked();

    replace(&mut stage, "app", |_| {}, false).unwrap();
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start app v1"]);
}

#[test]
fn a_oneshot_that_runs_goes_by_its_old_definition_until_it_starts_again() {
    let mut stage = Draft::new(&["migrate", "app"])
        .oneshot("migrate")
        .with("migrate", image("migrate:1"))
        .requires("app", "migrate")
        .play();
    stage.pulled("migrate");
    stage.started("migrate");
    stage.asked();

    let never = |migrate: &mut Container| {
        migrate.image = Some("migrate:2".into());
        migrate.restart.policy = RestartPolicy::Never;
    };
    replace(&mut stage, "migrate", never, false).unwrap();
    assert_eq!(stage.asked(), [""; 0], "it is not cut short");
    stage.exited("migrate", 1);
    assert_eq!(stage.asked(), ["pull migrate"], "by its old policy");
    stage.pulled("migrate");

    assert_eq!(stage.asked(), ["start migrate v1"]);
}

#[test]
fn what_a_oneshot_did_is_reversed_by_the_definition_that_did_it() {
    let mut stage = Draft::new(&["mount", "app"])
        .undo("mount")
        .requires("app", "mount")
        .play();
    stage.runs("mount", 0);
    stage.started("app");
    replace(&mut stage, "mount", |_| {}, false).unwrap();
    stage.delete();
    stage.exited("app", 0);

    let version = stage.engine.record(stage.id("mount")).unwrap().version;
    assert_eq!(
        (stage.asked().pop().unwrap().as_str(), version),
        ("undo mount", 0)
    );
}

#[test]
fn a_restart_of_the_pod_stops_by_the_old_definition_and_starts_by_the_new() {
    let mut stage = Draft::new(&["proxy"])
        .with("proxy", image("proxy:1"))
        .with("proxy", |proxy| proxy.hooks.pre_stop = true)
        .play();
    stage.pulled("proxy");
    stage.started("proxy");
    let bare = |proxy: &mut Container| {
        proxy.image = Some("proxy:2".into());
        proxy.hooks.pre_stop = false;
    };
    replace(&mut stage, "proxy", bare, false).unwrap();
    stage.asked();

    stage.ask(Reaction::RestartPod);
    assert_eq!(stage.asked(), ["cancel pull proxy", "preStop proxy"]);
    stage.hook_done("proxy", HookKind::PreStop, true);
    stage.exited("proxy", 0);
    stage.pulled("proxy");

    assert_eq!(
        stage.asked(),
        ["stop proxy by 30s", "pull proxy", "start proxy v1"]
    );
}

#[test]
fn a_replacement_is_not_judged_while_the_pod_restarts_after_a_crash() {
    let draft = Draft::new(&["app"]).probe("app", ProbeKind::Readiness, 30);
    let mut stage = draft.play();
    stage.started("app");
    replace(&mut stage, "app", |_| {}, false).unwrap();
    stage.exited("app", 0);
    stage.started("app");
    stage.ask(Reaction::RestartPod);
    stage.asked();

    stage.crash(|_, attempt| Found::Running { attempt });
    stage.pass_secs(25);
    stage.asked();
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start app v1"]);
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("app", ProbeKind::Readiness, true);
    assert_eq!(replace(&mut stage, "app", |_| {}, false), Ok(()));
}

#[test]
fn the_old_image_is_asked_for_again_at_a_roll_back() {
    let mut stage = Draft::new(&["proxy"])
        .with("proxy", image("proxy:1"))
        .probe("proxy", ProbeKind::Readiness, 60)
        .play();
    stage.pulled("proxy");
    stage.started("proxy");
    replace(&mut stage, "proxy", image("proxy:2"), false).unwrap();
    stage.pulled("proxy");
    stage.exited("proxy", 0);
    stage.started("proxy");
    stage.asked();

    stage.pass_secs(20);
    stage.exited("proxy", 0);
    let asked = stage.asked();
    assert_eq!(
        asked[asked.len() - 2..],
        ["stop proxy by 50s", "pull proxy"]
    );
    stage.pulled("proxy");

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn whoever_gave_up_for_lack_of_a_container_is_tried_again_with_its_replacement() {
    let mut stage = Draft::new(&["setup", "helper", "user", "app"])
        .oneshot("setup")
        .policy("setup", RestartPolicy::Never)
        .sidecar("helper")
        .requires("helper", "setup")
        .sidecar("user")
        .requires("user", "helper")
        .with("setup", |setup| setup.on_give_up = OnGiveUp::Unready)
        .play();
    stage.started("app");
    stage.runs("setup", 1);
    stage.asked();

    let container = stage.id("setup");
    stage.ask_by(Some("setup"), Reaction::Restart).unwrap();
    assert_eq!(stage.asked(), ["start setup"]);
    stage.runs("setup", 0);
    assert_eq!(stage.asked(), [""; 0], "they had given up");
    replace(&mut stage, "helper", |_| {}, false).unwrap();
    stage.started("helper");

    assert_eq!(stage.asked(), ["start helper v1", "start user"]);
    assert!(stage.engine.record(container).unwrap().is_over());
}

#[test]
fn the_time_of_a_new_container_counts_from_its_turn() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .probe("app", ProbeKind::Readiness, 60)
        .play();
    stage.started("db");
    stage.started("app");
    stage.pass_secs(0);
    stage.probed("app", ProbeKind::Readiness, true);
    replace(&mut stage, "app", |_| {}, false).unwrap();
    stage.exited("db", 1);
    stage.exited("app", 0);
    stage.asked();

    stage.pass_secs(100);
    stage.started("db");
    assert_eq!(stage.asked(), ["start app v1"], "it is not put back");
    stage.started("app");
    stage.pass_secs(20);

    assert_eq!(stage.asked().last().unwrap(), "stop app by 150s");
}
