//! How long a new container has, what it inherits, and who is tried again because of it.

use super::{Draft, Stage};
use crate::pod::{
    Container, Need, OnGiveUp, OnRestart, ProbeKind, Reaction, RestartLimit, RestartPolicy,
};
use crate::{Event, Refused, Request, What};
use std::time::Duration;

fn replace(stage: &mut Stage, name: &str, change: impl FnOnce(&mut Container)) {
    let container = stage.id(name);
    let mut with = Box::new(stage.engine.pod().containers[container.index()].clone());
    change(&mut with);
    let request = Request::Replace {
        container,
        with,
        timeout: None,
        force: false,
    };
    stage.request(request).unwrap();
}

fn image(name: &str) -> impl FnOnce(&mut Container) {
    move |container| container.image = Some(name.into())
}

fn told(stage: &mut Stage, what: &What) -> bool {
    stage.told().iter().any(|entry| entry.what == *what)
}

/// A proxy that says when it is ready, and its replacement, which has just been started.
fn exchanged(change: impl FnOnce(&mut Container)) -> Stage {
    let mut stage = Draft::new(&["proxy"])
        .with("proxy", |proxy| proxy.ready_on = true)
        .play();
    stage.started("proxy");
    replace(&mut stage, "proxy", change);
    stage.exited("proxy", 0);
    stage.started("proxy");
    stage
}

/// Containers each of which needs the one before it; the first gave up at its first failure, and so have the others.
fn given_up(draft: Draft) -> Stage {
    let mut stage = draft
        .with("a", |a| {
            a.restart.limit = Some(RestartLimit {
                max: 0,
                window: None,
            });
        })
        .with("a", |a| a.on_give_up = OnGiveUp::Unready)
        .with("b", |b| b.on_give_up = OnGiveUp::Unready)
        .with("c", |c| c.on_give_up = OnGiveUp::Unready)
        .play();
    stage.started("up");
    stage.start_fails("a");
    stage.asked();
    stage
}

#[test]
fn a_new_container_has_five_minutes_if_nobody_says() {
    let mut stage = exchanged(|_| {});

    stage.pass(Duration::from_millis(299_999));
    assert!(!told(&mut stage, &What::RolledBack));
    stage.pass(Duration::from_millis(1));

    assert!(told(&mut stage, &What::RolledBack));
}

#[test]
fn a_new_container_has_its_own_time_to_start() {
    let mut stage = exchanged(|proxy| proxy.start_timeout = Some(Duration::from_secs(20)));

    stage.pass_secs(20);

    assert!(told(&mut stage, &What::RolledBack));
}

#[test]
fn whoever_gave_up_for_lack_of_one_that_did_is_tried_again() {
    let draft = Draft::new(&["up", "a", "b", "c"])
        .requires("b", "a")
        .requires("c", "b");
    let mut stage = given_up(draft);

    replace(&mut stage, "a", |_| {});
    stage.started("a");
    stage.started("b");

    assert_eq!(stage.asked(), ["start a v1", "start b", "start c"]);
}

#[test]
fn whoever_gave_up_for_lack_of_a_phase_is_tried_again() {
    let draft = Draft::new(&["up", "a", "b", "c"]).phase(&["a"], &["b", "c"]);
    let mut stage = given_up(draft);

    replace(&mut stage, "a", |_| {});
    stage.started("a");

    assert_eq!(stage.asked(), ["start a v1", "start b", "start c"]);
}

#[test]
fn a_new_container_has_all_its_restarts_at_once() {
    let mut stage = Draft::new(&["up", "proxy"])
        .with("proxy", |proxy| {
            proxy.restart.limit = Some(RestartLimit {
                max: 2,
                window: None,
            });
        })
        .play();
    stage.started("up");
    stage.runs("proxy", 1);
    stage.runs("proxy", 1);
    stage.pass_secs(10);
    stage.started("proxy");
    replace(&mut stage, "proxy", |proxy| proxy.ready_on = true);
    stage.exited("proxy", 0);
    stage.started("proxy");
    stage.asked();

    stage.exited("proxy", 1);

    assert_eq!(stage.asked(), ["start proxy v1"]);
}

