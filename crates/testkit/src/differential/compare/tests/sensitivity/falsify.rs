//! Plays with one thing wrong.

mod completed;
mod early;
mod killed;

use completed::{
    late_end, sidecars_at_once_in_the_end, sidecars_late_in_the_end, started_late_in_the_end,
};
use early::{
    early_mains_in_restart, hooked_twice, killed_a_little_late, no_back_off, ready_at_once,
};
use killed::{killed_sooner, left_out_of_restart, untold_in_restart};
use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, ContainerState, ContainerStatus, Phase, PodStatus};
use pillion_simulator::Record;
use pillion_simulator::line::{Line, Log, Part, Who, Word};
use pillion_simulator::record::End;
use std::collections::BTreeMap;
use std::time::Duration;

/// One thing that is wrong, if it shows in a play.
pub(super) type Falsify = fn(&Record) -> Option<Record>;

/// What is done, and in how many percent of the plays in which it shows it must be found.
pub(super) const ALL: [(&str, Falsify, usize); 44] = [
    ("nothing ever runs", nothing, 98),
    ("the pod ends at once", end_at_once, 82),
    ("nothing happens any more after half the time", frozen, 85),
    ("a main is killed without a signal", main_untold, 95),
    ("a sidecar is killed without a signal", sidecar_untold, 95),
    ("preStop hooks are not run", no_pre_stop, 90),
    ("preStop hooks are not waited for", hasty, 70),
    ("postStart hooks are not run", no_post_start, 95),
    ("sidecars are told with the mains", sidecars_at_once, 85),
    (
        "sidecars are told together when the pod completes",
        sidecars_at_once_in_the_end,
        95,
    ),
    (
        "sidecars are told late when the pod completes",
        sidecars_late_in_the_end,
        75,
    ),
    ("the pod ends long after all that is in it", late_end, 95),
    (
        "a main is left out when all are restarted",
        left_out_of_restart,
        60,
    ),
    (
        "mains have no signal when all are restarted",
        untold_in_restart,
        75,
    ),
    ("a probe kills four seconds sooner", killed_sooner, 60),
    ("sidecars outlive the deletion", sidecars_for_ever, 95),
    ("mains outlive the deletion", mains_for_ever, 95),
    ("all outlive the deletion", all_for_ever, 95),
    (
        "mains that are deleted are told and do not end",
        deaf_mains,
        95,
    ),
    ("the deletion is heard late", late_deletion, 70),
    ("whoever is deaf is killed at once", killed_at_once, 90),
    ("whoever is deaf is killed late", killed_late, 85),
    ("somebody is started after the deletion", started_late, 95),
    (
        "somebody is started after the last main has ended",
        started_late_in_the_end,
        95,
    ),
    ("a main is told to stop long before its end", told_early, 60),
    ("mains do not wait for init containers", early_mains, 95),
    ("whatever was ready stays ready", always_ready, 55),
    ("conditions have no reasons", no_reasons, 92),
    ("conditions are missing at the end", no_conditions, 70),
    ("the pod's result is the other one", other_result, 90),
    ("exit codes are others", other_codes, 90),
    ("reasons of ends are others", other_reasons, 65),
    ("restarts are counted one too many", more_restarts, 95),
    ("restarts are not counted", no_restarts, 95),
    ("a crash loop is called otherwise", other_wait, 16),
    ("a restart is missing", no_last_run, 40),
    ("images are others", other_images, 75),
    ("who is ready is shown as not ready", not_ready, 80),
    ("who is started is shown as not started", not_started, 75),
    ("nobody is asked whether it is ready", ready_at_once, 35),
    ("a hook is run twice", hooked_twice, 95),
    (
        "a container does not wait for its back-off",
        no_back_off,
        25,
    ),
    (
        "mains do not wait for init containers when all are restarted",
        early_mains_in_restart,
        60,
    ),
    (
        "whoever is deaf is killed a little late",
        killed_a_little_late,
        75,
    ),
];

/// The same play with its lines at other times, or without some.
fn with_lines(record: &Record, change: impl Fn(&Line) -> Option<Tick>) -> Record {
    let lines = record.log.lines().iter();
    let lines = lines.filter_map(|line| Some((change(line)?, line.who.clone(), line.word)));
    with_log(record, lines)
}

