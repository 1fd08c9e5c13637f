//! What comes of the end of a process.

use super::World;
use super::fate::Fates;
use super::goal::{EndCause, Level, Move};
use super::life::{Anew, Asked, Going, Hook, Life, Process, Undo, Why};
use super::moment::Span;
use crate::tri::Tri;
use pillion_engine::pod::{Keystone, OnRestart, Reaction, RestartPolicy, Role, Until, When};
use pillion_engine::{Attempt, Command, ContainerId, Exit};
use std::time::Duration;

/// How a process ended.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// There never was one.
    NeverRan,
    /// It was there and is gone.
    Exited(Exit),
}

/// What may come of the end of a process.
#[derive(Clone, Debug)]
struct Outcome {
    fates: Fates,
    due: Span,
    moves: Vec<Move>,
}

// === impl Ending ===

impl Ending {
    fn code(&self) -> i32 {
        match self {
            Self::NeverRan => 128,
            Self::Exited(exit) => exit.code,
        }
    }
}

// === impl World ===

impl World {
    /// A process, or the attempt to have one, ended. Dropped if it is an old one.
    pub(crate) fn ends(&mut self, id: ContainerId, attempt: Attempt, ending: &Ending) {
        if self.life(id).attempt != attempt || !self.life(id).live() {
            return;
        }
        if self.life(id).command == Command::Undo {
            let now = self.now;
            let life = self.life_mut(id);
            life.undo = Undo::Nothing;
            life.command = Command::Run;
            life.down(now);
            return;
        }
        self.note_failure(id, ending);
        let was = self.life(id).clone();
        if let Ending::Exited(exit) = ending {
            let verdict = self.verdict(id, exit);
            let run = &mut self.life_mut(id).run;
            run.ran = true;
            run.code = Some(exit.code);
            run.verdict = Some(verdict);
        } else {
            self.life_mut(id).run.start_came_to_nothing();
        }
        match self.goal.level {
            _ if self.container(id).role == Role::Ephemeral => self.ends_beside(id, ending),
            Level::Run => self.ends_in_run(id, &was, ending),
            Level::Restart | Level::Kill | Level::End => self.ends_in_stop(id, &was, ending),
        }
        let now = self.now;
        self.life_mut(id).down(now);
        if self.container(id).has_undo() && was.undo == Undo::Nothing {
            let owed = self.life(id).fates.is(Fates::ENDED_OK);
            let stopped = was.told.is_some() && self.goal.level != Level::Run;
            let owed = if stopped { owed.doubted() } else { owed };
            if owed.possibly() {
                self.life_mut(id).undo = Undo::Owed(owed);
            }
        }
        if self.goal.level == Level::Run {
            self.went_down(id);
        }
    }

    /// A debugging container is never restarted; whether one that never ran is tried again is open.
    fn ends_beside(&mut self, id: ContainerId, ending: &Ending) {
        let due = Span::between(self.now, pillion_engine::Tick::NEVER);
        let life = self.life_mut(id);
        life.due = due;
        life.fates = match ending {
            Ending::NeverRan => Fates::WANTED.or(Fates::ENDED_BAD),
            Ending::Exited(exit) => Fates::ended_with(exit.code),
        };
    }

