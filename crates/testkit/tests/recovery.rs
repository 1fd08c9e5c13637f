//! The driver dies around every fact, and the pod comes to the end that it would have had.

use pillion_engine::pod::Reaction;
use pillion_engine::{Engine, PodResult};
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Delay, End, PerRun, Script};
use pillion_simulator::journal::{Crash, CrashPoint};
use pillion_simulator::line::{Who, Word};
use pillion_simulator::suite::{Files, read_file};
use pillion_simulator::{Played, Scenario, Setup, play_on};
use pillion_testkit::families::{Specimen, four, two};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What must be the same with and without a crash.
#[derive(Debug, Eq, PartialEq)]
struct Outcome {
    phase: String,
    result: Option<PodResult>,
    decided_by: Option<Box<str>>,
    /// How often each oneshot was run.
    runs: Vec<(Box<str>, usize)>,
}

fn play(scenario: &Scenario, crash: Option<Crash>) -> Played {
    let setup = Setup {
        crash,
        ..Setup::default()
    };
    play_on::<Engine>(scenario, setup).expect("the pod can be played")
}

fn outcome(scenario: &Scenario, played: &Played) -> Outcome {
    let record = &played.record;
    let oneshots = scenario.pod.containers.iter().filter(|it| it.is_oneshot());
    let runs = oneshots.map(|it| {
        let starts = Who::container(&it.name).says(Word::Starting);
        (it.name.clone(), record.log.count(&starts))
    });
    Outcome {
        phase: format!("{:?}", record.status().map(|status| status.phase)),
        result: record.end.as_ref().and_then(|end| end.result.clone()),
        decided_by: record.end.as_ref().and_then(|end| end.decided_by.clone()),
        runs: runs.collect(),
    }
}

/// Plays with a crash at every point of every fact. Says how many crashes it survived, and which not.
fn crash_everywhere(name: &str, scenario: &Scenario) -> (usize, Vec<String>) {
    let whole = play(scenario, None);
    let expected = outcome(scenario, &whole);
    let points = (1..=whole.facts).flat_map(|fact| CrashPoint::ALL.map(|point| (fact, point)));
    let (mut survived, mut wrong) = (0, Vec::new());
    for (fact, point) in points {
        let crash = Crash {
            fact,
            point,
            away: Duration::ZERO,
        };
        let played = play(scenario, Some(crash));
        let found = outcome(scenario, &played);
        if found == expected && played.record.violations.is_empty() {
            survived += 1;
        } else {
            let violations = &played.record.violations;
            wrong.push(format!(
                "{name}, {fact} {point:?}:\n  {found:?} {violations:?}\n  {expected:?}"
            ));
        }
    }
    (survived, wrong)
}

fn survive(scenarios: impl IntoIterator<Item = (String, Scenario)>) -> usize {
    let (mut survived, mut wrong) = (0, Vec::new());
    for (name, scenario) in scenarios {
        let one = crash_everywhere(&name, &scenario);
        survived += one.0;
        wrong.extend(one.1);
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    survived
}

/// The files of a folder of the project, by their paths in it.
fn files(folder: &str) -> Files {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = fs::read_dir(project.join(folder)).expect("the folder is there");
    let paths = listed.map(|entry| entry.expect("it can be listed").path());
    let files = paths.map(|path| {
        let name = path.file_name().expect("a file has a name");
        let name = format!("{folder}/{}", name.to_string_lossy());
        (name, fs::read(path).expect("it can be read"))
    });
    files.collect()
}

/// Oneshots take two seconds, and services run until the pod is deleted. In each of these lives the
/// first run of one container fails, or nobody's; and the pod is restarted in its middle, or not.
fn lives(Specimen { name, pod }: Specimen) -> Vec<(String, Scenario)> {
    let nobody = pod.containers.len();
    let lives = (0..=nobody).flat_map(|fails| [false, true].map(|restart| (fails, restart)));
    let lives = lives.map(|(fails, restart)| {
        let mut scenario = Scenario::new(pod.clone());
        for (index, container) in pod.containers.iter().enumerate() {
            let script = script(container.is_oneshot(), index == fails);
            scenario = scenario.script(&container.name, script);
        }
        if restart {
            let ask = Deed::Ask {
                by: None,
                reaction: Reaction::RestartPod,
                reason: "test".into(),
            };
            scenario = scenario.act(Act::at(Duration::from_secs(40), ask));
        }
        let delete = Deed::Delete { grace: None };
        let scenario = scenario.act(Act::at(Duration::from_secs(80), delete));
        let life = format!("{name}, container {fails} fails, restarted: {restart}");
        (life, scenario)
    });
    lives.collect()
}

fn script(oneshot: bool, fails: bool) -> Script {
    let mut script = if oneshot {
        Script::runs(Duration::from_secs(2), 0)
    } else {
        Script::default()
    };
    if fails {
        // After it is up, and long before anything is done to the pod.
        let (runs, ends) = (Delay::After(Duration::from_secs(3)), End::Exit(1));
        script.runs = PerRun::each(runs, vec![*script.runs.in_run(2)]);
        script.ends = PerRun::each(ends, vec![*script.ends.in_run(2)]);
    }
    script
}

#[test]
fn every_story_ends_the_same_wherever_its_driver_dies() {
    let mut all = files("examples");
    all.extend(files("scenarios/stories"));
    let stories = all.keys().filter(|name| name.starts_with("scenarios/"));
    let read = stories.map(|name| {
        let reading = read_file(&all, name);
        let scenario = reading.scenario.expect("a story can be played");
        (name.clone(), scenario)
    });

    let survived = survive(read);

    assert!(survived > 1_000, "{survived} crashes are few");
}

#[test]
fn two_and_four_containers_end_the_same_wherever_their_driver_dies() {
    let survived = survive(two::pods().into_iter().chain(four::pods()).flat_map(lives));

    assert!(survived > 5_000, "{survived} crashes are few");
}
