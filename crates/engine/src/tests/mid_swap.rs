//! What happens to a container, or is asked of it, in the middle of its own exchange.

use super::{Draft, Stage};
use crate::fact::Goal;
use crate::life::State;
use crate::pod::{
    Container, Keystone, OnRestart, Reaction, RestartLimit, RestartPolicy, Rule, Until, When,
};
use crate::status::Phase;
use crate::{Event, Found, What};

fn image(name: &str) -> impl FnOnce(&mut Container) {
    move |container| container.image = Some(name.into())
}

fn state<'s>(stage: &'s Stage, name: &str) -> &'s State {
    &stage.engine.record(stage.id(name)).unwrap().state
}

/// What was told of the database's exchange and of its end.
fn told(stage: &mut Stage) -> Vec<What> {
    let db = stage.id("db");
    let of_db = |entry: crate::Entry| (entry.container == Some(db)).then_some(entry.what);
    let counts = |what: &What| {
        matches!(
            what,
            What::Replaced
                | What::RolledBack
                | What::ReplaceAbandoned
                | What::GaveUp
                | What::Ended { .. }
        )
    };
    let told = stage.told().into_iter().filter_map(of_db);
    told.filter(counts).collect()
}

/// A tunnel, a database that says when it is ready, and an app; the pod lives without them.
fn loose() -> Draft {
    Draft::new(&["main", "tunnel", "db", "app"])
        .sidecar("tunnel")
        .sidecar("db")
        .sidecar("app")
        .with("db", |db| db.ready_on = true)
}

/// The app goes down and comes up with the database.
fn draft() -> Draft {
    loose().on_restart("app", "db", OnRestart::Restart)
}

fn ready(stage: &mut Stage) {
    let container = stage.id("db");
    let attempt = stage.engine.record(container).unwrap().attempt;
    stage.event(Event::Notified {
        container,
        attempt,
        ready: true,
    });
}

/// All run.
fn up(draft: Draft) -> Stage {
    let mut stage = draft.play();
    stage.started("main");
    stage.started("tunnel");
    if stage.engine.pod().containers[2].image.is_some() {
        stage.pulled("db");
    }
    stage.started("db");
    ready(&mut stage);
    stage.started("app");
    stage.asked();
    stage.told();
    stage
}

/// The app is being stopped, so that the database can be exchanged.
fn stopping(draft: Draft) -> Stage {
    let mut stage = up(draft);
    stage.replace("db", |_| {});
    assert_eq!(stage.asked(), ["stop app by 30s"]);
    stage
}

/// The new database runs, and is not ready yet.
fn watching(draft: Draft) -> Stage {
    let mut stage = stopping(draft);
    stage.exited("app", 0);
    stage.exited("db", 0);
    stage.started("db");
    stage.asked();
    stage.told();
    stage
}

/// The new database was ready for a moment, and is being stopped because it was not so in time: the app goes first.
fn rolling_back(draft: Draft) -> Stage {
    let mut stage = up(draft.edge("app", "db", |edge| {
        edge.until = Until::Started;
        edge.on_restart = OnRestart::Restart;
    }));
    stage.replace("db", |_| {});
    stage.exited("app", 0);
    stage.exited("db", 0);
    stage.started("db");
    stage.started("app");
    stage.pass_secs(20);
    stage.asked();
    stage
}

#[test]
fn nothing_is_pulled_while_the_old_container_is_on_its_way_out() {
    let mut stage = up(draft().with("db", image("db:1")));
    stage.replace("db", image("db:2"));
    // The old one is restarted from its own image meanwhile, so that the new image is for a run that has been.
    let (container, attempt) = (stage.id("db"), 2);
    stage.exited("db", 1);
    stage.started("db");
    ready(&mut stage);
    stage.exited("app", 0);
    stage.started("app");
    stage.event(Event::Pulled { container, attempt });
    stage.asked();

    stage.exited("db", 1);
    assert_eq!(stage.asked(), [""; 0], "the new image is there");
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start db v1"]);
}

#[test]
fn nothing_is_pulled_while_the_new_container_is_on_its_way_out() {
    let mut stage = up(loose().with("db", image("db:1")).edge("app", "db", |edge| {
        edge.until = Until::Started;
        edge.on_restart = OnRestart::Restart;
    }));
    stage.replace("db", image("db:2"));
    stage.pulled("db");
    stage.exited("app", 0);
    stage.exited("db", 0);
    stage.started("db");
    stage.started("app");
    stage.pass_secs(20);
    stage.asked();

    stage.exited("db", 1);
    assert_eq!(stage.asked(), [""; 0]);
    stage.crash(|_, attempt| Found::Running { attempt });
    assert_eq!(stage.asked(), ["stop app by 50s"]);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["pull db"], "the old one");
}

