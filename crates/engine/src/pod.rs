//! What the engine is told about a pod: containers, edges, policies, as plain data.
//!
//! Everything here is final: defaults are filled in, dialects are translated, names are
//! resolved to ids. Building it from a pod file is the job of the `spec` crate; checking it
//! (cycles, ids in range) too.

use std::sync::Arc;
use std::time::Duration;

/// However late its turn comes, a container has this long between the signal and the kill. The kubelet gives as much.
pub const LAST_WINDOW: Duration = Duration::from_secs(2);
/// Every ordered stop of the pod has at least this long, as under the kubelet.
pub const SHORTEST_GRACE: Duration = Duration::from_secs(1);

/// The position of a container in [`Pod::containers`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContainerId(pub u32);

/// The position of a barrier in [`Pod::barriers`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BarrierId(pub u32);

/// A pod, ready to be run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pod {
    /// The pod's name, for messages only.
    pub name: Box<str>,
    /// The init list first, then the regular list, then ephemeral ones; each in file order.
    pub containers: Vec<Container>,
    /// Meeting points: many requirements that others wait for as one.
    pub barriers: Vec<Barrier>,
    /// The pod's own policy, which decides what a lost sandbox means.
    pub restart_policy: RestartPolicy,
    /// The budget of every ordered stop.
    pub grace: Duration,
    /// The pod fails when it has been active this long.
    pub active_deadline: Option<Duration>,
    /// So many restarts are allowed to all containers together; the pod fails when one that has no limit of its own would be
    /// restarted once more.
    pub restart_limit: Option<u32>,
    /// Between whole-pod restarts.
    pub backoff: Backoff,
}

/// One container of a pod.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Container {
    /// Unique in the pod.
    pub name: Box<str>,
    /// Which of the pod's lists it stands in.
    pub list: List,
    /// Whether it runs until stopped or to completion.
    pub kind: Kind,
    /// Whether it keeps the pod alive and decides its result.
    pub role: Role,
    /// No Pillion field was given: behaves exactly as under the kubelet (its preStop hook runs
    /// when the pod begins to stop, and it is not restarted in an ending pod).
    pub plain: bool,
    /// The image to pull before each start; `None` where the driver has no images.
    pub image: Option<Arc<str>>,
    /// Edges to what it requires.
    pub requires: Vec<Requirement>,
    /// Ends the pod when it ends in this way.
    pub keystone: Option<Keystone>,
    /// What happens after an exit.
    pub restart: Restart,
    /// What giving up does to the pod.
    pub on_give_up: OnGiveUp,
    /// Periodic checks.
    pub probes: Probes,
    /// The container tells by an event when it is ready.
    pub ready_on: bool,
    /// Hooks that exist.
    pub hooks: Hooks,
    /// From its turn until ready (a oneshot: until its end); then it is killed.
    pub start_timeout: Option<Duration>,
    /// From its turn to stop until it is killed; never more than the budget leaves.
    pub stop_timeout: Option<Duration>,
}

/// The list of the pod that a container stands in.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum List {
    /// `initContainers`
    Init,
    /// `containers`
    Regular,
    /// `ephemeralContainers`
    Ephemeral,
}

/// Whether a container runs until stopped or to completion.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Runs until stopped.
    Service,
    /// Runs to completion.
    Oneshot {
        /// There is a command that reverses it at shutdown.
        undo: bool,
        /// Whether a pod restart runs it again.
        rerun: Rerun,
    },
}

/// Whether a whole-pod restart runs a succeeded oneshot again.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rerun {
    /// Again at each pod restart.
    OnPodRestart,
    /// Once in the pod's life.
    Never,
}

/// What a container is to its pod.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Role {
    /// Keeps the pod alive and decides its result.
    Main,
    /// Does neither.
    Sidecar,
    /// For debugging: never restarted, never counted, in no order.
    Ephemeral,
}

/// An edge: something must be so before this container starts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Requirement {
    /// Who is waited for.
    pub target: Target,
    /// What is waited for.
    pub until: Until,
    /// How strong the wait is.
    pub need: Need,
    /// What happens to this container when the target goes down later.
    pub on_restart: OnRestart,
    /// How long the wait may last, from the target's turn.
    pub timeout: Option<Duration>,
    /// Whether it counts at start, at stop, or both.
    pub scope: Scope,
    /// Where the edge comes from, for people.
    pub origin: Origin,
}

/// The far end of an edge.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// A container.
    Container(ContainerId),
    /// A meeting point.
    Barrier(BarrierId),
}

