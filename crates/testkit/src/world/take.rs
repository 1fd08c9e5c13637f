//! Takes in what happened and what was wanted.

use super::exit::Ending;
use super::fate::Fates;
use super::goal::{EndCause, Level, Move};
use super::life::{Asked, Image, Life, Process, Replacing, Undo, Why};
use super::moment::Span;
use super::shape::Shape;
use super::{LastInput, World};
use crate::tri::Tri;
use pillion_engine::pod::{
    Container, HookKind, List, ProbeKind, Reaction, RestartPolicy, Role, SHORTEST_GRACE,
};
use pillion_engine::{Attempt, Command, ContainerId, Event, Exit, Found, Request, Tick};
use std::sync::Arc;
use std::time::Duration;

// === impl World ===

impl World {
    /// Something happened.
    pub(crate) fn take_event(&mut self, event: &Event) {
        self.last = LastInput::Other;
        if let Some((id, _)) = event.container()
            && !self.knows(id)
        {
            return;
        }
        match *event {
            Event::SandboxReady => self.sandbox = true,
            Event::SandboxLost => self.lose_sandbox(),
            Event::Pulled { container, attempt } => self.pulled(container, attempt),
            Event::PullFailed {
                container, attempt, ..
            } => self.pull_failed(container, attempt),
            Event::Started { container, attempt } => self.runs(container, attempt),
            Event::StartFailed {
                container, attempt, ..
            } => self.ends(container, attempt, &Ending::NeverRan),
            Event::Exited {
                container,
                attempt,
                ref exit,
            } => self.ends(container, attempt, &Ending::Exited(exit.clone())),
            Event::HookDone {
                container,
                attempt,
                hook,
                ok,
            } => self.hook_done(container, attempt, hook, ok),
            Event::Probed {
                container,
                attempt,
                probe,
                ok,
            } => self.probed(container, attempt, probe, ok),
            Event::Notified {
                container,
                attempt,
                ready,
            } => self.notified(container, attempt, ready),
        }
        self.follow();
    }

    /// Something was wanted, and the engine took it.
    pub(crate) fn take_request(&mut self, request: &Request) {
        self.last = LastInput::Other;
        match request {
            Request::Delete { grace } => self.delete(*grace),
            Request::Ask { reaction, by, .. } => self.ask(*reaction, *by),
            Request::Replace {
                container,
                with,
                timeout,
                ..
            } => self.replace(*container, with, *timeout),
            Request::AddEphemeral(container) => self.add_ephemeral(container),
        }
        self.follow();
    }

    /// The engine was asked to do what is due.
    pub(crate) fn take_timeout(&mut self) {
        self.last = LastInput::Other;
        self.timed = self.now;
        self.follow();
    }

    /// The driver died, and the engine with it.
    pub(crate) fn take_crash(&mut self) {
        self.last = LastInput::Other;
        self.crashed = true;
        self.dead = true;
        for id in self.ids() {
            let condemned = self.own_reasons(id).has(Why::FAILURE);
            let life = &mut self.lives[id.index()];
            life.crash(&self.shape.pod.containers[id.index()]);
            life.condemned = condemned;
        }
        if let Some(stop) = &mut self.goal.stop {
            stop.ends.latest = Tick::NEVER;
        }
        self.delays.doubted = true;
    }

    /// The driver came back and found this.
    pub(crate) fn take_found(&mut self, id: ContainerId, found: &Found) {
        if !self.knows(id) {
            return;
        }
        match found {
            Found::Running { attempt } => self.runs(id, *attempt),
            Found::Ended { attempt, exit } => {
                let exit = exit.clone().unwrap_or_else(Exit::unknown);
                self.ends(id, *attempt, &Ending::Exited(exit));
            }
            Found::NeverCreated => self.never_created(id),
        }
        self.life_mut(id).lost = false;
        self.follow();
    }

    /// The engine goes on.
    pub(crate) fn take_resume(&mut self) {
        self.last = LastInput::Resume;
        self.dead = false;
        if let Some(stop) = &mut self.goal.stop {
            // The clock of the budget may go on or begin anew.
            stop.ends.latest = stop.ends.latest.min(self.now + self.shape.budget());
        }
        self.follow();
    }

