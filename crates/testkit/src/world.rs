//! What a trace tells about a pod, step by step: the judge's own small model.
//!
//! It is written from the promises and not from the engine, knows nothing of the engine's state,
//! and answers with a maybe where the promises leave something open. Laws ask it; it condemns
//! nothing by itself.
//!
//! ```text
//!   an input  ─▶ take (what happened) ─▶ follow (what must come of it) ─▶ laws look
//!   an action ─▶ laws look (was it allowed?) ─▶ carry out
//! ```

pub(crate) mod carry;
pub(crate) mod delays;
pub(crate) mod exit;
pub(crate) mod fate;
mod fingerprint;
pub(crate) mod goal;
pub(crate) mod life;
pub(crate) mod moment;
pub(crate) mod result;
pub(crate) mod shape;
pub(crate) mod standing;
pub(crate) mod stopping;
pub(crate) mod take;
pub(crate) mod tally;

use crate::tri::Tri;
use delays::Delays;
use fate::Fates;
use goal::{Goal, Level, Move};
use life::Life;
use moment::Span;
use pillion_engine::pod::{Container, Pod, RestartPolicy};
use pillion_engine::{ContainerId, PodResult, Tick};
use shape::Shape;
use std::sync::Arc;

/// What is known of a pod.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// The pod and its graph.
    pub(crate) shape: Arc<Shape>,
    /// The time of the last step.
    pub(crate) now: Tick,
    /// The engine was last asked then to do what is due.
    pub(crate) timed: Tick,
    /// When the pod was taken in.
    pub(crate) began: Tick,
    /// When this run of the pod began.
    pub(crate) run_began: Tick,
    /// Everything is down for another run of the pod, and nothing shows yet that it has begun.
    pub(crate) between_runs: bool,
    /// Whether there is a sandbox.
    pub(crate) sandbox: bool,
    /// Where the pod is going.
    pub(crate) goal: Goal,
    /// Its containers.
    pub(crate) lives: Vec<Life>,
    /// Its own back-off.
    pub(crate) delays: Delays,
    /// Whether it is shown as ready.
    pub(crate) shown_ready: bool,
    /// Its result, once told.
    pub(crate) result: Option<PodResult>,
    /// The driver has died at least once.
    pub(crate) crashed: bool,
    /// The driver is dead, and has not come back.
    pub(crate) dead: bool,
    /// What came in last.
    pub(crate) last: LastInput,
}

/// What came in last, as far as a law may want to know.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LastInput {
    /// The pod itself.
    Pod,
    /// News about the readiness of a container that was bad.
    Unready(ContainerId),
    /// The engine goes on after its driver died.
    Resume,
    /// Something else.
    Other,
}

// === impl World ===

impl World {
    /// Of a pod that is taken in at that time.
    pub(crate) fn new(pod: &Pod, now: Tick) -> Self {
        let shape = Shape::new(pod.clone());
        let lives = pod.containers.iter().map(|it| Life::new(it, now)).collect();
        let mut world = Self {
            shape: Arc::new(shape),
            now,
            timed: now,
            began: now,
            run_began: now,
            between_runs: false,
            sandbox: false,
            goal: Goal::new(),
            lives,
            delays: Delays::default(),
            shown_ready: false,
            result: None,
            crashed: false,
            dead: false,
            last: LastInput::Pod,
        };
        world.follow();
        world
    }

