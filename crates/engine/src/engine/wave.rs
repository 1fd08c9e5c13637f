//! Stopping many containers in order.
//!
//! Every node counts those above it (that require it) which are not through. A node whose count is
//! zero has its turn: it is stopped, and once it is down it is *released*, which lowers the count
//! of what it requires. Nodes that are down already, and meeting points, are released at once, so
//! the order holds through them. The cost is that of the edges.
//!
//! There are two kinds of waves: the pod's (everything stops) and partial ones (those that go down
//! with a target). In a partial wave the nodes between members take part without being stopped.

use super::{Engine, Work};
use crate::action::Action;
use crate::entry::{Cause, What};
use crate::fact::Goal;
use crate::life::{After, GiveUp, HookStep, State, StopRole, StopStep, StopWhy, Undo};
use crate::pod::{BarrierId, ContainerId, HookKind, Kind, LAST_WINDOW, Rerun, Role, Target};
use crate::tick::Tick;
use crate::timer::Timer;
use std::collections::BTreeSet;

impl Engine {
    /// Begins to stop everything.
    pub(super) fn begin_pod_wave(&mut self, now: Tick) {
        self.settle_replacements(now);
        self.join_pod_wave();
        let at_once = matches!(self.record.goal, Goal::Restart { at_once: true, .. });
        for container in self.containers() {
            if self.is_untouched(container) {
                continue;
            }
            self.cancel_start(container);
            if at_once {
                self.kill_at_once(now, container);
            } else {
                self.run_hooks_of_stopping_pod(now, container);
            }
        }
        if let Some(deadline) = self.record.goal.deadline() {
            self.timers.arm(Timer::Budget, deadline);
        }
        self.queue_turns();
    }

    /// Makes every node part of the pod's stop.
    pub(super) fn join_pod_wave(&mut self) {
        let mut untouched = 0;
        for container in self.containers() {
            let above = self.count_above(Target::Container(container));
            let spared = self.is_untouched(container);
            untouched += usize::from(spared);
            self.life_mut(container).stop = StopRole {
                in_wave: !spared,
                member: !spared,
                above,
                ..StopRole::default()
            };
        }
        for barrier in self.barrier_ids() {
            let above = self.count_above(Target::Barrier(barrier));
            self.barriers[barrier.index()].stop = StopRole {
                in_wave: true,
                member: true,
                above,
                ..StopRole::default()
            };
        }
        self.stopping = self.lives.len() + self.barriers.len() - untouched;
    }

    /// A restart of the pod leaves those alone that were added for debugging.
    fn is_untouched(&self, container: ContainerId) -> bool {
        let again = matches!(self.record.goal, Goal::Restart { .. });
        again && self.def(container).role == Role::Ephemeral
    }

    /// Begins to stop the containers that have an `after`, in order among themselves.
    pub(super) fn begin_partial_wave(&mut self) {
        self.leave_wave();
        let mut marked = std::mem::take(&mut self.marked);
        // One that an earlier wave brought down and that is marked anew stands here twice.
        let mut seen = BTreeSet::new();
        marked.retain(|container| {
            self.life(*container).record.after.is_some() && seen.insert(*container)
        });
        let mut cone: Vec<_> = marked.iter().copied().map(Target::Container).collect();
        self.marked = marked;
        for node in &cone {
            *self.stop_role(*node) = StopRole {
                in_wave: true,
                member: true,
                ..StopRole::default()
            };
        }
        self.stopping = cone.len();
        let mut next = 0;
        while let Some(node) = cone.get(next).copied() {
            next += 1;
            for number in self.graph.incoming(node) {
                let edge = self.graph.edge(number);
                if !edge.requirement.orders_stop() {
                    continue;
                }
                let above = edge.from;
                self.stop_role(node).above += 1;
                if !self.stop_role(above).in_wave {
                    self.stop_role(above).in_wave = true;
                    cone.push(above);
                }
            }
        }
        for node in &cone {
            if self.stop_role(*node).above == 0 {
                self.work.push_back(Work::StopTurn(*node));
            }
        }
        self.wave = cone;
    }

    /// It is a node's turn to stop: nothing above it is up.
    pub(super) fn stop_turn(&mut self, now: Tick, node: Target) {
        let role = *self.stop_role(node);
        if !role.in_wave || role.released || role.above > 0 {
            return;
        }
        match node {
            Target::Barrier(_) => self.release(now, node),
            Target::Container(container) if !role.member => {
                self.release(now, Target::Container(container));
            }
            Target::Container(container) => self.stop_in_turn(now, container),
        }
    }

