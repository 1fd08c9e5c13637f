//! What becomes of containers that are down when all are restarted, or when the pod comes to its end: a kubelet removes them, and goes on
//! to show what they waited for.

use super::Engine;
use crate::event::Exit;
use crate::fact::{EndCause, Goal};
use crate::life::State;
use crate::pod::{ContainerId, Reaction, Role};
use crate::restart;

// === impl Engine ===

impl Engine {
    /// Whoever waits for another try when all are restarted goes on to be shown so, and that try has not counted yet: a kubelet counts
    /// what it starts, and knows of nothing before the next start.
    pub(super) fn note_waiting(&mut self) {
        for container in self.containers() {
            let is_shown = self.shows_what_it_waits_for(container);
            let is_owed = self.is_owed_a_try(container);
            if !is_shown && !is_owed {
                continue;
            }
            let record = self.record_mut(container);
            // It may have been removed by a restart before, and not have run since.
            let exit = record.exit.as_mut().filter(|exit| !exit.restarting_all);
            let Some(exit) = exit else {
                continue;
            };
            if is_shown {
                (exit.restarting_all, exit.waited) = (true, true);
            }
            if is_owed {
                record.backoff_level = record.backoff_level.saturating_sub(1);
            }
        }
    }

    /// Whoever is shown as waiting for another try when the pod comes to its end by itself is shown so to the end, and is lost then. In a pod
    /// that is deleted a kubelet tries nothing again.
    pub(super) fn note_waiting_at_end(&mut self, end: &EndCause) {
        if *end == EndCause::Deletion {
            return;
        }
        for container in self.containers() {
            // One with a Pillion field shows its end: nothing was lost.
            if !self.def(container).plain || !self.shows_what_it_waits_for(container) {
                continue;
            }
            let exit = self.record_mut(container).exit.as_mut();
            if let Some(exit) = exit.filter(|exit| !exit.restarting_all) {
                exit.waited = true;
            }
        }
    }

    /// Whether a rule restarts all for an end of that container, which is then no restart of its own.
    pub(super) fn restarts_all(&self, container: ContainerId, exit: &Exit) -> bool {
        let rule = restart::matching_rule(&self.def(container).restart, exit);
        matches!(rule, Some((_, Reaction::RestartAllContainers)))
    }

    /// Whether a container has ended, that has been counted, and it has not been started again.
    fn is_owed_a_try(&self, container: ContainerId) -> bool {
        let record = &self.life(container).record;
        match &record.state {
            State::BackOff { unstarted, .. } => unstarted.is_none(),
            // Others may wait because they were stopped with somebody.
            State::Waiting if self.def(container).plain => {
                let exit = record.exit.as_deref().filter(|_| record.ran);
                exit.is_some_and(|end| !self.restarts_all(container, &end.exit))
            }
            State::Waiting
            | State::Starting
            | State::Running { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => false,
        }
    }

    /// Whoever is to be run again with all others is removed, however it ended; so is the one that brought it about.
    pub(super) fn note_removed(&mut self) {
        if !matches!(self.record.goal, Goal::Restart { at_once: true, .. }) {
            return;
        }
        for container in self.containers() {
            if self.def(container).role != Role::Ephemeral
                && let Some(exit) = &mut self.record_mut(container).exit
            {
                exit.restarting_all = true;
            }
        }
    }
}
