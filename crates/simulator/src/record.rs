//! What can be seen of a play from outside: lines, statuses, moments, the end.
//!
//! This is all that a judge reads. Any driver can make one: the simulator from virtual time, others
//! from real processes or from a cluster.

use crate::line::Log;
use crate::world::Violation;
use pillion_engine::{PodResult, PodStatus, Tick};
use std::collections::BTreeMap;

/// Everything that was seen.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// What the containers wrote.
    pub log: Log,
    /// The pod's status whenever it changed.
    pub statuses: Vec<Sample>,
    /// What Kubernetes events told; `None` where nobody tells any.
    pub events: Option<Vec<Event>>,
    /// When the named acts were done.
    pub moments: BTreeMap<Box<str>, Moment>,
    /// Acts that were never done, for people.
    pub left_undone: Vec<String>,
    /// Acts that changed nothing, done or not, each with the reason, for people.
    pub in_vain: Vec<String>,
    /// How the pod ended, if it did.
    pub end: Option<End>,
    /// When watching stopped.
    pub until: Tick,
    /// What must never happen and did.
    pub violations: Vec<Violation>,
}

/// A status, and since when it held.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Sample {
    /// Since when.
    pub at: Tick,
    /// What was shown.
    pub status: PodStatus,
}

/// A Kubernetes event about a container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event {
    /// The container.
    pub of: Box<str>,
    /// In one word.
    pub reason: Box<str>,
    /// For people.
    pub message: Box<str>,
}

/// A moment in time, among the lines and among the statuses.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Moment {
    /// When.
    pub at: Tick,
    /// How many lines had been written by then.
    pub lines: usize,
    /// How many statuses had been seen by then.
    pub statuses: usize,
}

/// The end of a pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct End {
    /// When everything was down.
    pub at: Tick,
    /// How, where somebody says so: a kubelet does not.
    pub result: Option<PodResult>,
    /// The name of the container that decided it.
    pub decided_by: Option<Box<str>>,
}

// === impl Record ===

impl Record {
    /// Adds a status if it is another than the one before.
    pub fn sample(&mut self, at: Tick, status: PodStatus) {
        if self.status().is_none_or(|before| *before != status) {
            self.statuses.push(Sample { at, status });
        }
    }

    /// The newest status.
    pub fn status(&self) -> Option<&PodStatus> {
        self.statuses.last().map(|sample| &sample.status)
    }

    /// The statuses from the one that holds at `from` until just before `to`. In one instant there
    /// can be several.
    pub fn statuses_between(&self, from: Moment, to: Tick) -> &[Sample] {
        let first = from.statuses.saturating_sub(1).min(self.statuses.len());
        let end = self.statuses.partition_point(|sample| sample.at < to);
        &self.statuses[first..end.max(first)]
    }

    /// The status that held at a moment: the last of that moment.
    pub fn status_at(&self, at: Tick) -> Option<&Sample> {
        let end = self.statuses.partition_point(|sample| sample.at <= at);
        self.statuses[..end].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_engine::status::Phase;

    fn status(phase: Phase) -> PodStatus {
        PodStatus {
            phase,
            reason: None,
            message: None,
            conditions: Vec::new(),
            containers: Vec::new(),
        }
    }

    fn record() -> Record {
        let mut record = Record::default();
        for (secs, phase) in [
            (0, Phase::Pending),
            (1, Phase::Pending),
            (2, Phase::Running),
            (5, Phase::Succeeded),
        ] {
            record.sample(Tick::from_secs(secs), status(phase));
        }
        record
    }

    /// The phases from a moment at which this many statuses had been seen.
    fn between(seen: usize, to: u64) -> Vec<Phase> {
        let record = record();
        let from = Moment {
            statuses: seen,
            ..Moment::default()
        };
        let samples = record.statuses_between(from, Tick::from_secs(to));
        samples.iter().map(|sample| sample.status.phase).collect()
    }

    #[test]
    fn a_status_holds_until_the_next_one() {
        assert_eq!(between(1, 2), [Phase::Pending]);
        assert_eq!(between(1, 3), [Phase::Pending, Phase::Running]);
        assert_eq!(between(2, 4), [Phase::Running]);
        assert_eq!(between(3, 10), [Phase::Succeeded]);
    }

    #[test]
    fn every_status_of_the_first_instant_counts() {
        assert_eq!(between(0, 1), [Phase::Pending]);
        let mut record = Record::default();
        record.sample(Tick::ZERO, status(Phase::Pending));
        record.sample(Tick::ZERO, status(Phase::Failed));
        let samples = record.statuses_between(Moment::default(), Tick::from_secs(1));
        assert_eq!(samples.len(), 2);
    }

    #[test]
    fn an_unchanged_status_is_no_new_one() {
        assert_eq!(record().statuses.len(), 3);
    }

    #[test]
    fn the_status_of_a_moment_is_the_last_of_it() {
        let at = |secs| {
            record()
                .status_at(Tick::from_secs(secs))
                .map(|s| s.status.phase)
        };
        assert_eq!(at(4), Some(Phase::Running));
        assert_eq!(at(5), Some(Phase::Succeeded));
    }
}
