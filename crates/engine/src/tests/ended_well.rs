//! Dependants of a container that ended for good with 0, whenever that was.

use super::{Draft, Stage};
use crate::life::State;
use crate::pod::{OnRestart, Reaction, RestartPolicy, Rule, When};
use crate::status::Phase;

const WELL: State = State::Ended { ok: true };

fn state<'s>(stage: &'s Stage, name: &str) -> &'s State {
    &stage.engine.record(stage.id(name)).unwrap().state
}

/// An app that goes down and comes up with its feed, which is under a tunnel; the pod lives on without them.
fn fed(on_restart: OnRestart) -> Draft {
    Draft::new(&["main", "tunnel", "feed", "app"])
        .on_restart("feed", "tunnel", OnRestart::Restart)
        .on_restart("app", "feed", on_restart)
}

fn up(draft: Draft) -> Stage {
    let mut stage = draft.play();
    for name in ["main", "tunnel", "feed", "app"] {
        stage.started(name);
    }
    stage.asked();
    stage
}

#[test]
fn who_is_left_out_by_a_rule_when_it_ended_with_0_takes_others_with_it() {
    for on_restart in [OnRestart::Restart, OnRestart::Stop] {
        let mut stage = up(fed(on_restart).with("feed", |feed| {
            feed.restart.rules = vec![Rule {
                when: When::CodeIn(vec![0]),
                reaction: Reaction::Ignore,
            }];
        }));

        stage.exited("feed", 0);
        stage.exited("app", 143);

        assert_eq!(*state(&stage, "app"), WELL);
    }
}

#[test]
fn who_asked_to_be_left_out_and_ended_with_0_takes_others_with_it() {
    for on_restart in [OnRestart::Restart, OnRestart::Stop] {
        let mut stage = up(fed(on_restart));
        stage.ask_by(Some("feed"), Reaction::Ignore).unwrap();

        stage.exited("feed", 0);
        stage.exited("app", 143);

        assert_eq!(*state(&stage, "app"), WELL);
    }
}

#[test]
fn who_is_left_out_between_two_runs_has_ended_as_it_last_did() {
    for (code, well) in [(0, true), (1, false)] {
        let mut stage = up(fed(OnRestart::Restart));
        stage.exited("feed", 1);
        stage.exited("app", 0);
        stage.started("feed");
        stage.started("app");
        stage.exited("feed", code);
        stage.exited("app", 0);
        assert!(matches!(state(&stage, "feed"), State::BackOff { .. }));

        stage.ask_by(Some("feed"), Reaction::Ignore).unwrap();

        assert_eq!(*state(&stage, "feed"), State::Ended { ok: well });
        assert_eq!(*state(&stage, "app") == WELL, well);
    }
}

#[test]
fn who_is_left_out_before_it_ever_ran_has_not_ended_well() {
    let mut stage = fed(OnRestart::Restart).play();
    stage.started("main");

    stage.ask_by(Some("feed"), Reaction::Ignore).unwrap();

    assert_eq!(*state(&stage, "feed"), State::Ended { ok: false });
    assert!(matches!(state(&stage, "app"), State::GaveUp { .. }));
}

#[test]
fn who_is_left_out_and_goes_down_with_its_target_takes_others_with_it() {
    let mut stage = up(fed(OnRestart::Restart));
    stage.ask_by(Some("feed"), Reaction::Ignore).unwrap();

    stage.exited("tunnel", 1);
    stage.exited("app", 0);
    stage.exited("feed", 0);

    assert_eq!(*state(&stage, "feed"), WELL);
    assert_eq!(*state(&stage, "app"), WELL);
}

#[test]
fn who_waits_for_a_target_that_then_ends_well_has_ended_with_it() {
    let mut stage = up(fed(OnRestart::Restart)
        .with("feed", |feed| feed.ready_on = false)
        .policy("feed", RestartPolicy::OnFailure));
    stage.exited("feed", 1);
    stage.exited("app", 0);
    assert_eq!(*state(&stage, "app"), State::Waiting);

    // Its second run is over before it was ready.
    stage.exited("feed", 0);

    assert_eq!(*state(&stage, "app"), WELL);
    stage.delete();
    stage.exited("main", 0);
    stage.exited("tunnel", 0);
    assert_eq!(stage.result(), Some((Phase::Succeeded, None, 0)));
}

#[test]
fn who_waits_for_a_target_that_then_fails_for_good_gives_up() {
    let mut stage = up(fed(OnRestart::Restart).policy("feed", RestartPolicy::Never));
    stage.ask_by(Some("feed"), Reaction::Restart).unwrap();
    stage.exited("feed", 0);
    stage.exited("app", 0);

    stage.exited("feed", 1);

    assert!(matches!(state(&stage, "app"), State::GaveUp { .. }));
}
