//! Plays every scenario of the project in virtual time.

use pillion_engine::{Engine, PodResult};
use pillion_simulator::journal::{Crash, CrashPoint};
use pillion_simulator::line::{Part, Who, Word};
use pillion_simulator::suite::{self, Files};
use pillion_simulator::{Driver, Latency, Outcome, Played, Scenario, Setup, judge, play_on};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Every YAML file below some folders of the project, by its path.
fn files(folders: &[&str]) -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Files::new();
    let mut folders: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is part of the project") {
            let path = entry.expect("the folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "yaml") {
                let name = path.strip_prefix(&root).expect("it was found below");
                let bytes = fs::read(&path).expect("scenarios can be read");
                files.insert(name.to_string_lossy().replace('\\', "/"), bytes);
            }
        }
    }
    files
}

#[test]
fn every_case_of_every_scenario_passes() {
    let files = files(&["scenarios", "examples"]);
    assert!(files.len() > 200, "some scenarios are missing");
    let report = suite::run_under(&files, "scenarios/");
    assert!(report.is_good(), "{report}");
}

/// In virtual time everything can happen in one instant; on a machine nothing does. What is expected
/// must hold on both.
#[test]
fn every_case_passes_on_a_slower_machine_too() {
    let files = files(&["scenarios", "examples"]);
    let setup = Setup {
        latency: Latency {
            start: Duration::from_millis(200),
            report: Duration::from_millis(50),
        },
        ..Setup::default()
    };
    for name in files.keys().filter(|name| name.starts_with("scenarios/")) {
        let reading = suite::read_file(&files, name);
        let scenario = reading.scenario.expect("every scenario can be read");
        let played = play_on::<Engine>(&scenario, setup).expect("the pod can be played");
        for verdict in judge(&scenario, &played.record, Driver::Virtual) {
            let failed = matches!(verdict.outcome, Outcome::Failed(_));
            assert!(!failed, "{name}\n{verdict}");
        }
    }
}

/// Who waits for a line of a hook waits in vain if the driver dies between writing down that the
/// hook begins and beginning it: hooks are never run twice, so that one is not run at all.
fn waits_for_a_hook(scenario: &Scenario) -> bool {
    let lines = scenario
        .acts
        .iter()
        .filter_map(|act| act.when.line.as_ref());
    lines.into_iter().any(|line| line.who.part != Part::Itself)
}

/// How the pod ended, and how often each oneshot ran.
fn outcome(scenario: &Scenario, played: &Played) -> (Option<PodResult>, Vec<usize>) {
    let oneshots = scenario.pod.containers.iter().filter(|c| c.is_oneshot());
    let starts = oneshots.map(|c| Who::container(&c.name).says(Word::Starting));
    let runs = starts.map(|line| played.record.log.count(&line)).collect();
    let end = played.record.end.as_ref();
    (end.and_then(|end| end.result.clone()), runs)
}

/// Facts after these come from containers that crash again and again, and are alike.
const ALIKE: usize = 40;

/// Plays a scenario with a crash at some points of every fact.
fn crash_everywhere(name: &str, scenario: &Scenario, points: impl Fn(usize) -> Vec<CrashPoint>) {
    let play = |crash| {
        let setup = Setup {
            crash,
            ..Setup::default()
        };
        play_on::<Engine>(scenario, setup).expect("the pod can be played")
    };
    let whole = play(None);
    for fact in 1..=whole.facts.min(ALIKE) {
        for point in points(fact) {
            let away = Duration::ZERO;
            let crash = Crash { fact, point, away };
            let played = play(Some(crash));
            let (seen, wanted) = (outcome(scenario, &played), outcome(scenario, &whole));
            assert_eq!(seen, wanted, "{name}, {crash:?}");
            assert_eq!(played.record.violations, [], "{name}, {crash:?}");
        }
    }
}

#[test]
fn every_scenario_ends_the_same_wherever_its_driver_dies() {
    let files = files(&["scenarios", "examples"]);
    let names = files.keys().filter(|name| name.starts_with("scenarios/"));
    for (number, name) in names.enumerate() {
        let reading = suite::read_file(&files, name);
        let scenario = reading.scenario.expect("every scenario can be read");
        if waits_for_a_hook(&scenario) {
            continue;
        }
        // The kubelet's cases are many and alike: each gets one of the three points for each fact.
        let all = !name.starts_with("scenarios/kubelet/");
        crash_everywhere(name, &scenario, |fact| {
            let one = CrashPoint::ALL[(fact + number) % 3];
            if all {
                CrashPoint::ALL.to_vec()
            } else {
                vec![one]
            }
        });
    }
}
