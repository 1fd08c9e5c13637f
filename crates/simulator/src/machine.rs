//! What a player needs of an engine.
//!
//! The trait has the engine's own methods and nothing else. It exists so that a test can put an
//! engine with a flaw, or one made by hand, in the place of the real one.

use pillion_engine::{
    Action, ContainerId, Engine, Entry, Event, Fact, Found, Pod, PodResult, PodStatus, Refused,
    Request, Tick,
};

/// Something that decides what happens to the containers of a pod.
pub trait Machine: Sized {
    /// Takes a pod in, or says why it cannot be run.
    fn create(pod: Pod, now: Tick) -> Result<Self, Unplayable>;
    /// Comes back from what was kept.
    fn restore(pod: Pod, facts: Vec<Fact>) -> Result<Self, Unplayable>;
    /// The containers that may be alive.
    fn expected(&self) -> Vec<ContainerId>;
    /// Takes in what was found of one of them.
    fn handle_found(&mut self, now: Tick, container: ContainerId, found: Found);
    /// Goes on after recovery.
    fn handle_resume(&mut self, now: Tick);
    /// Takes in something that happened.
    fn handle_event(&mut self, now: Tick, event: Event);
    /// Takes in something that is wanted.
    fn handle_request(&mut self, now: Tick, request: Request) -> Result<(), Refused>;
    /// Does what has become due.
    fn handle_timeout(&mut self, now: Tick);
    /// The next fact to keep.
    #[must_use]
    fn poll_fact(&mut self) -> Option<Fact>;
    /// The next action to carry out.
    #[must_use]
    fn poll_action(&mut self) -> Option<Action>;
    /// The next entry of the timeline.
    #[must_use]
    fn poll_entry(&mut self) -> Option<Entry>;
    /// When something becomes due.
    #[must_use]
    fn poll_deadline(&self) -> Option<Tick>;
    /// The pod as it is run now.
    fn pod(&self) -> &Pod;
    /// The pod's status.
    fn status(&self) -> PodStatus;
    /// How the pod ended.
    fn result(&self) -> Option<&PodResult>;
}

/// The pod cannot be run at all.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the pod cannot be played: {0}")]
pub struct Unplayable(pub String);

// === impl Unplayable ===

impl Unplayable {
    fn new(why: impl std::fmt::Display) -> Self {
        Self(why.to_string())
    }
}

// === impl Engine ===

impl Machine for Engine {
    fn create(pod: Pod, now: Tick) -> Result<Self, Unplayable> {
        Self::new(pod, now).map_err(Unplayable::new)
    }

    fn restore(pod: Pod, facts: Vec<Fact>) -> Result<Self, Unplayable> {
        Self::restore(pod, facts).map_err(Unplayable::new)
    }

    fn expected(&self) -> Vec<ContainerId> {
        self.expected()
    }

    fn handle_found(&mut self, now: Tick, container: ContainerId, found: Found) {
        self.handle_found(now, container, found);
    }

    fn handle_resume(&mut self, now: Tick) {
        self.handle_resume(now);
    }

    fn handle_event(&mut self, now: Tick, event: Event) {
        self.handle_event(now, event);
    }

    fn handle_request(&mut self, now: Tick, request: Request) -> Result<(), Refused> {
        self.handle_request(now, request)
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.handle_timeout(now);
    }

    fn poll_fact(&mut self) -> Option<Fact> {
        self.poll_fact()
    }

    fn poll_action(&mut self) -> Option<Action> {
        self.poll_action()
    }

    fn poll_entry(&mut self) -> Option<Entry> {
        self.poll_entry()
    }

    fn poll_deadline(&self) -> Option<Tick> {
        self.poll_deadline()
    }

    fn pod(&self) -> &Pod {
        self.pod()
    }

    fn status(&self) -> PodStatus {
        self.status()
    }

    fn result(&self) -> Option<&PodResult> {
        self.result()
    }
}