    /// Every container's id.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ContainerId> + use<> {
        ids(&self.lives)
    }

    /// The definition of a container.
    pub(crate) fn container(&self, id: ContainerId) -> &Container {
        &self.shape.pod.containers[id.index()]
    }

    /// The life of a container.
    pub(crate) fn life(&self, id: ContainerId) -> &Life {
        &self.lives[id.index()]
    }

    /// The life of a container.
    pub(crate) fn life_mut(&mut self, id: ContainerId) -> &mut Life {
        &mut self.lives[id.index()]
    }

    /// Whether the pod has such a container.
    pub(crate) fn knows(&self, id: ContainerId) -> bool {
        id.index() < self.lives.len()
    }

    /// Follows up everything that must come of what is known, until nothing moves any more.
    pub(crate) fn follow(&mut self) {
        self.follow_oversleepers();
        self.follow_swaps();
        loop {
            self.observe();
            let gave_up = self.follow_hopeless();
            let moved = self.follow_goal();
            if !gave_up && !moved {
                break;
            }
        }
        self.follow_turns();
    }

    /// Writes down what has been so at some moment of this run.
    fn observe(&mut self) {
        for id in self.ids() {
            let container = self.container(id);
            let (started, ready) = {
                let life = self.life(id);
                (life.started(container), life.ready(container))
            };
            let hooked = container.hooks.post_start;
            let held: Vec<_> = container
                .requires
                .iter()
                .map(|edge| self.satisfied(id, edge))
                .collect();
            let timed = self.timed;
            let life = self.life_mut(id);
            let hook = if hooked {
                life.shown.post_start.went_well()
            } else {
                Tri::Yes
            };
            let tried = Tri::from(life.shown.since.is_some()) & hook;
            // Started only after it was told to stop: whether that counts is open.
            let told = life.told.is_some();
            let counts = |it: Tri| if told { it.doubted() } else { it };
            life.run.started = life.run.started | counts(started);
            life.run.attempted = life.run.attempted | counts(tried);
            life.shown.was_ready = life.shown.was_ready | ready;
            life.settle_replacement(ready, timed);
            for (old, new) in life.run.held.iter_mut().zip(held) {
                *old = *old | new;
            }
        }
    }

    /// What waits for something impossible gives up. True if anybody did.
    fn follow_hopeless(&mut self) -> bool {
        if !matches!(self.goal.level, Level::Run) {
            return false;
        }
        let mut changed = false;
        for id in self.ids() {
            let life = self.life(id);
            if life.live() || !life.fates.is(Fates::WANTED).possibly() {
                continue;
            }
            // In back-off, before the sandbox is there, or while others go with it: nobody says when.
            let alone = self.alone_in_going(id) != Tri::No;
            let at_once = self.sandbox && life.due.latest <= self.timed && alone;
            let fates = match self.hopeless(id) {
                Tri::No => continue,
                Tri::Yes if at_once => life.fates.without(Fates::WANTED).or(Fates::GAVE_UP),
                Tri::Yes | Tri::Maybe => life.fates.or(Fates::GAVE_UP),
            };
            changed |= fates != life.fates;
            self.life_mut(id).fates = fates;
        }
        changed
    }

    /// A start timeout that passes before there is a process is a failure that no event tells of.
    fn follow_oversleepers(&mut self) {
        for id in self.ids() {
            if self.life(id).live() || !self.start_timed_out(id).possibly() {
                continue;
            }
            let restart = &self.container(id).restart;
            let never = restart.policy == RestartPolicy::Never;
            let limited = restart.limit.is_some();
            let fails_attempt = restart.failure_restarts_pod && never;
            let surely = self.start_timed_out(id).surely() && self.is_running().surely();
            self.life_mut(id).oversleep(never, limited);
            if fails_attempt && surely {
                let grace = Span::at(self.now + self.shape.budget());
                self.move_goal(Move::again(Level::Restart, self.now), grace);
            } else if fails_attempt {
                self.doubt_attempt(id);
            }
        }
    }

    /// The pod may have been restarted for a container that overslept, without any other trace.
    fn doubt_attempt(&mut self, id: ContainerId) {
        self.delays.doubted = true;
        let again = Move::again(Level::Restart, self.now).by(id);
        let mut open = self.goal.open.iter();
        if !open.any(|it| it.by == again.by && it.level == again.level) {
            self.goal.open.push(again);
        }
    }

    /// Writes down whose turn has come.
    fn follow_turns(&mut self) {
        let (now, timed) = (self.now, self.timed);
        for id in self.ids() {
            if self.life(id).live() {
                continue;
            }
            let free = Tri::from(self.sandbox) & self.may_run(id) & self.lets_all(id);
            let life = self.life_mut(id);
            let turn = &mut life.turn;
            turn.maybe_free = free.possibly().then(|| turn.maybe_free.unwrap_or(now));
            turn.free = free.surely().then(|| turn.free.unwrap_or(now));
            let earliest = turn.maybe_free.map(|at| at.max(life.due.earliest));
            let latest = turn.free.map(|at| at.max(life.due.latest));
            turn.earliest = earliest.filter(|&at| at <= now);
            turn.latest = latest.filter(|&at| at <= timed);
            turn.first = turn.first.or(turn.earliest);
        }
    }
}

/// The ids of so many containers.
fn ids(lives: &[Life]) -> impl Iterator<Item = ContainerId> + use<> {
    (0..u32::try_from(lives.len()).unwrap_or(u32::MAX)).map(ContainerId)
}
