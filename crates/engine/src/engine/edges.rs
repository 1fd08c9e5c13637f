//! How each requirement stands, and who is held back by it.
//!
//! Every edge keeps its last answer, and every node counts the edges that hold it back, so that a
//! change costs as much as the edges it touches.

use super::{Engine, Work};
use crate::entry::Impossible;
use crate::fact::RequirementRecord;
use crate::life::{Record, State, StopRole};
use crate::pod::{BarrierId, ContainerId, Need, Target, Until};
use crate::result::{Wait, WaitState};
use crate::tick::Tick;
use crate::timer::Timer;

/// What is known of one edge.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Gate {
    /// Whether it lets its container start.
    pub(super) lets: Lets,
    /// It has been fulfilled since the target last went down.
    held: bool,
    /// It was lost with its target, and counts for the next start whatever its need.
    anew: bool,
    /// It was waited for long enough, for this start.
    timed_out: bool,
    /// Its past has changed since it was last handed out.
    pub(super) dirty: bool,
}

/// What is known of a meeting point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BarrierLife {
    pub(super) closed: u32,
    pub(super) broken: u32,
    pub(super) stop: StopRole,
    pub(super) change_queued: bool,
    /// The newest of its edges that was let go and not fulfilled: for people.
    let_go: Option<u32>,
}

/// Whether an edge lets its container start.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Lets {
    /// It does.
    #[default]
    Through,
    /// Not yet.
    Wait,
    /// Never: it cannot be fulfilled, and must be.
    Never(Impossible),
}

impl Engine {
    /// Looks again at every edge that leads to this node.
    pub(super) fn refresh_incoming(&mut self, now: Tick, node: Target) {
        for edge in self.graph.incoming(node) {
            self.refresh(now, edge);
        }
    }

    /// How a requirement of a container stands, for people.
    pub(super) fn wait(&self, container: ContainerId, edge: u32) -> Wait {
        let requirement = &self.graph.edge(edge).requirement;
        let state = self.standing_of(edge);
        let since = self.life(container).record.waiting_since;
        Wait {
            target: requirement.target,
            until: requirement.until,
            state,
            since,
        }
    }

    /// Whether a requirement is fulfilled, as against let go.
    pub(super) fn is_satisfied(&self, edge: u32) -> bool {
        let requirement = &self.graph.edge(edge).requirement;
        self.standing(requirement.target, requirement.until) == WaitState::Satisfied
    }

    /// Whether somebody waits for this container to come up.
    pub(super) fn is_awaited(&self, container: ContainerId) -> bool {
        let mut nodes = vec![Target::Container(container)];
        while let Some(node) = nodes.pop() {
            for edge in self.graph.incoming(node) {
                if self.gates[edge as usize].lets != Lets::Wait {
                    continue;
                }
                match self.graph.edge(edge).from {
                    Target::Container(from) if self.life(from).record.state == State::Waiting => {
                        return true;
                    }
                    Target::Container(_) => {}
                    barrier @ Target::Barrier(_) => nodes.push(barrier),
                }
            }
        }
        false
    }

    /// The first requirement that holds a container back for ever.
    pub(super) fn impossible(&self, container: ContainerId) -> Option<(Target, Until, Impossible)> {
        self.graph
            .outgoing(Target::Container(container))
            .iter()
            .find_map(|edge| match self.gates[*edge as usize].lets {
                Lets::Never(why) => {
                    let requirement = &self.graph.edge(*edge).requirement;
                    Some((requirement.target, requirement.until, why))
                }
                Lets::Through | Lets::Wait => None,
            })
    }

    pub(super) fn on_requirement_timeout(&mut self, now: Tick, edge: u32) {
        self.remember(edge, |gate| gate.timed_out = true);
        self.refresh(now, edge);
    }

    /// What has become of a requirement so far. Few have a deadline, so it stands with the timers: there are many edges,
    /// and all that is known of each should be small.
    pub(super) fn gate(&self, number: u32) -> RequirementRecord {
        let gate = &self.gates[number as usize];
        RequirementRecord {
            held: gate.held,
            anew: gate.anew,
            timed_out: gate.timed_out,
            deadline: self.timers.at(Timer::Requirement(number)),
        }
    }

    /// Changes what has become of a requirement. It is handed out as a fact if its past can decide anything.
    pub(super) fn remember(&mut self, number: u32, change: impl FnOnce(&mut RequirementRecord)) {
        let before = self.gate(number);
        let mut after = before;
        change(&mut after);
        if after == before {
            return;
        }
        self.set_gate(number, after);
        let gate = &mut self.gates[number as usize];
        if !gate.dirty && self.graph.edge(number).requirement.has_past() {
            gate.dirty = true;
            self.dirty_edges.push(number);
        }
    }