    /// Writes down whether this was a failed attempt, for those who wait softly.
    fn note_failure(&mut self, id: ContainerId, ending: &Ending) {
        let oneshot = self.container(id).is_oneshot();
        let hooks = self.container(id).hooks.post_start;
        let startup = self.container(id).probes.startup.is_some();
        let life = self.life_mut(id);
        let why = life.told.map(|told| told.why);
        let failed = match (why, ending) {
            (_, Ending::NeverRan) => Tri::Yes,
            (None, Ending::Exited(exit)) if exit.is_success() && oneshot => Tri::No,
            // A service that ends by itself with 0: an attempt that failed, or not.
            (None, Ending::Exited(exit)) if exit.is_success() => Tri::Maybe,
            (None, Ending::Exited(_)) => Tri::Yes,
            (Some(why), Ending::Exited(_)) if why.only(Why::FAILURE) => Tri::Yes,
            (Some(why), Ending::Exited(_)) => Tri::from(why.has(Why::FAILURE)).doubted(),
        };
        // What failed before a run that did not may be forgotten.
        life.run.failed = life.run.failed.doubted() | failed;
        let tried = if why.is_some() { Tri::Maybe } else { Tri::Yes };
        life.run.attempted = life.run.attempted | tried | failed;
        // Its start and its end came as one.
        if life.process == Process::Asked && matches!(ending, Ending::Exited(_)) {
            let plainly = !hooks && !startup;
            life.run.started = life.run.started | if plainly { Tri::Yes } else { Tri::Maybe };
        }
    }

    fn ends_in_run(&mut self, id: ContainerId, was: &Life, ending: &Ending) {
        let outcomes = self.outcomes(id, was, ending);
        let certain = outcomes.len() == 1;
        let Some(all) = outcomes.into_iter().reduce(Outcome::or) else {
            return;
        };
        let grace = Span::at(self.now + self.shape.budget());
        let oneshot = self.container(id).is_oneshot();
        let life = self.life_mut(id);
        life.fates = all.fates;
        life.due = all.due;
        life.delays.doubted |= !certain;
        let ended_well = all.fates.is(Fates::ENDED_OK);
        if was.going.is_some() && ended_well.possibly() && was.told.is_some() && !oneshot {
            // It counts as ended with 0, whatever its own code.
            life.run.code = Some(0);
        }
        // It was to go, and went before it was told: it may count so, too.
        life.run.pardoned |= was.going.is_some() && ended_well.possibly() && !oneshot;
        for it in all.moves {
            if certain {
                self.move_goal(it, grace);
            } else {
                self.goal.open.push(it);
            }
        }
    }

    /// In a pod that stops, only sidecars are started again, and only while they are needed.
    fn ends_in_stop(&mut self, id: ContainerId, was: &Life, ending: &Ending) {
        let container = self.container(id);
        let why = was.told.map(|told| told.why).unwrap_or_default();
        let in_order = why.only(Why::POD) || why.has(Why::KILL);
        let returns = container.role == Role::Sidecar && !container.plain && !in_order;
        let open = self.goal.level == Level::Restart && was.told.is_none();
        let keystone = container.keystone;
        if open {
            self.doubt_restart(id, ending, keystone);
        }
        if returns && self.goal.level != Level::Kill {
            self.returns_in_stop(id, was, ending);
            return;
        }
        // Told to stop in the middle of its work, and yet it ended with 0: done, or cut short?
        let cut = was.told.is_some() && self.container(id).is_oneshot() && ending.code() == 0;
        let ended = Fates::ended_with(ending.code());
        self.life_mut(id).fates = if cut { Fates::ENDED } else { ended };
    }

    /// A sidecar went down before its turn to stop.
    fn returns_in_stop(&mut self, id: ContainerId, was: &Life, ending: &Ending) {
        let why = was.told.map(|told| told.why).unwrap_or_default();
        let mut outcome = self.by_policy(id, was, ending, was.told.is_some());
        let asked = !why.is_empty() && !why.only(Why::FAILURE);
        // Asked to restart, or exchanged, when the pod began to stop; or no service at all.
        if asked || self.container(id).is_oneshot() || matches!(ending, Ending::NeverRan) {
            let ended = Fates::ended_with(ending.code());
            outcome.fates = outcome.fates.or(Fates::WANTED).or(ended);
            outcome.due.earliest = self.now;
            outcome.due.latest = pillion_engine::Tick::NEVER;
        }
        let life = self.life_mut(id);
        life.fates = outcome.fates;
        life.due = outcome.due;
        life.run.fell = true;
    }

