//! Where the pod is going: its end, its restart, its result.

use super::edges::Lets;
use super::{Engine, Work};
use crate::entry::{Cause, What};
use crate::event::Exit;
use crate::fact::{EndCause, Goal};
use crate::life::{Record, State, StopRole, Termination, Undo};
use crate::pod::{
    BarrierId, ContainerId, Kind, LAST_WINDOW, OnGiveUp, ProbeKind, Reaction, Rerun, RestartPolicy,
    Role, SHORTEST_GRACE, Target,
};
use crate::restart;
use crate::result::{PodReason, PodResult};
use crate::status::Phase;
use crate::tick::Tick;
use crate::timer::Timer;
use std::time::Duration;

/// Which of those that succeeded a new run of the pod leaves alone.
#[derive(Clone, Copy)]
enum Spared {
    /// Everything is run again.
    Nobody,
    /// Oneshots that say `rerun: never`.
    Once,
    /// Those, and mains with the policy `OnFailure`: their success is not repeated after a lost sandbox.
    OnceAndOnFailure,
}

impl Engine {
    /// Begins a run of the pod: everything that should run waits for its requirements.
    pub(super) fn begin_run(&mut self, now: Tick, cause: Cause) {
        let spared = self.spared_by(&cause);
        let keeps_back_off = matches!(self.record.goal, Goal::Restart { at_once: true, .. });
        let pod = self.pod_mut();
        pod.run = pod.run.saturating_add(1);
        pod.goal = Goal::Run;
        pod.run_began = now;
        let run = pod.run;
        self.budget_spent = false;
        self.leave_pod_wave();
        self.tell_pod(now, What::PodStarted { run }, cause);
        for container in self.containers() {
            if self.def(container).role != Role::Ephemeral && !self.stays_done(container, spared) {
                self.renew(container, keeps_back_off);
            }
        }
        self.recount_pod();
        self.resume_replacements();
        for edge in self.graph.edges() {
            self.remember(edge, |gate| {
                gate.held = false;
                gate.anew = false;
            });
        }
        for node in self.graph.nodes() {
            self.node_changed(node);
        }
        for container in self.containers() {
            if self.life(container).record.state == State::Waiting {
                self.enter_waiting(now, container);
            }
        }
    }

    /// Ends the pod, for the first cause that comes; later ones can only hurry it.
    pub(super) fn begin_end(
        &mut self,
        now: Tick,
        end: EndCause,
        cause: Cause,
        grace: Option<Duration>,
    ) {
        if self.record.result.is_some() {
            return;
        }
        let wanted = now + grace.unwrap_or(self.pod.grace).max(SHORTEST_GRACE);
        match self.record.goal.clone() {
            Goal::Run => {
                self.note_waiting_at_end(&end);
                self.pod_mut().goal = Goal::End {
                    cause: end,
                    deadline: wanted,
                };
                self.stop_cause = Some(cause.clone());
                self.tell_pod(now, What::PodStopping { deadline: wanted }, cause);
                self.begin_pod_wave(now);
            }
            Goal::Restart {
                deadline,
                at_once,
                waiting,
            } => {
                // A restart that kills at once has no budget for an order, and one that is through has none left.
                let anew = at_once || waiting.is_some();
                let deadline = if anew { wanted } else { deadline.min(wanted) };
                self.budget_spent &= !anew;
                self.pod_mut().goal = Goal::End {
                    cause: end,
                    deadline,
                };
                self.timers.disarm(Timer::PodBackOff);
                self.stop_cause = Some(cause.clone());
                self.tell_pod(now, What::PodStopping { deadline }, cause);
                self.settle_replacements(now);
                // What the restart would have left as it is has to be reversed after all.
                self.join_pod_wave();
                self.shorten_stops(now, deadline);
                self.queue_turns();
            }
            Goal::End {
                cause: first,
                deadline,
            } if end == EndCause::Deletion && wanted < deadline => {
                self.pod_mut().goal = Goal::End {
                    cause: first,
                    deadline: wanted,
                };
                self.tell_pod(now, What::PodHurried { deadline: wanted }, cause);
                self.shorten_stops(now, wanted);
            }
            Goal::End { deadline, .. } if end == EndCause::Deletion => {
                self.tell_pod(now, What::PodNotDelayed { deadline }, cause);
            }
            Goal::End { .. } => {}
        }
    }