    fn pulled(&mut self, id: ContainerId, attempt: Attempt) {
        let life = self.life_mut(id);
        let Image::Pulling {
            attempt: asked,
            version,
        } = life.image
        else {
            return;
        };
        if asked == attempt {
            life.image = Image::There { attempt, version };
            if let Some(replacing) = &mut life.replacing {
                replacing.pulled |= replacing.version == version;
            }
        }
    }

    fn pull_failed(&mut self, id: ContainerId, attempt: Attempt) {
        let life = self.life_mut(id);
        if matches!(life.image, Image::Pulling { attempt: asked, .. } if asked == attempt) {
            life.image = Image::Failed;
            // The pull of an exchange is no attempt of the container itself.
            if !life.live() {
                life.run.failed = Tri::Yes;
                // An image that fails before its turn is no attempt to start it yet.
                let tried = Tri::from(life.turn.latest.is_some());
                life.run.attempted = life.run.attempted | tried | Tri::Maybe;
            }
        }
    }

    fn runs(&mut self, id: ContainerId, attempt: Attempt) {
        let now = self.now;
        let life = self.life_mut(id);
        if life.attempt == attempt && life.process == Process::Asked {
            life.process = Process::Runs;
            life.run.ran = true;
            life.shown.since = Some(now);
        }
    }

    fn never_created(&mut self, id: ContainerId) {
        let now = self.now;
        let life = self.life_mut(id);
        if life.live() {
            // It is still the same turn, and its time may go on.
            let maybe_free = life.turn.maybe_free;
            life.down(now);
            life.turn.maybe_free = maybe_free;
            life.run.start_came_to_nothing();
            if life.undo == Undo::Runs {
                life.undo = Undo::Owed(Tri::Yes);
            }
        }
    }

    fn hook_done(&mut self, id: ContainerId, attempt: Attempt, hook: HookKind, ok: bool) {
        let life = self.life_mut(id);
        if life.attempt != attempt || !life.live() {
            return;
        }
        match hook {
            HookKind::PostStart => life.shown.post_start.done(ok),
            HookKind::PreStop => life.pre_stop.done(ok),
            HookKind::PodStopping => life.pod_stopping.done(ok),
        }
    }

    fn probed(&mut self, id: ContainerId, attempt: Attempt, kind: ProbeKind, ok: bool) {
        let Some(probe) = self.container(id).probes.get(kind).copied() else {
            return;
        };
        let life = self.life_mut(id);
        if life.attempt != attempt || !life.live() || !life.tally_mut(kind).answer(ok, &probe) {
            return;
        }
        if kind == ProbeKind::Readiness && !ok {
            self.last = LastInput::Unready(id);
        }
    }

    fn notified(&mut self, id: ContainerId, attempt: Attempt, ready: bool) {
        let life = self.life_mut(id);
        if life.attempt == attempt && life.process == Process::Runs {
            life.shown.notified = Tri::from(ready);
            if !ready {
                self.last = LastInput::Unready(id);
            }
        }
    }

    fn delete(&mut self, grace: Option<Duration>) {
        let grace = grace.unwrap_or(self.shape.pod.grace);
        let ends = Span::at(self.now + grace.max(SHORTEST_GRACE));
        if self.goal.level == Level::End {
            self.hurry(ends);
        } else {
            self.move_goal(Move::end(EndCause::Deletion, self.now), ends);
        }
    }

    fn ask(&mut self, reaction: Reaction, by: Option<ContainerId>) {
        let now = self.now;
        let grace = Span::at(now + self.shape.budget());
        let by = by.filter(|&id| self.knows(id));
        match reaction {
            Reaction::Restart => self.ask_one(by, Asked::Restart),
            Reaction::Ignore => self.ask_one(by, Asked::Ignore),
            Reaction::RestartAllContainers => self.ask_again(Move::again(Level::Kill, now), grace),
            Reaction::RestartPod => self.ask_again(Move::again(Level::Restart, now), grace),
            Reaction::FailPod => self.move_goal(Move::end(EndCause::Fail(by), now), grace),
            Reaction::CompletePod => self.move_goal(Move::end(EndCause::Complete(by), now), grace),
        }
    }

    /// Another run of the pod is asked for.
    fn ask_again(&mut self, to: Move, grace: Span) {
        match self.is_between_runs() {
            // It is being done.
            Tri::Yes => {}
            Tri::Maybe => self.goal.open.push(to),
            Tri::No => self.move_goal(to, grace),
        }
    }