    /// A pod that is being restarted is not ending: rules and keystones may still speak.
    fn doubt_restart(&mut self, id: ContainerId, ending: &Ending, keystone: Option<Keystone>) {
        let now = self.now;
        if let Some(reaction) = self.rule(id, ending) {
            let moves = moves_of(reaction, id, now);
            self.goal.open.extend(moves);
        }
        let named = match keystone {
            None => false,
            Some(Keystone::Any) => true,
            Some(Keystone::Success) => ending.code() == 0,
            Some(Keystone::Failure) => ending.code() != 0,
        };
        if named {
            self.goal.open.push(Move::end(EndCause::Keystone(id), now));
        }
    }

    /// Everything that may come of this end, in a pod that runs.
    fn outcomes(&mut self, id: ContainerId, was: &Life, ending: &Ending) -> Vec<Outcome> {
        let why = was.told.map(|told| told.why).unwrap_or_default();
        let mut outcomes = Vec::new();
        if was.told.is_none() {
            outcomes.extend(self.by_itself(id, was, ending));
            // It ended in the hook of a kill that is under way: by itself, or for the failure it is killed for.
            let killed = was.pre_stop != Hook::Idle && self.own_reasons(id).has(Why::FAILURE);
            let differs = ending.code() == 0 || self.rule(id, ending).is_some();
            if killed && differs && matches!(ending, Ending::Exited(_)) {
                outcomes.push(self.by_policy(id, was, ending, true));
            }
        }
        if why.has(Why::FAILURE) && matches!(ending, Ending::NeverRan) {
            outcomes.extend(self.by_failed_start(id));
        } else if why.has(Why::FAILURE) {
            outcomes.extend(self.by_failure(id, was, ending));
        }
        if let Some(Going { then, .. }) = was.going {
            let then = self.with_its_target(id, then);
            outcomes.push(self.at_once(then));
            outcomes.extend(self.fails_attempt(id, then));
        }
        match was.asked {
            Some(Asked::Restart) => outcomes.push(self.by_request(id)),
            Some(Asked::Ignore) => outcomes.push(self.at_once(Fates::IGNORED)),
            None => {}
        }
        if let Some(replacing) = was.replacing {
            // What is exchanged while it runs comes back as the new one, whatever its policy.
            outcomes.extend(
                replacing
                    .swap
                    .possibly()
                    .then(|| self.at_once(Fates::WANTED)),
            );
            // What the old one had run up may be forgotten.
            self.life_mut(id).delays.doubted = true;
        }
        if outcomes.is_empty() {
            // Told to stop in a run before, or for a reason that nobody can see.
            outcomes.push(self.at_once(Fates::WANTED.or(Fates::OVER)));
        }
        outcomes
    }

    /// How a run counts by itself: a oneshot that was killed for a failure, or ran out of memory, has not done its work,
    /// whatever its code.
    fn verdict(&self, id: ContainerId, exit: &Exit) -> Fates {
        let by_code = Fates::ended_with(exit.code);
        let why = self.life(id).told.map(|told| told.why).unwrap_or_default();
        if !self.container(id).is_oneshot() || !why.has(Why::FAILURE) && !exit.oom {
            by_code
        } else if why.only(Why::FAILURE) || exit.oom {
            Fates::ENDED_BAD
        } else {
            by_code.or(Fates::ENDED_BAD)
        }
    }

    /// What becomes of a container that goes down with its target: a oneshot has done its work only if its own end
    /// says so.
    fn with_its_target(&self, id: ContainerId, then: Fates) -> Fates {
        if !self.container(id).is_oneshot() || then.is(Fates::ENDED_OK) == Tri::No {
            return then;
        }
        let own = self.life(id).run.verdict.unwrap_or(Fates::ENDED);
        then.without(Fates::ENDED_OK).or(own)
    }

    /// A container whose failure is that of the pod's attempt may have failed with its target.
    fn fails_attempt(&self, id: ContainerId, then: Fates) -> Option<Outcome> {
        let fails =
            self.container(id).restart.failure_restarts_pod && then.is(Fates::ENDED_BAD).possibly();
        fails.then(|| Outcome {
            moves: moves_of(Reaction::RestartPod, id, self.now),
            ..self.at_once(Fates::WANTED)
        })
    }

