//! Random pods of real processes, judged by the lines that these write: who starts before whom, who stops before whom,
//! nobody twice at a time, and nobody left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use pillion_engine::pod::{Kind, Need, Requirement, Rerun, RestartPolicy, Target, Until};
use pillion_engine::{ContainerId, Pod, pod::Container};
use pillion_simulator::Scenario;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::actor::{Delay, End, HookRuns, HookScript, PerRun, Script};
use pillion_simulator::line::{Line, Part, Word};
use pillion_testkit::processes::play;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// So many pods.
const PODS: u64 = 60;

/// So many at once.
const TOGETHER: usize = 8;

/// Numbers that look random and are the same in every run of the test.
struct Dice(u64);

impl Dice {
    /// One of so many numbers, from 0.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn millis(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.roll(most))
    }
}

/// A pod of two to six containers, each of which may require those before it.
fn scenario(dice: &mut Dice) -> Scenario {
    let count = 2 + dice.roll(5);
    let policy =
        [RestartPolicy::Never, RestartPolicy::OnFailure][usize::try_from(dice.roll(2)).unwrap()];
    let mut scenario = Scenario::new(Pod {
        name: "random".into(),
        containers: Vec::new(),
        barriers: Vec::new(),
        restart_policy: policy,
        grace: Duration::from_secs(5),
        active_deadline: None,
        restart_limit: None,
        backoff: pillion_engine::pod::Backoff::default(),
    });
    for number in 0..count {
        let mut container = Container::new(&format!("c{number}"), policy);
        container.restart.backoff.initial = Duration::from_millis(50);
        // So that it counts as started when it has said so.
        container.hooks.post_start = true;
        let oneshot = dice.one_in(3);
        if oneshot {
            container.kind = Kind::Oneshot {
                undo: false,
                rerun: Rerun::OnPodRestart,
            };
        }
        for target in 0..number {
            if dice.one_in(2) {
                container.requires.push(edge(dice, target, &scenario.pod));
            }
        }
        let script = script(dice, oneshot);
        scenario = scenario.script(&container.name.clone(), script);
        scenario.pod.containers.push(container);
    }
    if dice.one_in(2) {
        let container = format!("c{}", dice.roll(count)).into();
        let kill = Deed::Kill {
            container,
            signal: 9,
        };
        scenario.timed_acts.push(Act::at(dice.millis(400), kill));
    }
    scenario.timed_acts.push(Act::at(
        Duration::from_millis(600),
        Deed::Delete { grace: None },
    ));
    scenario.run_for = Duration::from_secs(30);
    scenario
}

fn edge(dice: &mut Dice, target: u64, pod: &Pod) -> Requirement {
    let container = &pod.containers[usize::try_from(target).unwrap()];
    let until = match dice.roll(3) {
        0 => Until::Started,
        1 => container.default_until(),
        _ if container.is_oneshot() => Until::Exited,
        _ => Until::Ready,
    };
    let id = ContainerId(u32::try_from(target).unwrap());
    Requirement {
        need: [Need::Hard, Need::Hard, Need::Soft][usize::try_from(dice.roll(3)).unwrap()],
        ..Requirement::hard(Target::Container(id), until)
    }
}

fn script(dice: &mut Dice, oneshot: bool) -> Script {
    let runs = if oneshot || dice.one_in(3) {
        Delay::After(dice.millis(300))
    } else {
        Delay::Never
    };
    Script {
        starts_in: PerRun::same(dice.millis(50)),
        runs: PerRun::same(runs),
        ends: PerRun::same(End::Exit(i32::from(dice.one_in(4)))),
        stops_in: PerRun::same(Delay::After(dice.millis(100))),
        post_start: PerRun::same(HookScript {
            runs: HookRuns::UntilStarted,
            ..HookScript::default()
        }),
        ..Script::default()
    }
}

#[test]
fn random_pods_keep_their_order_and_leave_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let next = AtomicU64::new(0);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= PODS {
                return;
            }
            try_one(seed, &folder.path().join(seed.to_string()));
        }
    };
    thread::scope(|scope| {
        for _ in 0..TOGETHER {
            scope.spawn(work);
        }
    });
}

fn try_one(seed: u64, folder: &Path) {
    let scenario = scenario(&mut Dice(seed + 1));
    fs::create_dir(folder).unwrap();

    let record = play(&scenario, None, &actor(), folder).unwrap();

    let lines: Vec<_> = record
        .log
        .lines()
        .iter()
        .filter(|line| line.who.part == Part::Itself)
        .collect();
    let shown: Vec<_> = lines.iter().map(ToString::to_string).collect();
    let told = format!("seed {seed}: {:#?}\n{shown:#?}", scenario.pod.containers);
    assert!(record.end.is_some(), "the pod ends. {told}");
    assert!(is_nobody_left(folder), "nobody is left. {told}");
    for container in &scenario.pod.containers {
        assert!(
            lives_once(&lines, &container.name),
            "{} lives twice. {told}",
            container.name
        );
        for edge in &container.requires {
            let Target::Container(id) = edge.target else {
                continue;
            };
            let target = &scenario.pod.containers[id.index()];
            if edge.need == Need::Hard {
                let good = starts_in_order(&lines, &container.name, &target.name, edge.until);
                assert!(
                    good,
                    "{} starts too early for {}. {told}",
                    container.name, target.name
                );
            }
            let good = stops_in_order(&lines, &container.name, &target.name);
            assert!(
                good,
                "{} stops before {}. {told}",
                target.name, container.name
            );
        }
    }
}

/// The line that shows at the latest that a requirement holds comes before the first start of who requires it.
fn starts_in_order(lines: &[&Line], who: &str, target: &str, until: Until) -> bool {
    let word = match until {
        Until::Attempted => Word::Starting,
        Until::Started | Until::Ready => Word::Started,
        Until::Succeeded | Until::Exited | Until::Settled => Word::Exited,
    };
    let first = |name: &str, word| {
        lines
            .iter()
            .position(|line| *line.who.container == *name && line.word == word)
    };
    match (first(who, Word::Starting), first(target, word)) {
        (None, _) => true,
        (Some(start), held) => held.is_some_and(|held| held < start),
    }
}

/// Nobody is told to stop as long as somebody lives who requires it.
fn stops_in_order(lines: &[&Line], who: &str, target: &str) -> bool {
    let mut here = false;
    for line in lines {
        if *line.who.container == *who {
            here = match line.word {
                Word::Starting => true,
                Word::Exited => false,
                Word::Started | Word::Stopping | Word::Exiting => here,
            };
        } else if *line.who.container == *target && line.word == Word::Stopping && here {
            return false;
        }
    }
    true
}

/// One that is killed early may end without a word, but none begins before the one before it has ended.
fn lives_once(lines: &[&Line], who: &str) -> bool {
    let own = lines.iter().filter(|line| *line.who.container == *who);
    let turns = own.filter(|line| matches!(line.word, Word::Starting | Word::Exited));
    let words: Vec<_> = turns.map(|line| line.word).collect();
    let twice = [Word::Starting, Word::Starting];
    words.last() != Some(&Word::Starting) && words.windows(2).all(|pair| pair != twice)
}

/// Every actor has its folder among its arguments.
fn is_nobody_left(folder: &Path) -> bool {
    let folder = folder.to_string_lossy();
    let mut entries = fs::read_dir("/proc").unwrap().flatten();
    !entries.any(|entry| {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let mut words = command.split(|byte| *byte == 0);
        words.any(|word| word == folder.as_bytes())
    })
}

/// The program that is built with the tests.
fn actor() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    folder.join("examples/actor")
}
