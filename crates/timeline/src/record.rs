//! One record of a timeline: what happened, to whom, when and why.
//!
//! The types mirror the engine's entries with names in the place of ids, so that a record means
//! something without the pod it came from. Their JSON form is fixed: a field or a variant can be
//! added, and readers skip what they do not know; none is renamed, or means something else later.

use crate::form::{
    HookForm, ImpossibleForm, PhaseForm, ProbeForm, ReactionForm, StartFailureForm, UntilForm,
    maybe_seconds, seconds,
};
use crate::wall::Wall;
use pillion_engine::entry::Impossible;
use pillion_engine::event::StartFailure;
use pillion_engine::pod::{HookKind, ProbeKind, Reaction, Until};
use pillion_engine::status::Phase;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The number of a record. The first is 1.
pub type Seq = u64;

/// The name of a container.
pub type Name = Box<str>;

/// One thing that happened in a pod's life, and why.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Its number; grows by one from record to record.
    pub seq: Seq,
    /// When, counted from the start of the pod, in whole microseconds.
    #[serde(with = "seconds")]
    pub at: Duration,
    /// When by the calendar, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Wall>,
    /// To whom; `None` is the pod itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Name>,
    /// In which run of the container; 0 is before the first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempt: u32,
    /// What.
    #[serde(flatten)]
    pub what: What,
    /// Why.
    #[serde(default)]
    pub cause: Cause,
    /// The record that caused it; always an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<Seq>,
}

/// What happened. See the engine's [`What`](pillion_engine::What) for when each is told.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(
    tag = "what",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[expect(missing_docs, reason = "told by the engine's type of the same name")]
pub enum What {
    // --- a container ---
    Waiting {
        #[serde(flatten)]
        target: Target,
        #[serde(with = "UntilForm")]
        until: Until,
    },
    Turn,
    Pulling,
    Pulled,
    PullFailed {
        message: Box<str>,
        #[serde(with = "seconds")]
        retry_in: Duration,
    },
    Starting,
    Running,
    StartFailed {
        #[serde(with = "StartFailureForm")]
        reason: StartFailure,
        message: Box<str>,
    },
    HookBegan {
        #[serde(with = "HookForm")]
        hook: HookKind,
    },
    HookEnded {
        #[serde(with = "HookForm")]
        hook: HookKind,
        ok: bool,
        /// Why it failed, if somebody knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Box<str>>,
    },
    HookCut {
        #[serde(with = "HookForm")]
        hook: HookKind,
    },
    HookSkipped {
        #[serde(with = "HookForm")]
        hook: HookKind,
    },
    ProbeVerdict {
        #[serde(with = "ProbeForm")]
        probe: ProbeKind,
        ok: bool,
        /// Why it failed, if somebody knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Box<str>>,
    },
    Started,
    Ready,
    Unready,
    Stopping {
        /// When it will be killed, counted from the start of the pod; `None` is never.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "maybe_seconds"
        )]
        deadline: Option<Duration>,
    },
    Exited {
        code: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        #[serde(default, skip_serializing_if = "is_false")]
        oom: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Box<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Box<str>>,
    },
    Restarting {
        #[serde(with = "seconds")]
        after: Duration,
    },
    Ended {
        ok: bool,
    },
    GaveUp,
    Ignored,
    Undoing,
    Undone {
        ok: bool,
    },
    UndoSkipped,
    ReplaceBegan,
    Replaced,
    RolledBack,
    ReplaceAbandoned,

    // --- the pod ---
    PodStarted {
        run: u32,
    },
    PodReady,
    PodUnready,
    PodStopping {
        /// The end of the budget, counted from the start of the pod; `None` is never.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "maybe_seconds"
        )]
        deadline: Option<Duration>,
    },
    PodKilled,
    PodHurried {
        /// The end of the budget, counted from the start of the pod; `None` is never.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "maybe_seconds"
        )]
        deadline: Option<Duration>,
    },
    PodNotDelayed {
        /// The end of the budget, counted from the start of the pod; `None` is never.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "maybe_seconds"
        )]
        deadline: Option<Duration>,
    },
    BudgetSpent,
    PodRestarting {
        #[serde(with = "seconds")]
        after: Duration,
    },
    PodEnded {
        #[serde(with = "PhaseForm")]
        phase: Phase,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decider: Option<Name>,
        code: i32,
        /// With what whoever ran the pod ends, if not with the code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<i32>,
    },
    Recovered,
    /// Written by a later version that knows more.
    #[serde(other)]
    Unknown,
}