    fn at_once(&self, fates: Fates) -> Outcome {
        Outcome {
            fates,
            due: Span::at(self.now),
            moves: Vec::new(),
        }
    }

    /// It was killed because a probe, its postStart hook or its start timeout failed. Without a Pillion field its code
    /// decides, as under a kubelet, unless its policy restarts it for a probe; with one, only kills by probes and timeouts
    /// are said to pass the rules by.
    fn by_failure(&mut self, id: ContainerId, was: &Life, ending: &Ending) -> Vec<Outcome> {
        let container = self.container(id);
        let plain = container.plain;
        let never = container.restart.policy == RestartPolicy::Never;
        let hook = was.hook_failed();
        let mut outcomes = Vec::new();
        if plain && (never || hook.possibly()) {
            outcomes.extend(self.by_itself(id, was, ending));
        } else if hook.possibly() {
            outcomes.extend(self.by_rule(id, was, ending));
        }
        if !plain || !(never || hook.surely()) {
            let mut outcome = self.by_policy(id, was, ending, true);
            if plain {
                // What it owes for a probe counts from the end of the run before, which may be over.
                outcome.due.earliest = self.now;
                self.life_mut(id).delays.doubted = true;
            }
            outcomes.push(outcome);
        }
        outcomes
    }

    /// By its own doing: a rule, else its policy.
    fn by_itself(&mut self, id: ContainerId, was: &Life, ending: &Ending) -> Vec<Outcome> {
        match self.by_rule(id, was, ending) {
            Some(outcome) => vec![outcome],
            None => match ending {
                Ending::Exited(_) => vec![self.by_policy(id, was, ending, false)],
                Ending::NeverRan => self.by_failed_start(id),
            },
        }
    }

    fn by_rule(&mut self, id: ContainerId, was: &Life, ending: &Ending) -> Option<Outcome> {
        let reaction = self.rule(id, ending)?;
        let now = self.now;
        Some(match reaction {
            Reaction::Restart => self.again(id, was),
            Reaction::Ignore => self.at_once(Fates::IGNORED),
            Reaction::RestartAllContainers
            | Reaction::RestartPod
            | Reaction::FailPod
            | Reaction::CompletePod => Outcome {
                moves: moves_of(reaction, id, now),
                ..self.at_once(Fates::WANTED)
            },
        })
    }

    fn rule(&self, id: ContainerId, ending: &Ending) -> Option<Reaction> {
        let Ending::Exited(exit) = ending else {
            return None;
        };
        let rules = &self.container(id).restart.rules;
        let rule = rules.iter().find(|rule| matches_exit(&rule.when, exit));
        rule.map(|rule| rule.reaction)
    }

    fn by_policy(&mut self, id: ContainerId, was: &Life, ending: &Ending, killed: bool) -> Outcome {
        let container = self.container(id);
        let code = ending.code();
        let well = code == 0 && !killed;
        let again = match container.restart.policy {
            RestartPolicy::Always => !(well && container.is_oneshot()),
            RestartPolicy::OnFailure => !well,
            RestartPolicy::Never => false,
        };
        if again {
            return self.again(id, was);
        }
        if container.restart.failure_restarts_pod && !well {
            let moves = moves_of(Reaction::RestartPod, id, self.now);
            return Outcome {
                moves,
                ..self.at_once(Fates::WANTED)
            };
        }
        let fates = match (killed && code == 0, container.is_oneshot()) {
            (false, _) => Fates::ended_with(code),
            (true, true) => Fates::ENDED_BAD,
            // Killed, and yet it ended with 0: whether that is a success is left open.
            (true, false) => Fates::ENDED,
        };
        self.at_once(fates)
    }

