//! How the init list holds the regular list back: at the first start, and for plain containers whenever none of them is up.

use super::{Draft, Stage};
use crate::Found;
use crate::pod::{List, Need, ProbeKind, Until};

/// A sidecar of the init list that takes until its startup probe has passed, and two mains after it, as a plain pod file
/// means them.
fn plain() -> Draft {
    let draft = Draft::new(&["proxy", "app", "web"])
        .sidecar("proxy")
        .probe("proxy", ProbeKind::Startup, 1)
        .with("proxy", |proxy| proxy.list = List::Init);
    ["app", "web"].into_iter().fold(draft, |draft, name| {
        draft
            .edge(name, "proxy", |edge| {
                edge.need = Need::Order;
                edge.until = Until::Started;
            })
            .with(name, |main| main.plain = true)
    })
}

fn come_up(stage: &mut Stage) {
    stage.started("proxy");
    stage.pass_secs(0);
    stage.probed("proxy", ProbeKind::Startup, true);
}

fn all_up(draft: Draft) -> Stage {
    let mut stage = draft.play();
    come_up(&mut stage);
    stage.started("app");
    stage.started("web");
    stage.asked();
    stage
}

/// What was started since it was last looked at.
fn starts(stage: &mut Stage) -> Vec<String> {
    let asked = stage.asked().into_iter();
    asked
        .filter(|action| action.starts_with("start "))
        .collect()
}

#[test]
fn a_start_that_came_to_nothing_is_no_first_start() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .need("app", "proxy", Need::Order)
        .play();
    stage.started("proxy");
    stage.start_fails("app");
    stage.asked();

    stage.exited("proxy", 1);
    stage.pass_secs(10);
    assert_eq!(stage.asked(), ["start proxy"]);

    stage.started("proxy");
    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn a_start_that_a_crash_prevented_is_no_first_start() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .need("app", "proxy", Need::Order)
        .play();
    stage.started("proxy");

    stage.crash(|name, attempt| match name {
        "app" => Found::NeverCreated,
        _ => Found::Ended {
            attempt,
            exit: None,
        },
    });

    assert_eq!(stage.asked(), ["start proxy"]);
}

#[test]
fn a_restart_that_came_to_nothing_is_still_a_restart() {
    let mut stage = Draft::new(&["proxy", "app"])
        .sidecar("proxy")
        .need("app", "proxy", Need::Order)
        .play();
    stage.started("proxy");
    stage.runs("app", 1);
    stage.start_fails("app");
    stage.exited("proxy", 1);
    stage.asked();

    stage.pass_secs(10);

    assert_eq!(stage.asked(), ["start app"]);
}

#[test]
fn plain_mains_that_crash_with_their_sidecar_wait_until_it_has_started_again() {
    let mut stage = all_up(plain());

    stage.exited("proxy", 1);
    stage.exited("web", 1);
    assert_eq!(starts(&mut stage), ["start proxy", "start web"]);

    stage.exited("web", 1);
    stage.exited("app", 1);
    assert_eq!(starts(&mut stage), [""; 0]);

    stage.started("proxy");
    stage.pass_secs(0);
    assert_eq!(starts(&mut stage), [""; 0]);
    stage.probed("proxy", ProbeKind::Startup, true);
    assert_eq!(starts(&mut stage), ["start app"]);
    stage.pass_secs(10);
    assert_eq!(starts(&mut stage), ["start web"]);
}

#[test]
fn plain_mains_in_back_off_wait_for_a_sidecar_that_dies_meanwhile() {
    let mut stage = all_up(plain());
    for main in ["app", "web"] {
        stage.exited(main, 1);
        stage.exited(main, 1);
    }
    stage.exited("proxy", 1);
    stage.asked();

    stage.pass_secs(60);
    assert_eq!(starts(&mut stage), [""; 0]);

    come_up(&mut stage);
    assert_eq!(starts(&mut stage), ["start app", "start web"]);
}

#[test]
fn one_plain_main_that_is_up_shows_the_others_that_the_pod_is_initialized() {
    let mut stage = plain().play();
    come_up(&mut stage);
    stage.started("app");
    stage.start_fails("web");
    stage.asked();

    stage.exited("proxy", 1);
    stage.pass_secs(10);

    assert_eq!(starts(&mut stage), ["start proxy", "start web"]);
}

#[test]
fn what_holds_the_plain_mains_back_outlives_the_driver() {
    for app_ended in [false, true] {
        let mut stage = all_up(plain());
        stage.exited("web", 1);
        stage.exited("web", 1);

        stage.crash(|name, attempt| match name {
            "app" if !app_ended => Found::Running { attempt },
            _ => Found::Ended {
                attempt,
                exit: None,
            },
        });
        stage.pass_secs(10);

        let web = starts(&mut stage).contains(&"start web".to_owned());
        assert_eq!(web, !app_ended, "app ended: {app_ended}");
    }
}

#[test]
fn a_main_with_fields_of_its_own_is_held_back_at_its_first_start_only() {
    let draft = plain().with("app", |app| app.plain = false);
    let mut stage = all_up(draft);

    stage.exited("proxy", 1);
    stage.exited("web", 1);
    stage.exited("app", 1);

    let started = starts(&mut stage);
    assert!(started.contains(&"start app".to_owned()), "{started:?}");
}
