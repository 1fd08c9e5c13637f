//! `onRestart`: who goes down with a target, and what becomes of them.

use super::Engine;
use crate::entry::Cause;
use crate::fact::Goal;
use crate::life::{After, GiveUp, State, StopStep, StopWhy};
use crate::pod::{ContainerId, OnRestart, Target, Until};
use crate::tick::Tick;
use crate::timer::Timer;

impl Engine {
    /// A container went down, and nobody had asked for it in order: its dependants react.
    pub(super) fn came_down_by_itself(&mut self, now: Tick, target: ContainerId) {
        if self.record.goal == Goal::Run && self.mark_dependants(now, target, self.fate(target)) {
            self.begin_partial_wave();
        }
    }

    /// Marks all that go down with a target. Says whether a wave of their own is to bring them down.
    pub(super) fn mark_dependants(&mut self, now: Tick, target: ContainerId, fate: After) -> bool {
        let mut marked = false;
        let mut affected = vec![(target, fate)];
        while let Some((target, fate)) = affected.pop() {
            for (dependant, after, edge) in self.dependants_of(target, fate) {
                let record = &self.life(dependant).record;
                if record.is_over() {
                    continue;
                }
                if record.is_up() && after == After::Restart {
                    self.hold_anew(now, edge);
                }
                let record = &self.life(dependant).record;
                if record.after >= Some(after) {
                    continue;
                }
                if record.is_up() {
                    self.mark(now, dependant, after, Cause::TargetDown { target });
                    affected.push((dependant, after));
                    marked = true;
                } else {
                    self.react_while_down(now, dependant, after, target);
                    // Giving up may have ended the pod, and then all stop in one order.
                    if self.record.goal != Goal::Run {
                        return false;
                    }
                }
            }
        }
        marked
    }

    /// Notes what becomes of a container after the partial wave that begins.
    pub(super) fn mark(&mut self, now: Tick, container: ContainerId, after: After, cause: Cause) {
        if self.record_mut(container).after.replace(after).is_none() {
            self.marked.push(container);
        }
        self.life_mut(container).stop_cause = Some(Box::new(cause));
        self.changed(container);
        let by = now + self.pod.grace;
        if self.life(container).record.leave_by.is_none() {
            self.record_mut(container).leave_by = Some(by);
            self.timers.arm(Timer::Leave(container), by);
        }
    }

    /// A container that goes down with another has waited for its turn long enough.
    pub(super) fn on_leave_deadline(&mut self, now: Tick, container: ContainerId) {
        match self.life(container).record.state {
            State::Starting | State::Running { .. } => {
                self.begin_stop(now, container, StopWhy::Order, now, Cause::Budget);
            }
            State::Stopping {
                step: StopStep::Hook(_),
                ..
            } => self.shorten_stop(now, container, now),
            State::Stopping {
                step: StopStep::Signalled,
                ..
            }
            | State::Waiting
            | State::BackOff { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => {}
        }
    }

    /// A container goes down with another no more, or has done so.
    pub(super) fn forget_leaving(&mut self, container: ContainerId) {
        self.timers.disarm(Timer::Leave(container));
        if self.life(container).record.leave_by.is_some() {
            self.record_mut(container).leave_by = None;
        }
    }

    /// A dependant is stopped because of this edge, and starts when it holds again: that is so for every need.
    fn hold_anew(&mut self, now: Tick, edge: u32) {
        self.remember(edge, |gate| gate.anew = true);
        self.refresh(now, edge);
    }

    /// Those that go down with the target, what becomes of each, and by which edge. Their requirement has to hold anew.
    fn dependants_of(
        &mut self,
        target: ContainerId,
        fate: After,
    ) -> Vec<(ContainerId, After, u32)> {
        let mut dependants = Vec::new();
        // A oneshot that has ended is not gone: what it did stays done.
        if self.def(target).is_oneshot() {
            return dependants;
        }
        for number in self.graph.incoming(Target::Container(target)) {
            let edge = self.graph.edge(number);
            if !matches!(edge.requirement.until, Until::Started | Until::Ready) {
                continue;
            }
            // Whoever was stopped with it, and waits for it since, goes by what becomes of it now.
            let past = self.gate(number);
            let held = past.held || past.anew;
            self.remember(number, |gate| gate.held = false);
            let Target::Container(from) = self.graph.edge(number).from else {
                continue;
            };
            match (held, self.graph.edge(number).requirement.on_restart, fate) {
                (false, _, _) | (_, OnRestart::Keep, _) => {}
                (true, OnRestart::Restart | OnRestart::Stop, After::EndOk) => {
                    dependants.push((from, After::EndOk, number));
                }
                (true, OnRestart::Restart, After::Restart | After::GiveUp) => {
                    dependants.push((from, After::Restart, number));
                }
                (true, OnRestart::Stop, After::Restart | After::GiveUp) => {
                    dependants.push((from, After::GiveUp, number));
                }
            }
        }
        dependants
    }

    fn react_while_down(
        &mut self,
        now: Tick,
        dependant: ContainerId,
        after: After,
        target: ContainerId,
    ) {
        match after {
            After::Restart => {}
            // What never ran cannot be stopped, and has not ended well: its requirements say what becomes of it.
            After::EndOk | After::GiveUp if !self.life(dependant).record.ran => {}
            After::EndOk => {
                self.timers.disarm(Timer::BackOff(dependant));
                self.cancel_pull(dependant);
                self.end_with_target(now, dependant, Cause::TargetDown { target });
            }
            After::GiveUp => self.give_up(
                now,
                dependant,
                GiveUp::Stopped,
                Cause::TargetDown { target },
            ),
        }
    }

    /// A container whose target ended well has ended with it. A service has nothing left to serve; the work of a
    /// oneshot is done only if it says so itself.
    pub(super) fn end_with_target(&mut self, now: Tick, container: ContainerId, cause: Cause) {
        let ok = !self.def(container).is_oneshot() || self.has_ended_well(container);
        if !ok && self.is_attempt_of_pod(container) {
            return self.fail_attempt_of_pod(now, container);
        }
        self.end_trial(now, container);
        self.enter_ended(now, container, ok, cause);
    }

    /// What has become of a container that went down.
    fn fate(&self, container: ContainerId) -> After {
        match self.life(container).record.state {
            State::Ended { ok: true } => After::EndOk,
            State::Ended { ok: false } | State::GaveUp { .. } => After::GiveUp,
            State::Waiting
            | State::BackOff { .. }
            | State::Starting
            | State::Running { .. }
            | State::Stopping { .. } => After::Restart,
        }
    }
}
