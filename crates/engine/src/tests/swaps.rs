//! A container that crashes while it is exchanged.

use super::{Draft, Stage};
use crate::pod::{Container, OnRestart};
use crate::{Event, Refused, Request};
use std::time::Duration;

fn replace(stage: &mut Stage, name: &str, image: &str) -> Result<(), Refused> {
    let container = stage.id(name);
    let old = stage.engine.pod().containers[container.index()].clone();
    let with = Box::new(Container {
        image: Some(image.into()),
        ..old
    });
    let timeout = Some(Duration::from_mins(5));
    stage.request(Request::Replace {
        container,
        with,
        timeout,
        force: false,
    })
}

fn proxy() -> Stage {
    let mut stage = Draft::new(&["proxy", "app"])
        .with("proxy", |proxy| proxy.image = Some("proxy:1".into()))
        .play();
    stage.pulled("proxy");
    stage.started("app");
    stage
}

#[test]
fn a_bad_new_image_does_not_keep_the_old_container_down() {
    let mut stage = proxy();
    stage.started("proxy");
    replace(&mut stage, "proxy", "proxy:bad").unwrap();
    let container = stage.id("proxy");
    let attempt = 2;
    let message = "no such image".into();
    stage.event(Event::PullFailed {
        container,
        attempt,
        message,
    });
    stage.asked();

    stage.exited("proxy", 1);

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn an_old_container_that_was_restarted_meanwhile_is_exchanged_when_the_image_comes() {
    let mut stage = proxy();
    stage.started("proxy");
    replace(&mut stage, "proxy", "proxy:2").unwrap();
    stage.exited("proxy", 1);
    stage.started("proxy");
    stage.asked();

    let (container, attempt) = (stage.id("proxy"), 2);
    stage.event(Event::Pulled { container, attempt });
    assert_eq!(stage.asked(), ["stop proxy by 30s"]);
    stage.exited("proxy", 0);

    assert_eq!(stage.asked(), ["start proxy v1"], "its image is there");
}

#[test]
fn a_new_container_does_not_inherit_the_back_off_of_the_old_one() {
    let mut stage = proxy();
    for _ in 0..6 {
        stage.started("proxy");
        stage.exited("proxy", 1);
        stage.pulled("proxy");
        stage.pass_secs(301);
    }
    stage.started("proxy");
    replace(&mut stage, "proxy", "proxy:2").unwrap();
    let attempt = stage.engine.record(stage.id("proxy")).unwrap().attempt + 1;
    stage.exited("proxy", 1);
    stage.asked();

    let container = stage.id("proxy");
    stage.event(Event::Pulled { container, attempt });

    assert_eq!(stage.asked(), ["start proxy v1"]);
}

#[test]
fn a_oneshot_is_exchanged_though_dependants_say_stop() {
    let mut stage = Draft::new(&["migrate", "app"])
        .oneshot("migrate")
        .on_restart("app", "migrate", OnRestart::Stop)
        .play();
    stage.runs("migrate", 0);
    stage.started("app");

    assert_eq!(replace(&mut stage, "migrate", "migrate:2"), Ok(()));
}
