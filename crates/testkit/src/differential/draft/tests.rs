//! What random pods are like.

use super::*;
use pillion_simulator::play;
use pillion_simulator::scenario::read;

fn drafts() -> impl Iterator<Item = Draft> {
    (0..500).map(|seed| Draft::random(&mut Dice::new(seed)))
}

#[test]
fn every_random_pod_can_be_read_and_played() {
    for draft in drafts() {
        let text = draft.to_string();
        let reading = read::read("random", text.as_bytes(), &mut |_| Err(String::new()));
        let scenario = reading.scenario.as_ref();
        let scenario = scenario.unwrap_or_else(|| panic!("{text}\n{}", reading.describe()));
        assert!(play(scenario).is_ok(), "{text}");
    }
}

fn rules(draft: &Draft) -> impl Iterator<Item = &Rule> {
    draft.containers.iter().flat_map(|part| &part.rules)
}

#[test]
fn everything_that_a_plain_pod_can_have_is_drawn() {
    let seen = |has: &dyn Fn(&Draft) -> bool| drafts().any(|draft| has(&draft));
    let any = |has: fn(&Part) -> bool| seen(&|draft| draft.containers.iter().any(has));
    for role in [Role::Init, Role::Sidecar, Role::Main] {
        assert!(seen(&|draft| draft
            .containers
            .iter()
            .any(|part| part.role == role)));
    }
    for mains in 1..=4 {
        let count = |draft: &Draft| {
            let roles = draft.containers.iter().map(|part| part.role);
            roles.filter(|role| *role == Role::Main).count()
        };
        assert!(seen(&|draft| count(draft) == mains), "{mains} mains");
    }
    for policy in [Policy::Always, Policy::OnFailure, Policy::Never] {
        assert!(seen(&|draft| draft.policy == policy));
        assert!(seen(&|draft| draft
            .containers
            .iter()
            .any(|part| part.policy == Some(policy))));
    }
    for action in [Action::Restart, Action::RestartAllContainers] {
        assert!(seen(&|draft| rules(draft).any(|rule| rule.action == action)));
    }
    assert!(any(|part| part.rules.len() > 1));
    assert!(any(|part| part.post_start.is_some()));
    assert!(any(|part| part.pre_stop.is_some()));
    assert!(any(|part| part.startup.is_some()));
    assert!(any(|part| part.readiness.is_some()));
    assert!(any(|part| part.liveness.is_some()));
    assert!(any(|part| part
        .startup
        .is_some_and(|probe| probe.grace.is_some())));
    let readiness = |has: fn(&Readiness) -> bool| {
        seen(&|draft| {
            let mut parts = draft.containers.iter();
            parts.any(|part| part.readiness.as_ref().is_some_and(has))
        })
    };
    assert!(readiness(|probe| probe.successes > 1));
    assert!(readiness(|probe| probe.failures > 1));
    assert!(any(|part| part
        .liveness
        .is_some_and(|probe| probe.failures > 1)));
    let too_early = |part: &Part| part.liveness.is_some_and(|probe| probe.after == 0);
    assert!(seen(&|draft| draft
        .containers
        .iter()
        .any(|part| too_early(part) && part.startup.is_some())));
    assert!(any(|part| part
        .liveness
        .is_some_and(|probe| probe.delay == 10)));
    assert!(any(|part| part.life.runs.is_some()));
    assert!(any(|part| part.life.exits.0 != 0));
    assert!(any(|part| part.life.stop_exits.is_some()));
    assert!(any(|part| part.life.stops_in.is_none()));
    assert!(any(|part| part.life.stops_in > Some(0)));
    assert!(any(|part| part.image == Image::Missing));
    assert!(seen(&|draft| draft.update.is_some()));
    for delay in Delay::ALL {
        assert!(seen(&|draft| draft.delay == delay));
    }
    let way = |is: fn(&Way) -> bool| {
        seen(&|draft| {
            let mut parts = draft.containers.clone();
            let mut ways = parts.iter_mut().flat_map(Part::ways);
            ways.any(|(way, _)| is(way))
        })
    };
    assert!(way(|way| matches!(way, Way::Exec)));
    assert!(way(|way| matches!(way, Way::Grpc(_))));
    assert!(way(|way| matches!(way, Way::Http(_))));
    assert!(way(|way| matches!(way, Way::Https(_))));
    assert!(way(|way| matches!(way, Way::Tcp(_))));
    for operator in [Operator::In, Operator::NotIn] {
        assert!(seen(
            &|draft| rules(draft).any(|rule| rule.operator == operator)
        ));
    }
    assert!(any(|part| part
        .post_start
        .is_some_and(|hook| hook.exits != 0)));
    assert!(any(|part| part
        .pre_stop
        .is_some_and(|hook| hook.exits != 0)));
    assert!(seen(&|draft| draft
        .deletion
        .as_ref()
        .is_some_and(|deletion| deletion.grace.is_some())));
    for shorter in [true, false] {
        assert!(seen(&|draft| {
            let again = draft.deletion.as_ref().and_then(|deletion| deletion.again);
            again.is_some_and(|(_, grace)| draft.is_shortened_by(grace) == shorter)
        }));
    }
}

#[test]
fn every_pod_is_watched_until_a_stop_must_be_over() {
    for draft in drafts().filter(|draft| draft.deletion.is_some()) {
        let deletion = draft.deletion.as_ref().unwrap();
        let longest = draft.grace.max(25).max(deletion.grace.unwrap_or_default()) + 2;
        assert!(deletion.after / 10 + longest < draft.watched(), "{draft}");
    }
}

#[test]
fn the_same_seed_is_the_same_pod() {
    let one = Draft::random(&mut Dice::new(42));
    assert_eq!(one, Draft::random(&mut Dice::new(42)));
    assert_ne!(one, Draft::random(&mut Dice::new(43)));
}

/// Where a law shows in few pods only, hundreds of them say little.
#[test]
fn the_order_of_stops_shows_in_many_pods() {
    let shows = |draft: &Draft| {
        let stops = draft.containers.iter();
        let stops = stops.filter(|part| part.role == Role::Sidecar);
        let stops = stops.filter(|part| part.life.runs.is_none() && part.liveness.is_none());
        let slow = stops.filter(|part| part.life.stops_in > Some(0));
        slow.count() >= 2
    };
    for is_deleted in [true, false] {
        let those = drafts().filter(|draft| draft.deletion.is_some() == is_deleted);
        let count = those.filter(shows).count();
        assert!(count >= 30, "{count} of 500");
    }
}
