//! The fields that Pillion adds to a container.
//!
//! They stand in the container itself or in the pod's annotation; here they are already one.
//! Every field keeps whether it was given: defaults depend on the kind and role of containers,
//! and are applied when the graph is built.

use crate::restart::{Backoff, OnGiveUp};
use crate::word::words;
use std::net::IpAddr;

/// What a container was given beyond Kubernetes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct PillionFields {
    /// `requires`: what must be up, ready or done before it starts.
    pub requires: Option<Vec<Requirement>>,
    /// `oneshot`: it runs to completion.
    pub oneshot: Option<bool>,
    /// `undo`: the command that reverses a oneshot at shutdown.
    pub undo: Option<Vec<String>>,
    /// `rerun`: whether a oneshot runs again when the pod restarts.
    pub rerun: Option<Rerun>,
    /// `sidecar`: its role.
    pub sidecar: Option<bool>,
    /// `keystone`: which of its ends is the end of the pod; `Some(None)` for an explicit `false`.
    pub keystone: Option<Option<Keystone>>,
    /// `backoff`: the waiting between restarts.
    pub backoff: Option<Backoff>,
    /// `onGiveUp`: what it does to the pod when it gave up.
    pub on_give_up: Option<OnGiveUp>,
    /// `provides`: capabilities that others may use.
    pub provides: Option<Vec<String>>,
    /// `uses`: capabilities that it needs.
    pub uses: Option<Vec<Use>>,
    /// `network`: whether it uses the network.
    pub network: Option<Network>,
    /// `phase`: the barrier it belongs to.
    pub phase: Option<Phase>,
    /// `readyOn`: the event that makes it ready.
    pub ready_on: Option<ReadyOn>,
    /// `startTimeoutSeconds`: from its own turn until it is ready, or done.
    pub start_timeout_seconds: Option<u32>,
    /// `stopTimeoutSeconds`: from its own turn until it is killed.
    pub stop_timeout_seconds: Option<u32>,
    /// `listen`: sockets that Pillion holds for it.
    pub listen: Option<Vec<Listen>>,
}

/// An edge to another container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Requirement {
    /// The other container.
    pub container: String,
    /// Which entry of the list it is, those counted that could not be read.
    pub entry: usize,
    /// What to wait for.
    pub until: Option<Until>,
    /// How much it is needed.
    pub need: Option<Need>,
    /// What to do when it restarts or dies later.
    pub on_restart: Option<OnRestart>,
    /// How long to wait, from the target's turn.
    pub timeout_seconds: Option<u32>,
}

/// An edge to whoever provides a capability.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Use {
    /// The capability.
    pub name: String,
    /// Which entry of the list it is, those counted that could not be read.
    pub entry: usize,
    /// How much it is needed.
    pub need: Option<Need>,
    /// What to do when the provider restarts or dies later.
    pub on_restart: Option<OnRestart>,
    /// How long to wait, from the provider's turn.
    pub timeout_seconds: Option<u32>,
}

words! {
    /// What a requirement waits for.
    pub enum Until {
        /// It is up and its readiness holds.
        Ready = "ready",
        /// It runs, its postStart is done and its startup probe passed.
        Started = "started",
        /// It ended for good with 0.
        Succeeded = "succeeded",
        /// It ended for good.
        Exited = "exited",
    }
}

words! {
    /// How much a requirement is needed.
    pub enum Need {
        /// It must hold at every start.
        Hard = "hard",
        /// Wait until it settles, then go on either way.
        Soft = "soft",
        /// Only at the first start, and only while it can still come.
        Order = "order",
    }
}

words! {
    /// What a container does when one that it requires restarts or dies later.
    pub enum OnRestart {
        /// Nothing.
        Keep = "keep",
        /// Stop, and start when the requirement holds again.
        Restart = "restart",
        /// Stop and give up.
        Stop = "stop",
    }
}

words! {
    /// Whether a oneshot runs again.
    pub enum Rerun {
        /// When the whole pod restarts.
        OnPodRestart = "onPodRestart",
        /// Not after it succeeded once.
        Never = "never",
    }
}

words! {
    /// Which end of a keystone ends the pod.
    pub enum Keystone {
        /// Any.
        Any = "any",
        /// With 0.
        Success = "success",
        /// With anything else.
        Failure = "failure",
    }
}

words! {
    /// Whether a container uses the network.
    pub enum Network {
        /// It does, so it waits for its provider.
        Required = "required",
        /// It does not.
        None = "none",
    }
}

/// A barrier: everything of a phase is done or ready before the next begins.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Phase(pub i32);

words! {
    /// The phases that have names.
    pub enum PhaseName {
        /// 10: before there is a network.
        Network = "network",
        /// 20: helpers of the platform.
        ClusterEnv = "clusterEnv",
        /// 30: the app's own preparations.
        AppInit = "appInit",
        /// 40: the app.
        AppRun = "appRun",
    }
}

/// The event that makes a container ready.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ReadyOn {
    /// `READY=1` over `NOTIFY_SOCKET`.
    Notify,
    /// A file that appears.
    File(String),
    /// A line of its output that matches this regular expression.
    LogLine(String),
}

words! {
    /// The one word that `readyOn` takes.
    pub enum ReadyWord {
        /// systemd's protocol.
        Notify = "notify",
    }
}

/// A listening socket that Pillion holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Listen {
    /// What the container knows it by; none unless given.
    pub name: Option<String>,
    /// Where it listens.
    pub address: ListenAddress,
}

/// Where a socket listens.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ListenAddress {
    /// A TCP port, on one address or on all.
    Tcp {
        /// The address; all if not given.
        host: Option<IpAddr>,
        /// The port.
        port: u16,
    },
    /// A unix socket by its absolute path.
    Unix(String),
}

// === impl PillionFields ===

impl PillionFields {
    /// The names of the fields that were given, in the order of the type.
    pub fn given(&self) -> Vec<&'static str> {
        let Self {
            requires,
            oneshot,
            undo,
            rerun,
            sidecar,
            keystone,
            backoff,
            on_give_up,
            provides,
            uses,
            network,
            phase,
            ready_on,
            start_timeout_seconds,
            stop_timeout_seconds,
            listen,
        } = self;
        let given = [
            (requires.is_some(), "requires"),
            (oneshot.is_some(), "oneshot"),
            (undo.is_some(), "undo"),
            (rerun.is_some(), "rerun"),
            (sidecar.is_some(), "sidecar"),
            (keystone.is_some(), "keystone"),
            (backoff.is_some(), "backoff"),
            (on_give_up.is_some(), "onGiveUp"),
            (provides.is_some(), "provides"),
            (uses.is_some(), "uses"),
            (network.is_some(), "network"),
            (phase.is_some(), "phase"),
            (ready_on.is_some(), "readyOn"),
            (start_timeout_seconds.is_some(), "startTimeoutSeconds"),
            (stop_timeout_seconds.is_some(), "stopTimeoutSeconds"),
            (listen.is_some(), "listen"),
        ];
        given
            .into_iter()
            .filter(|(given, _)| *given)
            .map(|(_, name)| name)
            .collect()
    }
}

// === impl PhaseName ===

impl PhaseName {
    /// The number that the name stands for.
    pub fn phase(self) -> Phase {
        Phase(match self {
            Self::Network => 10,
            Self::ClusterEnv => 20,
            Self::AppInit => 30,
            Self::AppRun => 40,
        })
    }
}
