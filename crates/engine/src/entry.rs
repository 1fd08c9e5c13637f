//! What the engine tells of a pod's life, entry by entry.
//!
//! Entries are for people and for the timeline. They are never part of the engine's state: an
//! engine whose entries nobody reads decides the same.

use crate::event::{Attempt, Exit, StartFailure};
use crate::pod::{ContainerId, HookKind, ProbeKind, Reaction, Target, Until};
use crate::status::Phase;
use crate::tick::Tick;
use std::time::Duration;

/// One thing that happened in a pod's life, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// When.
    pub at: Tick,
    /// To whom; `None` is the pod itself.
    pub container: Option<ContainerId>,
    /// In which run of the container.
    pub attempt: Attempt,
    /// What.
    pub what: What,
    /// Why.
    pub cause: Cause,
}

/// What happened.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum What {
    // --- a container ---
    /// It waits for a requirement.
    Waiting {
        /// For whom.
        target: Target,
        /// Until what.
        until: Until,
    },
    /// Nothing holds it back any more: its turn has come.
    Turn,
    /// Its image is being pulled.
    Pulling,
    /// Its image is there.
    Pulled,
    /// Its image could not be had.
    PullFailed {
        /// The driver's words.
        message: Box<str>,
        /// Tried again after this.
        retry_in: Duration,
    },
    /// It is being started.
    Starting,
    /// Its process runs.
    Running,
    /// It could not be started.
    StartFailed {
        /// At which step.
        reason: StartFailure,
        /// The driver's words.
        message: Box<str>,
    },
    /// A hook is being run.
    HookBegan(HookKind),
    /// A hook returned.
    HookEnded {
        /// Which.
        hook: HookKind,
        /// Whether it did what it should.
        ok: bool,
    },
    /// A hook was not waited for until its end.
    HookCut(HookKind),
    /// A hook was not begun: there was no time left.
    HookSkipped(HookKind),
    /// A probe reached its threshold.
    ProbeVerdict {
        /// Which.
        probe: ProbeKind,
        /// Passed or failed.
        ok: bool,
    },
    /// Its startup is over.
    Started,
    /// Its readiness holds.
    Ready,
    /// Its readiness does not hold any more.
    Unready,
    /// It is told to stop.
    Stopping {
        /// When it will be killed.
        deadline: Tick,
    },
    /// Its process is gone.
    Exited(Exit),
    /// It will be started again.
    Restarting {
        /// After this time.
        after: Duration,
    },
    /// It has ended for good.
    Ended {
        /// As a success.
        ok: bool,
    },
    /// It gave up.
    GaveUp,
    /// It counts nowhere any more, and will not be started again.
    Ignored,
    /// The command that reverses it is being run.
    Undoing,
    /// The reversal has ended.
    Undone {
        /// Whether it did what it should.
        ok: bool,
    },
    /// The reversal was not begun: there was no time left.
    UndoSkipped,
    /// It will be exchanged.
    ReplaceBegan,
    /// The new one is ready.
    Replaced,
    /// The new one was not ready in time: the old one is put back.
    RolledBack,
    /// The exchange was given up: the new one was not started, or nobody waits for its readiness any more.
    ReplaceAbandoned,

    // --- the pod ---
    /// A run of the pod begins.
    PodStarted {
        /// The first is 1.
        run: u32,
    },
    /// Every service is ready.
    PodReady,
    /// Not any more.
    PodUnready,
    /// The pod stops, in order.
    PodStopping {
        /// The end of its budget.
        deadline: Tick,
    },
    /// Everything is killed at once, to be run again.
    PodKilled,
    /// The budget got shorter.
    PodHurried {
        /// The end of its budget.
        deadline: Tick,
    },
    /// The pod was to have more time for the stop that is under way, or as much once more: it has what it had.
    PodNotDelayed {
        /// The end of its budget.
        deadline: Tick,
    },
    /// The budget of a stop is used up.
    BudgetSpent,
    /// The pod will run again.
    PodRestarting {
        /// After this time.
        after: Duration,
    },
    /// The pod has ended.
    PodEnded {
        /// Succeeded or Failed.
        phase: Phase,
        /// Whose end decided it.
        decider: Option<ContainerId>,
        /// The exit code that stands for the pod.
        code: i32,
    },
    /// The engine was restored after its driver went away.
    Recovered,
}

/// Why something happened.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Cause {
    /// The pod was started.
    PodStart,
    /// It follows from the entry before in the same container.
    Itself,
    /// A requirement was fulfilled, the last one that was missing.
    Fulfilled {
        /// Who was waited for.
        target: Target,
        /// Until what.
        until: Until,
    },
    /// The last requirement that was missing was not fulfilled, and need not be.
    Without {
        /// Who was waited for.
        target: Target,
        /// Until what.
        until: Until,
    },
    /// A requirement cannot be fulfilled any more.
    Impossible {
        /// Who was waited for.
        target: Target,
        /// Until what.
        until: Until,
        /// Why not.
        why: Impossible,
    },
    /// A target went down.
    TargetDown {
        /// Whose end it was.
        target: ContainerId,
    },
    /// Nothing needs it any more: all that require it are down.
    Unneeded,
    /// Its restart policy.
    Policy,
    /// A rule on an exit.
    Rule {
        /// Whose exit, and whose rule.
        container: ContainerId,
        /// Which of its rules, from 0.
        index: usize,
        /// What the rule says.
        reaction: Reaction,
    },
    /// A probe failed.
    Probe(ProbeKind),
    /// The postStart hook failed.
    PostStart,
    /// It was not ready in time.
    StartTimeout,
    /// Too many restarts.
    RestartLimit,
    /// A container whose failure is that of the whole pod's attempt failed.
    FailedAttempt(ContainerId),
    /// Somebody asked for it.
    Asked {
        /// A container, or somebody outside.
        by: Option<ContainerId>,
        /// What was asked for.
        reaction: Reaction,
        /// Their words.
        reason: Box<str>,
    },
    /// The pod was deleted.
    Deletion,
    /// Every main has ended.
    Completion,
    /// A keystone ended.
    Keystone(ContainerId),
    /// A container whose giving up fails the pod gave up.
    GiveUp(ContainerId),
    /// The pod was active too long.
    ActiveDeadline,
    /// A container whose end would have counted never ran.
    NeverRan(ContainerId),
    /// The budget of the stop is used up.
    Budget,
    /// The sandbox was lost.
    SandboxLost,
    /// A container is exchanged.
    Replacement(ContainerId),
    /// The whole pod starts again.
    PodRestart,
}

/// Why a requirement cannot be fulfilled.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Impossible {
    /// The target gave up.
    GaveUp,
    /// The target ended for good, in another way.
    Ended,
    /// The wait took too long.
    TimedOut,
}

impl What {
    /// Whether it is about the pod as a whole.
    pub const fn is_about_pod(&self) -> bool {
        matches!(
            self,
            Self::PodStarted { .. }
                | Self::PodReady
                | Self::PodUnready
                | Self::PodStopping { .. }
                | Self::PodKilled
                | Self::PodHurried { .. }
                | Self::PodNotDelayed { .. }
                | Self::BudgetSpent
                | Self::PodRestarting { .. }
                | Self::PodEnded { .. }
                | Self::Recovered
        )
    }
}
