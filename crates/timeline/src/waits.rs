//! Who waited for whom, how long, and what came of it.

use crate::record::{Cause, Name, Record, Seq, Target, What};
use crate::timeline::Timeline;
use pillion_engine::entry::Impossible;
use pillion_engine::pod::Until;
use std::collections::BTreeMap;
use std::time::Duration;

/// One container waited for one requirement.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Wait {
    /// Who waited.
    pub container: Name,
    /// Before which of its runs.
    pub attempt: u32,
    /// For whom.
    pub target: Target,
    /// Until what.
    pub until: Until,
    /// From when.
    pub since: Duration,
    /// Until when; the end of the timeline if it is still going on.
    pub to: Duration,
    /// What came of it.
    pub outcome: Outcome,
    /// The record with which it began.
    pub record: Seq,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// With what was waited for, or with whatever a weak requirement takes for it.
    Fulfilled,
    /// It became impossible.
    Impossible(Impossible),
    /// The container did not want to start any more, or its pod stopped.
    Cancelled,
    /// Not yet.
    Pending,
}

/// Walks through the records and keeps the waits that are going on.
#[derive(Default)]
struct Walk<'a> {
    waits: Vec<Wait>,
    /// Positions of open waits, by who waits.
    by_container: BTreeMap<&'a str, Vec<usize>>,
    /// Positions of open waits, by the container that is waited for.
    by_target: BTreeMap<&'a str, Vec<usize>>,
}

impl Timeline {
    /// All waits, in the order in which they began.
    pub fn waits(&self) -> Vec<Wait> {
        let mut walk = Walk::default();
        for record in self.records() {
            walk.take(record);
        }
        walk.finish(self.end())
    }

    /// The wait that took longest; of several, the first.
    pub fn longest_wait(&self) -> Option<Wait> {
        let longer = |a: Wait, b: Wait| if b.length() > a.length() { b } else { a };
        self.waits()
            .into_iter()
            .filter(|wait| wait.length() > Duration::ZERO)
            .reduce(longer)
    }
}

// === impl Wait ===

impl Wait {
    /// How long it took.
    pub const fn length(&self) -> Duration {
        self.to.saturating_sub(self.since)
    }

    fn end(&mut self, at: Duration, outcome: Outcome) {
        if self.outcome == Outcome::Pending {
            self.to = at;
            self.outcome = outcome;
        }
    }

    /// The stop of the pod has not ended it after all.
    fn go_on(&mut self) {
        if self.outcome == Outcome::Cancelled {
            self.outcome = Outcome::Pending;
        }
    }

    fn is_for(&self, target: &Target, until: Until) -> bool {
        self.target == *target && self.until == until
    }
}

// === impl Walk ===

impl<'a> Walk<'a> {
    fn take(&mut self, record: &'a Record) {
        let Some(name) = record.container.as_deref() else {
            return self.take_of_pod(record);
        };
        self.take_as_target(name, record);
        if let What::Waiting { target, until } = &record.what {
            self.begin(name, target, *until, record);
        } else if matches!(record.what, What::Turn | What::Starting) {
            self.end(name, record, Outcome::Fulfilled);
        } else if matches!(
            record.what,
            What::GaveUp | What::Ended { .. } | What::Stopping { .. }
        ) {
            self.end(name, record, Outcome::Cancelled);
        }
    }

    /// When the pod stops nobody waits any more, but for sidecars that are still needed: those that start after all
    /// have waited on. Another run of the pod has waits of its own.
    fn take_of_pod(&mut self, record: &Record) {
        let again = matches!(record.what, What::PodStarted { .. });
        if again || matches!(record.what, What::PodStopping { .. } | What::PodKilled) {
            for place in self.by_container.values().flatten() {
                self.waits[*place].end(record.at, Outcome::Cancelled);
            }
        }
        if again {
            self.by_container.clear();
            self.by_target.clear();
        }
    }

    /// What others wait for may have come with this record.
    fn take_as_target(&mut self, name: &str, record: &Record) {
        let Some(places) = self.by_target.get_mut(name) else {
            return;
        };
        places.retain(|place| {
            let wait = &mut self.waits[*place];
            if record.what.fulfils(wait.until) {
                wait.end(record.at, Outcome::Fulfilled);
            }
            wait.outcome == Outcome::Pending
        });
    }

    fn begin(&mut self, name: &'a str, target: &'a Target, until: Until, record: &Record) {
        let open = self.by_container.entry(name).or_default();
        let waits = &self.waits;
        let stands = |place: &usize, outcome| {
            waits[*place].is_for(target, until) && waits[*place].outcome == outcome
        };
        if open.iter().any(|place| stands(place, Outcome::Pending)) {
            return;
        }
        // One that the pod's stop has ended does not go on: this is another.
        open.retain(|place| !stands(place, Outcome::Cancelled));
        open.push(self.waits.len());
        if let Target::Container(target) = target {
            self.by_target
                .entry(target)
                .or_default()
                .push(self.waits.len());
        }
        self.waits.push(Wait {
            container: name.into(),
            attempt: record.attempt,
            target: target.clone(),
            until,
            since: record.at,
            to: record.at,
            outcome: Outcome::Pending,
            record: record.seq,
        });
    }

    /// Ends all that a container waits for: by the cause for the one it names, else as given.
    fn end(&mut self, name: &str, record: &Record, otherwise: Outcome) {
        for place in self.by_container.remove(name).unwrap_or_default() {
            let wait = &mut self.waits[place];
            if otherwise == Outcome::Fulfilled {
                wait.go_on();
            }
            let outcome = if let Cause::Impossible { target, until, why } = &record.cause
                && wait.is_for(target, *until)
            {
                Outcome::Impossible(*why)
            } else {
                otherwise
            };
            wait.end(record.at, outcome);
        }
    }

    fn finish(mut self, end: Duration) -> Vec<Wait> {
        for wait in &mut self.waits {
            if wait.outcome == Outcome::Pending {
                wait.to = end.max(wait.since);
            }
        }
        self.waits
    }
}
