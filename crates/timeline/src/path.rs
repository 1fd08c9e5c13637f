//! What the time up to a record was spent on: its causes, followed back to the start of the pod.

use crate::record::{Name, Record, Seq, What};
use crate::timeline::Timeline;
use std::time::Duration;

/// The chain of causes that led to a record. Anything beside it could have been slower for free.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Path {
    /// Who took how long, first to last.
    pub steps: Vec<Step>,
    /// The records of the chain, first to last.
    pub records: Vec<Seq>,
}

/// A stretch of the path that one container took.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Step {
    /// Who; `None` is the pod itself (its sandbox, its own back-off).
    pub container: Option<Name>,
    /// From when.
    pub from: Duration,
    /// Until when.
    pub to: Duration,
}

impl Timeline {
    /// The path from the pod's start to its first being ready, if it ever was.
    pub fn path_to_ready(&self) -> Option<Path> {
        let ready = self
            .records()
            .iter()
            .find(|record| record.what == What::PodReady)?;
        Some(self.critical_path(ready.seq))
    }

    /// The path from the pod's start to a record. Empty if there is no such record.
    pub fn critical_path(&self, to: Seq) -> Path {
        let mut chain: Vec<&Record> = Vec::new();
        let mut next = self.record(to);
        while let Some(record) = next {
            chain.push(record);
            next = self.because(record);
        }
        chain.reverse();
        Path {
            steps: steps(&chain),
            records: chain.iter().map(|record| record.seq).collect(),
        }
    }
}

/// The time from one record to the next belongs to the container of the earlier one: it is what the
/// later one waited for.
fn steps(chain: &[&Record]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for pair in chain.windows(2) {
        let (container, from) = (&pair[0].container, pair[0].at);
        let to = pair[1].at.max(from);
        match steps.last_mut() {
            Some(step) if step.container == *container => step.to = to,
            Some(_) | None => steps.push(Step {
                container: container.clone(),
                from,
                to,
            }),
        }
    }
    // The pod's own start is on every path, and worth a word only if it took time.
    steps.retain(|step| step.container.is_some() || step.length() >= NOTABLE);
    steps
}

/// Less is shown as nothing.
const NOTABLE: Duration = Duration::from_millis(5);

// === impl Path ===

impl Path {
    /// From its first record to its last.
    pub fn length(&self) -> Duration {
        self.steps.iter().map(Step::length).sum()
    }
}

// === impl Step ===

impl Step {
    /// How long it took.
    pub const fn length(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }
}
