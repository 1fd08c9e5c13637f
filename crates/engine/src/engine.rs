//! The engine itself: owns the containers, dispatches what comes in, queues what goes out.

use crate::action::Action;
use crate::entry::{Entry, Impossible};
use crate::event::{Event, Found, Request};
use crate::fact::Fact;
use crate::pod::{ContainerId, Pod, Target, Until};
use crate::status::{Phase, PodStatus};
use crate::tick::Tick;

/// The lifecycle of one pod.
///
/// The engine does nothing by itself. It has three kinds of methods:
///
/// - `handle_*` takes in something that happened,
/// - `poll_*` hands out something to do,
/// - everything else reads.
///
/// After each `handle_*`, call [`poll_fact`](Self::poll_fact) until it returns `None` and keep what
/// it gave, then [`poll_action`](Self::poll_action) until `None` and do what it says, then wait for
/// the next event or for [`poll_deadline`](Self::poll_deadline). Times never go back.
#[derive(Clone, Debug)]
pub struct Engine {
    pod: Pod,
}

/// How a pod ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PodResult {
    /// Succeeded or Failed.
    pub phase: Phase,
    /// Whose end decided it; `None` if nobody's did (a deletion before anything ran, a deadline).
    pub decider: Option<ContainerId>,
    /// The exit code that stands for the pod: the decider's, else the first failed main's, else 0.
    pub code: i32,
    /// In one word, where Kubernetes has one (`DeadlineExceeded`).
    pub reason: Option<&'static str>,
}

/// Why a request was not taken. Nothing has changed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Refused {
    /// The pod is ending or has ended.
    Ending,
    /// The pod has no such container.
    NoSuchContainer,
    /// Another replacement of the same container is under way.
    Busy,
    /// A dependant would be stopped for good (`onRestart: stop`); `force` does it all the same.
    WouldStop(ContainerId),
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
    /// It lets the container start.
    Satisfied,
    /// It may still come.
    Pending,
    /// It cannot come any more.
    Impossible(Impossible),
}

// === impl Engine ===

impl Engine {
    /// Takes a pod in at that time. Images are pulled at once; nothing starts before `SandboxReady`.
    ///
    /// The graph must have been checked.
    pub fn new(pod: Pod, _now: Tick) -> Self {
        Self { pod }
    }

    /// Brings back the engine of a pod from what was kept. Call [`expected`](Self::expected), tell
    /// what was found of each with [`handle_found`](Self::handle_found), then [`handle_resume`](Self::handle_resume).
    pub fn restore(pod: Pod, _facts: impl IntoIterator<Item = Fact>) -> Self {
        Self { pod }
    }

    /// The containers that may be alive, as far as the facts tell.
    pub fn expected(&self) -> Vec<ContainerId> {
        Vec::new()
    }

    /// Takes in what the driver found of one container.
    pub fn handle_found(&mut self, _now: Tick, _container: ContainerId, _found: Found) {}

    /// Goes on after recovery.
    pub fn handle_resume(&mut self, _now: Tick) {}

    /// Takes in something that happened.
    pub fn handle_event(&mut self, _now: Tick, _event: Event) {}

    /// Takes in something that is wanted.
    pub fn handle_request(&mut self, _now: Tick, _request: Request) -> Result<(), Refused> {
        Ok(())
    }

    /// Does what has become due.
    pub fn handle_timeout(&mut self, _now: Tick) {}

    /// The next fact to keep, before any action is carried out.
    #[must_use]
    pub fn poll_fact(&mut self) -> Option<Fact> {
        None
    }

    /// The next action to carry out.
    #[must_use]
    pub fn poll_action(&mut self) -> Option<Action> {
        None
    }

    /// The next entry of the timeline.
    #[must_use]
    pub fn poll_entry(&mut self) -> Option<Entry> {
        None
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub fn poll_deadline(&self) -> Option<Tick> {
        None
    }

    /// The pod that is run; replaced containers are the new ones.
    pub fn pod(&self) -> &Pod {
        &self.pod
    }

    /// The requirements of a container and how each stands.
    pub fn waits(&self, _container: ContainerId) -> Vec<Wait> {
        Vec::new()
    }

    /// The pod's status as Kubernetes would show it.
    pub fn status(&self) -> PodStatus {
        PodStatus {
            phase: Phase::Pending,
            reason: None,
            message: None,
            conditions: Vec::new(),
            containers: Vec::new(),
        }
    }

    /// How the pod ended, once everything is down.
    pub fn result(&self) -> Option<&PodResult> {
        None
    }
}