    /// Whether all are down, and the next run of the pod is to come. It shows by the images that are asked for, if there
    /// are any.
    fn is_between_runs(&self) -> Tri {
        let mut wanted = self
            .lives
            .iter()
            .zip(&self.shape.pod.containers)
            .filter(|(life, _)| life.fates.is(Fates::WANTED).surely());
        let shows = wanted.any(|(_, container)| container.image.is_some());
        let between = Tri::from(self.between_runs);
        if shows { between } else { between.doubted() }
    }

    fn ask_one(&mut self, by: Option<ContainerId>, asked: Asked) {
        let Some(id) = by.filter(|_| self.goal.level == Level::Run) else {
            return;
        };
        let now = self.now;
        let life = self.life_mut(id);
        if life.live() {
            life.asked = Some(asked);
            return;
        }
        // Somebody else speaks for a container that is down: nobody says what comes of it.
        life.due.earliest = life.due.earliest.min(now);
        life.fates = match asked {
            Asked::Restart => life.fates.or(Fates::WANTED),
            Asked::Ignore => life.fates.or(Fates::IGNORED),
        };
        life.delays.doubted = true;
    }

    fn replace(&mut self, id: ContainerId, with: &Container, timeout: Option<Duration>) {
        if !self.knows(id) || self.goal.level != Level::Run {
            return;
        }
        let patience = timeout.or(with.start_timeout).unwrap_or(PATIENCE);
        let now = self.now;
        let swap = self.to_be_swapped(id);
        let life = self.life_mut(id);
        life.newest = life.newest.saturating_add(1);
        life.replacing = Some(Replacing {
            version: life.newest,
            since: now,
            pulled: with.image.is_none(),
            swap,
            swapped: None,
            patience,
            settled: Tri::No,
        });
        if life.live() {
            return;
        }
        life.image = match life.image {
            Image::Unasked | Image::Failed => Image::Unasked,
            Image::Pulling { .. } | Image::There { .. } | Image::Unknown => Image::Unknown,
        };
        life.due.earliest = life.due.earliest.min(now);
        // What the old one had run up may be forgotten.
        life.delays.doubted = true;
        life.waits_since = now;
        self.try_again(id);
    }

    /// Whether an exchange has to stop what is there; one not yet started takes it at its next start.
    fn to_be_swapped(&self, id: ContainerId) -> Tri {
        let (life, container) = (self.life(id), self.container(id));
        match life.started(container) {
            Tri::Yes if !container.is_oneshot() => Tri::Yes,
            Tri::Yes | Tri::Maybe | Tri::No if container.is_oneshot() => Tri::No,
            Tri::Yes | Tri::Maybe | Tri::No => Tri::from(life.live()).doubted(),
        }
    }

    /// A container that was exchanged is tried again, and so is whoever gave up for lack of it.
    fn try_again(&mut self, id: ContainerId) {
        let now = self.now;
        let life = self.life_mut(id);
        if life.fates.is(Fates::GAVE_UP).possibly() {
            life.fates = life.fates.without(Fates::GAVE_UP).or(Fates::WANTED);
            life.delays.doubted = true;
            life.due = Span::between(now, Tick::NEVER);
        }
        self.try_those_without(id);
    }

    /// Whoever gave up for lack of a container that is exchanged is tried again.
    pub(crate) fn try_those_without(&mut self, id: ContainerId) {
        let now = self.now;
        for other in self.ids().filter(|&other| other != id) {
            let life = self.life_mut(other);
            if life.fates.is(Fates::GAVE_UP).possibly() {
                life.fates = life.fates.or(Fates::WANTED);
                life.due = Span::between(now, Tick::NEVER);
            }
        }
    }

    fn add_ephemeral(&mut self, container: &Container) {
        let mut pod = self.shape.pod.clone();
        pod.containers.push(container.clone());
        self.shape = Arc::new(Shape::new(pod));
        self.lives.push(Life::new(container, self.now));
    }