#[test]
fn a_new_image_that_does_not_come_is_no_failure_of_the_old_container() {
    let mut stage = Draft::new(&["proxy", "app"])
        .with("proxy", image("proxy:1"))
        .with("proxy", |proxy| proxy.ready_on = true)
        .need("app", "proxy", Need::Soft)
        .play();
    stage.pulled("proxy");
    stage.started("proxy");
    replace(&mut stage, "proxy", image("proxy:2"));
    stage.asked();

    let container = stage.id("proxy");
    stage.event(Event::PullFailed {
        container,
        attempt: 2,
        message: "no".into(),
    });

    assert_eq!(stage.asked(), [""; 0], "the app goes on waiting");
}

#[test]
fn there_is_nothing_to_exchange_in_one_that_has_ended_for_good() {
    let mut stage = Draft::new(&["job", "app"])
        .with("job", |job| job.restart.policy = RestartPolicy::Never)
        .play();
    stage.started("job");
    stage.started("app");
    stage.exited("job", 0);
    stage.asked();
    replace(&mut stage, "job", image("new"));
    assert!(told(&mut stage, &What::ReplaceAbandoned));
    assert!(stage.asked().is_empty());
}

#[test]
fn an_exchange_that_a_restart_put_off_is_given_up_when_the_pod_ends() {
    let mut stage = Draft::new(&["db", "app"])
        .requires("app", "db")
        .with("db", image("db:1"))
        .play();
    stage.pulled("db");
    stage.started("db");
    stage.started("app");
    replace(&mut stage, "db", image("db:2"));
    stage.ask(Reaction::RestartPod);
    assert!(!told(&mut stage, &What::ReplaceAbandoned));

    stage.delete();

    assert!(told(&mut stage, &What::ReplaceAbandoned));
}

#[test]
fn the_newest_of_those_that_wait_for_the_next_start_is_taken() {
    let mut stage = Draft::new(&["app", "migrate"])
        .oneshot("migrate")
        .with("migrate", |migrate| {
            migrate.restart.policy = RestartPolicy::OnFailure;
        })
        .play();
    stage.started("app");
    stage.started("migrate");
    stage.asked();
    replace(&mut stage, "migrate", |_| {});

    replace(&mut stage, "migrate", |_| {});
    stage.exited("migrate", 1);

    assert_eq!(stage.asked(), ["start migrate v2"]);
    assert_eq!(stage.engine.replacing(stage.id("migrate")), None);
}

#[test]
fn what_would_be_refused_can_be_known_before() {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Stop)
        .play();
    stage.started("mount");
    stage.started("app");
    let (mount, app) = (stage.id("mount"), stage.id("app"));
    let new = stage.engine.pod().containers[mount.index()].clone();

    let gentle = stage.engine.check_replacement(mount, &new, false);
    let forced = stage.engine.check_replacement(mount, &new, true);

    assert_eq!((gentle, forced), (Err(Refused::WouldStop(app)), Ok(())));
    assert_eq!(stage.engine.replacing(mount), None);
}

#[test]
fn the_time_of_a_new_container_begins_anew_with_the_pod() {
    let mut stage = Draft::new(&["app"])
        .probe("app", ProbeKind::Readiness, 1)
        .play();
    stage.started("app");
    stage.pass_secs(1);
    stage.probed("app", ProbeKind::Readiness, true);
    stage.replace("app", |_| {});
    stage.exited("app", 0);
    stage.started("app");
    stage.pass_secs(15);
    stage.ask(Reaction::RestartPod);
    stage.exited("app", 0);
    stage.started("app");
    stage.asked();

    stage.pass_secs(19);
    let asked = stage.asked();
    assert!(!asked.iter().any(|action| action.starts_with("stop")));

    stage.pass_secs(1);
    assert_eq!(stage.asked().last().unwrap(), "stop app by 66s");
}

#[test]
fn no_image_is_pulled_for_one_that_ends_with_its_target() {
    let mut stage = Draft::new(&["db", "job"])
        .oneshot("job")
        .policy("db", RestartPolicy::Never)
        .on_restart("job", "db", OnRestart::Restart)
        .play();
    stage.started("db");
    stage.started("job");
    stage.exited("db", 0);
    replace(&mut stage, "job", image("job:2"));
    stage.asked();

    stage.exited("job", 143);

    assert_eq!(stage.asked(), [""; 0]);
}
