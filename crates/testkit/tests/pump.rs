//! The loop between an engine and a runtime, on a runtime whose time is virtual.

use pillion_engine::{Action, ContainerId, Engine, Entry, Fact, PodResult, Request, Tick};
use pillion_runtime::guard::{NotStarted, Outcome};
use pillion_runtime::poller::Token;
use pillion_runtime::pump::{Driven, Front, Journal, Pump};
use pillion_runtime::runtime::Output;
use pillion_simulator::suite::{Files, read_file};
use pillion_simulator::{Scenario, play};
use pillion_testkit::fake::{ASKED, Fake, hand_on};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// A journal that has room for so many facts.
#[derive(Default)]
struct Pages {
    facts: Vec<Fact>,
    room: Option<usize>,
}

/// A front that writes down what it hears, and deletes the pod when it is woken.
#[derive(Default)]
struct Audience {
    heard: Vec<Entry>,
    wake_at: Option<Tick>,
    woken: Vec<Tick>,
    /// How much it had heard each time everything was told.
    settled: Vec<usize>,
}

/// What is left of a pump whose run has ended.
struct Left {
    result: io::Result<PodResult>,
    fake: Fake,
    facts: Vec<Fact>,
    audience: Audience,
}

// === impl Pages ===

impl Journal for Pages {
    fn keep(&mut self, fact: &Fact) -> io::Result<()> {
        if self.room == Some(self.facts.len()) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.facts.push(fact.clone());
        Ok(())
    }
}

// === impl Audience ===

impl Front<Fake> for Audience {
    fn told(&mut self, entry: &Entry, _engine: &Engine) {
        self.heard.push(entry.clone());
    }

    fn output(&mut self, _output: &Output, _engine: &Engine) {}

    fn ready(&mut self, token: Token, pod: Driven<'_, Fake>) {
        assert_eq!(token, ASKED);
        hand_on(pod);
    }

    fn exec_done(&mut self, _id: u64, _outcome: Result<Outcome, NotStarted>) {}

    fn next_wake(&self) -> Option<Tick> {
        self.wake_at
    }

    fn wake(&mut self, mut pod: Driven<'_, Fake>) {
        self.woken.push(pod.now);
        self.wake_at = None;
        let _ = pod.request(Request::Delete { grace: None });
    }

    fn settle(&mut self, _now: Tick, _engine: &Engine) {
        self.settled.push(self.heard.len());
    }
}

fn at(seconds: u64) -> Tick {
    Tick::ZERO + Duration::from_secs(seconds)
}

/// Pumps until the pod has ended, or the journal is full.
fn pump(engine: Engine, fake: Fake, pages: Pages, audience: Audience, resumes: bool) -> Left {
    let mut pump = Pump::new(engine, fake, pages, audience);
    if resumes {
        pump.recover();
    }
    let result = pump.run();
    let (_, fake, pages, audience) = pump.into_parts();
    Left {
        result,
        fake,
        facts: pages.facts,
        audience,
    }
}

fn begin(scenario: &Scenario, room: Option<usize>, audience: Audience) -> Left {
    let fake = Fake::new(scenario);
    let engine = Engine::new(scenario.pod.clone(), fake.stage.now()).expect("the pod can be run");
    let pages = Pages {
        room,
        ..Pages::default()
    };
    pump(engine, fake, pages, audience, false)
}

/// The scenarios to which nothing is done from outside, and whose pods end.
fn scenarios() -> Vec<(String, Scenario)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Files::new();
    for folder in ["scenarios", "examples"] {
        gather(&project, &project.join(folder), &mut files);
    }
    let names = files.keys().filter(|name| name.starts_with("scenarios/"));
    let all = names.filter_map(|name| {
        let scenario = read_file(&files, name).scenario?;
        let untouched = scenario.acts.is_empty() && scenario.timed_acts.is_empty();
        let ends = play(&scenario).ok()?.record.end.is_some();
        (untouched && ends).then(|| (name.clone(), scenario))
    });
    all.collect()
}

fn gather(project: &Path, folder: &Path, files: &mut Files) {
    let listed = fs::read_dir(folder).expect("the folder is there");
    let paths: Vec<PathBuf> = listed
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    for path in paths {
        if path.is_dir() {
            gather(project, &path, files);
        } else {
            let name = path.strip_prefix(project).expect("it lies below");
            let text = fs::read(&path).expect("it can be read");
            files.insert(name.to_string_lossy().into_owned(), text);
        }
    }
}

/// A scenario in which something is asked, probed, hooked and stopped.
fn orders() -> Scenario {
    let all = scenarios();
    let found = all
        .into_iter()
        .find(|(name, _)| name == "scenarios/stories/orders.yaml");
    found.expect("the story is there").1
}

#[test]
fn a_pump_tells_of_every_scenario_what_the_simulator_tells() {
    let all = scenarios();
    assert!(all.len() > 40, "only {} scenarios are left", all.len());
    for (name, scenario) in all {
        let played = play(&scenario).expect("it was played before");

        let left = begin(&scenario, None, Audience::default());

        assert_eq!(left.audience.heard, played.entries, "{name}");
        let end = played.record.end.expect("only those that end are here");
        assert_eq!(left.result.ok(), end.result, "{name}");
        assert_eq!(left.fake.stage.violations(), [], "{name}");
    }
}

