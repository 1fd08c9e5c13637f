//! What must be remembered so that the engine of a pod can be brought back after its driver died.
//!
//! A fact is a state, not an input: the newest change of a container says all there is to know of it.
//! All that one step changes is one fact, to be kept whole or not at all, and it is handed out before
//! the step's actions, so that nothing is done that was not written down.

use crate::life::{Record, State, Undo};
use crate::pod::{Container, ContainerId, Reaction};
use crate::result::PodResult;
use crate::tick::Tick;

/// What one step changed: the driver writes it down before it carries out the actions that follow.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fact {
    /// When it became so.
    pub at: Tick,
    /// In the order in which they count; never empty.
    pub changes: Vec<Change>,
}

/// One thing that is so from now on.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Change {
    /// Where a container stands now.
    Container(ContainerId, Box<Record>),
    /// Where the pod stands now.
    Pod(Box<PodRecord>),
    /// A replacement of this container has come this far; `None` when it is over.
    Replacing(ContainerId, Option<Box<Replacing>>),
    /// This is the container's definition from now on, under that version number.
    Defined(ContainerId, u32, Box<Container>),
    /// What has become of a requirement, by its number in the pod's graph.
    Requirement(u32, RequirementRecord),
}

/// What must be remembered of a requirement whose past counts.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RequirementRecord {
    /// It has been fulfilled since the target last went down.
    pub held: bool,
    /// It was lost with its target, and its container stopped: it counts for the next start whatever its need.
    pub anew: bool,
    /// It was waited for long enough, for this start.
    pub timed_out: bool,
    /// When it will have been waited for long enough.
    pub deadline: Option<Tick>,
}

/// What must be remembered of the pod as a whole.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PodRecord {
    /// Which run of the pod; the first is 1.
    pub run: u32,
    /// Where it is going.
    pub goal: Goal,
    /// The init list has been through once.
    pub initialized: bool,
    /// It was through when all containers were restarted at once, whether or not anything has run after it. An ordered restart,
    /// which no kubelet knows, says nothing of it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub stays_initialized: bool,
    /// Containers can be started.
    pub sandbox: bool,
    /// When the engine took the pod in.
    pub created: Tick,
    /// When the latest run began.
    pub run_began: Tick,
    /// How many restarts of the whole pod the back-off has seen.
    pub backoff_level: u32,
    /// How the pod ended.
    pub result: Option<PodResult>,
}

/// Where a pod is going. It only moves down this list, but for a restart that leads to a new run.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Goal {
    /// Up.
    Run,
    /// Down, and up again.
    Restart {
        /// Everything is killed at once, as Kubernetes does it.
        at_once: bool,
        /// The end of the budget.
        deadline: Tick,
        /// All is down, and the next run begins then.
        waiting: Option<Tick>,
    },
    /// Down.
    End {
        /// The first cause decides the result.
        cause: EndCause,
        /// The end of the budget.
        deadline: Tick,
    },
}

/// Why a pod ends.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EndCause {
    /// It was deleted.
    Deletion,
    /// Every main has ended.
    Completion,
    /// A keystone ended.
    Keystone(ContainerId),
    /// A rule, a request or a container that gave up says how it ends.
    Told {
        /// As a success.
        ok: bool,
        /// Whose rule, request or giving up.
        by: Option<ContainerId>,
        /// By what means.
        reaction: Option<Reaction>,
    },
    /// It was active too long.
    ActiveDeadline,
    /// Its sandbox was lost and it may not be started again.
    SandboxLost,
}

/// A replacement that is under way.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Replacing {
    /// What to put in place.
    pub new: Container,
    /// Its version.
    pub new_version: u32,
    /// What to put back if need be.
    pub old: Container,
    /// Its version.
    pub old_version: u32,
    /// How far it has come.
    pub step: ReplaceStep,
    /// How long the new one has to become ready.
    pub timeout: std::time::Duration,
    /// When the step that is under way must be over, if it has a limit of its own.
    pub deadline: Option<Tick>,
}

/// How far a replacement has come.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ReplaceStep {
    /// The new definition is taken when the container, which must not be cut short, starts again.
    NextStart,
    /// The new image is pulled while the old container runs.
    Pulling,
    /// The old container, and those that restart with it, are being stopped.
    Stopping,
    /// The new container must become ready.
    Watching,
    /// The new container is being stopped, to put the old one back.
    RollingBack,
}

// === impl Change ===

impl Change {
    /// In one word, for a journal that people read.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pod(pod) => pod.goal.name(),
            Self::Replacing(_, Some(_)) => "replacing",
            Self::Replacing(_, None) => "replacement-over",
            Self::Defined(..) => "defined",
            Self::Requirement(..) => "requirement",
            Self::Container(_, record) => match (&record.undo, &record.state) {
                (Undo::Starting, _) => "undo-asked",
                (Undo::Running, _) => "undo-running",
                (Undo::Stopping, _) => "undo-stopping",
                (Undo::None | Undo::Owed, state) => state.name(),
            },
        }
    }
}

// === impl Goal ===

impl Goal {
    fn name(&self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Restart { .. } => "restart-began",
            Self::End { .. } => "stop-began",
        }
    }

    /// The end of the budget of the stop that is under way.
    pub fn deadline(&self) -> Option<Tick> {
        match self {
            Self::Run => None,
            Self::Restart { deadline, .. } | Self::End { deadline, .. } => Some(*deadline),
        }
    }
}

// === impl State ===

impl State {
    fn name(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::BackOff { .. } => "back-off",
            Self::Starting => "start-asked",
            Self::Running { .. } => "running",
            Self::Stopping { .. } => "stop-asked",
            Self::Ended { ok: true } => "succeeded",
            Self::Ended { ok: false } => "failed",
            Self::GaveUp { .. } => "gave-up",
        }
    }
}