    fn lose_sandbox(&mut self) {
        self.sandbox = false;
        // A start that failed has made nothing, as far as anybody knows.
        let made = |it: &Life| it.live() || it.run.code.is_some();
        let created = Tri::from(self.lives.iter().any(made))
            | Tri::from(self.lives.iter().any(|it| it.attempt > 0)).doubted();
        // A restart of all leaves nothing that was made, and may not be over yet.
        let created = if self.between_runs {
            created.doubted()
        } else {
            created
        };
        let never = self.shape.pod.restart_policy == RestartPolicy::Never;
        let now = self.now;
        for (life, container) in self.lives.iter_mut().zip(&self.shape.pod.containers) {
            if life.live() {
                if life.runs_itself() {
                    life.run.code = Some(Exit::unknown().code);
                }
                life.command = Command::Run;
                life.down(now);
                if container.role == Role::Ephemeral {
                    life.fates = Fates::ENDED_BAD;
                }
            }
            if life.undo != Undo::Nothing {
                life.undo = Undo::Owed(Tri::Maybe);
            }
            // Where nothing was made, nothing is lost, and an exchange goes on; what was swapped in is run again on trial.
            life.replacing = life
                .replacing
                .filter(|it| it.swapped.is_some() || !created.surely());
            if let Some(replacing) = &mut life.replacing {
                replacing.swap = replacing.swap.doubted();
                replacing.settled = replacing.settled | Tri::Maybe;
            }
        }
        match self.goal.level {
            Level::Run if never && created.surely() => {
                self.move_goal(Move::end(EndCause::SandboxLost, now), Span::at(now));
            }
            Level::Run => {
                self.begin_run_elsewhere();
                let ends = never && created.possibly();
                let end = ends.then(|| Move::end(EndCause::SandboxLost, now));
                self.goal.open.extend(end);
            }
            Level::Restart | Level::Kill => {
                self.begin_run();
                self.delays.doubted = true;
                for life in &mut self.lives {
                    life.due = Span::between(now, Tick::NEVER);
                }
            }
            Level::End => {
                // Nothing is left that could be reversed in.
                for life in &mut self.lives {
                    life.undo = Undo::Nothing;
                }
            }
        }
    }

    /// A whole-pod restart by Kubernetes' rules, in a new sandbox.
    fn begin_run_elsewhere(&mut self) {
        let before: Vec<_> = self.lives.iter().map(Life::clone).collect();
        let ran = before.iter().any(|life| life.run.code.is_some());
        // What may have begun to end does not run again.
        let open: Vec<_> = self
            .open_moves()
            .filter(|it| it.level == Level::End)
            .collect();
        let between_runs = self.between_runs;
        self.begin_run();
        self.between_runs = between_runs;
        self.goal.open = open;
        self.delays.doubted = true;
        let now = self.now;
        let due = Span::between(now, Tick::NEVER);
        for (id, old) in self.ids().zip(before) {
            let keeps = self.keeps_without_sandbox(id, &old);
            let life = self.life_mut(id);
            life.due = due;
            life.turn.first = old.turn.first;
            if !ran {
                // Nothing has ever run: nothing may have to begin again.
                life.fates = life.fates.or(old.fates);
                life.run.failed = old.run.failed.doubted();
                life.run.attempted = old.run.attempted.doubted();
                life.run.begun = old.run.begun.doubted();
                life.delays.doubted = true;
            }
            if keeps.possibly() {
                let fates = if keeps.surely() {
                    old.fates
                } else {
                    old.fates.or(life.fates)
                };
                life.fates = fates;
                life.run.code = old.run.code.filter(|_| keeps.surely());
                life.run.started = old.run.started & keeps;
            }
        }
    }

    /// Whether a container that had succeeded is left so in a new sandbox.
    fn keeps_without_sandbox(&self, id: ContainerId, old: &Life) -> Tri {
        let container = self.container(id);
        if container.role == Role::Ephemeral {
            return Tri::Yes;
        }
        if !old.fates.is(Fates::ENDED_OK).possibly() {
            return Tri::No;
        }
        let pod = self.shape.pod.restart_policy;
        let spared =
            container.list == List::Regular && container.restart.policy == RestartPolicy::OnFailure;
        let is_main = container.role == Role::Main && !container.is_oneshot();
        match pod {
            RestartPolicy::OnFailure if spared && is_main => Tri::Yes,
            RestartPolicy::Always | RestartPolicy::OnFailure | RestartPolicy::Never => Tri::Maybe,
        }
    }
}

/// How long an exchanged container has to become ready if nobody says.
const PATIENCE: Duration = Duration::from_mins(5);
