//! Coming back after the driver died.
//!
//! The facts say where everything stood when the last of them was written; the driver says what it
//! finds now. Everything else (edges, timers, probes) follows from these two.

use super::{Engine, Work};
use crate::action::{Action, Command};
use crate::entry::{Cause, What};
use crate::event::{Exit, Found};
use crate::fact::{Change, Fact, Goal, ReplaceStep};
use crate::graph::InvalidGraph;
use crate::life::{HookStep, Life, State, StopStep, StopWhy, Undo};
use crate::pod::{ContainerId, HookKind, LAST_WINDOW, Pod};
use crate::tick::Tick;
use crate::timer::Timer;

impl Engine {
    /// Brings back the engine of a pod from what was kept. Call [`expected`](Self::expected), tell
    /// what was found of each with [`handle_found`](Self::handle_found), then [`handle_resume`](Self::handle_resume).
    ///
    /// Moments go on from those in the facts: back-offs, deadlines and ages are counted from them. A driver whose clock
    /// began anew (boot time after a reboot) has to add an offset to it, so that its first moment is
    /// [`newest_tick`](Self::newest_tick) and what has passed since by the wall clock.
    pub fn restore(pod: Pod, facts: impl IntoIterator<Item = Fact>) -> Result<Self, InvalidGraph> {
        let mut engine = Self::blank(pod, Tick::ZERO)?;
        for Fact { at, changes } in facts {
            engine.newest = engine.newest.max(at);
            for change in changes {
                engine.apply(change);
            }
        }
        Ok(engine)
    }

    /// The newest moment that has been, as far as the facts tell: no clock that goes on from it may show an earlier one.
    pub const fn newest_tick(&self) -> Tick {
        self.newest
    }

    /// The containers that may be alive, as far as the facts tell.
    pub fn expected(&self) -> Vec<ContainerId> {
        self.containers()
            .filter(|container| self.life(*container).is_up())
            .collect()
    }

    /// Takes in what the driver found of one container.
    pub fn handle_found(&mut self, now: Tick, container: ContainerId, found: Found) {
        let Some(life) = self.lives.get(container.index()) else {
            return;
        };
        if !life.is_up() {
            return;
        }
        let expected = life.record.attempt;
        match found {
            Found::Running { attempt } if attempt == expected => self.found_running(now, container),
            Found::Ended { attempt, exit } if attempt == expected => {
                self.life_mut(container).found_exit =
                    Some(Box::new(exit.unwrap_or_else(Exit::unknown)));
            }
            Found::NeverCreated
                if !life.record.was_seen()
                    && self.stopped_by(container) != Some(StopWhy::StartTimeout) =>
            {
                self.found_nothing(container);
            }
            // A process that had been seen is gone without a trace.
            Found::Running { .. } | Found::Ended { .. } | Found::NeverCreated => {
                self.life_mut(container).found_exit = Some(Box::new(Exit::unknown()));
            }
        }
    }

    /// Goes on after recovery.
    pub fn handle_resume(&mut self, now: Tick) {
        if self.record.run == 0 {
            self.record.created = now;
            self.begin_run(now, Cause::PodStart);
        }
        self.tell_pod(now, What::Recovered, Cause::Itself);
        // What was ready before has been told.
        for container in self.containers() {
            self.life_mut(container).told_ready = self.is_ready(container);
        }
        if self.record.result.is_some() {
            self.timers.clear();
            return self.flush(now);
        }
        let deadline = self.record.goal.deadline();
        self.budget_spent = deadline.is_some_and(|deadline| deadline <= now);
        // In a stopping pod, who still waits for what depends on who is above.
        if matches!(
            self.record.goal,
            Goal::Restart { waiting: None, .. } | Goal::End { .. }
        ) {
            self.join_pod_wave();
        }
        self.recount_up();
        for edge in self.graph.edges() {
            self.refresh(now, edge);
        }
        self.recount_pod();
        self.told_ready = self.is_pod_ready();
        self.resume_pod();
        for container in self.containers() {
            self.resume_container(now, container);
        }
        self.take_found_exits(now);
        // All mains may have ended meanwhile: then nothing is started any more.
        self.move_goal(now);
        // Who may start is looked at when the ends that were found have reached those who wait.
        self.work.retain(|work| !matches!(work, Work::Consider(_)));
        self.resume_wave();
        // A stop goes on as far as it had come before anybody in it is held to be needed.
        self.follow(now);
        for container in self.containers() {
            self.resume_waiting(container);
        }
        self.settle(now);
    }

