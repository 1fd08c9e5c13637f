//! The life of one container.
//!
//! ```text
//!    ┌────────────────────── BackOff ◀──────────────────┐
//!    ▼                                                  │
//! Waiting ─▶ Starting ─▶ Running ─▶ Stopping ─▶ (down) ─┼─▶ Ended
//!                                                       │
//!                                                       └─▶ GaveUp
//! ```
//!
//! A process that ends by itself is down without being stopped. The reversal of a oneshot that has
//! `Ended` is counted beside its state, by [`Undo`].
//!
//! [`Record`] is what survives a crash of the driver; `Life` adds what can be found out again:
//! images, probe counts.

use crate::action::Command;
use crate::entry::{Cause, Impossible};
use crate::event::{Attempt, Exit, StartFailure};
use crate::pod::{HookKind, ProbeKind, Target, Until};
use crate::probe::Probing;
use crate::tick::Tick;
use std::collections::VecDeque;
use std::sync::Arc;

/// Everything the engine knows of a container.
///
/// Every look at an edge is a look at a life, and pods can be large: what is seldom looked at stands apart, in a box.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Life {
    pub(crate) record: Record,
    pub(crate) image: Image,
    /// Why it could not be started or kept, until a start has succeeded: only to be shown.
    pub(crate) put_off: Option<PutOff>,
    pub(crate) probing: Box<[Probing; 3]>,
    /// How many of its requirements hold it back.
    pub(crate) closed: u32,
    /// How many of its requirements cannot be fulfilled and must be.
    pub(crate) broken: u32,
    /// Its standing in the ordered stop that is under way.
    pub(crate) stop: StopRole,
    /// Why a partial wave stops it, for people.
    pub(crate) stop_cause: Option<Box<Cause>>,
    /// The edge that let it through last.
    pub(crate) last_opened: Option<u32>,
    /// The highest number that a definition of it has had.
    pub(crate) latest_version: u32,
    /// How it had ended when the driver came back.
    pub(crate) found_exit: Option<Box<Exit>>,
    /// It is a main that is being stopped and will not be started again.
    pub(crate) doomed: bool,
    /// It keeps the pod from being ready.
    pub(crate) counted_unready: bool,
    /// It is a main that has not ended for good.
    pub(crate) counted_left: bool,
    /// It is one of the regular list and is up; whether it is plain.
    pub(crate) counted_up: Option<bool>,
    /// Its readiness, as it was last told.
    pub(crate) told_ready: bool,
    /// The record has changed since it was last handed out.
    pub(crate) dirty: bool,
    /// Those who wait for it are about to look at it again.
    pub(crate) change_queued: bool,
}

/// What must be remembered of a container.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Record {
    /// The latest run; 0 before the first.
    pub attempt: Attempt,
    /// Which definition it runs by.
    pub version: u32,
    /// Where it stands.
    pub state: State,
    /// How often it was created again.
    pub restarts: u32,
    /// The image of the latest run.
    pub image: Option<Arc<str>>,
    /// How the latest run ended, if it has.
    pub exit: Option<Box<Termination>>,
    /// How the run before ended.
    pub last: Option<Box<Termination>>,
    /// It was started in this run of the pod, or is about to be.
    pub launched: bool,
    /// Its start was tried to the end in this run of the pod.
    pub attempted: bool,
    /// Its process has run in this run of the pod.
    pub ran: bool,
    /// Its startup was over once, or it ran to its end, in this run of the pod.
    pub started_once: bool,
    /// The latest attempt (pull, start, run) failed.
    pub failed: bool,
    /// Its startup is over (in this attempt).
    pub started: bool,
    /// Its readiness probe holds (in this attempt).
    pub probed_ready: bool,
    /// It told that it is ready (in this attempt).
    pub notified_ready: bool,
    /// Hooks that were begun or are done (in this attempt).
    pub hooks: HookProgress,
    /// How many restarts the back-off has seen.
    pub backoff_level: u32,
    /// Since when it waits for its requirements, or has waited before the latest start.
    pub waiting_since: Tick,
    /// Its turn has come, and when: nothing but its image holds it back.
    pub turn: Option<Tick>,
    /// When it must have become ready, or its reversal be done, while that is to come.
    pub start_by: Option<Tick>,
    /// When it was last started.
    pub last_start: Tick,
    /// When it was restarted, as far as the restart limit looks back.
    pub recent_restarts: VecDeque<Tick>,
    /// What becomes of it when a stop that is not the pod's has brought it down.
    pub after: Option<After>,
    /// When such a stop reaches it though it is not its turn.
    pub leave_by: Option<Tick>,
    /// Its reversal, while it is owed or runs.
    pub undo: Undo,
    /// The run that ended in a stop of the pod was cut short: it is no success.
    pub interrupted: bool,
    /// A rule said that it counts nowhere any more.
    pub ignored: bool,
}

