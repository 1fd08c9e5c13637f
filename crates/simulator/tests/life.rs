//! What people see who have no scenario: a whole life, and "what if".

use pillion_engine::pod::{
    Backoff, Container, Keystone, Kind, OnGiveUp, OnRestart, Pod, Probe, Requirement, Rerun,
    RestartPolicy, Target, Until,
};
use pillion_engine::status::Phase;
use pillion_engine::{ContainerId, Tick};
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Delay, PerRun, Script};
use pillion_simulator::line::{Who, Word};
use pillion_simulator::{Played, Scenario, inline, play};
use std::time::Duration;

fn pod(policy: RestartPolicy, containers: Vec<Container>) -> Pod {
    Pod {
        name: "shop".into(),
        containers,
        barriers: Vec::new(),
        restart_policy: policy,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

fn service(name: &str) -> Container {
    Container::new(name, RestartPolicy::Always)
}

fn oneshot(name: &str) -> Container {
    Container {
        kind: Kind::Oneshot {
            undo: false,
            rerun: Rerun::OnPodRestart,
        },
        ..Container::new(name, RestartPolicy::Never)
    }
}

fn ended(played: &Played) -> (Tick, Phase) {
    let end = played.record.end.as_ref().expect("the pod ends");
    let result = end.result.as_ref().expect("it is told");
    (end.at, result.phase)
}

#[test]
fn a_pod_of_services_is_deleted_after_five_seconds_of_readiness() {
    let pod = pod(RestartPolicy::Always, vec![service("app")]);
    let played = play(&Scenario::whole_life(pod)).unwrap();
    assert_eq!(ended(&played).0, Tick::from_secs(5));
    assert!(!played.entries.is_empty());
}

#[test]
fn a_pod_of_oneshots_ends_by_itself() {
    let pod = pod(RestartPolicy::Never, vec![oneshot("migrate")]);
    let played = play(&Scenario::whole_life(pod)).unwrap();
    assert_eq!(ended(&played), (Tick::from_secs(1), Phase::Succeeded));
}

#[test]
fn a_kill_from_the_command_line_happens_before_the_usual_end() {
    let pod = pod(RestartPolicy::Always, vec![service("app")]);
    let acts = vec![inline::kill("app@3s").unwrap()];
    let scenario = Scenario::whole_life(pod).with_timed_acts(acts);
    let played = play(&scenario).unwrap();
    let starts = played
        .record
        .log
        .count(&Who::container("app").says(Word::Starting));
    assert_eq!(starts, 2);
    assert_eq!(played.record.left_undone, Vec::<String>::new());
    assert_eq!(ended(&played).0, Tick::from_secs(3 + 5));
}

#[test]
fn what_is_asked_for_after_the_time_of_watching_is_seen_and_so_is_the_end() {
    let pod = pod(RestartPolicy::Always, vec![service("app")]);
    let acts = vec![inline::kill("app@20m").unwrap()];
    let scenario = Scenario::whole_life(pod).with_timed_acts(acts);
    let played = play(&scenario).unwrap();
    assert_eq!(played.record.left_undone, Vec::<String>::new());
    assert_eq!(ended(&played).0, Tick::from_secs(20 * 60 + 5));
}

#[test]
fn a_probe_that_begins_to_fail_is_watched_until_its_verdict() {
    let mut app = service("app");
    app.probes.liveness = Some(Probe::default());
    let pod = pod(RestartPolicy::Always, vec![app]);
    let acts = vec![inline::probe("app/liveness=fail@3s").unwrap()];
    let scenario = Scenario::whole_life(pod).with_timed_acts(acts);
    let played = play(&scenario).unwrap();
    let starts = Who::container("app").says(Word::Starting);
    assert!(played.record.log.count(&starts) > 1, "it was killed");
}

#[test]
fn an_end_at_the_moment_of_the_usual_deletion_is_seen_first() {
    let app = Container {
        keystone: Some(Keystone::Any),
        ..Container::new("app", RestartPolicy::Never)
    };
    let pod = pod(RestartPolicy::Never, vec![app, service("helper")]);
    let ends = Script::runs(Duration::from_secs(5), 3);
    let scenario = Scenario::whole_life(pod).script("app", ends);
    let played = play(&scenario).unwrap();
    let end = played.record.end.as_ref().expect("the pod ends");
    assert_eq!(end.decided_by.as_deref(), Some("app"));
    assert_eq!(end.result.as_ref().map(|result| result.code), Some(3));
}

/// `app` is stopped when `db` goes down, and takes its time.
fn restarted_with_db(app: Container) -> Scenario {
    let requirement = Requirement {
        on_restart: OnRestart::Restart,
        ..Requirement::hard(Target::Container(ContainerId(0)), Until::Ready)
    };
    let app = Container {
        requires: vec![requirement],
        ..app
    };
    let slow = Script {
        stops_in: PerRun::same(Delay::After(Duration::from_secs(20))),
        ..Script::default()
    };
    Scenario::whole_life(pod(RestartPolicy::Always, vec![service("db"), app]))
        .script("app", slow)
        .with_timed_acts(vec![inline::kill("db@3s").expect("it is an act")])
}

#[test]
fn the_usual_deletion_waits_for_those_that_are_on_their_way_down_and_up_again() {
    let played = play(&restarted_with_db(service("app"))).unwrap();
    let starts = Who::container("app").says(Word::Starting);
    assert_eq!(played.record.log.count(&starts), 2);
    assert_eq!(ended(&played).0, Tick::from_secs(3 + 20 + 5 + 20));
}

#[test]
fn the_usual_deletion_does_not_wait_for_those_that_count_nowhere() {
    let app = Container {
        on_give_up: OnGiveUp::Ignore,
        ..service("app")
    };
    let played = play(&restarted_with_db(app)).unwrap();
    assert_eq!(ended(&played).0, Tick::from_secs(3 + 20));
}

#[test]
fn acts_with_a_time_hold_nothing_back_that_a_scenario_does() {
    let pod = pod(
        RestartPolicy::Always,
        vec![service("app"), service("cache")],
    );
    let deletion = Act::new(Deed::Delete { grace: None }).after(Duration::from_secs(2));
    let acts = vec![
        inline::kill("cache@30s").unwrap(),
        inline::kill("app@1s").unwrap(),
    ];
    let scenario = Scenario::new(pod).act(deletion).with_timed_acts(acts);
    let played = play(&scenario).unwrap();
    assert_eq!(ended(&played).0, Tick::from_secs(2));
    assert_eq!(played.record.left_undone, ["signal 9 to cache"]);
}

#[test]
fn a_life_in_which_time_stands_still_ends_soon_and_says_so() {
    let mut app = service("app");
    app.restart.backoff.initial = Duration::ZERO;
    app.restart.backoff.max = Duration::ZERO;
    let scenario = Scenario::new(pod(RestartPolicy::Always, vec![app, service("other")]))
        .script("app", Script::runs(Duration::ZERO, 1));

    let played = play(&scenario).unwrap();

    let [violation] = &played.record.violations[..] else {
        panic!("{:?}", played.record.violations);
    };
    assert!(violation.what.contains("runs for 0s"), "{}", violation.what);
    assert!(played.entries.len() < 20_000, "{}", played.entries.len());
}
