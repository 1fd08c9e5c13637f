//! Plays of pods that complete, with one thing wrong.

use super::{LATE, TELLING, deleted, is_stop, with_lines, with_more_lines};
use pillion_engine::Tick;
use pillion_simulator::Record;
use pillion_simulator::line::{Line, Part, Who, Word};
use std::collections::BTreeMap;

/// When the last main ended, if the pod went because of that.
fn completed(record: &Record) -> Option<Tick> {
    record.end.as_ref().filter(|_| deleted(record).is_none())?;
    let lines = record.log.lines().iter();
    let ends = lines.filter(|line| {
        let is_main = line.who.part == Part::Itself && line.who.container.starts_with('m');
        is_main && line.word == Word::Exited
    });
    ends.map(|line| line.at).max()
}

/// Sidecars that are told after others when the pod completes.
fn told_later_in_the_end(record: &Record) -> Option<(Tick, BTreeMap<Who, Tick>)> {
    let completed = completed(record)?;
    let lines = record.log.lines().iter();
    let stops = lines.filter(|line| line.at >= completed && is_stop(line, 'r'));
    let first = stops.clone().next()?.at;
    let later = stops.filter(|line| line.at > first + TELLING);
    let later: BTreeMap<_, _> = later.map(|line| (line.who.clone(), line.at)).collect();
    (!later.is_empty()).then_some((first, later))
}

pub(super) fn sidecars_at_once_in_the_end(record: &Record) -> Option<Record> {
    let (first, told) = told_later_in_the_end(record)?;
    Some(with_lines(record, |line| {
        let told = told.get(&line.who).filter(|told| line.at >= **told);
        Some(told.map_or(line.at, |told| first + line.at.since(*told)))
    }))
}

pub(super) fn sidecars_late_in_the_end(record: &Record) -> Option<Record> {
    let completed = completed(record)?;
    let mut lines = record.log.lines().iter();
    let first = lines
        .find(|line| line.at >= completed && is_stop(line, 'r'))?
        .at;
    let mut changed = with_lines(record, |line| {
        let is_late = line.at >= first && line.who.container.starts_with('r');
        Some(if is_late { line.at + LATE } else { line.at })
    });
    if let Some(end) = &mut changed.end {
        end.at = end.at + LATE;
    }
    changed.until = changed.until + LATE;
    Some(changed)
}

pub(super) fn late_end(record: &Record) -> Option<Record> {
    let mut changed = record.clone();
    let end = changed.end.as_mut()?;
    end.at = end.at + LATE;
    changed.until = changed.until.max(end.at);
    Some(changed)
}

/// A sidecar that was stopped is started once more, and told to stop.
pub(super) fn started_late_in_the_end(record: &Record) -> Option<Record> {
    let completed = completed(record)?;
    let end = record.end.as_ref()?.at;
    let mut lines = record.log.lines().iter();
    let is_over = |line: &&Line| {
        let is_its = line.who.part == Part::Itself && line.who.container.starts_with('r');
        is_its && line.word == Word::Exited && line.at >= completed
    };
    let over = lines.find(is_over)?;
    let at = over.at.max(completed + TELLING);
    let words = [Word::Starting, Word::Stopping, Word::Exiting, Word::Exited];
    let new = words.map(|word| (at, over.who.clone(), word));
    (at < end).then(|| with_more_lines(record, new))
}
