//! The latest records of one container, by kind.

use crate::record::{Seq, What};
use pillion_engine::pod::{HookKind, Need, ProbeKind, Until};
use std::collections::BTreeMap;

/// The number of the latest record of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    latest: BTreeMap<Mark, Seq>,
}

/// A kind of record that something later can follow from.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Mark {
    /// Any record at all.
    Last,
    Waiting,
    Turn,
    Pulling,
    Attempted,
    Started,
    Ready,
    Unready,
    HookBegan(HookKind),
    PostStartFailed,
    ProbeFailed(ProbeKind),
    Stopping,
    /// The process, or its reversal, is gone.
    Down,
    /// An attempt came to nothing.
    Failed,
    Restarting,
    Succeeded,
    Ended,
    GaveUp,
    Undoing,
    ReplaceBegan,
    PodStarted,
    PodStopping,
    PodKilled,
    PodRestarting,
    BudgetSpent,
}

// === impl Marks ===

impl Marks {
    /// Those of somebody nothing is known of.
    pub(super) const NONE: &Self = &Self {
        latest: BTreeMap::new(),
    };

    fn set(&mut self, mark: Mark, seq: Seq) {
        self.latest.insert(mark, seq);
    }

    /// The latest record of any of these kinds.
    pub(super) fn latest(&self, marks: &[Mark]) -> Option<Seq> {
        marks
            .iter()
            .filter_map(|mark| self.latest.get(mark))
            .copied()
            .max()
    }

    /// The latest record of the first group that has any.
    pub(super) fn first_of(&self, groups: &[&[Mark]]) -> Option<Seq> {
        groups.iter().find_map(|marks| self.latest(marks))
    }

    /// What comes after the end of an attempt follows from that end, or from what came of it.
    pub(super) fn after_exit(&self) -> Option<Seq> {
        self.first_of(&[&[Mark::Down, Mark::Failed, Mark::Restarting], &[Mark::Last]])
    }

    pub(super) fn fulfilment(&self, until: Until, need: Need) -> Option<Seq> {
        let fulfilled = self.latest(match until {
            Until::Attempted => &[Mark::Attempted, Mark::Failed, Mark::Started],
            Until::Started => &[Mark::Started],
            Until::Ready => &[Mark::Ready],
            Until::Succeeded => &[Mark::Succeeded],
            Until::Exited => &[Mark::Ended],
            Until::Settled => &[Mark::Ready, Mark::Ended, Mark::GaveUp],
        });
        // Who does not insist is let through by a failure as well.
        let failed = self.latest(&[Mark::Failed, Mark::Ended, Mark::GaveUp]);
        match need {
            Need::Hard => fulfilled.or(failed),
            Need::Soft | Need::Order => fulfilled.max(failed),
        }
    }

    pub(super) fn note(&mut self, what: &What, seq: Seq) {
        self.set(Mark::Last, seq);
        if matches!(what, What::PodStarted { .. }) {
            // A stop of the run before causes nothing any more.
            self.latest.retain(|mark, _| !mark.is_of_stop());
        }
        if what.is_down() {
            self.set(Mark::Down, seq);
        }
        if what.is_failure() {
            self.set(Mark::Failed, seq);
        }
        if what.fulfils(Until::Attempted) {
            self.set(Mark::Attempted, seq);
        }
        if let Some(mark) = mark(what) {
            self.set(mark, seq);
        }
        if *what == (What::Ended { ok: true }) {
            self.set(Mark::Succeeded, seq);
        }
    }
}

// === impl Mark ===

impl Mark {
    /// Whether it is about the end of one run of the pod.
    const fn is_of_stop(self) -> bool {
        matches!(
            self,
            Self::PodStopping | Self::PodKilled | Self::BudgetSpent
        )
    }
}

/// The kind of a record, apart from those that several share.
const fn mark(what: &What) -> Option<Mark> {
    Some(match what {
        What::Waiting { .. } => Mark::Waiting,
        What::Turn => Mark::Turn,
        What::Pulling => Mark::Pulling,
        What::Started => Mark::Started,
        What::Ready => Mark::Ready,
        What::Unready => Mark::Unready,
        What::HookBegan { hook } => Mark::HookBegan(*hook),
        What::HookEnded {
            hook: HookKind::PostStart,
            ok: false,
            ..
        } => Mark::PostStartFailed,
        What::ProbeVerdict {
            probe, ok: false, ..
        } => Mark::ProbeFailed(*probe),
        What::Stopping { .. } => Mark::Stopping,
        What::Restarting { .. } => Mark::Restarting,
        What::Ended { .. } => Mark::Ended,
        What::GaveUp => Mark::GaveUp,
        What::Undoing => Mark::Undoing,
        What::ReplaceBegan => Mark::ReplaceBegan,
        What::PodStarted { .. } => Mark::PodStarted,
        What::PodStopping { .. } | What::PodHurried { .. } => Mark::PodStopping,
        What::PodKilled => Mark::PodKilled,
        What::PodRestarting { .. } => Mark::PodRestarting,
        What::BudgetSpent => Mark::BudgetSpent,
        What::Pulled
        | What::PullFailed { .. }
        | What::Starting
        | What::Running
        | What::StartFailed { .. }
        | What::HookEnded { .. }
        | What::HookCut { .. }
        | What::HookSkipped { .. }
        | What::ProbeVerdict { .. }
        | What::Exited { .. }
        | What::Ignored
        | What::Undone { .. }
        | What::UndoSkipped
        | What::Replaced
        | What::RolledBack
        | What::ReplaceAbandoned
        | What::PodReady
        | What::PodUnready
        | What::PodNotDelayed { .. }
        | What::PodEnded { .. }
        | What::Recovered
        | What::Unknown => return None,
    })
}
