//! Where the pod is going, and why.
//!
//! A goal only moves right: run, restart, end. What the promises leave open (the exact instant at
//! which a container gives up, say) is kept as an *open* move: the engine may have made it, and
//! the first action that nothing else explains shows that it has.

use super::fate::Fates;
use super::life::{Hook, Image, InRun, Life, Turn, Undo};
use super::moment::Span;
use super::{World, ids};
use crate::tri::Tri;
use pillion_engine::pod::{Container, Keystone, Kind, OnGiveUp, Rerun, Role};
use pillion_engine::{ContainerId, Tick};
use std::time::Duration;

/// Where the pod is going.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Goal {
    /// Surely as far as this.
    pub(crate) level: Level,
    /// Why it ends, once it does: the first cause, or the candidates for it.
    pub(crate) causes: Vec<EndCause>,
    /// Moves that it may have made.
    pub(crate) open: Vec<Move>,
    /// Since when something that is not known for certain may have moved it.
    pub(crate) doubted: Option<Tick>,
    /// The stop that is under way.
    pub(crate) stop: Option<PodStop>,
}

/// How far the goal has moved.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Level {
    /// Run.
    Run,
    /// Stop in order, run again.
    Restart,
    /// Kill all, run again.
    Kill,
    /// Stop in order, for good.
    End,
}

/// What ends a pod.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum EndCause {
    /// Somebody deleted it.
    Deletion,
    /// Every main has ended.
    Completion,
    /// A keystone ended in the way it names.
    Keystone(ContainerId),
    /// A container whose giving up fails the pod gave up.
    GiveUp(ContainerId),
    /// A rule or a request: the pod is Failed.
    Fail(Option<ContainerId>),
    /// A rule or a request: the pod is Succeeded.
    Complete(Option<ContainerId>),
    /// It was active too long.
    Deadline,
    /// Its sandbox is gone, and its policy forbids another.
    SandboxLost,
}

/// A move of the goal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Move {
    /// Where to.
    pub(crate) level: Level,
    /// Why, if it is the end.
    pub(crate) cause: Option<EndCause>,
    /// Whose exit it hangs on: a new start of that container shows that it was not made.
    pub(crate) by: Option<ContainerId>,
    /// Not before this.
    pub(crate) since: Tick,
}

/// An ordered stop of the pod, or the killing of all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct PodStop {
    /// When it began.
    pub(crate) began: Span,
    /// When its budget ends.
    pub(crate) ends: Span,
}

// === impl Goal ===

impl Goal {
    /// Of a pod that has just been taken in.
    pub(crate) const fn new() -> Self {
        Self {
            level: Level::Run,
            causes: Vec::new(),
            open: Vec::new(),
            doubted: None,
            stop: None,
        }
    }
}

// === impl Move ===

impl Move {
    /// To the end.
    pub(crate) const fn end(cause: EndCause, since: Tick) -> Self {
        Self {
            level: Level::End,
            cause: Some(cause),
            by: None,
            since,
        }
    }

    /// To another run.
    pub(crate) const fn again(level: Level, since: Tick) -> Self {
        Self {
            level,
            cause: None,
            by: None,
            since,
        }
    }

    /// The same, hanging on an exit of that container.
    pub(crate) const fn by(mut self, id: ContainerId) -> Self {
        self.by = Some(id);
        self
    }
}

// === impl World ===

impl World {
    /// Whether the pod is where nothing has moved its goal.
    pub(crate) fn is_running(&self) -> Tri {
        match self.goal.level {
            Level::Run if self.open_moves().next().is_none() => Tri::Yes,
            Level::Run => Tri::Maybe,
            Level::Restart | Level::Kill | Level::End => Tri::No,
        }
    }

    /// Whether the pod is ending.
    pub(crate) fn is_ending(&self) -> Tri {
        let maybe = || self.open_moves().any(|it| it.level == Level::End);
        match self.goal.level {
            Level::End => Tri::Yes,
            Level::Run | Level::Restart | Level::Kill if maybe() => Tri::Maybe,
            Level::Run | Level::Restart | Level::Kill => Tri::No,
        }
    }

