//! Each thing that a scenario can do to a pod, with the real engine.

use pillion_engine::pod::{Backoff, Container, Pod, RestartPolicy};
use pillion_engine::status::{ContainerState, Phase};
use pillion_engine::{PodResult, Tick};
use pillion_simulator::act::{Act, Deed, Replacement};
use pillion_simulator::actor::{Answers, PerRun, Script};
use pillion_simulator::line::{LineName, Who, Word};
use pillion_simulator::{Latency, Played, Scenario, Setup, play, play_on};
use std::time::Duration;

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn pod(policy: RestartPolicy) -> Pod {
    let app = Container {
        plain: true,
        image: Some("shop/app:7".into()),
        ..Container::new("app", policy)
    };
    Pod {
        name: "shop".into(),
        containers: vec![app],
        barriers: Vec::new(),
        restart_policy: policy,
        grace: secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

/// Plays a pod with one container to which this is done after five seconds.
fn after_five_seconds(policy: RestartPolicy, deed: Deed) -> Played {
    let scenario = Scenario {
        run_for: secs(60),
        ..Scenario::new(pod(policy)).act(Act::at(secs(5), deed))
    };
    let played = play(&scenario).expect("the pod can be played");
    assert_eq!(played.record.violations, []);
    assert_eq!(played.record.left_undone, Vec::<String>::new());
    played
}

fn name(who: &str, word: Word) -> LineName {
    Who::container(who).says(word)
}

fn starts(played: &Played) -> Vec<Tick> {
    let lines = played.record.log.lines().iter();
    let starts = lines.filter(|line| line.is(&name("app", Word::Starting)));
    starts.map(|line| line.at).collect()
}

fn result(played: Played) -> PodResult {
    let end = played.record.end.expect("the pod ends");
    end.result.expect("it is told")
}

fn image(played: &Played) -> Option<&str> {
    played.record.status()?.container("app")?.image.as_deref()
}

#[test]
fn a_kill_is_followed_by_the_policy() {
    let kill = Deed::Kill {
        container: "app".into(),
        signal: 9,
    };
    let played = after_five_seconds(RestartPolicy::Always, kill.clone());
    assert_eq!(starts(&played), [Tick::ZERO, Tick::from_secs(5)]);
    let played = after_five_seconds(RestartPolicy::Never, kill);
    let result = result(played);
    assert_eq!((result.phase, result.code), (Phase::Failed, 137));
}

#[test]
fn a_restarted_driver_leaves_what_runs_alone() {
    let restart = Deed::RestartDriver { forget: Vec::new() };
    let played = after_five_seconds(RestartPolicy::Always, restart);
    assert_eq!(starts(&played), [Tick::ZERO]);
    let status = played.record.status().expect("it was seen");
    let app = status.container("app").expect("it is there");
    assert_eq!(app.state, ContainerState::Running { since: Tick::ZERO });
}

#[test]
fn after_a_reboot_a_pod_runs_again_unless_it_must_not() {
    let played = after_five_seconds(RestartPolicy::Always, Deed::Reboot);
    assert_eq!(starts(&played), [Tick::ZERO, Tick::from_secs(5)]);
    let played = after_five_seconds(RestartPolicy::Never, Deed::Reboot);
    assert_eq!(starts(&played), [Tick::ZERO]);
    assert_eq!(result(played).phase, Phase::Failed);
}

#[test]
fn another_image_restarts_the_container_whatever_the_policy() {
    let set_image = Deed::SetImage {
        container: "app".into(),
        image: "shop/app:8".into(),
    };
    let played = after_five_seconds(RestartPolicy::Never, set_image);
    assert_eq!(starts(&played), [Tick::ZERO, Tick::from_secs(5)]);
    assert_eq!(image(&played), Some("shop/app:8"));
}

#[test]
fn a_replacement_that_does_not_become_ready_is_taken_back() {
    let broken = Script {
        readiness: PerRun::same(Answers::Fail),
        ..Script::default()
    };
    let mut with = pod(RestartPolicy::Always).containers.remove(0);
    with.image = Some("shop/app:8".into());
    with.probes.readiness = Some(pillion_engine::pod::Probe::default());
    let replace = Deed::Replace(Box::new(Replacement {
        container: "app".into(),
        with: Some(with),
        script: Some(broken),
        timeout: Some(secs(10)),
        force: false,
    }));
    let played = after_five_seconds(RestartPolicy::Always, replace);
    let at = [0, 5, 15].map(Tick::from_secs);
    assert_eq!(starts(&played), at);
    assert_eq!(image(&played), Some("shop/app:7"));
}

#[test]
fn an_ephemeral_container_runs_beside_the_others() {
    let added = Deed::AddEphemeral {
        name: "dbg".into(),
        script: Box::new(Script::runs(secs(3), 1)),
    };
    let played = after_five_seconds(RestartPolicy::Always, added);
    let lines = played.record.log.lines().iter();
    let dbg: Vec<_> = lines
        .filter(|line| &*line.who.container == "dbg")
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        dbg,
        [
            "5.000s dbg Starting",
            "5.000s dbg Started",
            "8.000s dbg Exiting",
            "8.000s dbg Exited"
        ]
    );
    assert_eq!(starts(&played), [Tick::ZERO]);
}

#[test]
fn a_slow_machine_changes_times_and_nothing_else() {
    let scenario = Scenario::new(pod(RestartPolicy::Always))
        .act(Act::at(secs(5), Deed::Delete { grace: None }));
    let setup = Setup {
        latency: Latency {
            start: secs(2),
            report: secs(1),
        },
        ..Setup::default()
    };
    let slow = play_on::<pillion_engine::Engine>(&scenario, setup).expect("it can be played");
    let fast = play(&scenario).expect("it can be played");
    let words = |played: &Played| {
        let lines = played.record.log.lines().iter();
        lines
            .map(|line| (line.who.clone(), line.word))
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&slow), words(&fast));
    assert!(slow.record.end.expect("ends").at > fast.record.end.expect("ends").at);
}
