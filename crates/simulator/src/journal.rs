//! What a simulated driver keeps, and the points at which it can be made to die.

use pillion_engine::{Attempt, Change, ContainerId, Fact};
use std::time::Duration;

/// The facts that were kept, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    pub(crate) facts: Vec<Fact>,
    /// How many facts were handed out, kept or not.
    seen: usize,
}

/// A death of the driver that a test asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Crash {
    /// At which of the facts, from 1, in the order in which they are handed out.
    pub fact: usize,
    /// On which side of it.
    pub point: CrashPoint,
    /// How long until the driver is back. The containers live on meanwhile.
    pub away: Duration,
}

/// Where around a fact the driver dies.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum CrashPoint {
    /// Before the fact is kept: neither it nor what follows from it has happened.
    BeforeRecord,
    /// After the fact is kept, and before anything that follows is done.
    AfterRecord,
    /// After all that follows is done, and before any of it is heard of.
    AfterActs,
}

// === impl Journal ===

impl Journal {
    /// Takes in a fact. Says whether the driver dies right here.
    pub(crate) fn keep(&mut self, fact: Fact, crash: Option<Crash>) -> bool {
        self.seen += 1;
        let here = crash.filter(|crash| crash.fact == self.seen);
        let point = here.map(|crash| crash.point);
        if point != Some(CrashPoint::BeforeRecord) {
            self.facts.push(fact);
        }
        matches!(
            point,
            Some(CrashPoint::BeforeRecord | CrashPoint::AfterRecord)
        )
    }

    /// The newest run of a container that was written down.
    pub(crate) fn attempt(&self, id: ContainerId) -> Option<Attempt> {
        let newest_first = self
            .facts
            .iter()
            .rev()
            .flat_map(|fact| fact.changes.iter().rev());
        newest_first.into_iter().find_map(|change| match change {
            Change::Container(container, record) if *container == id => Some(record.attempt),
            Change::Container(..)
            | Change::Pod(_)
            | Change::Replacing(..)
            | Change::Defined(..)
            | Change::Requirement(..) => None,
        })
    }

    /// How many facts were handed out so far.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }
}

// === impl CrashPoint ===

impl CrashPoint {
    /// Every point, in order.
    pub const ALL: [Self; 3] = [Self::BeforeRecord, Self::AfterRecord, Self::AfterActs];
}
