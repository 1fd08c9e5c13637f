//! The driver dies around every fact, and the outcome is the one it would have had.

use pillion_engine::pod::{
    Backoff, Container, ContainerId, Keystone, Kind, OnGiveUp, Pod, Requirement, Rerun,
    RestartPolicy, Role, Target, Until,
};
use pillion_engine::status::Phase;
use pillion_engine::{Engine, PodResult};
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Delay, PerRun, Script};
use pillion_simulator::journal::{Crash, CrashPoint};
use pillion_simulator::line::{Who, Word};
use pillion_simulator::{Played, Scenario, Setup, play_on};
use std::time::Duration;

const PROXY: Target = Target::Container(ContainerId(0));
const MIGRATE: Target = Target::Container(ContainerId(1));

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A proxy, a migration that needs it, and an app that needs both.
fn orders() -> Pod {
    let proxy = Container {
        role: Role::Sidecar,
        on_give_up: OnGiveUp::Unready,
        ..Container::new("proxy", RestartPolicy::Always)
    };
    let migrate = Container {
        kind: Kind::Oneshot {
            undo: false,
            rerun: Rerun::OnPodRestart,
        },
        requires: vec![Requirement::hard(PROXY, Until::Ready)],
        ..Container::new("migrate", RestartPolicy::Never)
    };
    let app = Container {
        keystone: Some(Keystone::Any),
        requires: vec![
            Requirement::hard(PROXY, Until::Ready),
            Requirement::hard(MIGRATE, Until::Succeeded),
        ],
        ..Container::new("app", RestartPolicy::Never)
    };
    Pod {
        name: "orders".into(),
        containers: vec![proxy, migrate, app],
        barriers: Vec::new(),
        restart_policy: RestartPolicy::Never,
        grace: secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

fn job() -> Scenario {
    let slow_stop = Script {
        stops_in: PerRun::same(Delay::After(secs(3))),
        ..Script::default()
    };
    Scenario::new(orders())
        .script("proxy", slow_stop)
        .script("migrate", Script::runs(secs(2), 0))
        .script("app", Script::runs(secs(5), 4))
}

fn deleted() -> Scenario {
    job()
        .script("app", Script::default())
        .act(Act::at(secs(6), Deed::Delete { grace: None }))
}

fn play(scenario: &Scenario, crash: Option<Crash>) -> Played {
    let setup = Setup {
        crash,
        ..Setup::default()
    };
    play_on::<Engine>(scenario, setup).expect("the pod can be played")
}

fn result(played: &Played) -> Option<PodResult> {
    played
        .record
        .end
        .as_ref()
        .and_then(|end| end.result.clone())
}

fn runs(played: &Played, name: &str) -> usize {
    played
        .record
        .log
        .count(&Who::container(name).says(Word::Starting))
}

/// Plays with a crash at every point of every fact, and compares with the play without one.
fn survives_every_crash(scenario: &Scenario, away: Duration) {
    let whole = play(scenario, None);
    assert!(whole.facts > 5, "{} facts", whole.facts);
    for fact in 1..=whole.facts {
        for point in CrashPoint::ALL {
            let crash = Crash { fact, point, away };
            let played = play(scenario, Some(crash));
            assert_eq!(result(&played), result(&whole), "{crash:?}");
            assert_eq!(played.record.violations, [], "{crash:?}");
            for container in &scenario.pod.containers {
                let (again, once) = (
                    runs(&played, &container.name),
                    runs(&whole, &container.name),
                );
                assert_eq!(again, once, "{crash:?} {}", container.name);
            }
        }
    }
}

#[test]
fn a_job_ends_the_same_wherever_its_driver_dies() {
    let whole = play(&job(), None);
    let result = result(&whole).unwrap();
    assert_eq!((result.phase, result.code), (Phase::Failed, 4));
    survives_every_crash(&job(), Duration::ZERO);
}

#[test]
fn a_job_ends_the_same_if_its_driver_is_away_for_a_while() {
    survives_every_crash(&job(), secs(1));
}

#[test]
fn a_deletion_is_carried_through_wherever_the_driver_dies() {
    survives_every_crash(&deleted(), Duration::ZERO);
}