    /// A start that never led to a process is tried again, whatever the policy. How it counts for
    /// back-off and limits, and what `Never` makes of it, is not said.
    fn by_failed_start(&mut self, id: ContainerId) -> Vec<Outcome> {
        let restart = &self.container(id).restart;
        let never = restart.policy == RestartPolicy::Never;
        let (max, limited) = (restart.backoff.max, restart.limit.is_some());
        let now = self.now;
        self.life_mut(id).delays.doubted = true;
        let mut outcomes = vec![Outcome {
            fates: Fates::WANTED,
            due: Span::between(now, now + max),
            moves: Vec::new(),
        }];
        outcomes.extend(never.then(|| self.at_once(Fates::ENDED_BAD)));
        outcomes.extend(limited.then(|| self.at_once(Fates::GAVE_UP)));
        outcomes
    }

    /// Again after back-off, unless that is once too often.
    fn again(&mut self, id: ContainerId, was: &Life) -> Outcome {
        let (backoff, limit) = {
            let restart = &self.container(id).restart;
            (restart.backoff, restart.limit)
        };
        let now = self.now;
        // A run counts from its start or from the moment at which it was seen to run.
        let ran = now.since(was.asked_at);
        let seen = was.shown.since.map_or(ran, |since| now.since(since));
        let long = |ran: Duration| ran > backoff.reset;
        let delays = &mut self.life_mut(id).delays;
        delays.doubted |= long(ran) != long(seen);
        let next = delays.next(now, Some(ran), &backoff, limit);
        let fates = match next.too_many {
            Tri::No => Fates::WANTED,
            Tri::Maybe => Fates::WANTED.or(Fates::GAVE_UP),
            Tri::Yes => Fates::GAVE_UP,
        };
        Outcome {
            fates,
            due: next.due,
            moves: Vec::new(),
        }
    }

    /// Somebody asked for it: again, after a back-off of which only the longest is known.
    fn by_request(&mut self, id: ContainerId) -> Outcome {
        let restart = &self.container(id).restart;
        let (max, limited) = (restart.backoff.max, restart.limit.is_some());
        let gives_up = if limited {
            Fates::GAVE_UP
        } else {
            Fates::WANTED
        };
        let now = self.now;
        self.life_mut(id).delays.doubted = true;
        Outcome {
            fates: Fates::WANTED.or(gives_up),
            due: Span::between(now, now + max),
            moves: Vec::new(),
        }
    }

    /// An exchange pulls dependants with it before the container itself goes.
    pub(crate) fn follow_swaps(&mut self) {
        for target in self.ids() {
            let swaps = self.swaps(target);
            if self.life(target).runs_itself() && swaps.possibly() {
                self.pull_along(target, Fates::WANTED, swaps);
            }
        }
    }

    fn pull_along(&mut self, target: ContainerId, fates: Fates, surely: Tri) {
        let asks: Vec<_> = self.affected(target, fates).collect();
        for (id, index, then, held) in asks {
            let stops = Tri::from(self.life(id).runs_itself()).max(Tri::Maybe);
            self.let_go(id, then, held & surely);
            self.must_hold_again(id, index, held & surely & stops);
        }
    }

    /// A target went down: those who care about that must go.
    fn went_down(&mut self, target: ContainerId) {
        let fates = self.life(target).fates;
        self.pull_along(target, fates, Tri::Yes);
        let dependants: Vec<_> = self
            .shape
            .dependants(target)
            .map(|(id, index, _)| (id, index))
            .collect();
        for (id, index) in dependants {
            // It has held in this run, but not since: whether that is a loss again is open.
            let held = &mut self.life_mut(id).run.held[index];
            *held = held.doubted();
        }
    }