#[test]
fn whoever_asks_to_be_left_out_in_its_exchange_is_not_started_again() {
    let mut stage = stopping(draft());

    stage.ask_by(Some("db"), Reaction::Ignore).unwrap();
    stage.exited("app", 0);
    stage.exited("db", 0);
    stage.pass_secs(600);

    assert_eq!(stage.asked(), ["stop db by 30s"]);
    let ended = What::Ended { ok: true };
    assert_eq!(told(&mut stage), [ended, What::ReplaceAbandoned]);
}

#[test]
fn whoever_asks_to_be_left_out_on_trial_runs_on() {
    let mut stage = watching(draft());

    stage.ask_by(Some("db"), Reaction::Ignore).unwrap();
    stage.pass_secs(20);

    assert_eq!(stage.asked(), [""; 0]);
    assert_eq!(told(&mut stage), [What::ReplaceAbandoned]);
}

#[test]
fn whoever_asks_to_be_left_out_between_two_tries_is_not_put_back() {
    let mut stage = watching(draft());
    stage.exited("db", 1);
    stage.started("db");
    stage.exited("db", 1);
    stage.asked();

    stage.ask_by(Some("db"), Reaction::Ignore).unwrap();
    stage.pass_secs(600);

    assert_eq!(stage.asked(), [""; 0]);
    let ended = What::Ended { ok: false };
    assert_eq!(told(&mut stage), [ended, What::ReplaceAbandoned]);
}

#[test]
fn whoever_asks_to_be_left_out_while_it_is_put_back_stays_down() {
    let mut stage = rolling_back(loose());

    stage.ask_by(Some("db"), Reaction::Ignore).unwrap();
    stage.exited("app", 0);
    stage.exited("db", 0);
    stage.pass_secs(600);

    assert_eq!(stage.asked(), ["stop db by 50s"]);
    stage.replace("db", |_| {});
    let db = stage.engine.record(stage.id("db")).unwrap();
    assert_eq!(db.version, 2, "the exchange before is over");
}

#[test]
fn whoever_is_left_out_is_exchanged_when_it_has_ended() {
    for asked_before in [true, false] {
        let mut stage = up(draft());
        if asked_before {
            stage.ask_by(Some("db"), Reaction::Ignore).unwrap();
        }
        stage.replace("db", image("db:2"));
        if !asked_before {
            stage.ask_by(Some("db"), Reaction::Ignore).unwrap();
            assert_eq!(stage.asked(), ["pull db", "cancel pull db"]);
        }
        stage.pass_secs(600);
        assert_eq!(stage.asked(), [""; 0], "it runs on");
        stage.exited("db", 0);
        stage.asked();

        stage.ask_by(Some("db"), Reaction::Restart).unwrap();

        assert_eq!(stage.asked(), ["pull db"]);
        stage.pulled("db");
        assert_eq!(stage.asked(), ["start db v1"]);
    }
}

#[test]
fn an_exchange_that_the_end_of_the_pod_cuts_short_is_told_as_given_up() {
    for mut stage in [stopping(draft()), watching(draft())] {
        stage.delete();

        assert_eq!(told(&mut stage), [What::ReplaceAbandoned]);
    }
}

#[test]
fn an_exchange_that_has_failed_is_not_told_as_given_up() {
    let mut stage = rolling_back(loose());
    assert_eq!(told(&mut stage), [What::RolledBack]);

    stage.delete();

    assert_eq!(told(&mut stage), []);
}

#[test]
fn whoever_stops_for_good_with_its_target_is_not_exchanged() {
    let draft = || draft().on_restart("db", "tunnel", OnRestart::Stop);
    for mut stage in [stopping(draft()), watching(draft())] {
        stage.exited("tunnel", 1);
        for name in ["app", "db"] {
            if stage.engine.record(stage.id(name)).unwrap().is_up() {
                stage.exited(name, 0);
            }
        }

        assert_eq!(told(&mut stage), [What::GaveUp, What::ReplaceAbandoned]);
        assert!(matches!(state(&stage, "db"), State::GaveUp { .. }));
    }
}