    /// Whether an ordered stop of the pod is under way.
    pub(crate) fn is_stopping_in_order(&self) -> bool {
        matches!(self.goal.level, Level::Restart | Level::End)
    }

    /// The moves that the goal may have made: kept ones, and those that follow from what is known now.
    pub(crate) fn open_moves(&self) -> impl Iterator<Item = Move> {
        let derived = matches!(self.goal.level, Level::Run)
            .then(|| self.derived(Tri::Maybe))
            .into_iter()
            .flatten();
        let late = self.overdue_deadline() == Tri::Maybe;
        let deadline = late.then(|| Move::end(EndCause::Deadline, self.now));
        let kept = self.goal.open.iter().copied();
        kept.chain(derived).chain(deadline)
    }

    /// The goal moves, for certain.
    pub(crate) fn move_goal(&mut self, to: Move, grace: Span) {
        match (self.goal.level, to.level) {
            (Level::End, _) | (Level::Kill, Level::Restart | Level::Kill) => {}
            (Level::Restart, Level::Restart) | (_, Level::Run) => {}
            // A pod that is already being restarted in order may go on so, or hurry.
            (Level::Restart, Level::Kill) => self.goal.open.push(to),
            (Level::Run | Level::Restart | Level::Kill, Level::End) => {
                let open: Vec<_> = self.open_moves().filter_map(|it| it.cause).collect();
                self.goal.causes.extend(open);
                self.goal.causes.extend(to.cause);
                let began = Span::between(self.doubted_since(), self.now);
                let ends = Span {
                    earliest: grace.earliest.min(began.earliest + self.shape.budget()),
                    ..grace
                };
                self.begin_stop(Level::End, began, ends);
            }
            (Level::Run, Level::Restart) => {
                self.begin_stop(to.level, Span::at(self.now), grace);
            }
            (Level::Run, Level::Kill) => {
                let ends = Span::between(self.now, self.now + Duration::from_secs(2));
                self.begin_stop(to.level, Span::at(self.now), ends);
            }
        }
    }

    /// An action shows that the goal has made one of the open moves.
    pub(crate) fn commit(&mut self) {
        let moves: Vec<_> = self.open_moves().collect();
        let Some(level) = moves.iter().map(|it| it.level).min() else {
            return;
        };
        let since = moves.iter().map(|it| it.since).min().unwrap_or(self.now);
        let began = Span::between(since, self.now);
        let ends = began.plus(self.shape.budget());
        if level == Level::End {
            self.goal
                .causes
                .extend(moves.iter().filter_map(|it| it.cause));
        }
        self.begin_stop(level, began, ends);
        if level != Level::End {
            let further = |it: &&Move| it.level > level;
            self.goal.open = moves.iter().filter(further).copied().collect();
        }
    }

    /// The first instant at which the goal may have moved.
    fn doubted_since(&self) -> Tick {
        let open = self.goal.open.iter().map(|it| it.since);
        open.chain(self.goal.doubted).min().unwrap_or(self.now)
    }

    /// A deletion came while the pod was ending: its budget can only get shorter.
    pub(crate) fn hurry(&mut self, ends: Span) {
        if let Some(stop) = &mut self.goal.stop {
            stop.ends = stop.ends.min(ends);
        }
    }

    fn begin_stop(&mut self, level: Level, began: Span, ends: Span) {
        let before = self.goal.stop;
        let ends = match before {
            // A restart that turns into an end may keep its budget or get a new one.
            Some(stop) => ends.or(stop.ends.min(ends)),
            None => ends,
        };
        self.goal.level = level;
        self.goal.open.clear();
        self.goal.doubted = None;
        self.goal.stop = Some(PodStop {
            began: before.map_or(began, |stop| stop.began),
            ends,
        });
        for (life, container) in self.lives.iter_mut().zip(&self.shape.pod.containers) {
            // Who is on its way down already does not go on serving.
            let serves = life.told.is_none() && life.pre_stop == Hook::Idle;
            let first = before.is_none() && serves && !self.crashed;
            life.run.to_be_warned =
                first && level == Level::End && life.started(container).surely();
            life.begin_stop(before.is_none(), container);
            life.replacing = life.replacing.filter(|_| level != Level::End);
        }
    }