    /// Takes over what has become of a requirement.
    pub(super) fn set_gate(&mut self, number: u32, record: RequirementRecord) {
        let Some(gate) = self.gates.get_mut(number as usize) else {
            return;
        };
        gate.held = record.held;
        gate.anew = record.anew;
        gate.timed_out = record.timed_out;
        let timer = Timer::Requirement(number);
        match record.deadline {
            Some(deadline) => self.timers.arm(timer, deadline),
            None => self.timers.disarm(timer),
        }
    }

    /// The wait of an edge is over, or begins anew.
    pub(super) fn forget_wait(&mut self, number: u32) {
        self.remember(number, |gate| {
            gate.timed_out = false;
            gate.deadline = None;
        });
    }

    /// Looks again at one edge, and tells its container if it changed.
    pub(super) fn refresh(&mut self, now: Tick, number: u32) {
        let edge = self.graph.edge(number);
        if !edge.requirement.gates_start() {
            return;
        }
        let (from, target, need) = (edge.from, edge.requirement.target, edge.requirement.need);
        let standing = self.standing_of(number);
        if standing == WaitState::Satisfied {
            self.remember(number, |gate| gate.held = true);
        }
        let anew = self.gates[number as usize].anew;
        let lets = self.lets(from, target, need, anew, standing);
        let old = std::mem::replace(&mut self.gates[number as usize].lets, lets);
        match from {
            Target::Container(_) => {}
            Target::Barrier(id) => self.note_let_go(id, number, lets, standing),
        }
        if old != lets {
            self.recount(from, old, lets);
            if let Target::Container(from) = from {
                self.note_gate(now, from, number, lets);
            }
        }
        self.watch_timeout(now, number);
    }

    /// An edge of a container has opened or closed.
    fn note_gate(&mut self, now: Tick, from: ContainerId, number: u32, lets: Lets) {
        if lets != Lets::Through {
            self.lose_turn(from);
        }
        match lets {
            Lets::Through => self.life_mut(from).last_opened = Some(number),
            Lets::Wait
                if self.life(from).record.state == State::Waiting && self.is_wanted(from) =>
            {
                self.begin_wait(now, from, number);
            }
            Lets::Wait | Lets::Never(_) => {}
        }
    }

    /// Keeps which edge of a meeting point is open though it is not fulfilled.
    fn note_let_go(&mut self, barrier: BarrierId, number: u32, lets: Lets, standing: WaitState) {
        let let_go = &mut self.barriers[barrier.index()].let_go;
        if lets == Lets::Through && standing != WaitState::Satisfied {
            *let_go = Some(number);
        } else {
            let_go.take_if(|known| *known == number);
        }
    }

    /// What a requirement that lets its container through does without: itself, or one of those that
    /// meet at its target.
    pub(super) fn does_without(&self, edge: u32) -> Option<(Target, Until)> {
        let requirement = &self.graph.edge(edge).requirement;
        let let_go = match requirement.target {
            Target::Barrier(id) => self.barriers[id.index()].let_go,
            Target::Container(_) => None,
        };
        let without = let_go.or_else(|| (!self.is_satisfied(edge)).then_some(edge))?;
        let requirement = &self.graph.edge(without).requirement;
        Some((requirement.target, requirement.until))
    }

    /// How a requirement stands. One that was waited for long enough is given up only while it does not hold.
    fn standing_of(&self, edge: u32) -> WaitState {
        let requirement = &self.graph.edge(edge).requirement;
        match self.standing(requirement.target, requirement.until) {
            WaitState::Pending if self.gates[edge as usize].timed_out => {
                WaitState::Impossible(Impossible::TimedOut)
            }
            standing @ (WaitState::Satisfied | WaitState::Pending | WaitState::Impossible(_)) => {
                standing
            }
        }
    }

    /// How a condition on a node stands.
    fn standing(&self, target: Target, until: Until) -> WaitState {
        match target {
            Target::Container(container) => self.container_standing(container, until),
            Target::Barrier(barrier) => self.barrier_standing(barrier),
        }
    }

    fn barrier_standing(&self, barrier: BarrierId) -> WaitState {
        let life = &self.barriers[barrier.index()];
        if life.broken > 0 {
            return WaitState::Impossible(self.barrier_blocker(barrier));
        }
        if life.closed > 0 {
            WaitState::Pending
        } else {
            WaitState::Satisfied
        }
    }

    fn barrier_blocker(&self, barrier: BarrierId) -> Impossible {
        let mut edges = self.graph.outgoing(Target::Barrier(barrier)).iter();
        let blocker = edges.find_map(|edge| match self.gates[*edge as usize].lets {
            Lets::Never(why) => Some(why),
            Lets::Through | Lets::Wait => None,
        });
        blocker.unwrap_or(Impossible::Ended)
    }