#[test]
fn whoever_ends_well_with_its_target_is_not_exchanged() {
    let draft = || {
        draft()
            .on_restart("db", "tunnel", OnRestart::Restart)
            .policy("tunnel", RestartPolicy::Never)
    };
    for mut stage in [stopping(draft()), watching(draft())] {
        stage.exited("tunnel", 0);
        for name in ["app", "db"] {
            if stage.engine.record(stage.id(name)).unwrap().is_up() {
                stage.exited(name, 0);
            }
        }

        let mut told = told(&mut stage);
        told.sort_by_key(|what| *what == What::ReplaceAbandoned);
        assert_eq!(told, [What::Ended { ok: true }, What::ReplaceAbandoned]);
    }
}

#[test]
fn whoever_lacks_what_it_requires_is_not_put_back() {
    let mut stage = stopping(
        draft()
            .requires("db", "tunnel")
            .policy("tunnel", RestartPolicy::Never),
    );
    stage.exited("tunnel", 1);

    stage.exited("app", 0);
    stage.exited("db", 0);

    assert_eq!(told(&mut stage), [What::GaveUp, What::ReplaceAbandoned]);
}

#[test]
fn a_rule_that_restarts_brings_the_new_container() {
    let mut stage = stopping(draft().with("db", |db| {
        db.restart.rules = vec![Rule {
            when: When::CodeIn(vec![3]),
            reaction: Reaction::Restart,
        }];
        db.restart.limit = Some(RestartLimit {
            max: 0,
            window: None,
        });
    }));

    stage.exited("db", 3);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), ["start db v1"]);
}

#[test]
fn a_rule_that_leaves_out_ends_the_way_back() {
    let mut stage = rolling_back(loose().with("db", |db| {
        db.restart.rules = vec![Rule {
            when: When::CodeIn(vec![7]),
            reaction: Reaction::Ignore,
        }];
    }));

    stage.exited("db", 7);
    stage.exited("app", 0);

    assert_eq!(stage.asked(), [""; 0]);
    stage.replace("db", |_| {});
    let db = stage.engine.record(stage.id("db")).unwrap();
    assert_eq!(db.version, 2, "the exchange before is over");
}

#[test]
fn a_keystone_that_ends_as_it_names_ends_the_pod_though_it_is_being_exchanged() {
    let keystone = |named| {
        move |db: &mut Container| {
            db.keystone = Some(named);
            db.restart.policy = RestartPolicy::Never;
        }
    };
    let cases = [
        (Keystone::Any, 0, true),
        (Keystone::Any, 1, true),
        (Keystone::Success, 0, true),
        (Keystone::Success, 1, false),
        (Keystone::Failure, 0, false),
        (Keystone::Failure, 1, true),
    ];
    for (named, code, ends) in cases {
        let mut stage = stopping(draft().with("db", keystone(named)));

        stage.exited("db", code);

        assert_eq!(*stage.engine.goal() != Goal::Run, ends, "{named:?} {code}");
        assert_eq!(told(&mut stage).contains(&What::ReplaceAbandoned), ends);
        stage.exited("app", 0);
        if ends {
            stage.exited("main", 0);
            stage.exited("tunnel", 0);
            let phase = if code == 0 {
                Phase::Succeeded
            } else {
                Phase::Failed
            };
            assert_eq!(stage.result(), Some((phase, Some("db"), code)));
        } else {
            assert_eq!(stage.asked().last().unwrap(), "start db v1");
        }
    }
}

#[test]
fn a_keystone_on_trial_ends_the_pod_by_success_alone() {
    for (code, ends) in [(0, true), (1, false)] {
        let keystone = |draft: Draft| {
            draft.with("db", |db| {
                db.keystone = Some(Keystone::Any);
                db.restart.policy = RestartPolicy::Never;
            })
        };
        for mut stage in [watching(keystone(draft())), rolling_back(keystone(loose()))] {
            stage.exited("db", code);

            assert_eq!(*stage.engine.goal() != Goal::Run, ends, "{code}");
        }
    }
}

#[test]
fn a_keystone_that_is_told_to_stop_for_its_exchange_ends_nothing() {
    let mut stage = stopping(draft().with("db", |db| {
        db.keystone = Some(Keystone::Any);
        db.restart.policy = RestartPolicy::Never;
    }));
    stage.exited("app", 0);

    stage.exited("db", 0);

    assert_eq!(stage.asked().last().unwrap(), "start db v1");
}

#[test]
fn a_new_image_that_nobody_needs_any_more_is_not_waited_for() {
    let mut stage = up(draft().with("db", |db| db.restart.policy = RestartPolicy::Never));
    stage.replace("db", image("db:2"));
    stage.asked();

    stage.exited("db", 0);

    assert!(stage.asked().contains(&"cancel pull db".to_owned()));
}
