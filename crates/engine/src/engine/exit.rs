//! What an exit means: rules first, then the policy; giving up, ending for good.

use super::Engine;
use crate::action::Command;
use crate::entry::{Cause, Impossible, What};
use crate::event::{Attempt, Exit};
use crate::fact::{EndCause, Goal};
use crate::life::{After, GiveUp, PutOff, State, StopWhy, Termination, Undo};
use crate::pod::{
    ContainerId, Keystone, List, OnGiveUp, ProbeKind, Reaction, RestartPolicy, Role, Target,
};
use crate::restart;
use crate::tick::Tick;
use crate::timer::Timer;

/// How a run counts for the policy, and how it is shown if it was the last.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    Success,
    Failure,
    /// It was killed for a failure and ended with 0: its policy sees the failure, the pod's result the code.
    FailureWithZero,
}

// === impl Outcome ===

impl Outcome {
    fn by_code(ok: bool) -> Self {
        if ok { Self::Success } else { Self::Failure }
    }

    fn is_success(self) -> bool {
        self == Self::Success
    }

    fn ended_ok(self) -> bool {
        self != Self::Failure
    }
}

// === impl Engine ===

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
        self.replacement_due(container);
    }

    /// Remembers how a run ended, and forgets the process.
    pub(super) fn note_exit(&mut self, now: Tick, container: ContainerId, exit: Exit) {
        let started = self.life(container).record.running_since();
        if started.is_none() {
            self.count_start(container);
        }
        let restarting_all = matches!(self.record.goal, Goal::Restart { at_once: true, .. })
            && self.def(container).role != Role::Ephemeral;
        let why = self.stopped_by(container);
        let stopped = matches!(why, Some(StopWhy::Order | StopWhy::Asked));
        let hook_failed = why == Some(StopWhy::PostStart);
        let waited = restarting_all && hook_failed && self.is_tried_again(container, &exit);
        let end = Termination {
            exit,
            started,
            finished: now,
            restarting_all,
            waited,
            killed: why.is_some_and(StopWhy::is_failure),
        };
        self.life_mut(container).put_off = hook_failed.then_some(PutOff::PostStart);
        let def = self.def(container);
        let at_once = !def.hooks.post_start && def.probes.startup.is_none();
        let done = why.is_none() && def.is_oneshot() && self.is_success(container, &end);
        let record = self.record_mut(container);
        record.exit = Some(Box::new(end));
        // A stop that the engine asked for is no failed attempt.
        record.failed = !stopped && !done;
        record.attempted = true;
        // Whoever has done its work has started, though its hook or probe had no time to say so.
        record.started_once |= at_once || done;
        // Down from here on; what becomes of it is decided next.
        record.state = State::Waiting;
        self.note_ran(container);
        self.forget_process(container);
    }

    /// Whether a container that ended so is started again, for all that a kubelet shows.
    fn is_tried_again(&self, container: ContainerId, exit: &Exit) -> bool {
        let def = self.def(container);
        let again = match restart::matching_rule(&def.restart, exit) {
            Some((_, reaction)) => {
                matches!(reaction, Reaction::Restart | Reaction::RestartAllContainers)
            }
            None => restart::restarts(def.restart.policy, def.is_oneshot(), exit.is_success()),
        };
        // It takes an end with 0 in the init list for the last one.
        again && !(def.list == List::Init && exit.is_success())
    }

    /// Disarms everything that belongs to a process that is gone.
    pub(super) fn forget_process(&mut self, container: ContainerId) {
        for kind in ProbeKind::ALL {
            self.rest_probe(container, kind);
        }
        self.timers.disarm(Timer::Stop(container));
        self.start_is_over(container);
        self.note_down(container);
        if std::mem::take(&mut self.life_mut(container).doomed) {
            self.doomed -= 1;
        }
    }

    /// It did not get ready in time: a failure like a crash.
    pub(super) fn on_start_timeout(&mut self, now: Tick, container: ContainerId) {
        self.start_is_over(container);
        if self.life(container).record.command() == Command::Undo {
            return self.skip_undo(now, container);
        }
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
                self.by_policy(now, container, Outcome::Failure, Cause::StartTimeout);
            }
            State::Waiting
            | State::BackOff { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => {}
        }
    }

    /// It will not be started again.
    pub(super) fn enter_ended(
        &mut self,
        now: Tick,
        container: ContainerId,
        ok: bool,
        cause: Cause,
    ) {
        self.become_ended(container, ok, ok);
        self.tell(now, container, What::Ended { ok }, cause);
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        // What its end means is said by the definition that ran, not by one that was to come after it.
        let keystone = self.def(container).keystone;
        self.replacement_failed(now, container);
        if self.life(container).record.is_over() {
            self.check_keystone(now, container, keystone, ok);
        }
    }

    /// It will not be tried again, though its policy would.
    pub(super) fn give_up(&mut self, now: Tick, container: ContainerId, why: GiveUp, cause: Cause) {
        self.cancel_pull(container);
        self.timers.disarm(Timer::BackOff(container));
        self.record_mut(container).state = State::GaveUp { why };
        self.refresh_main(container);
        self.tell(now, container, What::GaveUp, cause);
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        let def = self.def(container);
        let keystone = def.keystone;
        // Without a limit of its own it has met that of the pod.
        let is_pods = why == GiveUp::RestartLimit && def.restart.limit.is_none();
        let on_give_up = if is_pods {
            OnGiveUp::FailPod
        } else {
            def.on_give_up
        };
        match why {
            GiveUp::RestartLimit => {}
            // It is no fault of the new one: the old one would have to give up as well.
            GiveUp::Requirement { .. } | GiveUp::Stopped => self.end_trial(now, container),
        }
        self.replacement_failed(now, container);
        if !self.life(container).record.is_over() {
            return;
        }
        self.check_keystone(now, container, keystone, false);
        match on_give_up {
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
        outcome: Outcome,
        cause: Cause,
    ) {
        let def = self.def(container);
        let again = def.role != Role::Ephemeral
            && !self.life(container).record.ignored
            && restart::restarts(def.restart.policy, def.is_oneshot(), outcome.is_success());
        if !again && self.ends_pod_in_exchange(container, outcome.ended_ok()) {
            self.end_trial(now, container);
        } else if self.is_swapped_out(container) {
            return self.go_down_for_now(now, container);
        }
        if again {
            self.restart_after_back_off(now, container, None, cause);
        } else if outcome.is_success() || !self.is_attempt_of_pod(container) {
            self.enter_ended(now, container, outcome.ended_ok(), cause);
        } else {
            self.fail_attempt_of_pod(now, container);
        }
    }

    /// Whether its end for good without success is that of the whole pod's attempt.
    pub(super) fn is_attempt_of_pod(&self, container: ContainerId) -> bool {
        self.def(container).restart.failure_restarts_pod && !self.life(container).record.ignored
    }

    /// The whole pod is run again.
    pub(super) fn fail_attempt_of_pod(&mut self, now: Tick, container: ContainerId) {
        self.end_with_pod(now, container, false);
        let cause = Cause::FailedAttempt(container);
        self.react(now, Reaction::RestartPod, Some(container), cause);
    }

    /// It asked to be left out: it counts nowhere from now on, and stays down once it is down.
    pub(super) fn ignore_asked(&mut self, now: Tick, container: ContainerId, cause: Cause) {
        self.leave_out(now, container, cause.clone());
        match self.life(container).record.state {
            State::Waiting | State::BackOff { .. } => {
                self.cancel_pull(container);
                self.timers.disarm(Timer::BackOff(container));
                self.end_left_out(now, container, cause);
            }
            // It runs on until its own end.
            State::Starting | State::Running { .. } | State::Stopping { .. } => {
                self.put_off_pulling(container);
            }
            State::Ended { .. } | State::GaveUp { .. } => {}
        }
    }

    /// Whoever is left out is down, and would have been started again: it has ended as its last run did.
    pub(super) fn end_left_out(&mut self, now: Tick, container: ContainerId, cause: Cause) {
        let ok = self.life(container).record.ran && self.has_ended_well(container);
        self.enter_ended(now, container, ok, cause);
        self.came_down_by_itself(now, container);
    }

    /// It counts nowhere from now on.
    fn leave_out(&mut self, now: Tick, container: ContainerId, cause: Cause) {
        self.record_mut(container).ignored = true;
        self.tell(now, container, What::Ignored, cause);
        if std::mem::take(&mut self.life_mut(container).doomed) {
            self.doomed -= 1;
        }
        self.refresh_main(container);
        self.refresh_ready(now, container, Cause::Itself);
    }

    /// Looks again at whether a main is still to end.
    pub(super) fn refresh_main(&mut self, container: ContainerId) {
        let record = &self.life(container).record;
        let left = self.def(container).role == Role::Main && !record.is_over() && !record.ignored;
        let was_left = std::mem::replace(&mut self.life_mut(container).counted_left, left);
        self.mains_left = self.mains_left + usize::from(left) - usize::from(was_left);
    }

    /// It is down and stays so, unless somebody wants it again. What it has done is to be reversed.
    pub(super) fn become_ended(&mut self, container: ContainerId, ok: bool, done: bool) {
        let owed = done && self.def(container).has_undo();
        let record = self.record_mut(container);
        record.state = State::Ended { ok };
        // What an earlier run has done is still there, however this one ended.
        record.undo = match record.undo {
            Undo::Owed => Undo::Owed,
            Undo::None if owed => Undo::Owed,
            Undo::None | Undo::Starting | Undo::Running | Undo::Stopping => Undo::None,
        };
        self.refresh_main(container);
    }

    /// It is down, and the pod as a whole is about to react to it.
    fn end_with_pod(&mut self, now: Tick, container: ContainerId, ok: bool) {
        self.become_ended(container, ok, ok);
        self.refresh_ready(now, container, Cause::Itself);
    }

    /// Whether an end counts as a success. A oneshot that was killed for a failure, or ran out of memory, has not done
    /// its work, whatever its code; the kubelet sees the latter the same way.
    pub(super) fn is_success(&self, container: ContainerId, end: &Termination) -> bool {
        let failed = end.exit.oom || end.killed;
        end.exit.is_success() && !(failed && self.def(container).is_oneshot())
    }

    /// Whether the latest run has ended, as a success.
    pub(super) fn has_ended_well(&self, container: ContainerId) -> bool {
        let end = self.life(container).record.exit.as_deref();
        end.is_some_and(|end| self.is_success(container, end))
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
            Some(StopWhy::Asked | StopWhy::Order) => self.go_down_for_now(now, container),
            Some(why) if self.is_judged_by_its_code(container, why) => {
                self.by_rules(now, container, exit);
            }
            Some(StopWhy::Probe(_) | StopWhy::StartTimeout | StopWhy::PostStart) => {
                let outcome = if self.has_ended_well(container) {
                    Outcome::FailureWithZero
                } else {
                    Outcome::Failure
                };
                self.by_policy(now, container, outcome, Cause::Policy);
            }
        }
        self.came_down_by_itself(now, container);
    }

    /// A kubelet that has killed a container for its postStart hook looks at its end as at any other; so it does after a
    /// probe, unless the policy starts the container again anyway.
    fn is_judged_by_its_code(&self, container: ContainerId, why: StopWhy) -> bool {
        let def = self.def(container);
        def.plain
            && match why {
                StopWhy::PostStart => true,
                StopWhy::Probe(_) => def.restart.policy == RestartPolicy::Never,
                StopWhy::Asked | StopWhy::Order | StopWhy::StartTimeout => false,
            }
    }

    /// It is down because somebody wanted it so, and will be started again.
    pub(super) fn go_down_for_now(&mut self, now: Tick, container: ContainerId) {
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        self.enter_waiting(now, container);
    }

    fn by_rules(&mut self, now: Tick, container: ContainerId, exit: &Exit) {
        let ok = self.has_ended_well(container);
        let done = self.def(container).is_oneshot() && ok;
        let ignored = self.life(container).record.ignored;
        // What has been done, or counts nowhere, is not done again, whatever a rule says.
        let again = |reaction| reaction == Reaction::Restart && (done || ignored);
        match self
            .rule(container, exit)
            .filter(|(reaction, _)| !again(*reaction))
        {
            None => self.by_policy(now, container, Outcome::by_code(ok), Cause::Policy),
            Some((reaction, cause)) => match reaction {
                Reaction::Restart if self.is_swapped_out(container) => {
                    self.go_down_for_now(now, container);
                }
                Reaction::Restart => self.restart_after_back_off(now, container, None, cause),
                Reaction::Ignore => {
                    self.leave_out(now, container, cause.clone());
                    self.enter_ended(now, container, ok, cause);
                }
                Reaction::RestartAllContainers
                | Reaction::RestartPod
                | Reaction::FailPod
                | Reaction::CompletePod => {
                    self.end_with_pod(now, container, ok);
                    self.react(now, reaction, Some(container), cause);
                }
            },
        }
    }

    /// The first rule that an exit matches.
    fn rule(&self, container: ContainerId, exit: &Exit) -> Option<(Reaction, Cause)> {
        let (index, reaction) = restart::matching_rule(&self.def(container).restart, exit)?;
        let cause = Cause::Rule {
            container,
            index,
            reaction,
        };
        Some((reaction, cause))
    }

    /// A pod that is being restarted can still be told to end by the exit of a container that nobody stopped.
    fn end_by_rule(&mut self, now: Tick, container: ContainerId, exit: &Exit) {
        if !matches!(self.record.goal, Goal::Restart { .. }) {
            return;
        }
        if let Some((reaction @ (Reaction::FailPod | Reaction::CompletePod), cause)) =
            self.rule(container, exit)
        {
            self.react(now, reaction, Some(container), cause);
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
        let well = self.has_ended_well(container);
        let ok = well && !why.is_some_and(StopWhy::is_failure);
        let told = why == Some(StopWhy::Order);
        let def = self.def(container);
        let again = !told
            && !self.life(container).record.ignored
            && restart::restarts(def.restart.policy, def.is_oneshot(), ok);
        let done = def.is_oneshot() && ok;
        let counts_ok =
            self.life(container).record.after == Some(After::EndOk) && !def.is_oneshot();
        // Whether one that was told to stop and ended with 0 has done its work, nobody knows: what may have been
        // done is reversed, and what may not have been is run again.
        self.become_ended(container, well || counts_ok, done);
        self.record_mut(container).interrupted = told || !done;
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        if why.is_none() {
            self.end_by_rule(now, container, exit);
        }
        if again && self.is_wanted(container) {
            self.restart_after_back_off(now, container, None, Cause::Policy);
        }
        self.came_down(now, container);
    }

    fn check_keystone(
        &mut self,
        now: Tick,
        container: ContainerId,
        keystone: Option<Keystone>,
        ok: bool,
    ) {
        let ends = keystone.is_some_and(|keystone| keystone.names(ok));
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
            // A sidecar decides nothing, nor does whoever ended well or counts nowhere: it is the one that cannot do
            // without them.
            let record = &self.life(target).record;
            if self.def(target).role != Role::Main
                || record.ignored
                || record.state == (State::Ended { ok: true })
            {
                break;
            }
            root = target;
        }
        Some(root)
    }
}
