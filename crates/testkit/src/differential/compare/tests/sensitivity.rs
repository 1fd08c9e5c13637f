//! What is found: plays that are falsified, and plays of engines with a mistake.
//!
//! Every excuse of the comparison makes it blind to something. Here a play in virtual time stands for the kubelet's, and the
//! same play with one thing wrong for ours; each of these things must be found in most pods in which it shows.

use super::super::compare;
use crate::differential::dice::Dice;
use crate::differential::draft::Draft;
use crate::differential::watched;
use crate::mutants;
use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, ContainerState, ContainerStatus, Phase, PodStatus};
use pillion_simulator::line::{Line, Log, Part, Word};
use pillion_simulator::scenario::read;
use pillion_simulator::{Record, Scenario, play};
use std::collections::BTreeMap;

/// One thing that is wrong, if it shows in a play.
type Falsify = fn(&Record) -> Option<Record>;

const FIRST: u64 = 5_000;
const PODS: u64 = 200;

fn scenarios() -> Vec<Scenario> {
    let scenario = |seed| {
        let text = Draft::random(&mut Dice::new(seed)).to_string();
        let reading = read::read("random", text.as_bytes(), &mut |_| Err(String::new()));
        watched(&reading.scenario.unwrap())
    };
    (FIRST..FIRST + PODS).map(scenario).collect()
}

/// In how many percent of the plays with something wrong it is found; `None` if it never shows.
fn share(plays: impl Iterator<Item = (Record, Record)>) -> Option<usize> {
    let (mut wrong, mut found) = (0, 0);
    for (theirs, own) in plays {
        wrong += 1;
        found += usize::from(!compare(&theirs, &own).is_empty());
    }
    (wrong > 0).then(|| found * 100 / wrong)
}

fn played() -> Vec<Record> {
    let scenarios = scenarios().into_iter();
    scenarios
        .map(|scenario| play(&scenario).unwrap().record)
        .collect()
}

#[test]
fn a_play_agrees_with_itself() {
    for record in played() {
        assert_eq!(compare(&record, &record), Vec::<String>::new());
    }
}

#[test]
fn what_is_wrong_in_a_play_is_found() {
    let wanted: [(&str, Falsify, usize); 15] = [
        ("a main is killed without a signal", main_untold, 95),
        ("a sidecar is killed without a signal", sidecar_untold, 95),
        ("preStop hooks are not run", no_pre_stop, 95),
        ("postStart hooks are not run", no_post_start, 95),
        ("sidecars are told with the mains", sidecars_at_once, 65),
        ("mains do not wait for init containers", early_mains, 95),
        ("whatever was ready stays ready", always_ready, 75),
        ("conditions have no reasons", no_reasons, 95),
        ("the pod's result is the other one", other_result, 85),
        ("exit codes are others", other_codes, 90),
        ("reasons of ends are others", other_reasons, 65),
        ("restarts are counted one too many", more_restarts, 95),
        ("restarts are not counted", no_restarts, 95),
        ("a crash loop is called otherwise", other_wait, 15),
        ("a restart is missing", no_last_run, 30),
    ];
    let plays = played();
    let mut blind = Vec::new();
    for (what, falsify, least) in wanted {
        let pairs = plays.iter();
        let pairs = pairs.filter_map(|record| Some((record.clone(), falsify(record)?)));
        let share = share(pairs).unwrap_or_default();
        if share < least {
            blind.push(format!("{what}: found in {share} %, not {least}"));
        }
    }
    assert_eq!(blind, Vec::<String>::new());
}

#[test]
fn engines_with_a_mistake_are_found() {
    let wanted = BTreeMap::from([
        ("all at once", 20),
        ("hook and signal", 18),
        ("no back-off", 10),
        ("one after another", 15),
        ("restarts to the end", 40),
    ]);
    let scenarios = scenarios();
    let plays = played();
    let mut seen = BTreeMap::new();
    for exhibit in mutants::all() {
        let Some(least) = wanted.get(exhibit.name) else {
            continue;
        };
        let pairs = scenarios.iter().zip(&plays).filter_map(|(scenario, good)| {
            let bad = exhibit.play(scenario)?;
            (told(&bad) != told(good)).then(|| (good.clone(), bad))
        });
        let share = share(pairs).unwrap_or_default();
        seen.insert(exhibit.name, (share, share >= *least));
    }
    let known: Vec<_> = seen.keys().copied().collect();
    assert_eq!(known, wanted.into_keys().collect::<Vec<_>>());
    assert!(seen.values().all(|(_, enough)| *enough), "{seen:?}");
}