/// Where a container stands.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum State {
    /// It will be started when its requirements let it.
    #[default]
    Waiting,
    /// It will be tried again.
    BackOff {
        /// When.
        until: Tick,
        /// There was no process the last time; why.
        unstarted: Option<(StartFailure, Box<str>)>,
    },
    /// The start was asked for; there is no answer yet.
    Starting,
    /// Its process runs.
    Running {
        /// Since when.
        since: Tick,
    },
    /// It is being stopped by itself, or in its turn.
    Stopping {
        /// Since when its process has run, if it has.
        since: Option<Tick>,
        /// Who wants it.
        why: StopWhy,
        /// How far it has come.
        step: StopStep,
        /// When its time is up.
        deadline: Tick,
    },
    /// It has ended for good.
    Ended {
        /// As a success.
        ok: bool,
    },
    /// It will not be tried again.
    GaveUp {
        /// Why.
        why: GiveUp,
    },
}

/// Who wants a container stopped.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StopWhy {
    /// The pod, or a stop that propagates: no failure.
    Order,
    /// A probe: a failure whatever the code.
    Probe(ProbeKind),
    /// It was not ready in time: a failure whatever the code.
    StartTimeout,
    /// Its postStart hook failed: a failure whatever the code.
    PostStart,
    /// Somebody asked for its restart.
    Asked,
}

/// How far a stop has come.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StopStep {
    /// A hook is waited for.
    Hook(HookKind),
    /// The signal was asked for.
    Signalled,
}

/// Why a container gave up.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GiveUp {
    /// Too many restarts.
    RestartLimit,
    /// A requirement that must be fulfilled cannot be.
    Requirement {
        /// Who was waited for.
        target: Target,
        /// Until what.
        until: Until,
        /// Why it cannot be.
        why: Impossible,
    },
    /// A target went down, and it says `stop`.
    Stopped,
}

/// What becomes of a container after a stop that is not the pod's. The later one wins.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum After {
    /// It starts when its requirements hold again.
    Restart,
    /// It counts as ended with 0.
    EndOk,
    /// It gives up.
    GiveUp,
}

/// The reversal of a oneshot.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Undo {
    /// Nothing is owed.
    #[default]
    None,
    /// It succeeded and must be reversed at shutdown.
    Owed,
    /// The start of the reversal was asked for.
    Starting,
    /// The reversal runs.
    Running,
    /// The reversal is being stopped: there is no time left.
    Stopping,
}

/// Which hooks were begun, and which of them returned.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HookProgress {
    /// By kind: not begun, begun, returned.
    steps: [HookStep; 3],
}

/// How far a hook has come.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HookStep {
    /// Not begun.
    #[default]
    Idle,
    /// Begun.
    Begun,
    /// Returned, or not waited for any more.
    Done,
}

/// How a run ended.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Termination {
    /// How.
    pub exit: Exit,
    /// When the process began, if there was one.
    pub started: Option<Tick>,
    /// When it was gone.
    pub finished: Tick,
    /// It was killed together with all others, to be run again.
    pub restarting_all: bool,
    /// It waited for its next try, and was shown to, when all were restarted or the pod came to its end: that goes on to be seen.
    #[cfg_attr(feature = "serde", serde(default))]
    pub waited: bool,
    /// It was killed for a failure (a probe, its start timeout, its postStart hook), whatever the code.
    pub killed: bool,
}