/// Why something happened. See the engine's [`Cause`](pillion_engine::Cause).
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[expect(missing_docs, reason = "told by the engine's type of the same name")]
pub enum Cause {
    PodStart,
    Itself,
    Fulfilled {
        #[serde(flatten)]
        target: Target,
        #[serde(with = "UntilForm")]
        until: Until,
    },
    Without {
        #[serde(flatten)]
        target: Target,
        #[serde(with = "UntilForm")]
        until: Until,
    },
    Impossible {
        #[serde(flatten)]
        target: Target,
        #[serde(with = "UntilForm")]
        until: Until,
        #[serde(with = "ImpossibleForm")]
        why: Impossible,
    },
    TargetDown {
        target: Name,
    },
    Unneeded,
    Policy,
    Rule {
        /// Whose exit, and whose rule.
        container: Name,
        /// Which of its rules, from 0.
        index: usize,
        #[serde(with = "ReactionForm")]
        reaction: Reaction,
    },
    Probe {
        #[serde(with = "ProbeForm")]
        probe: ProbeKind,
        /// Why it failed, if somebody knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Box<str>>,
    },
    PostStart,
    StartTimeout,
    RestartLimit,
    FailedAttempt {
        container: Name,
    },
    Asked {
        /// A container, or somebody outside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Name>,
        #[serde(with = "ReactionForm")]
        reaction: Reaction,
        reason: Box<str>,
    },
    Deletion {
        /// What did it, if somebody said: `Ctrl-C`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Box<str>>,
    },
    Completion,
    Keystone {
        container: Name,
    },
    GiveUp {
        container: Name,
    },
    ActiveDeadline,
    NeverRan {
        container: Name,
    },
    Budget,
    SandboxLost,
    Replacement {
        container: Name,
        /// Why it is to be exchanged, if somebody said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Box<str>>,
    },
    PodRestart,
    /// Not told, or written by a later version that knows more.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Who is waited for.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Target {
    /// A container.
    #[serde(rename = "target")]
    Container(Name),
    /// A meeting point of many.
    #[serde(rename = "barrier")]
    Barrier(Box<str>),
}

// === impl Record ===

impl Record {
    /// Whether it is about that container.
    pub fn is_about(&self, container: &str) -> bool {
        self.container.as_deref() == Some(container)
    }
}

// === impl What ===

impl What {
    /// Whether the container's process, or its reversal, is over with it.
    pub(crate) const fn is_down(&self) -> bool {
        matches!(
            self,
            Self::Exited { .. } | Self::Undone { .. } | Self::UndoSkipped
        )
    }

    /// Whether an attempt came to nothing with it.
    pub(crate) const fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::PullFailed { .. }
                | Self::StartFailed { .. }
                | Self::GaveUp
                | Self::Ended { ok: false }
        ) || matches!(self, Self::Exited { code, .. } if *code != 0)
    }

    /// Whether it lets through somebody who waits until that.
    pub(crate) const fn fulfils(&self, until: Until) -> bool {
        match until {
            Until::Attempted => {
                self.is_failure()
                    || matches!(self, Self::Running | Self::Started | Self::Exited { .. })
                    || matches!(
                        self,
                        Self::HookEnded {
                            hook: HookKind::PostStart,
                            ..
                        }
                    )
            }
            Until::Started => matches!(self, Self::Started),
            Until::Ready => matches!(self, Self::Ready),
            Until::Succeeded => matches!(self, Self::Ended { ok: true }),
            Until::Exited => matches!(self, Self::Ended { .. }),
            // Nobody waits for this of a container; any end of its way will do.
            Until::Settled => matches!(self, Self::Ready | Self::Ended { .. } | Self::GaveUp),
        }
    }
}

// === impl Target ===

impl Target {
    /// Its name, whatever it is.
    pub fn name(&self) -> &str {
        match self {
            Self::Container(name) | Self::Barrier(name) => name,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
