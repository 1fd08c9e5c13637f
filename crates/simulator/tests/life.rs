//! What people see who have no scenario: a whole life, and "what if".

use pillion_engine::Tick;
use pillion_engine::pod::{Backoff, Container, Kind, Pod, Rerun, RestartPolicy};
use pillion_engine::status::Phase;
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
    (end.at, end.result.phase)
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
}