    /// Does to the pod what a rule or a request says.
    pub(super) fn react(
        &mut self,
        now: Tick,
        reaction: Reaction,
        by: Option<ContainerId>,
        cause: Cause,
    ) {
        let told = |ok| EndCause::Told {
            ok,
            by,
            reaction: Some(reaction),
        };
        match reaction {
            Reaction::RestartAllContainers => self.begin_restart(now, true, cause),
            Reaction::RestartPod => self.begin_restart(now, false, cause),
            Reaction::FailPod => self.begin_end(now, told(false), cause, None),
            Reaction::CompletePod => self.begin_end(now, told(true), cause, None),
            Reaction::Restart | Reaction::Ignore => {}
        }
    }

    /// Moves on when every main has ended, or everything is down. Says whether it did.
    pub(super) fn move_goal(&mut self, now: Tick) -> bool {
        match self.record.goal {
            Goal::Run if self.mains_left == 0 && self.has_mains => {
                self.begin_end(now, EndCause::Completion, Cause::Completion, None);
                true
            }
            Goal::End { .. } if self.record.result.is_none() && self.stopping == 0 => {
                self.finish(now);
                true
            }
            Goal::Restart { waiting: None, .. } if self.stopping == 0 => {
                self.await_next_run(now);
                true
            }
            Goal::Run | Goal::End { .. } | Goal::Restart { .. } => false,
        }
    }

    /// Everything in the sandbox is gone. Kubernetes' rules say whether the pod may run again.
    pub(super) fn on_sandbox_lost(&mut self, now: Tick) {
        if !std::mem::replace(&mut self.pod_mut().sandbox, false) || self.record.result.is_some() {
            return;
        }
        self.take_found_exits(now);
        let created = self
            .containers()
            .any(|container| self.life(container).record.was_created());
        for container in self.containers() {
            self.lose(now, container);
        }
        match self.record.goal {
            Goal::Run if !created => {
                for container in self.containers() {
                    self.lose_turn(container);
                }
            }
            Goal::Run if self.pod.restart_policy == RestartPolicy::Never => {
                self.begin_end(now, EndCause::SandboxLost, Cause::SandboxLost, None);
            }
            Goal::Run => {
                self.settle_replacements(now);
                self.begin_run(now, Cause::SandboxLost);
            }
            Goal::Restart { .. } | Goal::End { .. } => self.queue_turns(),
        }
    }

    /// Whether the pod is about to be over: its last main is being stopped for good. The kubelet does not tend
    /// its sidecars any more then.
    pub(super) fn is_winding_down(&self, container: ContainerId) -> bool {
        let def = self.def(container);
        def.plain && def.role == Role::Sidecar && self.only_doomed_are_left()
    }

    /// Tends the plain sidecars again if the pod was about to be over and is not any more.
    pub(super) fn look_after_sidecars(&mut self, now: Tick) {
        let winding_down = self.only_doomed_are_left();
        let was = std::mem::replace(&mut self.winding_down, winding_down);
        if !was || winding_down || self.record.goal != Goal::Run {
            return;
        }
        for container in self.containers() {
            let def = self.def(container);
            if def.plain && def.role == Role::Sidecar {
                self.work.push_back(Work::Consider(container));
                if matches!(self.life(container).record.state, State::Running { .. })
                    && self.life(container).record.started
                {
                    self.begin_probe(now, container, ProbeKind::Liveness);
                }
            }
        }
    }

    fn only_doomed_are_left(&self) -> bool {
        self.mains_left > 0 && self.mains_left == self.doomed
    }

    /// The container that keeps a meeting point from ever opening.
    pub(super) fn blocker_of(&self, barrier: BarrierId) -> Option<ContainerId> {
        let mut node = Target::Barrier(barrier);
        loop {
            let mut edges = self.graph.outgoing(node).iter();
            let never = |edge: &&u32| matches!(self.gates[**edge as usize].lets, Lets::Never(_));
            let blocked = edges.find(never)?;
            match self.graph.edge(*blocked).requirement.target {
                Target::Container(container) => return Some(container),
                inner @ Target::Barrier(_) => node = inner,
            }
        }
    }

