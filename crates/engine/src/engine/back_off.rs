//! How long a container waits before it is tried again, and when that is too often.

use super::Engine;
use crate::entry::{Cause, What};
use crate::event::StartFailure;
use crate::life::{GiveUp, PutOff, State};
use crate::pod::{ContainerId, RestartPolicy};
use crate::restart;
use crate::tick::Tick;
use crate::timer::Timer;
use std::time::Duration;

// === impl Engine ===

impl Engine {
    /// Will be tried again after its back-off, unless that was too often.
    pub(super) fn restart_after_back_off(
        &mut self,
        now: Tick,
        container: ContainerId,
        unstarted: Option<(StartFailure, Box<str>)>,
        cause: Cause,
    ) {
        if self.life(container).record.ignored {
            return self.enter_ended(now, container, false, cause);
        }
        let limit = self.def(container).restart.limit;
        let record = self.record_mut(container);
        let too_many = match limit {
            Some(limit) => restart::exceeds(limit, &mut record.recent_restarts, now),
            None => self.has_spent_restarts(),
        };
        if too_many {
            return self.give_up(now, container, GiveUp::RestartLimit, Cause::RestartLimit);
        }
        if limit.is_some() {
            self.record_mut(container).recent_restarts.push_back(now);
        }
        self.enter_back_off(now, container, unstarted, cause);
    }

    /// Whether all containers together were restarted as often as the pod allows. Those with a limit of their own do not count.
    fn has_spent_restarts(&self) -> bool {
        let Some(limit) = self.pod.restart_limit else {
            return false;
        };
        let all = self.pod.containers.iter().zip(&self.lives);
        let counted = all.filter(|(def, _)| def.restart.limit.is_none());
        let spent: u64 = counted
            .map(|(_, life)| u64::from(life.record.restarts))
            .sum();
        spent >= u64::from(limit)
    }

    /// Waits before the next try; not at all the first time.
    pub(super) fn enter_back_off(
        &mut self,
        now: Tick,
        container: ContainerId,
        unstarted: Option<(StartFailure, Box<str>)>,
        cause: Cause,
    ) {
        let after = self.next_delay(now, container, unstarted.is_some());
        self.tell(now, container, What::Restarting { after }, cause);
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        if after.is_zero() {
            return self.enter_waiting(now, container);
        }
        let until = now + after;
        self.record_mut(container).state = State::BackOff { until, unstarted };
        self.timers.arm(Timer::BackOff(container), until);
        self.prepare(container);
    }

    pub(super) fn on_back_off_over(&mut self, now: Tick, container: ContainerId) {
        if matches!(self.life(container).record.state, State::BackOff { .. }) {
            self.enter_waiting(now, container);
        }
    }

    /// Whoever is looked at during its back-off is put off, and that shows. A container that something else holds back as well is
    /// not looked at, as under the kubelet: the end of its run is what there is to see.
    pub(super) fn note_put_off(&mut self, container: ContainerId) {
        let life = self.life_mut(container);
        if let State::BackOff { unstarted, .. } = &life.record.state {
            match unstarted.clone() {
                Some((why, message)) => life.put_off = Some(PutOff::Unstarted(why, message)),
                None if life.closed == 0 => life.put_off = Some(PutOff::Crashed),
                None => {}
            }
        }
    }

    /// How long the next restart waits; counts it.
    fn next_delay(&mut self, now: Tick, container: ContainerId, unstarted: bool) -> Duration {
        let backoff = self.def(container).restart.backoff;
        let record = self.record_mut(container);
        if now.since(record.last_start) > backoff.reset {
            record.backoff_level = 0;
        }
        // A start that failed without a process is never repeated at once: nothing has changed meanwhile.
        let level = record.backoff_level.max(u32::from(unstarted));
        let delay = restart::delay(&backoff, level);
        if unstarted || !self.is_replaced_by_probe(container) {
            self.record_mut(container).backoff_level = level.saturating_add(1);
            return delay;
        }
        // A kubelet that kills a container for a probe starts the next one in the same breath, and knows only of the run
        // before: without one there is nothing to back off from, and what it owes counts from that end.
        let record = self.record_mut(container);
        let Some(before) = record.last.as_deref().filter(|end| !end.restarting_all) else {
            return Duration::ZERO;
        };
        let is_over = now.since(before.finished) >= delay;
        record.backoff_level = level.saturating_add(1);
        if is_over { Duration::ZERO } else { delay }
    }

    /// Whether a plain container was killed by a probe, to be started again by its policy.
    fn is_replaced_by_probe(&self, container: ContainerId) -> bool {
        let def = self.def(container);
        let life = self.life(container);
        let end = life.record.exit.as_deref();
        def.plain
            && def.restart.policy != RestartPolicy::Never
            && end.is_some_and(|end| end.killed)
            && life.put_off != Some(PutOff::PostStart)
    }
}
