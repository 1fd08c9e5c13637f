//! A process that runs: its postStart hook, its probes, its readiness.

use super::Engine;
use crate::action::{Action, Command};
use crate::entry::{Cause, What};
use crate::event::Attempt;
use crate::fact::Goal;
use crate::life::{HookStep, State, StopStep, StopWhy, Undo};
use crate::pod::{ContainerId, HookKind, List, OnGiveUp, ProbeKind, Role};
use crate::probe::Verdict;
use crate::tick::Tick;
use crate::timer::Timer;

impl Engine {
    pub(super) fn on_started(&mut self, now: Tick, container: ContainerId, attempt: Attempt) {
        if !self.is_current(container, attempt) {
            return;
        }
        if self.life(container).record.command() == Command::Undo {
            return self.undo_started(container);
        }
        match self.life(container).record.state {
            State::Starting => self.enter_running(now, container),
            // The stop was asked for before the answer came: it is on its way to the process.
            State::Stopping {
                since: None,
                why,
                step,
                deadline,
            } => {
                self.count_start(container);
                self.record_mut(container).state = State::Stopping {
                    since: Some(now),
                    why,
                    step,
                    deadline,
                };
                self.note_ran(container);
            }
            State::Waiting
            | State::BackOff { .. }
            | State::Running { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => {}
        }
    }

    pub(super) fn on_hook_done(
        &mut self,
        now: Tick,
        container: ContainerId,
        attempt: Attempt,
        hook: HookKind,
        ok: bool,
    ) {
        if !self.is_current(container, attempt)
            || self.life(container).record.hooks.get(hook) != HookStep::Begun
        {
            return;
        }
        self.record_mut(container).hooks.set(hook, HookStep::Done);
        // The driver ends a hook at its deadline; that is no failure of its own.
        let cut = !ok
            && self
                .stop_deadline(container)
                .is_some_and(|deadline| deadline <= now);
        if cut {
            self.tell(now, container, What::HookCut(hook), Cause::Budget);
        } else {
            self.tell(now, container, What::HookEnded { hook, ok }, Cause::Itself);
        }
        match (hook, &self.life(container).record.state) {
            (HookKind::PostStart, State::Running { .. }) if ok => {
                self.after_post_start(now, container);
            }
            (HookKind::PostStart, State::Running { .. }) => {
                let grace = self.pod.grace;
                self.kill(now, container, StopWhy::PostStart, grace, Cause::PostStart);
            }
            (
                HookKind::PreStop | HookKind::PodStopping,
                State::Stopping {
                    step: StopStep::Hook(_),
                    ..
                },
            ) => {
                self.advance_stop(now, container);
            }
            // Nobody waits for it: its container has not got its turn, or is being stopped already.
            (
                HookKind::PostStart,
                State::Waiting
                | State::BackOff { .. }
                | State::Starting
                | State::Stopping { .. }
                | State::Ended { .. }
                | State::GaveUp { .. },
            )
            | (
                HookKind::PreStop | HookKind::PodStopping,
                State::Waiting
                | State::BackOff { .. }
                | State::Starting
                | State::Running { .. }
                | State::Stopping { .. }
                | State::Ended { .. }
                | State::GaveUp { .. },
            ) => {}
        }
    }

    pub(super) fn on_notified(
        &mut self,
        now: Tick,
        container: ContainerId,
        attempt: Attempt,
        ready: bool,
    ) {
        if self.is_current(container, attempt)
            && self.life(container).record.notified_ready != ready
        {
            self.record_mut(container).notified_ready = ready;
            self.refresh_ready(now, container, Cause::Itself);
        }
    }

    pub(super) fn on_probe_due(&mut self, now: Tick, container: ContainerId, kind: ProbeKind) {
        let Some(probe) = self.def(container).probes.get(kind).copied() else {
            return;
        };
        if kind == ProbeKind::Liveness && self.is_winding_down(container) {
            return;
        }
        let life = self.life_mut(container);
        let attempt = life.record.attempt;
        let probing = &mut life.probing[kind as usize];
        if !probing.is_active() || probing.in_flight.is_some() {
            return;
        }
        probing.attempt(&probe, now);
        self.actions.push_back(Action::Probe {
            container,
            attempt,
            probe: kind,
            timeout: probe.timeout,
        });
    }

    pub(super) fn on_probed(
        &mut self,
        now: Tick,
        container: ContainerId,
        attempt: Attempt,
        kind: ProbeKind,
        ok: bool,
    ) {
        if !self.is_current(container, attempt) {
            return;
        }
        let Some(probe) = self.def(container).probes.get(kind).copied() else {
            return;
        };
        let verdict = self.life_mut(container).probing[kind as usize].answer(&probe, ok);
        match (kind, verdict) {
            (_, None) | (ProbeKind::Liveness, Some(Verdict::Passed)) => {}
            (ProbeKind::Startup, Some(Verdict::Passed)) => {
                self.rest_probe(container, kind);
                self.tell(
                    now,
                    container,
                    What::ProbeVerdict {
                        probe: kind,
                        ok: true,
                    },
                    Cause::Itself,
                );
                self.enter_started(now, container);
            }
            (ProbeKind::Readiness, Some(verdict)) => {
                self.set_probed_ready(now, container, verdict == Verdict::Passed);
            }
            (ProbeKind::Startup | ProbeKind::Liveness, Some(Verdict::Failed)) => {
                self.tell(
                    now,
                    container,
                    What::ProbeVerdict {
                        probe: kind,
                        ok: false,
                    },
                    Cause::Itself,
                );
                let grace = probe.grace.unwrap_or(self.pod.grace);
                self.kill(
                    now,
                    container,
                    StopWhy::Probe(kind),
                    grace,
                    Cause::Probe(kind),
                );
            }
        }
        self.schedule_probe(now, container, kind);
    }

    /// The process runs and its postStart hook, if any, has returned.
    pub(super) fn after_post_start(&mut self, now: Tick, container: ContainerId) {
        self.record_mut(container).attempted = true;
        self.changed(container);
        if self.def(container).probes.startup.is_some() {
            self.begin_probe(now, container, ProbeKind::Startup);
        } else {
            self.enter_started(now, container);
        }
    }

    pub(super) fn enter_started(&mut self, now: Tick, container: ContainerId) {
        let record = self.record_mut(container);
        record.started = true;
        record.started_once = true;
        self.tell(now, container, What::Started, Cause::Itself);
        self.changed(container);
        self.begin_probes_of_started(now, container);
        self.refresh_ready(now, container, Cause::Itself);
    }

    pub(super) fn begin_probes_of_started(&mut self, now: Tick, container: ContainerId) {
        self.begin_readiness(now, container);
        self.begin_probe(now, container, ProbeKind::Liveness);
    }

    /// Readiness is asked for as long as the process runs, also while it is being stopped.
    pub(super) fn begin_readiness(&mut self, now: Tick, container: ContainerId) {
        self.begin_probe(now, container, ProbeKind::Readiness);
    }

    /// Looks again at a container's readiness, and tells those who care.
    pub(super) fn refresh_ready(&mut self, now: Tick, container: ContainerId, cause: Cause) {
        let ready = self.is_ready(container);
        let unready = self.counts_as_unready(container);
        let life = self.life_mut(container);
        let was_unready = std::mem::replace(&mut life.counted_unready, unready);
        self.unready = self.unready + usize::from(unready) - usize::from(was_unready);
        if std::mem::replace(&mut self.life_mut(container).told_ready, ready) == ready {
            return;
        }
        if ready {
            // It has come up: a later failure is a new one.
            self.record_mut(container).failed = false;
            self.start_is_over(container);
            self.tell(now, container, What::Ready, cause);
            self.replacement_ready(now, container);
        } else {
            self.tell(now, container, What::Unready, cause);
        }
        self.changed(container);
    }

    /// Whether the container can be used.
    pub(super) fn is_ready(&self, container: ContainerId) -> bool {
        let def = self.def(container);
        !def.is_oneshot()
            && self
                .life(container)
                .is_ready(def.probes.readiness.is_some(), def.ready_on)
    }

    /// Tells when the pod as a whole has become ready, or is not so any more.
    pub(super) fn tell_readiness(&mut self, now: Tick) {
        let ready = self.is_pod_ready();
        if ready != self.told_ready {
            self.told_ready = ready;
            self.tell_pod(
                now,
                if ready {
                    What::PodReady
                } else {
                    What::PodUnready
                },
                Cause::Itself,
            );
        }
    }

    /// Whether every service is ready and nothing has given up.
    pub fn is_pod_ready(&self) -> bool {
        self.unready == 0
            && self.record.goal == Goal::Run
            && self.record.sandbox
            && self.has_services
    }

    /// Probes once more at once, because somebody has begun to wait.
    pub(super) fn hurry_probes(&mut self, now: Tick, container: ContainerId) {
        for kind in [ProbeKind::Startup, ProbeKind::Readiness] {
            let life = self.life(container);
            let probing = &life.probing[kind as usize];
            if probing.is_active() && probing.in_flight.is_none() && !life.told_ready {
                self.schedule_probe(now, container, kind);
            }
        }
    }

    /// Liveness and startup are not looked at any more; readiness is, until the end.
    pub(super) fn rest_probes_for_stop(&mut self, container: ContainerId) {
        self.rest_probe(container, ProbeKind::Startup);
        self.rest_probe(container, ProbeKind::Liveness);
    }

    pub(super) fn rest_probe(&mut self, container: ContainerId, kind: ProbeKind) {
        self.life_mut(container).probing[kind as usize].rest();
        self.timers.disarm(Timer::Probe(container, kind));
    }

    fn enter_running(&mut self, now: Tick, container: ContainerId) {
        self.count_start(container);
        let post_start = self.def(container).hooks.post_start;
        self.record_mut(container).state = State::Running { since: now };
        self.note_ran(container);
        self.tell(now, container, What::Running, Cause::Itself);
        self.changed(container);
        if post_start {
            self.begin_hook(now, container, HookKind::PostStart, None);
        } else {
            self.after_post_start(now, container);
        }
    }

    /// Its process has been there in this run of the pod. One of the regular list says that the pod is initialised.
    pub(super) fn note_ran(&mut self, container: ContainerId) {
        self.record_mut(container).ran = true;
        if self.def(container).list == List::Regular && !self.record.initialized {
            self.pod_mut().initialized = true;
        }
    }

    /// Counts a start after an earlier run as a restart.
    pub(super) fn count_start(&mut self, container: ContainerId) {
        let record = self.record_mut(container);
        if let Some(exit) = record.exit.take() {
            record.last = Some(exit);
            record.restarts = record.restarts.saturating_add(1);
        }
    }

    pub(super) fn begin_hook(
        &mut self,
        now: Tick,
        container: ContainerId,
        hook: HookKind,
        deadline: Option<Tick>,
    ) {
        let record = self.record_mut(container);
        record.hooks.set(hook, HookStep::Begun);
        let attempt = record.attempt;
        self.tell(now, container, What::HookBegan(hook), Cause::Itself);
        self.actions.push_back(Action::RunHook {
            container,
            attempt,
            hook,
            deadline,
        });
    }

    fn undo_started(&mut self, container: ContainerId) {
        if self.life(container).record.undo == Undo::Starting {
            self.record_mut(container).undo = Undo::Running;
        }
    }

    fn set_probed_ready(&mut self, now: Tick, container: ContainerId, ready: bool) {
        if self.life(container).record.probed_ready == ready {
            return;
        }
        self.record_mut(container).probed_ready = ready;
        let probe = ProbeKind::Readiness;
        self.tell(
            now,
            container,
            What::ProbeVerdict { probe, ok: ready },
            Cause::Itself,
        );
        let cause = if ready {
            Cause::Itself
        } else {
            Cause::Probe(probe)
        };
        self.refresh_ready(now, container, cause);
    }

    pub(super) fn begin_probe(&mut self, now: Tick, container: ContainerId, kind: ProbeKind) {
        let Some(probe) = self.def(container).probes.get(kind).copied() else {
            return;
        };
        let Some(since) = self.life(container).record.running_since() else {
            return;
        };
        let first = now.max(since + probe.initial_delay);
        self.life_mut(container).probing[kind as usize].begin(first);
        self.timers.arm(Timer::Probe(container, kind), first);
    }

    fn schedule_probe(&mut self, now: Tick, container: ContainerId, kind: ProbeKind) {
        let Some(probe) = self.def(container).probes.get(kind).copied() else {
            return;
        };
        let life = self.life(container);
        let awaited = match kind {
            ProbeKind::Startup => true,
            ProbeKind::Readiness => !life.record.probed_ready,
            ProbeKind::Liveness => false,
        } && self.is_awaited(container);
        // Never before the initial delay, however much somebody waits.
        let earliest = life
            .record
            .running_since()
            .map_or(now, |since| since + probe.initial_delay);
        if let Some(due) = self.life_mut(container).probing[kind as usize].due(&probe, now, awaited)
        {
            self.timers
                .arm(Timer::Probe(container, kind), due.max(earliest));
        }
    }

    pub(super) fn counts_as_unready(&self, container: ContainerId) -> bool {
        let def = self.def(container);
        let record = &self.life(container).record;
        if def.on_give_up == OnGiveUp::Ignore || def.role == Role::Ephemeral || record.ignored {
            return false;
        }
        if def.is_oneshot() {
            matches!(record.state, State::GaveUp { .. })
        } else {
            !self.is_ready(container)
        }
    }
}