    /// Counts anew what is kept count of.
    pub(super) fn recount_pod(&mut self) {
        let defs = &self.pod.containers;
        self.has_mains = defs.iter().any(|def| def.role == Role::Main);
        let mut lasting = defs.iter().filter(|def| def.role != Role::Ephemeral);
        self.has_services = lasting.any(|def| !def.is_oneshot());
        for container in self.containers() {
            self.refresh_main(container);
            self.refresh_ready(self.record.run_began, container, Cause::Itself);
        }
    }

    fn begin_restart(&mut self, now: Tick, at_once: bool, cause: Cause) {
        if self.record.goal != Goal::Run {
            return;
        }
        if at_once {
            self.note_initialized();
            self.note_waiting();
        }
        let deadline = now
            + if at_once {
                LAST_WINDOW
            } else {
                self.pod.grace.max(SHORTEST_GRACE)
            };
        self.stop_cause = Some(cause.clone());
        self.pod_mut().goal = Goal::Restart {
            at_once,
            deadline,
            waiting: None,
        };
        self.tell_pod(
            now,
            if at_once {
                What::PodKilled
            } else {
                What::PodStopping { deadline }
            },
            cause,
        );
        self.begin_pod_wave(now);
    }

    /// Everything is down: the next run begins after the pod's back-off.
    fn await_next_run(&mut self, now: Tick) {
        self.timers.disarm(Timer::Budget);
        self.note_removed();
        let backoff = self.pod.backoff;
        let began = self.record.run_began;
        let pod = self.pod_mut();
        if now.since(began) > backoff.reset {
            pod.backoff_level = 0;
        }
        let after = restart::delay(&backoff, pod.backoff_level);
        pod.backoff_level = pod.backoff_level.saturating_add(1);
        if let Goal::Restart { waiting, .. } = &mut pod.goal {
            *waiting = Some(now + after);
        }
        self.tell_pod(now, What::PodRestarting { after }, Cause::PodRestart);
        if after.is_zero() {
            self.begin_run(now, Cause::PodRestart);
        } else {
            self.timers.arm(Timer::PodBackOff, now + after);
        }
    }

    fn finish(&mut self, now: Tick) {
        self.tell_readiness(now);
        self.timers.clear();
        let result = self.result_now();
        let (phase, decider, code) = (result.phase, result.decider, result.code);
        let ended = What::PodEnded {
            phase,
            decider,
            code,
        };
        self.pod_mut().result = Some(result);
        self.tell_pod(now, ended, self.cause_of_result());
    }

    /// Why the pod's result is what it is, for people.
    fn cause_of_result(&self) -> Cause {
        let failed = self.first_failed();
        let never_ran = failed.filter(|failed| self.last_end(*failed).is_none());
        match (&self.stop_cause, never_ran) {
            (Some(Cause::Completion), Some(container)) => Cause::NeverRan(container),
            (Some(cause), _) => cause.clone(),
            (None, _) => Cause::Itself,
        }
    }

    fn result_now(&self) -> PodResult {
        let Goal::End { cause, .. } = &self.record.goal else {
            return self.result_by_codes();
        };
        match *cause {
            EndCause::Deletion | EndCause::Completion | EndCause::SandboxLost => {
                self.result_by_codes()
            }
            EndCause::Keystone(keystone) => {
                let ok = self.life(keystone).record.state == State::Ended { ok: true };
                self.result_of(Some(keystone), ok)
            }
            EndCause::Told { ok, by, .. } => self.result_of(by, ok),
            EndCause::ActiveDeadline => PodResult {
                reason: Some(PodReason::DeadlineExceeded),
                ..self.result_of(None, false)
            },
        }
    }

    fn result_of(&self, decider: Option<ContainerId>, ok: bool) -> PodResult {
        let code = decider
            .and_then(|decider| self.exit_code(decider))
            .filter(|code| *code != 0);
        let (phase, code) = if ok {
            (Phase::Succeeded, 0)
        } else {
            (Phase::Failed, code.unwrap_or(1))
        };
        PodResult {
            phase,
            decider,
            code,
            reason: None,
        }
    }

    /// Succeeded if every main ended with 0; else the first that failed decides.
    fn result_by_codes(&self) -> PodResult {
        match self.first_failed() {
            None => PodResult {
                phase: Phase::Succeeded,
                decider: None,
                code: 0,
                reason: None,
            },
            Some(first) => {
                let decider = self.last_end(first).map(|_| first);
                let code = self.exit_code(first).filter(|code| *code != 0).unwrap_or(1);
                PodResult {
                    phase: Phase::Failed,
                    decider,
                    code,
                    reason: None,
                }
            }
        }
    }