    /// Deals with the ends that the driver found when it came back.
    pub(super) fn take_found_exits(&mut self, now: Tick) {
        for container in self.containers() {
            if let Some(exit) = self.life_mut(container).found_exit.take() {
                let attempt = self.life(container).record.attempt;
                self.on_exited(now, container, attempt, &exit);
            }
        }
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Pod(record) => self.record = *record,
            Change::Container(container, record) => {
                if let Some(life) = self.lives.get_mut(container.index()) {
                    life.latest_version = life.latest_version.max(record.version);
                    life.record = *record;
                }
            }
            Change::Defined(container, version, def) => {
                if container.index() == self.lives.len() {
                    self.lives.push(Life::default());
                    self.pod.containers.push(*def);
                } else if let Some(old) = self.pod.containers.get_mut(container.index()) {
                    *old = *def;
                    let life = self.life_mut(container);
                    life.record.version = version;
                    life.latest_version = life.latest_version.max(version);
                }
            }
            Change::Requirement(edge, record) => {
                self.set_gate(edge, record);
            }
            Change::Replacing(container, None) => {
                self.replacing.remove(&container);
            }
            Change::Replacing(container, Some(replacing)) => {
                if let Some(life) = self.lives.get_mut(container.index()) {
                    life.latest_version = life.latest_version.max(replacing.new_version);
                    self.replacing.insert(container, *replacing);
                }
            }
        }
    }

    fn found_running(&mut self, now: Tick, container: ContainerId) {
        if self.life(container).record.command() == Command::Undo {
            return self.found_undo_running(container);
        }
        let state = match self.life(container).record.state {
            State::Starting => {
                self.tell(now, container, What::Running, Cause::Itself);
                State::Running { since: now }
            }
            State::Stopping {
                since: None,
                why,
                step,
                deadline,
            } => State::Stopping {
                since: Some(now),
                why,
                step,
                deadline,
            },
            State::Waiting
            | State::BackOff { .. }
            | State::Running { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => return,
        };
        self.count_start(container);
        self.record_mut(container).state = state;
        self.note_ran(container);
    }

    fn found_undo_running(&mut self, container: ContainerId) {
        if self.life(container).record.undo == Undo::Starting {
            self.record_mut(container).undo = Undo::Running;
        }
    }

    /// The start that was written down never happened: it is still to be done.
    fn found_nothing(&mut self, container: ContainerId) {
        let record = self.record_mut(container);
        if record.command() == Command::Undo {
            record.undo = Undo::Owed;
        } else {
            // In a stop, its turn comes like that of any other that waits.
            record.state = State::Waiting;
            self.forget_start(container);
        }
    }

    fn resume_pod(&mut self) {
        if let (Some(limit), Goal::Run | Goal::Restart { .. }) =
            (self.pod.active_deadline, &self.record.goal)
        {
            self.timers
                .arm(Timer::ActiveDeadline, self.record.created + limit);
        }
        match self.record.goal {
            Goal::Restart {
                waiting: Some(at), ..
            } => self.timers.arm(Timer::PodBackOff, at),
            Goal::Restart {
                deadline,
                waiting: None,
                ..
            }
            | Goal::End { deadline, .. } => {
                self.timers.arm(Timer::Budget, deadline);
            }
            Goal::Run => {}
        }
    }

    fn resume_container(&mut self, now: Tick, container: ContainerId) {
        // Nothing is asked of a process that is gone.
        if self.life(container).found_exit.is_some() {
            return self.resume_replacement(now, container);
        }
        match self.life(container).record.undo {
            Undo::Stopping => self.stop_undo(now, container),
            Undo::Starting | Undo::Running => self.watch_start(container),
            Undo::None | Undo::Owed => {}
        }
        match self.life(container).record.state.clone() {
            // Its turn may have come; the answer to its start is still to come.
            State::Waiting | State::Starting => self.watch_start(container),
            State::BackOff { until, .. } => self.timers.arm(Timer::BackOff(container), until),
            State::Running { .. } => self.resume_running(now, container),
            State::Stopping {
                why,
                step,
                deadline,
                ..
            } => {
                self.doom(container, why);
                self.resume_stopping(now, container, step, deadline);
            }
            State::Ended { .. } | State::GaveUp { .. } => {}
        }
        self.resume_replacement(now, container);
    }

    /// Whoever is down and wanted goes on towards its start.
    fn resume_waiting(&mut self, container: ContainerId) {
        match self.life(container).record.state {
            State::Waiting | State::BackOff { .. } => self.prepare(container),
            State::Starting
            | State::Running { .. }
            | State::Stopping { .. }
            | State::Ended { .. }
            | State::GaveUp { .. } => {}
        }
        self.work.push_back(Work::Consider(container));
    }

    /// Hooks that were under way are not run a second time.
    fn resume_running(&mut self, now: Tick, container: ContainerId) {
        self.watch_start(container);
        self.finish_hook(container, HookKind::PodStopping);
        self.finish_hook(container, HookKind::PreStop);
        if self.life(container).record.started {
            return self.begin_probes_of_started(now, container);
        }
        let has_hook = self.def(container).hooks.post_start;
        if has_hook && self.life(container).record.hooks.get(HookKind::PostStart) == HookStep::Idle
        {
            return self.begin_hook(now, container, HookKind::PostStart, None);
        }
        self.finish_hook(container, HookKind::PostStart);
        self.after_post_start(now, container);
    }

    fn finish_hook(&mut self, container: ContainerId, hook: HookKind) {
        if self.life(container).record.hooks.get(hook) == HookStep::Begun {
            self.record_mut(container).hooks.set(hook, HookStep::Done);
        }
    }

    fn resume_stopping(
        &mut self,
        now: Tick,
        container: ContainerId,
        step: StopStep,
        deadline: Tick,
    ) {
        for hook in [HookKind::PodStopping, HookKind::PreStop] {
            self.finish_hook(container, hook);
        }
        if self.life(container).record.started {
            self.begin_readiness(now, container);
        }
        match step {
            StopStep::Hook(_) => self.advance_stop(now, container),
            StopStep::Signalled => {
                let attempt = self.life(container).record.attempt;
                // The driver may have died before it sent the signal: nobody is killed without one.
                let deadline = if deadline <= now {
                    now + LAST_WINDOW
                } else {
                    deadline
                };
                self.actions.push_back(Action::Stop {
                    container,
                    attempt,
                    deadline,
                });
            }
        }
    }

    fn resume_replacement(&mut self, now: Tick, container: ContainerId) {
        let Some(replacing) = self.replacing.get(&container) else {
            return;
        };
        // In a pod that stops nothing is exchanged; if it runs again, the time begins anew.
        if self.record.goal != Goal::Run {
            return;
        }
        let (step, deadline) = (replacing.step, replacing.deadline);
        if let Some(deadline) = deadline {
            self.timers.arm(Timer::Replace(container), deadline);
        }
        match step {
            ReplaceStep::Pulling => {
                let attempt = self.life(container).record.next_attempt();
                self.ask_for_image(now, container, attempt);
            }
            ReplaceStep::Watching
            | ReplaceStep::Stopping
            | ReplaceStep::RollingBack
            | ReplaceStep::NextStart => {}
        }
    }

    /// Goes on with the ordered stop that was under way.
    fn resume_wave(&mut self) {
        match self.record.goal {
            Goal::Run => {
                let marked = self
                    .containers()
                    .filter(|container| self.life(*container).record.after.is_some());
                self.marked = marked.collect();
                for container in self.marked.clone() {
                    if let Some(by) = self.life(container).record.leave_by {
                        self.timers.arm(Timer::Leave(container), by);
                    }
                }
                if !self.marked.is_empty() {
                    self.begin_partial_wave();
                }
            }
            Goal::Restart {
                waiting: Some(_), ..
            } => {}
            Goal::Restart { waiting: None, .. } | Goal::End { .. } => {
                self.queue_turns();
            }
        }
    }
}