    /// What follows from the fates of the containers, with exactly this certainty.
    fn derived(&self, certainty: Tri) -> Vec<Move> {
        let since = self.goal.doubted.unwrap_or(self.now);
        let mut moves = Vec::new();
        for id in ids(&self.lives) {
            for (is, cause) in [
                (self.keystone_ended(id), EndCause::Keystone(id)),
                (self.fatal_give_up(id), EndCause::GiveUp(id)),
            ] {
                if is == certainty {
                    moves.push(Move::end(cause, since).by(id));
                }
            }
        }
        let named = |it: &Move| matches!(it.cause, Some(EndCause::Keystone(_)));
        let decided = certainty == Tri::Yes && moves.iter().any(named);
        if self.mains_are_over() == certainty && !decided {
            moves.push(Move::end(EndCause::Completion, since));
        }
        moves
    }

    fn keystone_ended(&self, id: ContainerId) -> Tri {
        let fates = self.life(id).fates;
        match self.container(id).keystone {
            None => Tri::No,
            Some(Keystone::Any) => fates.is(Fates::ENDED.or(Fates::GAVE_UP)),
            Some(Keystone::Success) => fates.is(Fates::ENDED_OK),
            Some(Keystone::Failure) => fates.is(Fates::ENDED_BAD.or(Fates::GAVE_UP)),
        }
    }

    fn fatal_give_up(&self, id: ContainerId) -> Tri {
        let life = self.life(id);
        if self.container(id).on_give_up != OnGiveUp::FailPod {
            return Tri::No;
        }
        // Told to stop and to give up: it may have given up already.
        let going = life.going.map_or(Tri::No, |it| it.then.is(Fates::GAVE_UP));
        life.fates.is(Fates::GAVE_UP) | going.doubted()
    }

    /// Whether every main has ended for good, or gave up.
    pub(crate) fn mains_are_over(&self) -> Tri {
        let mains = ids(&self.lives).filter(|&id| self.container(id).role == Role::Main);
        Tri::all(mains.map(|id| self.life(id).fates.is(Fates::OVER)))
    }

    fn overdue_deadline(&self) -> Tri {
        let Some(limit) = self.shape.pod.active_deadline else {
            return Tri::No;
        };
        let at = self.began + limit;
        match (self.timed >= at, self.now >= at) {
            _ if self.goal.level == Level::End => Tri::No,
            (true, _) => Tri::Yes,
            (false, true) => Tri::Maybe,
            (false, false) => Tri::No,
        }
    }

    /// Moves the goal as far as the facts move it. True if it moved.
    pub(crate) fn follow_goal(&mut self) -> bool {
        let level = self.goal.level;
        let grace = Span::at(self.now + self.shape.budget());
        if self.overdue_deadline().surely() {
            self.move_goal(Move::end(EndCause::Deadline, self.now), grace);
        } else if level == Level::Run {
            let certain = self.derived(Tri::Yes);
            let (first, others) = match certain.split_first() {
                Some((first, others)) => (Some(*first), others),
                None => (None, &[][..]),
            };
            // Several causes of one instant: none of them is the first for certain.
            let also: Vec<_> = others.iter().filter_map(|it| it.cause).collect();
            if let Some(first) = first {
                self.goal.causes.extend(also);
                self.move_goal(first, grace);
            }
        } else if matches!(level, Level::Restart | Level::Kill) && self.all_down().surely() {
            self.begin_run();
        }
        let doubted = self.goal.level == Level::Run && !self.derived(Tri::Maybe).is_empty();
        self.goal.doubted = doubted.then(|| self.goal.doubted.unwrap_or(self.now));
        self.goal.level != level
    }