/// The image of a container.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) enum Image {
    /// Not asked for.
    #[default]
    Unknown,
    /// Being pulled for this attempt.
    Pulling(Attempt),
    /// There, for this attempt.
    Present(Attempt),
    /// Could not be had; will be tried again.
    Failed {
        /// How often in a row.
        failures: u32,
        /// The driver's words.
        message: Box<str>,
        /// The attempt that the next try was asked for, while it is under way.
        retrying: Option<Attempt>,
    },
}

/// Why a container was not up when it should have been.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum PutOff {
    /// It had crashed, and its back-off was not over.
    Crashed,
    /// Its postStart hook failed.
    PostStart,
    /// The driver could not start it.
    Unstarted(StartFailure, Box<str>),
}

/// The standing of a node in an ordered stop.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) struct StopRole {
    /// It takes part: it is stopped, or something that it requires is.
    pub(crate) in_wave: bool,
    /// It is to be stopped.
    pub(crate) member: bool,
    /// How many of those that require it are not through.
    pub(crate) above: u32,
    /// It and all above it are down.
    pub(crate) released: bool,
}

// === impl Life ===

impl Life {
    /// Whether there is, or may be, a process.
    pub(crate) fn is_up(&self) -> bool {
        self.record.is_up()
    }

    /// The number of its next definition.
    pub(crate) fn next_version(&self) -> u32 {
        self.latest_version.saturating_add(1)
    }

    /// Whether its readiness holds, given what it has.
    pub(crate) fn is_ready(&self, has_probe: bool, has_event: bool) -> bool {
        let record = &self.record;
        record.is_running()
            && record.started
            && (!has_probe || record.probed_ready)
            && (!has_event || record.notified_ready)
    }
}

// === impl Record ===

impl Record {
    /// Whether there is, or may be, a process.
    pub fn is_up(&self) -> bool {
        matches!(
            self.state,
            State::Starting | State::Running { .. } | State::Stopping { .. }
        ) || matches!(self.undo, Undo::Starting | Undo::Running | Undo::Stopping)
    }

    /// Whether there ever was, or may be, a process.
    pub(crate) fn was_created(&self) -> bool {
        self.is_up() || self.exit.is_some() || self.last.is_some()
    }

    /// Whether its own process runs.
    pub fn is_running(&self) -> bool {
        self.running_since().is_some()
    }

    /// Since when its own process has run.
    pub fn running_since(&self) -> Option<Tick> {
        match self.state {
            State::Running { since }
            | State::Stopping {
                since: Some(since), ..
            } => Some(since),
            State::Waiting
            | State::BackOff { .. }
            | State::Starting
            | State::Stopping { since: None, .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => None,
        }
    }

    /// Whether the process of the latest attempt has been seen. A reversal that is being stopped has used up its time,
    /// and counts as seen.
    pub(crate) fn was_seen(&self) -> bool {
        match self.undo {
            Undo::None | Undo::Owed => self.is_running(),
            Undo::Starting => false,
            Undo::Running | Undo::Stopping => true,
        }
    }

    /// Whether it will not be started again by policy.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Ended { .. } | State::GaveUp { .. })
    }

    /// The number of its next run.
    pub(crate) fn next_attempt(&self) -> Attempt {
        self.attempt.saturating_add(1)
    }

    /// Which command the process of the latest attempt runs.
    pub fn command(&self) -> Command {
        match self.undo {
            Undo::None | Undo::Owed => Command::Run,
            Undo::Starting | Undo::Running | Undo::Stopping => Command::Undo,
        }
    }

    /// Forgets what belongs to one attempt.
    pub(crate) fn begin_attempt(&mut self) {
        self.started = false;
        self.probed_ready = false;
        self.notified_ready = false;
        self.hooks = HookProgress::default();
    }
}

// === impl StopWhy ===

impl StopWhy {
    /// Whether the container has failed, whatever its code.
    pub(crate) const fn is_failure(self) -> bool {
        match self {
            Self::Order | Self::Asked => false,
            Self::Probe(_) | Self::StartTimeout | Self::PostStart => true,
        }
    }
}

// === impl HookProgress ===

impl HookProgress {
    /// How far a hook has come.
    pub fn get(&self, hook: HookKind) -> HookStep {
        self.steps[hook as usize]
    }

    pub(crate) fn set(&mut self, hook: HookKind, step: HookStep) {
        self.steps[hook as usize] = step;
    }
}
