//! Containers of which nobody knows how they ended.
//!
//! A kubelet that is through with a pod leaves no container waiting that may have run: where it has nothing to tell, it
//! says that the container was lost, lest somebody take the pod for a success.

use super::Engine;
use crate::event::UNKNOWN;
use crate::fact::Goal;
use crate::pod::{ContainerId, List};
use crate::status::{ContainerState, ContainerStatus, Terminated};
use crate::tick::Tick;

// === impl Engine ===

impl Engine {
    /// In a pod that has ended, regular containers that wait are lost if the init list was through, and init containers
    /// that wait if one after them has run. The first of the latter has always been tried. A container with a Pillion
    /// field that never ran is shown as just that.
    pub(super) fn mark_lost(&self, containers: &mut [ContainerStatus]) {
        let through = self.was_through_init(containers);
        let of_init = |status: &&ContainerStatus| status.list == List::Init;
        let tried = containers.iter().filter(of_init).enumerate();
        let tried = tried.filter(|(_, status)| has_run(status)).last();
        let tried = tried.map_or(1, |(place, _)| place + 1);
        let mut place = 0;
        for (container, status) in self.containers().zip(containers) {
            let lost = match status.list {
                List::Init => {
                    place += 1;
                    place <= tried
                }
                List::Regular => through,
                List::Ephemeral => false,
            };
            if lost && self.def(container).plain {
                lose(status);
            }
        }
    }

    /// Notes whether the init list is through at the moment at which the pod is told to go: a kubelet looks at the status of that
    /// moment, though it asks for it when all is down.
    pub(super) fn note_through_init(&mut self) {
        let is_ending = matches!(self.record.goal, Goal::End { .. });
        if !is_ending
            && !self.record.initialized
            && self.was_through_init(&self.status().containers)
        {
            self.pod_mut().initialized = true;
        }
    }

    fn was_through_init(&self, containers: &[ContainerStatus]) -> bool {
        let mut regular = containers.iter();
        let any_ran = regular.any(|status| status.list == List::Regular && has_run(status));
        if self.is_deleted() {
            return any_ran || self.record.initialized;
        }
        let statuses = self.containers().zip(containers);
        let init = statuses.filter(|(_, status)| status.list == List::Init);
        let last = init.last();
        any_ran || last.is_none_or(|(container, status)| self.was_done(container, status))
    }

    /// Whether what comes after it in the init list could start.
    fn was_done(&self, container: ContainerId, status: &ContainerStatus) -> bool {
        if self.def(container).is_oneshot() {
            let state = match &status.state {
                ContainerState::Terminated(end) => Some(end),
                ContainerState::Waiting { .. } | ContainerState::Running { .. } => None,
            };
            let mut ends = state.into_iter().chain(&status.last);
            ends.any(|end| end.code == 0)
        } else {
            // Still of its latest run, though that is over.
            self.life(container).record.started
        }
    }
}

fn has_run(status: &ContainerStatus) -> bool {
    status.last.is_some() || !matches!(status.state, ContainerState::Waiting { .. })
}

fn lose(status: &mut ContainerStatus) {
    if matches!(status.state, ContainerState::Waiting { .. }) {
        status.state = ContainerState::Terminated(Terminated {
            code: LOST,
            signal: None,
            reason: UNKNOWN.into(),
            message: explanation(UNKNOWN),
            started: None,
            finished: Tick::ZERO,
        });
    }
}

/// What the kubelet says of an end that nobody saw.
pub(super) fn explanation(reason: &str) -> Option<Box<str>> {
    let unknown = reason == UNKNOWN;
    unknown.then(|| "The container could not be located when the pod was terminated".into())
}

/// The code of an end that nobody saw, as a kubelet gives it.
const LOST: i32 = 137;