    /// The main that failed first; those that never ran come last.
    fn first_failed(&self) -> Option<ContainerId> {
        let failed = self
            .containers()
            .filter(|container| self.counts_as_failed(*container));
        failed.min_by_key(|container| {
            let end = self.last_end(*container);
            end.map_or(Tick::NEVER, |end| end.finished)
        })
    }

    fn counts_as_failed(&self, container: ContainerId) -> bool {
        let def = self.def(container);
        let record = &self.life(container).record;
        def.role == Role::Main
            && def.on_give_up != OnGiveUp::Ignore
            && !record.ignored
            && record.state != State::Ended { ok: true }
    }

    fn exit_code(&self, container: ContainerId) -> Option<i32> {
        self.last_end(container).map(|end| end.exit.code)
    }

    /// How the container last ended in this run of the pod.
    fn last_end(&self, container: ContainerId) -> Option<&Termination> {
        let record = &self.life(container).record;
        record.exit.as_deref().filter(|_| record.ran)
    }

    /// Makes a container ready for a new run of the pod. A kubelet that restarts all does not forget what each has to wait for.
    fn renew(&mut self, container: ContainerId, keeps_back_off: bool) {
        self.timers.disarm(Timer::Leave(container));
        self.timers.disarm(Timer::BackOff(container));
        let record = self.record_mut(container);
        let Record {
            attempt,
            version,
            restarts,
            exit,
            last,
            image,
            backoff_level,
            last_start,
            ..
        } = std::mem::take(record);
        let (backoff_level, last_start) = if keeps_back_off {
            (backoff_level, last_start)
        } else {
            Default::default()
        };
        *record = Record {
            attempt,
            version,
            restarts,
            image,
            exit,
            last,
            backoff_level,
            last_start,
            ..Record::default()
        };
        let life = self.life_mut(container);
        life.doomed = false;
        life.told_ready = false;
    }

    /// Which of those that succeeded a new run of the pod leaves alone.
    fn spared_by(&self, cause: &Cause) -> Spared {
        if matches!(self.record.goal, Goal::Restart { at_once: true, .. }) {
            Spared::Nobody
        } else if *cause == Cause::SandboxLost {
            Spared::OnceAndOnFailure
        } else {
            Spared::Once
        }
    }

    /// Whether a new run of the pod leaves a container as it ended.
    fn stays_done(&self, container: ContainerId, spared: Spared) -> bool {
        let record = &self.life(container).record;
        let def = self.def(container);
        let once = matches!(
            def.kind,
            Kind::Oneshot {
                rerun: Rerun::Never,
                ..
            }
        );
        let on_failure = def.role == Role::Main
            && !def.is_oneshot()
            && def.restart.policy == RestartPolicy::OnFailure;
        let spared = match spared {
            Spared::Nobody => false,
            Spared::Once => once,
            Spared::OnceAndOnFailure => once || on_failure,
        };
        spared && record.state == State::Ended { ok: true } && !record.interrupted
    }

    /// The process of a container is gone with its sandbox.
    fn lose(&mut self, now: Tick, container: ContainerId) {
        if !self.life(container).is_up() {
            return;
        }
        self.tell(
            now,
            container,
            What::Exited(Exit::unknown()),
            Cause::SandboxLost,
        );
        if matches!(
            self.life(container).record.undo,
            Undo::Starting | Undo::Running | Undo::Stopping
        ) {
            self.record_mut(container).undo = Undo::None;
            self.tell(
                now,
                container,
                What::Undone { ok: false },
                Cause::SandboxLost,
            );
        } else {
            self.note_exit(now, container, Exit::unknown());
            let record = self.record_mut(container);
            record.state = State::Ended { ok: false };
            record.interrupted = true;
            self.refresh_ready(now, container, Cause::SandboxLost);
        }
    }

    fn leave_pod_wave(&mut self) {
        self.wave.clear();
        self.marked.clear();
        self.doomed = 0;
        self.stopping = 0;
        for life in &mut self.lives {
            life.stop = StopRole::default();
        }
        for barrier in &mut self.barriers {
            barrier.stop = StopRole::default();
        }
    }
}
