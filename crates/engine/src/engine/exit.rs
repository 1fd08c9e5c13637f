//! What an exit means: rules first, then the policy; back-off, giving up, ending for good.

use super::Engine;
use crate::action::Command;
use crate::entry::{Cause, Impossible, What};
use crate::event::{Attempt, Exit, StartFailure};
use crate::fact::{EndCause, Goal};
use crate::life::{GiveUp, State, StopWhy, Termination, Undo};
use crate::pod::{ContainerId, Keystone, OnGiveUp, ProbeKind, Reaction, Role, Target};
use crate::restart;
use crate::tick::Tick;
use crate::timer::Timer;
use std::time::Duration;

impl Engine {
    pub(super) fn on_exited(
        &mut self,
        now: Tick,
        container: ContainerId,
        attempt: Attempt,
        exit: &Exit,
    ) {
        if !self.is_current(container, attempt) {
            return;
        }
        self.tell(now, container, What::Exited(exit.clone()), Cause::Itself);
        if self.life(container).record.command() == Command::Undo {
            return self.undo_ended(now, container, exit.is_success());
        }
        let why = self.stopped_by(container);
        self.note_exit(now, container, exit.clone());
        match self.record.goal {
            Goal::Run if self.life(container).record.after.is_some() => {
                // It was to go down with another, but went by itself: that is a failure or an end
                // like any other. If it is to run again, the wave says when.
                if why != Some(StopWhy::Order) {
                    self.decide(now, container, why, exit);
                }
                self.came_down(now, container);
            }
            Goal::Run => self.decide(now, container, why, exit),
            Goal::Restart { .. } | Goal::End { .. } => {
                self.exited_in_stop(now, container, why, exit);
            }
        }
        self.replacement_due(now, container);
    }

    /// Remembers how a run ended, and forgets the process.
    pub(super) fn note_exit(&mut self, now: Tick, container: ContainerId, exit: Exit) {
        let started = self.life(container).record.running_since();
        if started.is_none() {
            self.count_start(container);
        }
        let restarting_all = matches!(self.record.goal, Goal::Restart { at_once: true, .. });
        let why = self.stopped_by(container);
        let stopped = matches!(why, Some(StopWhy::Order | StopWhy::Asked));
        // The code of a oneshot that was killed says nothing about its work.
        let done =
            why.is_none() && self.def(container).is_oneshot() && self.is_success(container, &exit);
        let record = self.record_mut(container);
        record.exit = Some(Termination {
            exit,
            started,
            finished: now,
            restarting_all,
        });
        // A stop that the engine asked for is no failed attempt.
        record.failed = !stopped && !done;
        record.attempted = true;
        record.ran = true;
        record.started_once = true;
        // Down from here on; what becomes of it is decided next.
        record.state = State::Waiting;
        self.forget_process(container);
    }

    /// Disarms everything that belongs to a process that is gone.
    pub(super) fn forget_process(&mut self, container: ContainerId) {
        for kind in ProbeKind::ALL {
            self.rest_probe(container, kind);
        }
        self.timers.disarm(Timer::Stop(container));
        self.start_is_over(container);
        if std::mem::take(&mut self.life_mut(container).doomed) {
            self.doomed -= 1;
        }
    }

    pub(super) fn on_back_off_over(&mut self, now: Tick, container: ContainerId) {
        if matches!(self.life(container).record.state, State::BackOff { .. }) {
            self.enter_waiting(now, container);
        }
    }

