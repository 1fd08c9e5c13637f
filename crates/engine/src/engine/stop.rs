//! Stopping one container: hooks, the signal, and the time they have.

use super::{Engine, Work};
use crate::action::Action;
use crate::entry::{Cause, What};
use crate::fact::Goal;
use crate::life::{HookStep, State, StopStep, StopWhy, Undo};
use crate::pod::{ContainerId, HookKind, LAST_WINDOW, Role, Target};
use crate::restart;
use crate::tick::Tick;
use crate::timer::Timer;
use std::time::Duration;

/// What is told of a container that is started again without having to be stopped first.
const AT_ONCE: What = What::Restarting {
    after: Duration::ZERO,
};

impl Engine {
    /// Stops a container that has failed, out of any order.
    pub(super) fn kill(
        &mut self,
        now: Tick,
        container: ContainerId,
        why: StopWhy,
        grace: Duration,
        cause: Cause,
    ) {
        self.doom(container, why);
        // A pod that stops has one budget for all.
        let budget = self.record.goal.deadline().unwrap_or(Tick::NEVER);
        self.begin_stop(now, container, why, budget.min(now + grace), cause);
    }

    /// Notes whether a stop is one that its container does not come back from.
    pub(super) fn doom(&mut self, container: ContainerId, why: StopWhy) {
        let def = self.def(container);
        let again = def.restart.failure_restarts_pod
            || restart::restarts(def.restart.policy, def.is_oneshot(), false);
        let life = self.life(container);
        if why.is_failure() && !again && life.counted_left && !life.doomed {
            self.life_mut(container).doomed = true;
            self.doomed += 1;
        }
    }

    /// Tells a container to stop; if it is being stopped already, its time can only get shorter.
    pub(super) fn begin_stop(
        &mut self,
        now: Tick,
        container: ContainerId,
        why: StopWhy,
        deadline: Tick,
        cause: Cause,
    ) {
        let since = match self.life(container).record.state {
            State::Starting => None,
            State::Running { since } => Some(since),
            State::Stopping { .. } => return self.shorten_stop(now, container, deadline),
            State::Waiting | State::BackOff { .. } | State::Ended { .. } | State::GaveUp { .. } => {
                return;
            }
        };
        let step = StopStep::Hook(HookKind::PreStop);
        self.record_mut(container).state = State::Stopping {
            since,
            why,
            step,
            deadline,
        };
        self.rest_probes_for_stop(container);
        self.start_is_over(container);
        self.changed(container);
        self.tell(now, container, What::Stopping { deadline }, cause);
        self.advance_stop(now, container);
    }

    /// Takes the next step of a stop: hooks while there is time, then the signal.
    pub(super) fn advance_stop(&mut self, now: Tick, container: ContainerId) {
        let State::Stopping {
            since,
            why,
            deadline,
            ..
        } = self.life(container).record.state
        else {
            return;
        };
        let hooks = self.life(container).record.hooks;
        let has_pre_stop = self.def(container).hooks.pre_stop && since.is_some();
        let pre_stop = if has_pre_stop {
            hooks.get(HookKind::PreStop)
        } else {
            HookStep::Done
        };
        let waited_for = if hooks.get(HookKind::PodStopping) == HookStep::Begun {
            Some(HookKind::PodStopping)
        } else if pre_stop == HookStep::Done {
            None
        } else {
            Some(HookKind::PreStop)
        };
        match waited_for {
            Some(hook) if now < deadline => {
                if hook == HookKind::PreStop && pre_stop == HookStep::Idle {
                    self.begin_hook(now, container, hook, Some(deadline));
                }
                self.record_mut(container).state = State::Stopping {
                    since,
                    why,
                    step: StopStep::Hook(hook),
                    deadline,
                };
                self.timers.arm(Timer::Stop(container), deadline);
            }
            Some(_) => self.signal_without_hooks(now, container),
            None => self.signal(now, container),
        }
    }

    /// The time for hooks is used up.
    pub(super) fn on_stop_deadline(&mut self, now: Tick, container: ContainerId) {
        if let State::Stopping {
            step: StopStep::Hook(_),
            ..
        } = self.life(container).record.state
        {
            self.signal_without_hooks(now, container);
        }
    }

    /// There is no time for hooks any more: tells which of them are left behind, and goes on.
    pub(super) fn signal_without_hooks(&mut self, now: Tick, container: ContainerId) {
        let record = &self.life(container).record;
        let (hooks, ran) = (record.hooks, record.is_running());
        let pre_stop = self.def(container).hooks.pre_stop && ran;
        for hook in [HookKind::PodStopping, HookKind::PreStop] {
            match hooks.get(hook) {
                // Its answer, which the driver may still give, says nothing new.
                HookStep::Begun => {
                    self.record_mut(container).hooks.set(hook, HookStep::Done);
                    self.tell(now, container, What::HookCut(hook), Cause::Budget);
                }
                HookStep::Idle if hook == HookKind::PreStop && pre_stop => {
                    self.tell(now, container, What::HookSkipped(hook), Cause::Budget);
                }
                HookStep::Idle | HookStep::Done => {}
            }
        }
        self.signal(now, container);
    }

