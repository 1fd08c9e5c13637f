//! How a pod ended, and what a request is answered.

use crate::entry::Impossible;
use crate::pod::{ContainerId, Target, Until};
use crate::status::Phase;
use crate::tick::Tick;
use std::fmt;

/// How a pod ended.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PodResult {
    /// Succeeded or Failed.
    pub phase: Phase,
    /// Whose end decided it; `None` if nobody's did (a deletion before anything ran, a deadline).
    pub decider: Option<ContainerId>,
    /// The exit code that stands for the pod: the decider's, else the first failed main's, else 0.
    pub code: i32,
    /// In one word, where Kubernetes has one (`DeadlineExceeded`).
    pub reason: Option<PodReason>,
}

/// Why a pod ended, where Kubernetes has a word for it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PodReason {
    /// It was active too long.
    DeadlineExceeded,
}

/// Why a request was not taken. Nothing has changed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Refused {
    /// The pod is ending or has ended.
    Ending,
    /// The pod is being restarted; it can be asked again when it runs.
    Restarting,
    /// The pod has no such container.
    NoSuchContainer,
    /// Another replacement of the same container is under way.
    Busy,
    /// A dependant would be stopped for good (`onRestart: stop`); `force` does it all the same.
    WouldStop(ContainerId),
    /// The pod has a container of that name.
    NameTaken,
    /// A debugging container is started once, and never counts.
    Ephemeral,
    /// The new container differs in its name, list, kind, role or edges.
    OtherShape,
}

/// One requirement of a container that has not started, and how it stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Wait {
    /// Who is waited for.
    pub target: Target,
    /// Until what.
    pub until: Until,
    /// How it stands.
    pub state: WaitState,
    /// Since when the container waits.
    pub since: Tick,
}

/// How a requirement stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum WaitState {
    /// It is fulfilled.
    Satisfied,
    /// It may still come.
    Pending,
    /// It cannot come any more.
    Impossible(Impossible),
}

// === impl PodReason ===

impl PodReason {
    /// As Kubernetes shows it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DeadlineExceeded => "DeadlineExceeded",
        }
    }
}

// === impl Refused ===

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ending => "the pod is ending",
            Self::Restarting => "the pod is being restarted: ask again when it runs",
            Self::NoSuchContainer => "the pod has no such container",
            Self::Busy => "another replacement of this container is under way",
            Self::WouldStop(_) => "a container that requires this one would be stopped for good",
            Self::NameTaken => "the pod has a container of that name",
            Self::Ephemeral => "a debugging container is started once, and never counts",
            Self::OtherShape => {
                "a replacement must keep the name, list, kind, role and edges of the container"
            }
        })
    }
}

impl std::error::Error for Refused {}