    /// The dependants that a target pulls with it, and how they go on.
    fn affected(
        &self,
        target: ContainerId,
        fates: Fates,
    ) -> impl Iterator<Item = (ContainerId, usize, Fates, Tri)> {
        let oneshot = self.container(target).is_oneshot();
        self.shape
            .dependants(target)
            .filter_map(move |(id, index, edge)| {
                let follows = match edge.until {
                    Until::Started | Until::Ready => true,
                    // These stay true once they are.
                    Until::Attempted | Until::Succeeded | Until::Exited | Until::Settled => false,
                };
                let held = self.life(id).run.held[index];
                // A oneshot's `started` stays true, so that its end may be no loss.
                let held = if oneshot { held.doubted() } else { held };
                let by_edge = match edge.on_restart {
                    OnRestart::Keep => return None,
                    OnRestart::Restart => Fates::WANTED,
                    OnRestart::Stop => Fates::GAVE_UP,
                };
                let then = match fates.is(Fates::ENDED_OK) {
                    Tri::Yes => Fates::ENDED_OK,
                    Tri::Maybe => by_edge.or(Fates::ENDED_OK),
                    Tri::No => by_edge,
                };
                (follows && held.possibly()).then_some((id, index, then, held))
            })
    }

    /// A container must go, and all that it pulls with it.
    pub(crate) fn let_go(&mut self, id: ContainerId, then: Fates, must: Tri) {
        let now = self.now;
        if !self.life(id).runs_itself() {
            let oneshot = self.container(id).is_oneshot();
            let then = self.with_its_target(id, then);
            let fails = self.fails_attempt(id, then);
            let life = self.life_mut(id);
            // It is down already: only a stop for good could mean anything to it.
            if life.fates.is(Fates::WANTED).possibly() && then != Fates::WANTED {
                life.fates = life.fates.or(then);
                life.run.pardoned |= then.is(Fates::ENDED_OK).possibly() && !oneshot;
                let moves = fails.into_iter().flat_map(|it| it.moves);
                self.goal.open.extend(moves);
            }
            return;
        }
        let life = self.life_mut(id);
        let going = life.going.map_or(
            Going {
                then,
                must,
                since: now,
            },
            |old| Going {
                then: old.then.or(then),
                must: old.must | must,
                // The time counts from the moment at which it surely must.
                since: if must > old.must { now } else { old.since },
            },
        );
        if life.going == Some(going) {
            return;
        }
        life.going = Some(going);
        self.pull_along(id, then, must);
    }

    /// A requirement that was lost must hold anew, and only a new run of the target counts.
    fn must_hold_again(&mut self, id: ContainerId, edge: usize, surely: Tri) {
        let anew = &mut self.life_mut(id).run.anew;
        let old = anew.iter().position(|lost| lost.edge == edge);
        let old = old.map(|at| anew.remove(at)).filter(|old| !old.back);
        let surely = old.map_or(surely, |old| old.surely | surely);
        anew.push(Anew {
            edge,
            surely,
            back: false,
        });
        anew.sort_unstable();
    }
}

// === impl Outcome ===

impl Outcome {
    fn or(mut self, other: Self) -> Self {
        self.fates = self.fates.or(other.fates);
        self.due = self.due.or(other.due);
        self.moves.extend(other.moves);
        self
    }
}

fn moves_of(reaction: Reaction, id: ContainerId, now: pillion_engine::Tick) -> Vec<Move> {
    let to = match reaction {
        Reaction::Restart | Reaction::Ignore => return Vec::new(),
        Reaction::RestartAllContainers => Move::again(Level::Kill, now),
        Reaction::RestartPod => Move::again(Level::Restart, now),
        Reaction::FailPod => Move::end(EndCause::Fail(Some(id)), now),
        Reaction::CompletePod => Move::end(EndCause::Complete(Some(id)), now),
    };
    vec![to.by(id)]
}

fn matches_exit(when: &When, exit: &Exit) -> bool {
    match when {
        When::CodeIn(codes) => codes.contains(&exit.code),
        When::CodeNotIn(codes) => !codes.contains(&exit.code),
        When::Signal(signals) => exit.signal.is_some_and(|signal| signals.contains(&signal)),
        When::OomKilled => exit.oom,
    }
}