/// All that is compared of a play: probes are made all the time.
fn told(record: &Record) -> (Vec<&Line>, Vec<&PodStatus>) {
    let is_probe = |part| matches!(part, Part::Startup | Part::Readiness | Part::Liveness);
    let lines = record.log.lines().iter();
    let lines = lines.filter(|line| !is_probe(line.who.part));
    let statuses = record.statuses.iter().map(|sample| &sample.status);
    (lines.collect(), statuses.collect())
}

/// The same play with its lines at other times, or without some.
fn with_lines(record: &Record, change: impl Fn(&Line) -> Option<Tick>) -> Record {
    let lines = record.log.lines().iter();
    let mut lines: Vec<_> = lines
        .filter_map(|line| Some((change(line)?, line.who.clone(), line.word)))
        .collect();
    lines.sort_by_key(|(at, ..)| *at);
    let mut log = Log::default();
    for (at, who, word) in lines {
        log.write(at, who, word);
    }
    Record {
        log,
        ..record.clone()
    }
}

/// The same play with other statuses.
fn with_statuses(record: &Record, change: impl Fn(&mut PodStatus)) -> Record {
    let mut record = record.clone();
    for sample in &mut record.statuses {
        change(&mut sample.status);
    }
    record
}

/// The same play with other containers in its statuses, if there is something to change.
fn with_containers(record: &Record, change: fn(&mut ContainerStatus)) -> Option<Record> {
    let changed = with_statuses(record, |status| {
        status.containers.iter_mut().for_each(change);
    });
    (changed.statuses != record.statuses).then_some(changed)
}

fn deleted(record: &Record) -> Option<Tick> {
    record.moments.get("deleted").map(|moment| moment.at)
}

fn is_stop(line: &Line, letter: char) -> bool {
    let own = line.who.part == Part::Itself && line.who.container.starts_with(letter);
    own && line.word == Word::Stopping
}

fn main_untold(record: &Record) -> Option<Record> {
    untold(record, 'm')
}

fn sidecar_untold(record: &Record) -> Option<Record> {
    untold(record, 'r')
}

fn untold(record: &Record, letter: char) -> Option<Record> {
    let mut lines = record.log.lines().iter();
    let told = lines.find(|line| is_stop(line, letter))?.clone();
    let has_ended = lines.any(|line| line.who == told.who && line.word == Word::Exited);
    has_ended.then(|| {
        with_lines(record, |line| {
            let is_its = line.who == told.who && line.run == told.run;
            let is_gone = is_its && matches!(line.word, Word::Stopping | Word::Exiting);
            (!is_gone).then_some(line.at)
        })
    })
}

fn no_pre_stop(record: &Record) -> Option<Record> {
    without(record, Part::PreStop)
}

fn no_post_start(record: &Record) -> Option<Record> {
    without(record, Part::PostStart)
}

fn without(record: &Record, part: Part) -> Option<Record> {
    let mut lines = record.log.lines().iter();
    let has = lines.any(|line| line.who.part == part);
    has.then(|| with_lines(record, |line| (line.who.part != part).then_some(line.at)))
}

fn sidecars_at_once(record: &Record) -> Option<Record> {
    let deleted = deleted(record)?;
    let lines = record.log.lines();
    let stops = lines.iter().filter(|line| line.at >= deleted);
    let first = stops.clone().find(|line| is_stop(line, 'm'))?.at;
    let sidecars = stops.filter(|line| is_stop(line, 'r') && line.at > first + TELLING);
    let told: BTreeMap<_, _> = sidecars.map(|line| (line.who.clone(), line.at)).collect();
    (!told.is_empty()).then(|| {
        with_lines(record, |line| {
            let told = told.get(&line.who).filter(|told| line.at >= **told);
            Some(told.map_or(line.at, |told| first + line.at.since(*told)))
        })
    })
}