    /// It did not get ready in time: a failure like a crash.
    pub(super) fn on_start_timeout(&mut self, now: Tick, container: ContainerId) {
        self.start_is_over(container);
        match self.life(container).record.state {
            State::Starting | State::Running { .. } => {
                let grace = self.pod.grace;
                self.kill(
                    now,
                    container,
                    StopWhy::StartTimeout,
                    grace,
                    Cause::StartTimeout,
                );
            }
            State::Waiting if self.life(container).record.turn.is_some() => {
                self.cancel_pull(container);
                self.note_failed_attempt(container);
                // There was no run that could have been long enough to forget earlier failures.
                self.record_mut(container).last_start = now;
                self.by_policy(now, container, false, false, Cause::StartTimeout);
            }
            State::Waiting
            | State::BackOff { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => {}
        }
    }

    /// Will be tried again after its back-off, unless that was too often.
    pub(super) fn restart_after_back_off(
        &mut self,
        now: Tick,
        container: ContainerId,
        cause: Cause,
    ) {
        let limit = self.def(container).restart.limit;
        let record = self.record_mut(container);
        if let Some(limit) = limit {
            if restart::exceeds(limit, &mut record.recent_restarts, now) {
                return self.give_up(now, container, GiveUp::RestartLimit, Cause::RestartLimit);
            }
            record.recent_restarts.push_back(now);
        }
        self.enter_back_off(now, container, None, cause);
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
        self.want_image(now, container);
    }

    /// It will not be started again.
    pub(super) fn enter_ended(
        &mut self,
        now: Tick,
        container: ContainerId,
        ok: bool,
        cause: Cause,
    ) {
        let was_over = self.life(container).record.is_over();
        let undo = self.def(container).has_undo() && ok;
        let record = self.record_mut(container);
        record.state = State::Ended { ok };
        record.undo = if undo { Undo::Owed } else { Undo::None };
        self.leave_mains(container, was_over);
        self.tell(now, container, What::Ended { ok }, cause);
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        self.replacement_failed(now, container);
        if self.life(container).record.is_over() {
            self.check_keystone(now, container, ok);
        }
    }

    /// It will not be tried again, though its policy would.
    pub(super) fn give_up(&mut self, now: Tick, container: ContainerId, why: GiveUp, cause: Cause) {
        let was_over = self.life(container).record.is_over();
        self.cancel_pull(container);
        self.timers.disarm(Timer::BackOff(container));
        self.record_mut(container).state = State::GaveUp { why };
        self.leave_mains(container, was_over);
        self.tell(now, container, What::GaveUp, cause);
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        self.replacement_failed(now, container);
        if !self.life(container).record.is_over() {
            return;
        }
        self.check_keystone(now, container, false);
        match self.def(container).on_give_up {
            OnGiveUp::FailPod => {
                let by = self.root_of(container);
                let end = EndCause::Told {
                    ok: false,
                    by,
                    reaction: None,
                };
                self.begin_end(now, end, Cause::GiveUp(container), None);
            }
            OnGiveUp::Unready | OnGiveUp::Ignore => {}
        }
    }

    /// The policy decides; rules are not asked.
    pub(super) fn by_policy(
        &mut self,
        now: Tick,
        container: ContainerId,
        ok: bool,
        ended_ok: bool,
        cause: Cause,
    ) {
        let def = self.def(container);
        let again = def.role != Role::Ephemeral
            && restart::restarts(def.restart.policy, def.is_oneshot(), ok);
        if again {
            self.restart_after_back_off(now, container, cause);
        } else {
            self.enter_ended(now, container, ended_ok, cause);
        }
    }

    /// Whether an exit counts as a success. A oneshot that ran out of memory has not done its work,
    /// whatever its code; the kubelet sees it the same way.
    fn is_success(&self, container: ContainerId, exit: &Exit) -> bool {
        exit.is_success() && !(exit.oom && self.def(container).is_oneshot())
    }

    /// Who wanted the container stopped, if anybody did.
    pub(super) fn stopped_by(&self, container: ContainerId) -> Option<StopWhy> {
        match self.life(container).record.state {
            State::Stopping { why, .. } => Some(why),
            State::Waiting
            | State::BackOff { .. }
            | State::Starting
            | State::Running { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => None,
        }
    }

    fn decide(&mut self, now: Tick, container: ContainerId, why: Option<StopWhy>, exit: &Exit) {
        match why {
            None => self.by_rules(now, container, exit),
            Some(StopWhy::Asked | StopWhy::Order) => {
                self.changed(container);
                self.refresh_ready(now, container, Cause::Itself);
                self.enter_waiting(now, container);
            }
            // The code of a oneshot that was killed says nothing about its work.
            Some(StopWhy::Probe(_) | StopWhy::StartTimeout | StopWhy::PostStart) => {
                let ended_ok = exit.is_success() && !self.def(container).is_oneshot();
                self.by_policy(now, container, false, ended_ok, Cause::Policy);
            }
        }
        self.came_down_by_itself(now, container);
    }

    fn by_rules(&mut self, now: Tick, container: ContainerId, exit: &Exit) {
        let ok = self.is_success(container, exit);
        let done = self.def(container).is_oneshot() && ok;
        let rule = restart::matching_rule(&self.def(container).restart, exit);
        // What has been done is not done again, whatever a rule says.
        match rule.filter(|(_, reaction)| !(done && *reaction == Reaction::Restart)) {
            None => self.by_policy(now, container, ok, ok, Cause::Policy),
            Some((index, reaction)) => {
                let cause = Cause::Rule {
                    container,
                    index,
                    reaction,
                };
                match reaction {
                    Reaction::Restart => self.restart_after_back_off(now, container, cause),
                    Reaction::Ignore => {
                        self.record_mut(container).ignored = true;
                        self.enter_ended(now, container, ok, cause);
                    }
                    Reaction::RestartAllContainers
                    | Reaction::RestartPod
                    | Reaction::FailPod
                    | Reaction::CompletePod => {
                        let undo = self.def(container).has_undo() && ok;
                        let record = self.record_mut(container);
                        record.state = State::Ended { ok };
                        record.undo = if undo { Undo::Owed } else { Undo::None };
                        self.refresh_ready(now, container, Cause::Itself);
                        self.react(now, reaction, Some(container), cause);
                    }
                }
            }
        }
    }

    /// In a stopping pod only sidecars that are still needed are tried again.
    fn exited_in_stop(
        &mut self,
        now: Tick,
        container: ContainerId,
        why: Option<StopWhy>,
        exit: &Exit,
    ) {
        let ok = exit.is_success()
            && !matches!(
                why,
                Some(StopWhy::Probe(_) | StopWhy::StartTimeout | StopWhy::PostStart)
            );
        let told = why == Some(StopWhy::Order);
        let def = self.def(container);
        let again = !told && restart::restarts(def.restart.policy, def.is_oneshot(), ok);
        let succeeded = def.is_oneshot() && ok && !told;
        let undo = def.has_undo() && succeeded;
        let counts_ok = self.life(container).record.after == Some(crate::life::After::EndOk);
        let record = self.record_mut(container);
        record.state = State::Ended {
            ok: exit.is_success() || counts_ok,
        };
        record.undo = if undo { Undo::Owed } else { Undo::None };
        record.interrupted = !succeeded;
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        if again && self.is_wanted(container) {
            self.restart_after_back_off(now, container, Cause::Policy);
        }
        self.came_down(now, container);
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
        record.backoff_level = level.saturating_add(1);
        restart::delay(&backoff, level)
    }

    fn leave_mains(&mut self, container: ContainerId, was_over: bool) {
        if self.def(container).role == Role::Main && !was_over {
            self.mains_left = self.mains_left.saturating_sub(1);
        }
    }

    fn check_keystone(&mut self, now: Tick, container: ContainerId, ok: bool) {
        let ends = match self.def(container).keystone {
            None => false,
            Some(Keystone::Any) => true,
            Some(Keystone::Success) => ok,
            Some(Keystone::Failure) => !ok,
        };
        if ends && !self.life(container).record.ignored {
            let (end, cause) = self.end_by_keystone(container);
            self.begin_end(now, end, cause, None);
        }
    }

    /// A keystone that gave up for want of another did not decide anything itself: the other did.
    fn end_by_keystone(&self, container: ContainerId) -> (EndCause, Cause) {
        if !matches!(self.life(container).record.state, State::GaveUp { .. }) {
            return (EndCause::Keystone(container), Cause::Keystone(container));
        }
        let end = EndCause::Told {
            ok: false,
            by: self.root_of(container),
            reaction: None,
        };
        (end, Cause::GiveUp(container))
    }

    /// Who is at the bottom of a chain of containers that gave up because of each other. Whoever
    /// waited too long is the one that gave up; the one it waited for has not failed.
    fn root_of(&self, container: ContainerId) -> Option<ContainerId> {
        let mut root = container;
        // A chain is no longer than the pod.
        for _ in 0..self.lives.len() {
            let State::GaveUp {
                why: GiveUp::Requirement { target, why, .. },
            } = self.life(root).record.state
            else {
                break;
            };
            if why == Impossible::TimedOut {
                break;
            }
            let target = match target {
                Target::Container(target) => target,
                Target::Barrier(barrier) => self.blocker_of(barrier)?,
            };
            // A sidecar decides nothing: whoever cannot do without it does.
            if self.def(target).role != Role::Main {
                break;
            }
            root = target;
        }
        Some(root)
    }
}
