//! Everything that can happen to a pod, and everything that can be asked of it.

use crate::pod::{Container, ContainerId, HookKind, ProbeKind, Reaction};
use std::time::Duration;

/// Which run of a container. The first is 1; 0 stands for "not yet".
///
/// Every event and action carries it, and events of an old attempt are dropped: that is how a
/// container never has two live processes, and a late message never does harm.
pub type Attempt = u32;

/// Something that happened, as the driver saw it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event {
    /// Namespaces, volumes and network are there: containers can be started.
    SandboxReady,
    /// They are gone, and every process with them (the machine was restarted, say).
    SandboxLost,
    /// The image that the attempt needs is there.
    Pulled {
        /// Whose image.
        container: ContainerId,
        /// For which run.
        attempt: Attempt,
    },
    /// The image could not be had this time.
    PullFailed {
        /// Whose image.
        container: ContainerId,
        /// For which run.
        attempt: Attempt,
        /// What the driver knows of the reason.
        message: Box<str>,
    },
    /// The process runs.
    Started {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
    },
    /// There never was a process.
    StartFailed {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// At which step.
        reason: StartFailure,
        /// What the driver knows of it.
        message: Box<str>,
    },
    /// The process, and all that it started, is gone.
    Exited {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// How it ended.
        exit: Exit,
    },
    /// A hook returned, or could not be run.
    HookDone {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// Which hook.
        hook: HookKind,
        /// Whether it did what it should.
        ok: bool,
    },
    /// One attempt of a probe answered, or timed out.
    Probed {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// Which probe.
        probe: ProbeKind,
        /// The answer.
        ok: bool,
    },
    /// The container itself told whether it is ready (`readyOn`).
    Notified {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// What it told.
        ready: bool,
    },
}

/// How a process ended.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exit {
    /// The exit code; 128 + n after signal n.
    pub code: i32,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// It was killed for want of memory.
    pub oom: bool,
    /// The reason to show if it is another than the code tells (`StartError`, `ContainerStatusUnknown`).
    pub reason: Option<Box<str>>,
    /// Its termination message.
    pub message: Option<Box<str>>,
}

/// The step at which a start failed, named as Kubernetes names it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StartFailure {
    /// Something it needs is missing (a `ConfigMap`, a Secret).
    CreateContainerConfigError,
    /// The runtime could not create it.
    CreateContainerError,
    /// The runtime could not start it.
    RunContainerError,
}

/// Something that is wanted of the pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Request {
    /// End it. Asked again, the grace period can only get shorter.
    Delete {
        /// `None`: the pod's own.
        grace: Option<Duration>,
    },
    /// A reaction, asked for by a container or from outside. [`Reaction::Restart`] restarts the container that asks.
    Ask {
        /// What should happen.
        reaction: Reaction,
        /// Who asks.
        by: Option<ContainerId>,
        /// Why, for people.
        reason: Box<str>,
    },
    /// Exchange one container in place.
    Replace {
        /// Which.
        container: ContainerId,
        /// The new one: same name, list, kind, role and edges.
        with: Box<Container>,
        /// How long it may take to become ready before the old one is put back.
        timeout: Option<Duration>,
        /// Even if a dependant says `onRestart: stop`.
        force: bool,
    },
    /// Start a debugging container beside the others.
    AddEphemeral(Box<Container>),
}

/// What the driver found of a container after it came back.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Found {
    /// It runs.
    Running {
        /// Which run.
        attempt: Attempt,
    },
    /// It has ended; without an exit if nobody knows how.
    Ended {
        /// Which run.
        attempt: Attempt,
        /// How, if known.
        exit: Option<Exit>,
    },
    /// The start that was asked for never happened.
    NeverCreated,
}

// === impl Event ===

impl Event {
    /// Which container it is about, and which run of it.
    pub const fn container(&self) -> Option<(ContainerId, Attempt)> {
        match *self {
            Self::SandboxReady | Self::SandboxLost => None,
            Self::Pulled { container, attempt }
            | Self::PullFailed {
                container, attempt, ..
            }
            | Self::Started { container, attempt }
            | Self::StartFailed {
                container, attempt, ..
            }
            | Self::Exited {
                container, attempt, ..
            }
            | Self::HookDone {
                container, attempt, ..
            }
            | Self::Probed {
                container, attempt, ..
            }
            | Self::Notified {
                container, attempt, ..
            } => Some((container, attempt)),
        }
    }
}

// === impl Exit ===

impl Exit {
    /// Ended by itself with this code.
    pub fn code(code: i32) -> Self {
        Self {
            code,
            ..Self::default()
        }
    }

    /// Killed by this signal.
    pub fn signal(signal: i32) -> Self {
        Self {
            code: 128 + signal,
            signal: Some(signal),
            ..Self::default()
        }
    }

    /// Killed for want of memory.
    pub fn out_of_memory() -> Self {
        Self {
            oom: true,
            ..Self::signal(9)
        }
    }

    /// Gone, and nobody knows how.
    pub fn unknown() -> Self {
        Self {
            code: 137,
            reason: Some(UNKNOWN.into()),
            ..Self::default()
        }
    }

    /// Whether it counts as a success.
    pub const fn is_success(&self) -> bool {
        self.code == 0
    }
}

// === impl StartFailure ===

impl StartFailure {
    /// The reason as Kubernetes shows it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreateContainerConfigError => "CreateContainerConfigError",
            Self::CreateContainerError => "CreateContainerError",
            Self::RunContainerError => "RunContainerError",
        }
    }
}

/// The kubelet's reason for an end that nobody saw.
pub(crate) const UNKNOWN: &str = "ContainerStatusUnknown";