    /// When the time of a container that is being stopped, or whose pod is, is up.
    pub(super) fn stop_deadline(&self, container: ContainerId) -> Option<Tick> {
        match self.life(container).record.state {
            State::Stopping { deadline, .. } => Some(deadline),
            State::Starting
            | State::Running { .. }
            | State::Waiting
            | State::BackOff { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => self.record.goal.deadline(),
        }
    }

    /// Gives a container that is being stopped less time.
    pub(super) fn shorten_stop(&mut self, now: Tick, container: ContainerId, to: Tick) {
        let State::Stopping {
            since,
            why,
            step,
            deadline,
        } = self.life(container).record.state
        else {
            return;
        };
        let to = match step {
            StopStep::Hook(_) => to,
            StopStep::Signalled => to.max(now + LAST_WINDOW),
        };
        if to >= deadline {
            return;
        }
        self.record_mut(container).state = State::Stopping {
            since,
            why,
            step,
            deadline: to,
        };
        match step {
            StopStep::Hook(_) => self.timers.arm(Timer::Stop(container), to),
            StopStep::Signalled => self.ask_stop(container, to),
        }
    }

    /// Restarts one container because somebody asked for it.
    pub(super) fn restart_asked(&mut self, now: Tick, container: ContainerId, cause: Cause) {
        if std::mem::take(&mut self.record_mut(container).ignored) {
            self.refresh_main(container);
            self.refresh_ready(now, container, Cause::Itself);
        }
        match self.life(container).record.state {
            State::Starting | State::Running { .. } => {
                let own = self.def(container).stop_timeout.unwrap_or(Duration::MAX);
                let grace = self.pod.grace.min(own);
                self.kill(now, container, StopWhy::Asked, grace, cause);
            }
            State::BackOff { .. } => {
                self.tell(now, container, AT_ONCE, cause);
                self.timers.disarm(Timer::BackOff(container));
                self.enter_waiting(now, container);
            }
            State::Ended { .. } | State::GaveUp { .. } => {
                self.tell(now, container, AT_ONCE, cause);
                self.try_again(now, container);
            }
            State::Waiting | State::Stopping { .. } => {}
        }
    }

    /// Takes a container that was over back into the pod.
    pub(super) fn try_again(&mut self, now: Tick, container: ContainerId) {
        if self.record.goal != Goal::Run || self.def(container).role == Role::Ephemeral {
            return;
        }
        let record = self.record_mut(container);
        record.backoff_level = 0;
        record.recent_restarts.clear();
        record.ignored = false;
        self.changed(container);
        self.enter_waiting(now, container);
        self.refresh_main(container);
        self.refresh_ready(now, container, Cause::Itself);
    }

    /// The reversal of a oneshot has ended, well or not.
    pub(super) fn undo_ended(&mut self, now: Tick, container: ContainerId, ok: bool) {
        let before = std::mem::take(&mut self.record_mut(container).undo);
        let cause = if before == Undo::Stopping && !ok {
            Cause::Budget
        } else {
            Cause::Itself
        };
        self.start_is_over(container);
        self.tell(now, container, What::Undone { ok }, cause);
        self.work
            .push_back(Work::StopTurn(Target::Container(container)));
    }

    /// Sends the signal, with what time is left and at least the last window.
    pub(super) fn signal(&mut self, now: Tick, container: ContainerId) {
        let State::Stopping {
            since,
            why,
            deadline,
            ..
        } = self.life(container).record.state
        else {
            return;
        };
        // A container that limits its own stop gets exactly that, unless its hook has used it up.
        let own_limit = self.def(container).stop_timeout.is_some()
            && matches!(why, StopWhy::Order | StopWhy::Asked)
            && now < deadline;
        let kill_at = if own_limit {
            deadline
        } else {
            deadline.max(now + LAST_WINDOW)
        };
        self.record_mut(container).state = State::Stopping {
            since,
            why,
            step: StopStep::Signalled,
            deadline: kill_at,
        };
        self.timers.disarm(Timer::Stop(container));
        self.ask_stop(container, kill_at);
    }

    fn ask_stop(&mut self, container: ContainerId, deadline: Tick) {
        let attempt = self.life(container).record.attempt;
        self.actions.push_back(Action::Stop {
            container,
            attempt,
            deadline,
        });
    }
}