    fn container_standing(&self, container: ContainerId, until: Until) -> WaitState {
        let record = &self.life(container).record;
        if self.fulfils(container, record, until) {
            return WaitState::Satisfied;
        }
        match record.state {
            State::GaveUp { .. } => WaitState::Impossible(Impossible::GaveUp),
            State::Ended { .. } => WaitState::Impossible(Impossible::Ended),
            State::Waiting
            | State::BackOff { .. }
            | State::Starting
            | State::Running { .. }
            | State::Stopping { .. } => WaitState::Pending,
        }
    }

    fn fulfils(&self, container: ContainerId, record: &Record, until: Until) -> bool {
        // What is being brought down, or about to be, cannot be relied on, though it is still up.
        let going = record.after.is_some() || matches!(record.state, State::Stopping { .. });
        match until {
            Until::Attempted => record.attempted,
            // What has run stays started for those who wait for a oneshot.
            Until::Started => {
                (record.started && record.is_running() && !going)
                    || (self.def(container).is_oneshot() && record.started_once)
            }
            Until::Ready => self.is_ready(container) && !going,
            Until::Succeeded => record.state == State::Ended { ok: true },
            Until::Exited => matches!(record.state, State::Ended { .. }),
            Until::Settled => false,
        }
    }

    fn lets(
        &self,
        from: Target,
        target: Target,
        need: Need,
        anew: bool,
        standing: WaitState,
    ) -> Lets {
        match (need, standing) {
            (_, WaitState::Satisfied) | (Need::Soft | Need::Order, WaitState::Impossible(_)) => {
                Lets::Through
            }
            (Need::Hard, WaitState::Pending) => Lets::Wait,
            (Need::Hard, WaitState::Impossible(why)) => Lets::Never(why),
            (Need::Soft, WaitState::Pending) => match target {
                // Whoever was stopped with its target waits until it is back.
                Target::Container(target) if self.life(target).record.failed && !anew => {
                    Lets::Through
                }
                Target::Container(_) | Target::Barrier(_) => Lets::Wait,
            },
            (Need::Order, WaitState::Pending) => match (from, target) {
                // Only the first start in a run of the pod is held back.
                (Target::Container(from), Target::Barrier(_))
                    if self.life(from).record.launched && !anew =>
                {
                    Lets::Through
                }
                (Target::Container(from), Target::Container(target))
                    if !anew && !self.is_held_in_order(from, target) =>
                {
                    Lets::Through
                }
                (Target::Container(_) | Target::Barrier(_), _) => Lets::Wait,
            },
        }
    }

    fn recount(&mut self, from: Target, old: Lets, new: Lets) {
        let before = self.openness(from);
        let (closed, broken) = match from {
            Target::Container(id) => {
                let life = &mut self.lives[id.index()];
                (&mut life.closed, &mut life.broken)
            }
            Target::Barrier(id) => {
                let life = &mut self.barriers[id.index()];
                (&mut life.closed, &mut life.broken)
            }
        };
        match old {
            Lets::Through => {}
            Lets::Wait => *closed -= 1,
            Lets::Never(_) => *broken -= 1,
        }
        match new {
            Lets::Through => {}
            Lets::Wait => *closed += 1,
            Lets::Never(_) => *broken += 1,
        }
        // Most changes change nothing: one more of many is through. Whoever waits for all is told
        // when it matters, or a crowd in front of a crowd would cost the square of its size.
        if before != self.openness(from) {
            match from {
                Target::Container(id) => self.work.push_back(Work::Consider(id)),
                Target::Barrier(_) => self.node_changed(from),
            }
        }
    }

    /// Whether some edge of a node holds it back, and whether one always will.
    fn openness(&self, node: Target) -> (bool, bool) {
        let (closed, broken) = match node {
            Target::Container(id) => (self.life(id).closed, self.life(id).broken),
            Target::Barrier(id) => {
                let life = &self.barriers[id.index()];
                (life.closed, life.broken)
            }
        };
        (closed > 0, broken > 0)
    }

    /// Keeps the deadline of an edge: it runs while its container waits and its target has had its turn.
    fn watch_timeout(&mut self, now: Tick, number: u32) {
        let edge = self.graph.edge(number);
        let Some(timeout) = edge.requirement.timeout else {
            return;
        };
        let (Target::Container(from), Target::Container(target)) =
            (edge.from, edge.requirement.target)
        else {
            return;
        };
        let waiting = &self.life(from).record;
        let waits = waiting.state == State::Waiting
            && self.gates[number as usize].lets == Lets::Wait
            && self.is_wanted(from);
        match self.life(target).record.turn {
            Some(_) | None if !waits => self.remember(number, |gate| gate.deadline = None),
            Some(turn) if self.gate(number).deadline.is_none() => {
                let deadline = turn.max(waiting.waiting_since) + timeout;
                if deadline <= now {
                    // Its time went by while something else let it go on without.
                    return self.on_requirement_timeout(now, number);
                }
                self.remember(number, |gate| gate.deadline = Some(deadline));
            }
            // It has been counting since an earlier try of the target, or the target's turn is to come.
            Some(_) | None => {}
        }
    }
}