    /// A container that takes part in a wave is down.
    pub(super) fn came_down(&mut self, now: Tick, container: ContainerId) {
        self.changed(container);
        self.refresh_ready(now, container, Cause::Itself);
        self.work
            .push_back(Work::StopTurn(Target::Container(container)));
    }

    /// The budget of the pod's stop is used up: all that remain go at once.
    pub(super) fn on_budget_spent(&mut self, now: Tick) {
        self.budget_spent = true;
        self.tell_pod(now, What::BudgetSpent, Cause::Budget);
        for container in self.containers() {
            if self.is_untouched(container) {
                continue;
            }
            self.skip_undo(now, container);
            match self.life(container).record.state {
                State::Starting | State::Running { .. } => {
                    self.begin_stop(now, container, StopWhy::Order, now, Cause::Budget);
                }
                State::Stopping {
                    step: StopStep::Hook(_),
                    ..
                } => {
                    self.shorten_stop(now, container, now);
                    self.signal_without_hooks(now, container);
                }
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
        self.forget_order();
    }

    /// Gives the pod's stop less time.
    pub(super) fn shorten_stops(&mut self, now: Tick, deadline: Tick) {
        self.timers.arm(Timer::Budget, deadline);
        for container in self.containers() {
            self.shorten_stop(now, container, deadline);
        }
    }

    /// Whether something that requires this container, directly or through others, is not through.
    pub(super) fn something_above_is_up(&self, container: ContainerId) -> bool {
        self.life(container).stop.above > 0
    }

    pub(super) fn is_budget_spent(&self) -> bool {
        self.budget_spent
    }

    /// Takes every node out of the wave.
    pub(super) fn leave_wave(&mut self) {
        for node in std::mem::take(&mut self.wave) {
            *self.stop_role(node) = StopRole::default();
        }
        self.stopping = 0;
    }

    pub(super) fn queue_turns(&mut self) {
        let nodes = self
            .containers()
            .map(Target::Container)
            .chain(self.barrier_ids().map(Target::Barrier));
        for node in nodes {
            let role = *self.stop_role(node);
            if role.in_wave && role.above == 0 {
                self.work.push_back(Work::StopTurn(node));
            }
        }
    }

    pub(super) fn stop_role(&mut self, node: Target) -> &mut StopRole {
        match node {
            Target::Container(id) => &mut self.lives[id.index()].stop,
            Target::Barrier(id) => &mut self.barriers[id.index()].stop,
        }
    }

    fn stop_in_turn(&mut self, now: Tick, container: ContainerId) {
        if self.record.goal != Goal::Run && !self.life(container).is_up() {
            self.rest_in_stop(container);
        }
        let record = &self.life(container).record;
        match (&record.state, record.undo) {
            (State::Starting | State::Running { .. } | State::Stopping { .. }, _) => {
                let deadline = self.turn_deadline(now, container);
                let cause = self.cause_of_stop(container);
                self.begin_stop(now, container, StopWhy::Order, deadline, cause);
            }
            (_, Undo::Starting | Undo::Running | Undo::Stopping) => {}
            (_, Undo::Owed) if self.will_undo(container) && self.can_undo() => {
                self.start_undo(now, container);
            }
            (_, Undo::Owed) if self.will_undo(container) => {
                self.forgo_undo(now, container);
                self.release(now, Target::Container(container));
            }
            (
                State::Waiting | State::BackOff { .. } | State::Ended { .. } | State::GaveUp { .. },
                Undo::None | Undo::Owed,
            ) => self.release(now, Target::Container(container)),
        }
    }

    /// A node and all above it are down.
    fn release(&mut self, now: Tick, node: Target) {
        let role = self.stop_role(node);
        role.released = true;
        if role.member {
            self.stopping -= 1;
        }
        for index in 0..self.graph.outgoing(node).len() {
            let edge = self.graph.outgoing(node)[index];
            let requirement = &self.graph.edge(edge).requirement;
            let (below, orders) = (requirement.target, requirement.orders_stop());
            let role = self.stop_role(below);
            if orders && role.in_wave && role.above > 0 {
                role.above -= 1;
                if role.above == 0 {
                    self.work.push_back(Work::StopTurn(below));
                }
            }
        }
        if let Target::Container(container) = node
            && self.record.goal == Goal::Run
        {
            self.dispose(now, container);
        }
    }

    /// What becomes of a container that a partial wave has brought down.
    fn dispose(&mut self, now: Tick, container: ContainerId) {
        let Some(after) = self.life(container).record.after else {
            return;
        };
        self.record_mut(container).after = None;
        self.forget_leaving(container);
        if self.life(container).record.is_over() {
            return;
        }
        match after {
            After::Restart if self.life(container).record.ignored => {
                self.end_left_out(now, container, Cause::Itself);
            }
            After::Restart if self.replacement_down(now, container) => {
                // What the old one had run up is not the new one's.
                self.timers.disarm(Timer::BackOff(container));
                self.enter_waiting(now, container);
            }
            // It had failed by itself before its turn came: its back-off goes on.
            After::Restart if self.is_backing_off(container) => self.prepare(container),
            After::Restart => self.enter_waiting(now, container),
            After::EndOk => self.end_with_target(now, container, Cause::Itself),
            After::GiveUp => self.give_up(now, container, GiveUp::Stopped, Cause::Itself),
        }
    }

    fn is_backing_off(&self, container: ContainerId) -> bool {
        matches!(self.life(container).record.state, State::BackOff { .. })
    }

    /// A container that is not up when its turn to stop comes stays down. One that was to run once more has ended as its
    /// last run did, and whether that run has done its work, nobody knows: see `exited_in_stop`.
    fn rest_in_stop(&mut self, container: ContainerId) {
        self.timers.disarm(Timer::BackOff(container));
        self.cancel_pull(container);
        let record = &self.life(container).record;
        let waits = matches!(record.state, State::Waiting | State::BackOff { .. });
        if waits && record.ran && record.exit.is_some() {
            let ok = self.has_ended_well(container);
            self.become_ended(container, ok, ok);
            self.record_mut(container).interrupted = true;
        }
    }

    fn cancel_start(&mut self, container: ContainerId) {
        self.record_mut(container).after = match self.life(container).record.after {
            Some(After::EndOk) => Some(After::EndOk),
            Some(After::Restart | After::GiveUp) | None => None,
        };
        self.timers.disarm(Timer::Replace(container));
        let restarts = self.is_backing_off(container) && self.is_wanted(container);
        if !self.life(container).is_up() && !restarts {
            self.cancel_pull(container);
            self.timers.disarm(Timer::BackOff(container));
            self.start_is_over(container);
        }
        let node = Target::Container(container);
        for index in 0..self.graph.outgoing(node).len() {
            let edge = self.graph.outgoing(node)[index];
            self.remember(edge, |gate| gate.deadline = None);
        }
        if self.def(container).plain {
            self.rest_probes_for_stop(container);
        }
        // A partial wave had set a time for it; the pod's budget holds now.
        self.forget_leaving(container);
    }

    fn kill_at_once(&mut self, now: Tick, container: ContainerId) {
        match self.life(container).record.state {
            State::Starting | State::Running { .. } | State::Stopping { .. } => {
                let record = self.record_mut(container);
                record.hooks.set(HookKind::PreStop, HookStep::Done);
                record.hooks.set(HookKind::PodStopping, HookStep::Done);
                self.begin_stop(now, container, StopWhy::Order, now, Cause::PodRestart);
                self.end_hooks(now, container);
            }
            State::Waiting | State::BackOff { .. } | State::Ended { .. } | State::GaveUp { .. } => {
            }
        }
    }

    /// A stop that still waits for its hooks waits no more.
    fn end_hooks(&mut self, now: Tick, container: ContainerId) {
        if matches!(
            self.life(container).record.state,
            State::Stopping {
                step: StopStep::Hook(_),
                ..
            }
        ) {
            self.advance_stop(now, container);
        }
    }

    fn run_hooks_of_stopping_pod(&mut self, now: Tick, container: ContainerId) {
        if !matches!(self.life(container).record.state, State::Running { .. }) {
            return;
        }
        let def = self.def(container);
        let (plain, hooks) = (def.plain, def.hooks);
        let deadline = self.record.goal.deadline();
        if hooks.pod_stopping {
            self.begin_hook(now, container, HookKind::PodStopping, deadline);
        }
        // The kubelet runs every preStop hook when the pod begins to stop, and waits for the turn afterwards.
        if plain && hooks.pre_stop {
            self.begin_hook(now, container, HookKind::PreStop, deadline);
        }
    }

    fn turn_deadline(&self, now: Tick, container: ContainerId) -> Tick {
        let budget = if let Some(deadline) = self.record.goal.deadline() {
            deadline
        } else {
            let by = self.life(container).record.leave_by;
            by.unwrap_or(now + self.pod.grace)
        };
        match self.def(container).stop_timeout {
            Some(limit) => budget.min(now + limit),
            None => budget,
        }
    }

    fn cause_of_stop(&mut self, container: ContainerId) -> Cause {
        let own = self.life_mut(container).stop_cause.take();
        match self.record.goal {
            Goal::Run => own.map_or(Cause::Itself, |cause| *cause),
            Goal::Restart { .. } | Goal::End { .. } if self.was_needed(container) => {
                Cause::Unneeded
            }
            Goal::Restart { .. } | Goal::End { .. } => {
                self.stop_cause.clone().unwrap_or(Cause::Itself)
            }
        }
    }

    /// Whether something that requires it has run. For people only.
    fn was_needed(&self, container: ContainerId) -> bool {
        let mut incoming = self.graph.incoming(Target::Container(container));
        incoming.any(|edge| {
            let edge = self.graph.edge(edge);
            edge.requirement.orders_stop()
                && match edge.from {
                    Target::Container(above) => self.life(above).record.ran,
                    Target::Barrier(_) => true,
                }
        })
    }

    fn will_undo(&self, container: ContainerId) -> bool {
        if self.life(container).record.interrupted {
            return !matches!(
                self.record.goal,
                Goal::Run | Goal::Restart { at_once: true, .. }
            );
        }
        match (&self.record.goal, self.def(container).kind) {
            (Goal::End { .. }, _)
            | (
                Goal::Restart { at_once: false, .. },
                Kind::Oneshot {
                    rerun: Rerun::OnPodRestart,
                    ..
                },
            ) => true,
            (Goal::Run | Goal::Restart { .. }, _) => false,
        }
    }

    /// Whether there is a place and a time to reverse something in.
    fn can_undo(&self) -> bool {
        self.record.sandbox && !self.budget_spent
    }

    /// What is owed stays as it is, and that is told.
    fn forgo_undo(&mut self, now: Tick, container: ContainerId) {
        let cause = if self.record.sandbox {
            Cause::Budget
        } else {
            Cause::SandboxLost
        };
        self.tell(now, container, What::UndoSkipped, cause);
        self.record_mut(container).undo = Undo::None;
    }

    /// There is no time for a reversal, or no more.
    pub(super) fn skip_undo(&mut self, now: Tick, container: ContainerId) {
        match self.life(container).record.undo {
            Undo::Owed if self.will_undo(container) => {
                self.forgo_undo(now, container);
            }
            Undo::Starting | Undo::Running => {
                self.record_mut(container).undo = Undo::Stopping;
                self.stop_undo(now, container);
            }
            // What is not to be reversed in this stop still is in the last one.
            Undo::None | Undo::Owed | Undo::Stopping => {}
        }
    }

    /// Tells the reversal of a oneshot to stop: there is no time left.
    pub(super) fn stop_undo(&mut self, now: Tick, container: ContainerId) {
        let attempt = self.life(container).record.attempt;
        self.actions.push_back(Action::Stop {
            container,
            attempt,
            deadline: now + LAST_WINDOW,
        });
    }

    /// The order counts no more: whatever is down is through.
    fn forget_order(&mut self) {
        let nodes: Vec<_> = self
            .containers()
            .map(Target::Container)
            .chain(self.barrier_ids().map(Target::Barrier))
            .collect();
        for node in nodes {
            self.stop_role(node).above = 0;
            self.work.push_back(Work::StopTurn(node));
        }
    }

    fn count_above(&self, node: Target) -> u32 {
        let above = self.graph.incoming(node);
        let above = above
            .filter(|edge| self.graph.edge(*edge).requirement.orders_stop())
            .count();
        u32::try_from(above).expect("edges are numbered by u32")
    }

    fn barrier_ids(&self) -> impl Iterator<Item = BarrierId> + use<> {
        (0..self.barriers.len()).map(|index| BarrierId(u32::try_from(index).expect("ids are u32")))
    }
}
