//! A pod's status in the words of Kubernetes: phase, conditions, container states.

use crate::pod::List;
use crate::tick::Tick;
use std::sync::Arc;

/// What `kubectl get pod -o yaml` would show under `status`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PodStatus {
    /// The one-word summary.
    pub phase: Phase,
    /// Why the pod is in that phase, in one word (`DeadlineExceeded`).
    pub reason: Option<Box<str>>,
    /// The same for people.
    pub message: Option<Box<str>>,
    /// In the order in which Kubernetes lists them.
    pub conditions: Vec<Condition>,
    /// All containers, in the order of the pod: init list, regular list, ephemeral ones.
    pub containers: Vec<ContainerStatus>,
}

/// A pod's phase.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Phase {
    /// Something has not started for the first time.
    Pending,
    /// Something runs or will run again.
    Running,
    /// All is down, and well.
    Succeeded,
    /// All is down, and not well.
    Failed,
}

/// One condition of a pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Condition {
    /// `PodReadyToStartContainers`, `Initialized`, `ContainersReady`, `Ready`, …
    pub kind: ConditionKind,
    /// Whether it holds.
    pub status: bool,
    /// Why not, in one word.
    pub reason: Option<&'static str>,
    /// The same for people.
    pub message: Option<Box<str>>,
}

/// The conditions that a pod can have.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ConditionKind {
    /// The sandbox is there.
    PodReadyToStartContainers,
    /// The init list is through.
    Initialized,
    /// Every container is ready.
    ContainersReady,
    /// The pod is ready.
    Ready,
    /// The pod has a place to run; always so for a pod that has an engine.
    PodScheduled,
    /// A rule restarts everything.
    AllContainersRestarting,
}

/// The status of one container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ContainerStatus {
    /// Its name.
    pub name: Box<str>,
    /// The list it stands in.
    pub list: List,
    /// The image it has.
    pub image: Option<Arc<str>>,
    /// Now.
    pub state: ContainerState,
    /// The end of the run before.
    pub last: Option<Terminated>,
    /// Whether its readiness holds.
    pub ready: bool,
    /// Whether its startup is over.
    pub started: bool,
    /// How often it was created again.
    pub restarts: u32,
}

/// The state of one container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ContainerState {
    /// Not running yet, or not running for now.
    Waiting {
        /// `PodInitializing`, `ContainerCreating`, `ImagePullBackOff`, `CrashLoopBackOff`, …
        reason: &'static str,
        /// The same for people.
        message: Option<Box<str>>,
    },
    /// The process runs.
    Running {
        /// Since when.
        since: Tick,
    },
    /// It has ended.
    Terminated(Terminated),
}

/// How a run of a container ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Terminated {
    /// The exit code.
    pub code: i32,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// `Completed`, `Error`, `OOMKilled`, …
    pub reason: Box<str>,
    /// Its termination message.
    pub message: Option<Box<str>>,
    /// When the process began; `None` if there never was one.
    pub started: Option<Tick>,
    /// When it ended.
    pub finished: Tick,
}

// === impl PodStatus ===

impl PodStatus {
    /// The condition of that kind, if the pod has it.
    pub fn condition(&self, kind: ConditionKind) -> Option<&Condition> {
        self.conditions
            .iter()
            .find(|condition| condition.kind == kind)
    }

    /// The status of the container of that name.
    pub fn container(&self, name: &str) -> Option<&ContainerStatus> {
        self.containers
            .iter()
            .find(|container| &*container.name == name)
    }
}

// === impl Phase ===

impl Phase {
    /// As Kubernetes writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
        }
    }
}

// === impl ConditionKind ===

impl ConditionKind {
    /// As Kubernetes writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PodReadyToStartContainers => "PodReadyToStartContainers",
            Self::Initialized => "Initialized",
            Self::ContainersReady => "ContainersReady",
            Self::Ready => "Ready",
            Self::PodScheduled => "PodScheduled",
            Self::AllContainersRestarting => "AllContainersRestarting",
        }
    }
}