/// A condition on a target. Towards a barrier only [`Until::Settled`] has a meaning.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Until {
    /// Its start was tried: the process runs and postStart returned, or the attempt failed.
    Attempted,
    /// The process runs, postStart is done and the startup probe passed. Stays true for a oneshot.
    Started,
    /// Started, and readiness holds.
    Ready,
    /// Ended for good with 0.
    Succeeded,
    /// Ended for good.
    Exited,
    /// Every edge of the barrier lets through.
    Settled,
}

/// How strong a requirement is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Need {
    /// Must hold at every start.
    Hard,
    /// Wait until it settles, then go on either way.
    Soft,
    /// For the first start in a run of the pod only: wait while the target can still come up.
    Order,
}

/// What a dependant does when its target goes down after the requirement had held.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OnRestart {
    /// Nothing.
    Keep,
    /// Stop, and start when the requirement holds again.
    Restart,
    /// Stop and give up.
    Stop,
}

/// The part of life in which an edge counts.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scope {
    /// Start and stop.
    Both,
    /// No say in the stop order.
    StartOnly,
    /// Only the stop order: gates no start.
    StopOnly,
}

/// Where an edge comes from, so that people can be told.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Origin {
    /// Written as `requires`.
    Written,
    /// By a capability (`uses`).
    Capability,
    /// Everybody uses the network.
    Network,
    /// The order of a list in a plain pod.
    ListOrder,
    /// A phase barrier.
    Phase,
    /// KEP-753 container types.
    ContainerType,
    /// OpenKruise launch priority.
    LaunchPriority,
    /// Sidecars are stopped after mains.
    Role,
}

/// A meeting point: what requires it waits until all its own requirements let through, and they
/// are stopped when all that require it are down.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Barrier {
    /// For people: `phase 10`, `mains`.
    pub name: Box<str>,
    /// What the barrier gathers.
    pub requires: Vec<Requirement>,
}

/// The way of ending that ends the pod.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keystone {
    /// However it ends for good.
    Any,
    /// Ended for good with 0.
    Success,
    /// Ended for good with another code, or gave up.
    Failure,
}

/// What happens after an exit.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Restart {
    /// Applies when no rule matches.
    pub policy: RestartPolicy,
    /// First match wins.
    pub rules: Vec<Rule>,
    /// Time between restarts.
    pub backoff: Backoff,
    /// When restarts are too many, the container gives up.
    pub limit: Option<RestartLimit>,
    /// When it ends for good without success, however that came, the whole pod is run again.
    pub failure_restarts_pod: bool,
}

/// Whether an exited container is started again.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RestartPolicy {
    /// Whatever the code (a oneshot: after a failure).
    Always,
    /// After a failure.
    OnFailure,
    /// Not.
    Never,
}

/// A reaction to certain exits.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// Which exits.
    pub when: When,
    /// What then.
    pub reaction: Reaction,
}

/// Which exits a rule is about.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum When {
    /// The exit code is one of these.
    CodeIn(Vec<i32>),
    /// The exit code is none of these.
    CodeNotIn(Vec<i32>),
    /// Killed by one of these signals.
    Signal(Vec<i32>),
    /// Killed for want of memory.
    OomKilled,
}

/// What a rule, or a request, makes happen.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reaction {
    /// Start it again after back-off, whatever the policy.
    Restart,
    /// Kill all at once, run everything again.
    RestartAllContainers,
    /// Ordered stop, ordered start.
    RestartPod,
    /// Ordered stop; the pod is Failed.
    FailPod,
    /// Ordered stop; the pod is Succeeded.
    CompletePod,
    /// It stays down and counts nowhere.
    Ignore,
}

/// Time between restarts: at once, then `initial`, growing by `factor` up to `max`; forgotten after
/// a run of `reset`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Backoff {
    /// The second restart waits this long.
    pub initial: Duration,
    /// Each wait is so many thousandths of the one before: 2000 doubles it. Never below 1000.
    pub factor: u32,
    /// No restart waits longer.
    pub max: Duration,
    /// A run longer than this starts the count anew.
    pub reset: Duration,
}

/// More than `max` restarts within `window` and the container gives up.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RestartLimit {
    /// So many are allowed.
    pub max: u32,
    /// In this time; `None` counts over the whole run of the pod.
    pub window: Option<Duration>,
}

/// What giving up does to the pod.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OnGiveUp {
    /// Ends it, Failed.
    FailPod,
    /// It is not Ready any more.
    Unready,
    /// Nothing: neither result nor readiness.
    Ignore,
}

/// The probes of a container.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Probes {
    /// Until it passed, the container has not started.
    pub startup: Option<Probe>,
    /// A level: ready or not.
    pub readiness: Option<Probe>,
    /// When it fails, the container is killed.
    pub liveness: Option<Probe>,
}

/// Which probe.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ProbeKind {
    /// Has it started?
    Startup,
    /// May it be used?
    Readiness,
    /// Does it still work?
    Liveness,
}

