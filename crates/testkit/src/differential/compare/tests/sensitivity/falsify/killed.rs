//! Plays in which all containers are restarted, or one is killed by its probe, with one thing wrong.

use super::{LATE, LONG, TELLING, deleted, is_stop, with_lines};
use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, PodStatus};
use pillion_simulator::Record;
use pillion_simulator::line::{Line, Part, Who, Word};
use std::time::Duration;

/// When it was first shown that all containers are restarted.
fn restarted(record: &Record) -> Option<Tick> {
    let is_so = |status: &PodStatus| {
        let mut conditions = status.conditions.iter();
        conditions.any(|one| one.kind == ConditionKind::AllContainersRestarting && one.status)
    };
    let mut samples = record.statuses.iter();
    let sample = samples.find(|sample| is_so(&sample.status))?;
    Some(sample.at)
}

/// A main that was up for a while when all were restarted, and the line that it was told with.
fn restarted_main(record: &Record) -> Option<&Line> {
    let restarted = restarted(record)?;
    let lines = record.log.lines();
    let starts = |told: &Line| {
        let mut lines = lines.iter();
        let is_its = |line: &&Line| {
            line.who == told.who && line.run == told.run && line.word == Word::Starting
        };
        lines.find(is_its).map(|line| line.at)
    };
    let mut stops = lines.iter().filter(|line| {
        is_stop(line, 'm') && line.at.since(restarted).max(restarted.since(line.at)) < TELLING
    });
    let until = deleted(record).unwrap_or(record.until);
    stops.find(|line| {
        starts(line).is_some_and(|start| start + LONG < line.at) && line.at + LATE < until
    })
}

pub(super) fn left_out_of_restart(record: &Record) -> Option<Record> {
    let told = restarted_main(record)?;
    let is_gone = |line: &Line| line.who.container == told.who.container && line.at >= told.at;
    Some(with_lines(record, |line| {
        (!is_gone(line)).then_some(line.at)
    }))
}

pub(super) fn untold_in_restart(record: &Record) -> Option<Record> {
    let told = restarted_main(record)?;
    Some(with_lines(record, |line| {
        let is_its = line.who == told.who && line.run == told.run;
        let is_gone = is_its && matches!(line.word, Word::Stopping | Word::Exiting);
        (!is_gone).then_some(line.at)
    }))
}

/// The last thing that a main does is to be killed for its probe, and it comes too soon.
pub(super) fn killed_sooner(record: &Record) -> Option<Record> {
    let until = deleted(record).or(record.end.as_ref().map(|end| end.at));
    let until = until.unwrap_or(record.until);
    let lines = record.log.lines();
    let is_probed = |who: &Who| {
        let mut lines = lines.iter();
        lines.any(|line| line.who.part == Part::Liveness && line.who.container == who.container)
    };
    let is_updated = record.moments.contains_key("updated");
    let is_killed = |line: &&Line| {
        !is_updated && is_stop(line, 'm') && line.at + TELLING < until && is_probed(&line.who)
    };
    restarted(record).is_none().then_some(())?;
    let told = lines.iter().find(is_killed)?;
    let start = lines
        .iter()
        .find(|line| line.who == told.who && line.run == told.run && line.word == Word::Starting)?;
    (start.at + SOONER + TELLING < told.at).then(|| {
        with_lines(record, |line| {
            let is_its = line.who.container == told.who.container && line.run == told.run;
            let is_its = is_its && line.at >= told.at;
            let sooner = Tick::ZERO + line.at.elapsed().saturating_sub(SOONER);
            Some(if is_its { sooner } else { line.at })
        })
    })
}

/// A probe that must fail five times kills so much later than one that must fail once.
const SOONER: Duration = Duration::from_secs(4);