#[test]
fn nothing_is_done_that_was_not_written_down() {
    let scenario = orders();
    let whole = begin(&scenario, None, Audience::default());
    assert!(whole.facts.len() > 10);

    for room in 0..whole.facts.len() {
        let left = begin(&scenario, Some(room), Audience::default());

        let why = left.result.expect_err("the journal is full").kind();
        assert_eq!(why, io::ErrorKind::StorageFull);
        let known = Engine::restore(scenario.pod.clone(), left.facts).expect("it was run before");
        for action in &left.fake.done {
            if let Action::Start {
                container, attempt, ..
            } = *action
            {
                let written = known.record(container).map(|record| record.attempt);
                assert!(written >= Some(attempt), "{action:?} after {room} facts");
            }
        }
    }
}

#[test]
fn a_pump_that_takes_over_at_any_fact_brings_the_pod_to_the_same_end() {
    let mut survived = 0;
    for (name, scenario) in scenarios() {
        let whole = begin(&scenario, None, Audience::default());
        let expected = whole.result.expect("its journal has room");
        for room in 0..whole.facts.len() {
            let first = begin(&scenario, Some(room), Audience::default());
            let mut fake = first.fake;
            fake.stage.change_driver();
            let engine = Engine::restore(scenario.pod.clone(), first.facts.clone())
                .expect("it was run before");
            let pages = Pages {
                facts: first.facts,
                room: None,
            };

            let second = pump(engine, fake, pages, Audience::default(), true);

            let result = second.result.expect("its journal has room");
            assert_eq!(result.phase, expected.phase, "{name} after {room} facts");
            let alive: Vec<_> = second.fake.stage.alive().collect();
            assert!(alive.is_empty(), "{name} after {room} facts: {alive:?}");
            survived += 1;
        }
    }
    assert!(survived > 400, "{survived} times taken over");
}

#[test]
fn a_front_is_woken_when_it_wants_to_be_and_what_it_asks_for_is_done_at_once() {
    let scenario = forever();
    let audience = Audience {
        wake_at: Some(at(7)),
        ..Audience::default()
    };

    let left = begin(&scenario, None, audience);

    assert_eq!(left.audience.woken, [at(7)]);
    let stopped = left
        .audience
        .heard
        .iter()
        .find(|entry| matches!(entry.what, pillion_engine::What::PodStopping { .. }));
    assert_eq!(stopped.map(|entry| entry.at), Some(at(7)));
}

#[test]
fn a_front_that_is_due_with_the_engine_is_woken_after_it() {
    // Its first probe is due at second 5.
    let scenario = forever();
    let audience = Audience {
        wake_at: Some(at(5)),
        ..Audience::default()
    };

    let left = begin(&scenario, None, audience);

    let probe = |action: &Action| matches!(action, Action::Probe { .. });
    let stop = |action: &Action| matches!(action, Action::Stop { .. });
    let done = &left.fake.done;
    let (probed, stopped) = (done.iter().position(probe), done.iter().position(stop));
    assert!(probed.is_some() && probed < stopped, "{done:?}");
}

#[test]
fn a_wait_is_as_long_as_nothing_is_due() {
    let left = begin(
        &forever(),
        None,
        Audience {
            wake_at: Some(at(7)),
            ..Audience::default()
        },
    );

    let waits = &left.fake.waits;
    assert!(waits.contains(&Some(at(5))), "for the probe: {waits:?}");
    assert!(waits.contains(&Some(at(7))), "for the front: {waits:?}");
}

#[test]
fn everything_is_told_before_a_front_may_draw_it() {
    let left = begin(&orders(), None, Audience::default());

    let Audience { heard, settled, .. } = left.audience;
    assert!(settled.is_sorted());
    // The last of it comes with the result, after which nobody waits.
    assert!(settled.last().is_some_and(|known| *known < heard.len()));
    assert_eq!(settled.len(), left.fake.waits.len());
}

/// A service that runs for ever, and is probed from its fifth second on, once in a hundred.
fn forever() -> Scenario {
    let file = "
apiVersion: v1
kind: Pod
metadata: {name: forever}
spec:
  containers:
    - name: app
      image: app:1
      livenessProbe: {exec: {command: [look]}, initialDelaySeconds: 5, periodSeconds: 100}
";
    let options = pillion_spec::LowerOptions::default();
    let loaded = pillion_spec::load("forever.yaml", file.as_bytes(), options);
    let read = loaded.pods.into_iter().next().expect("there is one pod");
    Scenario::new(read.lowered.pod)
}

#[test]
fn a_container_that_was_never_made_is_found_so() {
    let scenario = forever();
    let mut fake = Fake::new(&scenario);

    let found = pillion_runtime::runtime::Runtime::find(&mut fake, ContainerId(0), 1);

    assert_eq!(found, pillion_engine::Found::NeverCreated);
}