    /// Another run of the pod begins: everything is as before the first, but for what is kept.
    pub(crate) fn begin_run(&mut self) {
        let pod = &self.shape.pod;
        let killed = self.goal.level == Level::Kill;
        let ran = self.now.since(self.run_began);
        let began = self.goal.stop.map_or(self.now, |stop| stop.began.earliest);
        let next = self.delays.next(began, Some(ran), &pod.backoff, None);
        let most = if killed {
            pod.backoff.max
        } else {
            Duration::ZERO
        };
        let wait = next.due.latest.since(began);
        let due = Span::between(next.due.earliest.max(self.now), self.now + wait.max(most));
        self.goal.level = Level::Run;
        self.goal.open.clear();
        self.goal.stop = None;
        self.run_began = self.now;
        self.between_runs = true;
        for id in ids(&self.lives) {
            let container = &self.shape.pod.containers[id.index()];
            if container.role != Role::Ephemeral {
                let kept = kept(container.kind, &self.lives[id.index()], killed);
                self.lives[id.index()].begin_run(InRun::of(container), due, kept, killed);
            }
        }
    }
}

/// What a oneshot keeps of its fate at a whole-pod restart.
fn kept(kind: Kind, life: &Life, killed: bool) -> Option<Fates> {
    let done = life.fates.is(Fates::ENDED_OK);
    let never = matches!(
        kind,
        Kind::Oneshot {
            rerun: Rerun::Never,
            ..
        }
    );
    match done {
        Tri::No => None,
        // "Everything run again" and "once in the pod's life": either may win.
        Tri::Yes if never && !killed => Some(Fates::ENDED_OK),
        Tri::Yes | Tri::Maybe if never => Some(Fates::ENDED_OK.or(Fates::WANTED)),
        Tri::Yes | Tri::Maybe => None,
    }
}

// === impl Life ===

impl Life {
    fn begin_stop(&mut self, first: bool, container: &Container) {
        // Stopped with 0, and not started again since: what it may have done may be reversed.
        let verdict = self.run.verdict.map(|own| own.is(Fates::ENDED_OK));
        let again = self.fates.is(Fates::WANTED).possibly() && !self.live();
        let done = verdict.is_some_and(Tri::possibly) && again && first;
        if done && container.has_undo() && self.undo == Undo::Nothing {
            self.undo = Undo::Owed(Tri::Maybe);
        }
        let going = self.going.filter(|_| !container.is_oneshot());
        let then = going.map(|going| going.then.is(Fates::ENDED_OK));
        self.run.pardoned |= then.is_some_and(Tri::possibly);
        let hooked = !first && self.pod_stopping != Hook::Idle;
        self.run.left_before |= self.told.is_some() || self.pre_stop != Hook::Idle || hooked;
        self.going = None;
        self.asked = None;
        // A new one that is to be run again may still have to show that it gets ready.
        if let Some(replacing) = &mut self.replacing {
            replacing.swap = replacing.swap.doubted();
            replacing.settled = replacing.settled | Tri::Maybe;
        }
        if first {
            self.run.fell = false;
            self.pod_stopping = Hook::Idle;
        }
        if !self.live() {
            self.turn = Turn::default();
        }
    }

    /// Another run of the pod begins; `kept` is what it keeps of its fate.
    pub(crate) fn begin_run(&mut self, run: InRun, due: Span, kept: Option<Fates>, killed: bool) {
        let started = kept.map_or(Tri::No, |kept| kept.is(Fates::ENDED_OK));
        let code = kept.and(self.run.code);
        self.fates = kept.unwrap_or(Fates::WANTED);
        // A pull that failed may be held against this run, too.
        let pulls = matches!(self.image, Image::Failed | Image::Pulling { .. });
        let failed = Tri::from(pulls).doubted() & self.run.failed;
        self.run = InRun {
            started,
            attempted: started | failed,
            failed,
            code,
            ..run
        };
        if killed {
            // As Kubernetes restarts all: what each has to wait for goes on.
            self.delays.outlast_restart();
        } else {
            self.delays.clear();
        }
        self.due = due;
        self.turn = Turn::default();
        self.undo = match (self.undo, started) {
            (Undo::Owed(owed), Tri::Yes) => Undo::Owed(owed),
            (Undo::Owed(owed), Tri::Maybe) => Undo::Owed(owed.doubted()),
            (Undo::Owed(_) | Undo::Nothing | Undo::Runs, _) => Undo::Nothing,
        };
    }
}