fn early_mains(record: &Record) -> Option<Record> {
    let lines = record.log.lines();
    let first = lines.iter().find(|line| line.word == Word::Starting)?;
    let starts = |name: &str| {
        let mut lines = lines.iter();
        lines.find(|line| line.word == Word::Starting && &*line.who.container == name)
    };
    let is_main = |line: &Line| line.who.container.starts_with('m');
    let main = lines.iter().find(|line| is_main(line))?;
    (first.who.container.starts_with('i') && main.at > first.at + TELLING).then(|| {
        with_lines(record, |line| {
            let start = starts(&line.who.container).filter(|_| is_main(line));
            Some(start.map_or(line.at, |start| first.at + line.at.since(start.at)))
        })
    })
}

fn always_ready(record: &Record) -> Option<Record> {
    let until = deleted(record).unwrap_or(record.until);
    let mut changed = record.clone();
    let (mut was, mut lost) = (false, TELLING);
    let mut before: Option<Tick> = None;
    for sample in &mut changed.statuses {
        let conditions = &mut sample.status.conditions;
        let Some(ready) = conditions
            .iter_mut()
            .find(|one| one.kind == ConditionKind::Ready)
        else {
            continue;
        };
        if let Some(since) = before.take() {
            lost = lost.max(sample.at.min(until).since(since));
        }
        if was && !ready.status && sample.at < until {
            before = Some(sample.at);
            (ready.status, ready.reason) = (true, None);
        }
        was |= ready.status;
    }
    (lost > LONG).then_some(changed)
}

fn no_reasons(record: &Record) -> Option<Record> {
    let changed = with_statuses(record, |status| {
        for condition in &mut status.conditions {
            condition.reason = None;
        }
    });
    (changed.statuses != record.statuses).then_some(changed)
}

fn other_result(record: &Record) -> Option<Record> {
    record.end.as_ref()?;
    let mut changed = record.clone();
    let last = &mut changed.statuses.last_mut()?.status;
    last.phase = match last.phase {
        Phase::Succeeded => Phase::Failed,
        Phase::Pending | Phase::Running | Phase::Failed => Phase::Succeeded,
    };
    Some(changed)
}

fn other_codes(record: &Record) -> Option<Record> {
    with_containers(record, |container| {
        if let ContainerState::Terminated(end) = &mut container.state {
            end.code += 1;
        }
        if let Some(end) = &mut container.last {
            end.code += 1;
        }
    })
}

fn other_reasons(record: &Record) -> Option<Record> {
    with_containers(record, |container| {
        if let ContainerState::Terminated(end) = &mut container.state {
            end.reason = "Other".into();
        }
    })
}

fn more_restarts(record: &Record) -> Option<Record> {
    with_containers(record, |container| container.restarts += 1)
}

fn no_restarts(record: &Record) -> Option<Record> {
    with_containers(record, |container| container.restarts = 0)
}

fn other_wait(record: &Record) -> Option<Record> {
    with_containers(record, |container| {
        if let ContainerState::Waiting { reason, .. } = &mut container.state
            && *reason == "CrashLoopBackOff"
        {
            *reason = "Error";
        }
    })
}

/// Nobody says how long before the end of a play a restart can be relied on: the last one with some time to spare.
fn no_last_run(record: &Record) -> Option<Record> {
    let until = deleted(record).or(record.end.as_ref().map(|end| end.at));
    let until = until.unwrap_or(record.until);
    let lines = record.log.lines();
    let is_again = |line: &&Line| {
        let is_start = line.who.part == Part::Itself && line.word == Word::Starting;
        is_start && line.run >= 2 && line.at + LONG < until
    };
    let last = lines.iter().rev().find(is_again)?.clone();
    Some(with_lines(record, |line| {
        let is_its = line.who.container == last.who.container && line.at >= last.at;
        (!is_its).then_some(line.at)
    }))
}

/// Who is told so much later was not told at once.
const TELLING: std::time::Duration = std::time::Duration::from_millis(1_600);

/// What lasts so long is seen.
const LONG: std::time::Duration = std::time::Duration::from_secs(6);
