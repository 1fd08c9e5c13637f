//! A container that crashes while it is exchanged.

use super::{Draft, Stage};
use crate::pod::{
    Container, Keystone, OnGiveUp, OnRestart, Reaction, RestartLimit, RestartPolicy, Rule, Until,
    When,
};
use crate::{Action, Event, Refused, Request, What};
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

#[test]
fn an_image_that_came_late_is_taken_though_the_old_container_was_restarted_meanwhile() {
    let mut stage = proxy();
    stage.started("proxy");
    replace(&mut stage, "proxy", "proxy:2").unwrap();
    let (container, attempt) = (stage.id("proxy"), 2);
    let message = "no".into();
    stage.event(Event::PullFailed {
        container,
        attempt,
        message,
    });
    stage.pass_secs(10);
    stage.exited("proxy", 1);
    stage.started("proxy");
    stage.asked();

    stage.event(Event::Pulled { container, attempt });

    assert_eq!(stage.asked(), ["stop proxy by 40s"]);
}

#[test]
fn an_image_that_fails_again_is_tried_again_though_the_old_container_was_restarted_meanwhile() {
    let mut stage = proxy();
    stage.started("proxy");
    replace(&mut stage, "proxy", "proxy:2").unwrap();
    let (container, attempt) = (stage.id("proxy"), 2);
    let fails = || Event::PullFailed {
        container,
        attempt,
        message: "no".into(),
    };
    stage.event(fails());
    stage.pass_secs(10);
    stage.exited("proxy", 1);
    stage.started("proxy");
    stage.event(fails());
    stage.asked();

    stage.pass_secs(20);

    assert_eq!(stage.asked(), ["pull proxy"]);
}

#[test]
fn a_pull_that_is_not_needed_any_more_is_cancelled_by_the_number_it_was_asked_under() {
    let mut stage = proxy();
    stage.started("proxy");
    replace(&mut stage, "proxy", "proxy:2").unwrap();
    let (container, attempt) = (stage.id("proxy"), 2);
    let message = "no".into();
    stage.event(Event::PullFailed {
        container,
        attempt,
        message,
    });
    stage.pass_secs(10);
    stage.exited("proxy", 1);
    stage.started("proxy");
    stage.asked();

    stage.delete();

    let cancelled = stage.actions.iter().find_map(|action| match action {
        Action::CancelPull { attempt, .. } => Some(*attempt),
        Action::Pull { .. }
        | Action::Start { .. }
        | Action::RunHook { .. }
        | Action::Probe { .. }
        | Action::Stop { .. } => None,
    });
    assert_eq!(cancelled, Some(2));
}

/// A keystone that is being replaced by something that is none; its image is still to come.
fn keystone(change: impl FnOnce(&mut Container)) -> Stage {
    let mut stage = Draft::new(&["helper", "app"])
        .with("app", |app| {
            app.image = Some("app:1".into());
            app.keystone = Some(Keystone::Any);
            change(app);
        })
        .play();
    stage.started("helper");
    stage.pulled("app");
    stage.started("app");
    let container = stage.id("app");
    let old = stage.engine.pod().containers[container.index()].clone();
    let with = Box::new(Container {
        image: Some("app:2".into()),
        keystone: None,
        on_give_up: OnGiveUp::Unready,
        ..old
    });
    let request = Request::Replace {
        container,
        with,
        timeout: None,
        force: false,
    };
    stage.request(request).unwrap();
    stage.asked();
    stage
}

#[test]
fn a_keystone_that_ran_ends_the_pod_whatever_was_to_come_after_it() {
    let mut stage = keystone(|app| app.restart.policy = RestartPolicy::Never);

    stage.exited("app", 0);

    assert!(stage.asked().contains(&"stop helper by 30s".to_owned()));
}

#[test]
fn giving_up_means_what_it_meant_to_the_one_that_ran() {
    let mut stage = keystone(|app| {
        app.keystone = None;
        app.restart.limit = Some(RestartLimit {
            max: 0,
            window: None,
        });
    });

    stage.exited("app", 1);

    assert!(stage.asked().contains(&"stop helper by 30s".to_owned()));
}

/// A mount that is never restarted, under an app that is being stopped to exchange it.
fn half_exchanged() -> Stage {
    let mut stage = Draft::new(&["mount", "app"])
        .on_restart("app", "mount", OnRestart::Restart)
        .policy("mount", RestartPolicy::Never)
        .with("mount", |mount| {
            mount.restart.rules = vec![Rule {
                when: When::CodeIn(vec![7]),
                reaction: Reaction::Ignore,
            }];
        })
        .play();
    stage.started("mount");
    stage.started("app");
    stage.asked();
    stage.replace("mount", |_| {});
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage
}

#[test]
fn an_exchange_that_has_begun_goes_on_though_the_old_container_crashes() {
    for code in [0, 1] {
        let mut stage = half_exchanged();

        stage.exited("mount", code);
        stage.exited("app", 0);
        assert_eq!(stage.asked(), ["start mount v1"]);
        stage.started("mount");

        assert_eq!(stage.asked(), ["start app"]);
    }
}

#[test]
fn the_old_container_is_put_back_though_the_new_one_crashes_meanwhile() {
    let mut stage = Draft::new(&["mount", "app"])
        .edge("app", "mount", |edge| {
            edge.on_restart = OnRestart::Restart;
            edge.until = Until::Started;
        })
        .policy("mount", RestartPolicy::Never)
        .with("mount", |mount| mount.ready_on = true)
        .play();
    stage.started("mount");
    stage.started("app");
    stage.replace("mount", |_| {});
    stage.exited("app", 0);
    stage.exited("mount", 0);
    stage.started("mount");
    stage.started("app");
    stage.asked();
    stage.pass_secs(20);
    assert_eq!(stage.asked(), ["stop app by 50s"]);

    stage.exited("mount", 1);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start mount"]);
}

#[test]
fn an_exchange_of_who_is_left_out_by_a_rule_is_told_as_given_up() {
    let mut stage = half_exchanged();
    stage.told();

    stage.exited("mount", 7);

    let told = stage.told();
    assert!(
        told.iter()
            .any(|entry| entry.what == What::ReplaceAbandoned)
    );
}

#[test]
fn an_exchange_of_who_ended_for_good_is_told_as_given_up() {
    let mut stage = keystone(|app| {
        app.keystone = None;
        app.restart.policy = RestartPolicy::Never;
    });
    stage.told();

    stage.exited("app", 0);

    let told = stage.told();
    assert!(
        told.iter()
            .any(|entry| entry.what == What::ReplaceAbandoned)
    );
}