/// The timing and thresholds of a probe. The driver knows how to run one attempt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Probe {
    /// No attempt earlier than this after the process started.
    pub initial_delay: Duration,
    /// Between attempts.
    pub period: Duration,
    /// An attempt that takes longer has failed; the driver sees to it.
    pub timeout: Duration,
    /// So many successes in a row to pass.
    pub success_threshold: u32,
    /// So many failures in a row to fail.
    pub failure_threshold: u32,
    /// The grace of the kill that a failure causes, instead of the pod's.
    pub grace: Option<Duration>,
}

/// The hooks of a container: which exist. The driver knows how to run them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hooks {
    /// Run right after the start; the container has not started until it returns.
    pub post_start: bool,
    /// Run before the stop signal.
    pub pre_stop: bool,
    /// Run in every container at once when the pod begins to stop.
    pub pod_stopping: bool,
}

/// Which hook.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HookKind {
    /// Right after the start.
    PostStart,
    /// Before the stop signal.
    PreStop,
    /// When the pod begins to stop.
    PodStopping,
}

// === impl ContainerId ===

impl ContainerId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

// === impl BarrierId ===

impl BarrierId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

// === impl Container ===

impl Container {
    /// A main service of that name with Kubernetes' defaults under the given policy.
    pub fn new(name: &str, policy: RestartPolicy) -> Self {
        Self {
            name: name.into(),
            list: List::Regular,
            kind: Kind::Service,
            role: Role::Main,
            plain: false,
            image: None,
            requires: Vec::new(),
            keystone: None,
            restart: Restart {
                policy,
                rules: Vec::new(),
                backoff: Backoff::default(),
                limit: None,
                failure_restarts_pod: false,
            },
            on_give_up: OnGiveUp::FailPod,
            probes: Probes::default(),
            ready_on: false,
            hooks: Hooks::default(),
            start_timeout: None,
            stop_timeout: None,
        }
    }

    /// Whether it runs to completion.
    pub const fn is_oneshot(&self) -> bool {
        matches!(self.kind, Kind::Oneshot { .. })
    }

    /// Whether it has a command that reverses it.
    pub const fn has_undo(&self) -> bool {
        matches!(self.kind, Kind::Oneshot { undo: true, .. })
    }

    /// The condition that a requirement on it waits for unless it says otherwise.
    pub const fn default_until(&self) -> Until {
        match self.kind {
            Kind::Service => Until::Ready,
            Kind::Oneshot { .. } => Until::Succeeded,
        }
    }
}

// === impl Keystone ===

impl Keystone {
    /// Whether an end for good, as a success or not, is one that it names.
    pub const fn names(self, ok: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Success => ok,
            Self::Failure => !ok,
        }
    }
}

// === impl Requirement ===

impl Requirement {
    /// A hard edge with nothing special.
    pub const fn hard(target: Target, until: Until) -> Self {
        Self {
            target,
            until,
            need: Need::Hard,
            on_restart: OnRestart::Keep,
            timeout: None,
            scope: Scope::Both,
            origin: Origin::Written,
        }
    }

    /// Whether it gates starts.
    pub const fn gates_start(&self) -> bool {
        !matches!(self.scope, Scope::StopOnly)
    }

    /// Whether it orders stops.
    pub const fn orders_stop(&self) -> bool {
        !matches!(self.scope, Scope::StartOnly)
    }

    /// Whether what has become of it so far can decide anything later.
    pub(crate) const fn has_past(&self) -> bool {
        !matches!(self.on_restart, OnRestart::Keep) || self.timeout.is_some()
    }
}

// === impl Backoff ===

impl Default for Backoff {
    /// As the kubelet does it.
    fn default() -> Self {
        Self {
            initial: Duration::from_secs(10),
            factor: 2000,
            max: Duration::from_mins(5),
            reset: Duration::from_mins(10),
        }
    }
}

// === impl Probes ===

impl Probes {
    /// The probe of that kind, if there is one.
    pub const fn get(&self, kind: ProbeKind) -> Option<&Probe> {
        match kind {
            ProbeKind::Startup => self.startup.as_ref(),
            ProbeKind::Readiness => self.readiness.as_ref(),
            ProbeKind::Liveness => self.liveness.as_ref(),
        }
    }
}

// === impl ProbeKind ===

impl ProbeKind {
    /// Every kind, in the order of life.
    pub const ALL: [Self; 3] = [Self::Startup, Self::Readiness, Self::Liveness];
}

// === impl Probe ===

impl Default for Probe {
    /// As Kubernetes fills it in.
    fn default() -> Self {
        Self {
            initial_delay: Duration::ZERO,
            period: Duration::from_secs(10),
            timeout: Duration::from_secs(1),
            success_threshold: 1,
            failure_threshold: 3,
            grace: None,
        }
    }
}