/// The same play with these lines, in the order of their times.
fn with_log(record: &Record, lines: impl Iterator<Item = (Tick, Who, Word)>) -> Record {
    let mut lines: Vec<_> = lines.collect();
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

fn nothing(record: &Record) -> Option<Record> {
    record.log.lines().first()?;
    let mut changed = until(record, Tick::ZERO);
    // It would have come some time after the first start.
    changed.moments.clear();
    Some(changed)
}

/// And of all that was shown before, nothing changes any more.
fn end_at_once(record: &Record) -> Option<Record> {
    let at = Tick::ZERO + TELLING;
    record.log.lines().last().filter(|line| line.at > at)?;
    let mut changed = nothing(record)?;
    changed.until = at;
    changed.end = Some(End {
        at,
        result: None,
        decided_by: None,
    });
    Some(changed)
}

/// If there was more to come.
fn frozen(record: &Record) -> Option<Record> {
    let last = record.log.lines().last()?.at;
    let half = Tick::ZERO + last.elapsed() / 2;
    (last > half + LONG).then(|| until(record, half))
}

/// A play in which nothing happens any more from then on, though it is watched to the end.
fn until(record: &Record, at: Tick) -> Record {
    let mut changed = with_lines(record, |line| (line.at < at).then_some(line.at));
    let first = changed.statuses.first().cloned();
    changed.statuses.retain(|sample| sample.at < at);
    if changed.statuses.is_empty() {
        changed.statuses.extend(first);
    }
    changed.end = None;
    changed.until = Tick::ZERO + UNTIL;
    changed
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

fn sidecars_for_ever(record: &Record) -> Option<Record> {
    for_ever(record, "r", &[Word::Stopping, Word::Exiting, Word::Exited])
}

fn mains_for_ever(record: &Record) -> Option<Record> {
    for_ever(record, "m", &[Word::Stopping, Word::Exiting, Word::Exited])
}

fn all_for_ever(record: &Record) -> Option<Record> {
    for_ever(record, "", &[Word::Stopping, Word::Exiting, Word::Exited])
}

fn deaf_mains(record: &Record) -> Option<Record> {
    for_ever(record, "m", &[Word::Exiting, Word::Exited])
}

/// After the deletion, those whose names begin so do not get so far, and the pod is never gone.
fn for_ever(record: &Record, letter: &str, words: &[Word]) -> Option<Record> {
    let deleted = deleted(record)?;
    let is_gone = |line: &Line| {
        let is_its = line.who.part == Part::Itself && line.who.container.starts_with(letter);
        line.at >= deleted && is_its && words.contains(&line.word)
    };
    record.log.lines().iter().any(is_gone).then(|| {
        let mut changed = with_lines(record, |line| (!is_gone(line)).then_some(line.at));
        changed.statuses.retain(|sample| sample.at <= deleted);
        changed.end = None;
        changed.until = Tick::ZERO + UNTIL;
        changed
    })
}

fn late_deletion(record: &Record) -> Option<Record> {
    let deleted = deleted(record)?;
    let mut lines = record.log.lines().iter();
    let is_stopped = lines.any(|line| line.at >= deleted && line.word == Word::Stopping);
    is_stopped.then(|| {
        let late = |at: Tick| if at >= deleted { at + LATE } else { at };
        let mut changed = with_lines(record, |line| Some(late(line.at)));
        for sample in &mut changed.statuses {
            sample.at = late(sample.at);
        }
        if let Some(end) = &mut changed.end {
            end.at = late(end.at);
        }
        changed.until = changed.until + LATE;
        changed
    })
}

fn killed_at_once(record: &Record) -> Option<Record> {
    killed_after(record, |told, _| told + TELLING)
}

fn killed_late(record: &Record) -> Option<Record> {
    killed_after(record, |_, killed| killed + LATE)
}

/// Whoever was told and killed much later is killed at another time.
fn killed_after(record: &Record, when: fn(Tick, Tick) -> Tick) -> Option<Record> {
    let lines = record.log.lines();
    let mut kills = BTreeMap::new();
    for (place, told) in lines.iter().enumerate() {
        let is_its = |line: &&Line| line.who == told.who && line.run == told.run;
        let next = lines[place + 1..].iter().find(is_its);
        let killed = next.filter(|next| next.word == Word::Exited && next.at > told.at + LONG);
        if let Some(killed) = killed.filter(|_| told.word == Word::Stopping) {
            let key = (told.who.clone(), told.run);
            kills.insert(key, when(told.at, killed.at));
        }
    }
    (!kills.is_empty()).then(|| {
        with_lines(record, |line| {
            let kill = kills.get(&(line.who.clone(), line.run));
            let kill = kill.filter(|_| line.word == Word::Exited);
            Some(kill.map_or(line.at, |at| *at))
        })
    })
}

/// The signal comes with the hook.
fn hasty(record: &Record) -> Option<Record> {
    let mut hooks = BTreeMap::new();
    for line in record.log.lines() {
        if line.who.part == Part::PreStop && line.word == Word::Starting {
            hooks.insert((line.who.container.clone(), line.run), line.at);
        }
    }
    let hook = |line: &Line| {
        let is_signal = line.who.part == Part::Itself && line.word == Word::Stopping;
        let hook = hooks.get(&(line.who.container.clone(), line.run));
        hook.copied().filter(|at| is_signal && line.at > *at + LONG)
    };
    let mut lines = record.log.lines().iter();
    let shows = lines.any(|line| hook(line).is_some());
    shows.then(|| with_lines(record, |line| Some(hook(line).unwrap_or(line.at))))
}

/// Somebody who is down when the pod is deleted is started a little later, and told to stop.
fn started_late(record: &Record) -> Option<Record> {
    let deleted = deleted(record)?;
    let lines = record.log.lines().iter().filter(|line| line.at < deleted);
    let mut last: BTreeMap<&Who, Word> = BTreeMap::new();
    for line in lines.filter(|line| line.who.part == Part::Itself) {
        last.insert(&line.who, line.word);
    }
    let (who, _) = last.into_iter().find(|(_, word)| *word == Word::Exited)?;
    let words = [Word::Starting, Word::Stopping, Word::Exiting, Word::Exited];
    let new = words.map(|word| (deleted + TELLING, who.clone(), word));
    Some(with_more_lines(record, new))
}

/// A main that ended by itself after a long life was told to stop early in it.
fn told_early(record: &Record) -> Option<Record> {
    let lines = record.log.lines();
    let ends = lines.iter().filter(|line| {
        let is_main = line.who.part == Part::Itself && line.who.container.starts_with('m');
        is_main && line.word == Word::Exiting
    });
    let of = |end: &Line, word: Word| {
        let mut lines = lines.iter();
        lines.find(|line| line.who == end.who && line.run == end.run && line.word == word)
    };
    let mut lived = ends.filter_map(|end| Some((end, of(end, Word::Starting)?.at)));
    let (end, start) = lived
        .find(|(end, start)| end.at.since(*start) > LATE && of(end, Word::Stopping).is_none())?;
    let told = (start + TELLING, end.who.clone(), Word::Stopping);
    Some(with_more_lines(record, [told]))
}

fn with_more_lines(record: &Record, new: impl IntoIterator<Item = (Tick, Who, Word)>) -> Record {
    let lines = record.log.lines().iter();
    let lines = lines.map(|line| (line.at, line.who.clone(), line.word));
    with_log(record, lines.chain(new))
}

fn no_conditions(record: &Record) -> Option<Record> {
    let mut changed = record.clone();
    let last = &mut changed.statuses.last_mut()?.status;
    last.conditions.clear();
    (changed.statuses != record.statuses).then_some(changed)
}

fn other_images(record: &Record) -> Option<Record> {
    with_containers(record, |container| {
        if container.image.is_some() {
            container.image = Some("other".into());
        }
    })
}

fn not_ready(record: &Record) -> Option<Record> {
    with_containers(record, |container| container.ready = false)
}

fn not_started(record: &Record) -> Option<Record> {
    with_containers(record, |container| container.started = false)
}

/// Who is told so much later was not told at once.
const TELLING: Duration = Duration::from_millis(1_600);

/// What lasts so long is seen.
const LONG: Duration = Duration::from_secs(6);

/// After that much more somebody is surely late.
const LATE: Duration = Duration::from_secs(10);

/// When watching ends.
const UNTIL: Duration = Duration::from_mins(1);
