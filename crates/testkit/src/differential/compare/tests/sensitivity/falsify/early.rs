//! Plays in which something comes too early, or once too often.

use super::{
    TELLING, deleted, is_stop, killed_after, with_containers, with_lines, with_more_lines,
};
use pillion_engine::status::ContainerState;
use pillion_simulator::Record;
use pillion_simulator::line::{Line, Part, Word};
use std::time::Duration;

/// A container is not asked whether it is ready.
pub(super) fn ready_at_once(record: &Record) -> Option<Record> {
    let until = deleted(record).unwrap_or(record.until);
    let mut samples = record.statuses.iter();
    let waits = samples.find_map(|sample| {
        let mut containers = sample.status.containers.iter();
        let waits = containers.find(|one| {
            let runs = matches!(one.state, ContainerState::Running { .. });
            runs && one.started && !one.ready && one.restarts == 0
        });
        waits.map(|one| (sample.at, one.name.clone()))
    });
    let (from, name) = waits?;
    let is_ready = record.statuses.iter().find(|sample| {
        let mut containers = sample.status.containers.iter();
        containers.any(|one| one.name == name && one.ready && one.restarts == 0)
    });
    // If that shows.
    is_ready.filter(|ready| from + EARLY < ready.at && ready.at < until)?;
    with_containers(record, |one| {
        one.ready |= matches!(one.state, ContainerState::Running { .. });
    })
}

/// A hook is begun again while it is at work.
pub(super) fn hooked_twice(record: &Record) -> Option<Record> {
    let mut lines = record.log.lines().iter();
    let is_hook = |part| matches!(part, Part::PostStart | Part::PreStop);
    let hook = lines.find(|line| is_hook(line.who.part) && line.word == Word::Starting)?;
    let again = (hook.at + TELLING / 4, hook.who.clone(), hook.word);
    let goes_on = lines.any(|line| line.who == hook.who && line.at > hook.at + TELLING / 2);
    goes_on.then(|| with_more_lines(record, [again]))
}

/// A container that waits for its back-off does not.
pub(super) fn no_back_off(record: &Record) -> Option<Record> {
    let lines = record.log.lines();
    let of_itself = |line: &&Line| line.who.part == Part::Itself;
    let end_before = |start: &Line| {
        let mut before = lines.iter().filter(of_itself);
        let before = before.rfind(|line| line.who == start.who && line.at < start.at);
        before.filter(|line| line.word == Word::Exited)
    };
    let waited = lines.iter().filter(of_itself).find_map(|start| {
        let end = end_before(start).filter(|_| start.word == Word::Starting)?;
        (end.at + BACK_OFF < start.at).then_some((start, end))
    });
    let (start, end) = waited?;
    Some(with_lines(record, |line| {
        let is_it = line.who == start.who && line.run == start.run && line.word == start.word;
        Some(if is_it { end.at } else { line.at })
    }))
}

/// When all are restarted, mains do not wait for init containers.
pub(super) fn early_mains_in_restart(record: &Record) -> Option<Record> {
    let lines = record.log.lines();
    let starts = |line: &&Line| line.who.part == Part::Itself && line.word == Word::Starting;
    let init = lines.iter().filter(starts);
    let mut init = init.filter(|line| line.who.container.starts_with('i') && line.run == 2);
    let init = init.next()?;
    let mut later = lines.iter().filter(|line| line.at > init.at).filter(starts);
    let main = later.find(|line| line.who.container.starts_with('m') && line.run > 1)?;
    Some(with_lines(record, |line| {
        let is_it = line.who == main.who && line.run == main.run && line.word == main.word;
        Some(if is_it { init.at } else { line.at })
    }))
}

/// Whoever is deaf has three seconds more.
pub(super) fn killed_a_little_late(record: &Record) -> Option<Record> {
    let mut lines = record.log.lines().iter();
    lines.find(|line| is_stop(line, 'm'))?;
    killed_after(record, |_, end| end + A_LITTLE)
}

/// How much too early, to be sure to be seen.
const EARLY: Duration = Duration::from_secs(3);

/// A little less than the first back-off that is worth mentioning.
const BACK_OFF: Duration = Duration::from_secs(9);

const A_LITTLE: Duration = Duration::from_secs(3);
