//! The life of a pod about which nothing special is said.
//!
//! Who has no scenario wants to see a whole life: everything comes up, works for a while, and is
//! stopped in order. And who asks "what if the proxy dies after three seconds?" wants to see just
//! that, without writing down what everybody else does.

use crate::act::{Act, Deed, When};
use crate::actor::Script;
use crate::check::status::StatusPart;
use crate::scenario::Scenario;
use pillion_engine::Pod;
use pillion_engine::pod::{Container, Kind};
use std::time::Duration;

/// What runs to completion takes this long.
const ONESHOT: Duration = Duration::from_secs(1);

/// A pod that has been ready this long has shown what there is to see.
const READY: Duration = Duration::from_secs(5);

/// What a container does if nothing is said about it: a service runs until it is stopped, a oneshot
/// succeeds.
pub fn script(container: &Container) -> Script {
    match container.kind {
        Kind::Service => Script::default(),
        Kind::Oneshot { .. } => Script::runs(ONESHOT, 0),
    }
}

// === impl Scenario ===

impl Scenario {
    /// The pod comes up, is ready for a while and is deleted, unless it ends by itself.
    pub fn whole_life(pod: Pod) -> Self {
        Self::new(pod).with_usual_scripts().with_usual_end()
    }

    /// Says of every container of which nothing is said what is usual.
    #[must_use]
    pub fn with_usual_scripts(mut self) -> Self {
        for container in &self.pod.containers {
            let name = container.name.clone();
            self.scripts
                .entry(name)
                .or_insert_with(|| script(container));
        }
        self
    }

    /// Deletes the pod in the end, when it has been ready for a while, unless an act does.
    #[must_use]
    pub fn with_usual_end(self) -> Self {
        let deletes = |act: &Act| matches!(act.deed, Some(Deed::Delete { .. }));
        if self.acts.iter().any(deletes) {
            return self;
        }
        let ready = When::status(StatusPart::condition("Ready", true));
        self.act(Act {
            holds_for: READY,
            ..Act::new(Deed::Delete { grace: None }).when(ready)
        })
    }

    /// Adds acts that have a time, in the order of their times.
    #[must_use]
    pub fn with_timed_acts(mut self, mut acts: Vec<Act>) -> Self {
        acts.sort_by_key(|act| act.not_before);
        acts.append(&mut self.acts);
        self.acts = acts;
        self
    }
}
