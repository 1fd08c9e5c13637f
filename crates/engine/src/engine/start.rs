//! When a container's turn has come: its requirements, its image, its start.

use super::edges::Lets;
use super::exit::Outcome;
use super::{Engine, Work};
use crate::action::{Action, Command};
use crate::entry::{Cause, What};
use crate::event::{Attempt, StartFailure};
use crate::fact::Goal;
use crate::life::{GiveUp, Image, State, StopWhy, Undo};
use crate::pod::{Backoff, ContainerId, Role, Target};
use crate::restart;
use crate::tick::Tick;
use crate::timer::Timer;

impl Engine {
    pub(super) fn on_sandbox_ready(&mut self) {
        if self.record.sandbox {
            return;
        }
        self.pod_mut().sandbox = true;
        for container in self.containers() {
            self.work.push_back(Work::Consider(container));
        }
    }

    /// The container wants to run, as soon as its requirements let it.
    pub(super) fn enter_waiting(&mut self, now: Tick, container: ContainerId) {
        let record = self.record_mut(container);
        record.state = State::Waiting;
        record.turn = None;
        record.waiting_since = now;
        self.life_mut(container).last_opened = None;
        let node = Target::Container(container);
        for index in 0..self.graph.outgoing(node).len() {
            let edge = self.graph.outgoing(node)[index];
            self.forget_wait(edge);
            let waited = self.gates[edge as usize].lets == Lets::Wait;
            self.refresh(now, edge);
            // A wait that begins is told when the edge is looked at; this one goes on from before.
            if waited && self.gates[edge as usize].lets == Lets::Wait {
                self.begin_wait(now, container, edge);
            }
        }
        self.prepare(container);
        self.work.push_back(Work::Consider(container));
    }

    /// Pulls the image of a container that waits, unless it is about to give up.
    pub(super) fn prepare(&mut self, container: ContainerId) {
        self.want_image(container);
        let life = self.life(container);
        if life.broken > 0 || matches!(life.record.state, State::BackOff { .. }) {
            self.work.push_back(Work::Consider(container));
        }
    }

    /// Starts the container if nothing holds it back; gives up if something does for ever, also while it would have
    /// to wait out its back-off first: others may wait for it.
    pub(super) fn consider(&mut self, now: Tick, container: ContainerId) {
        let state = &self.life(container).record.state;
        if !matches!(state, State::Waiting | State::BackOff { .. }) || !self.is_wanted(container) {
            return;
        }
        // Counted, because looking at every edge whenever one of them changes would cost their square.
        if self.life(container).broken > 0
            && let Some((target, until, why)) = self.impossible(container)
        {
            let cause = Cause::Impossible { target, until, why };
            return self.give_up(
                now,
                container,
                GiveUp::Requirement { target, until, why },
                cause,
            );
        }
        self.note_put_off(container);
        if self.is_free(container) {
            self.free.push_back(container);
        }
    }

    /// Starts a container that nothing holds back, when all that follows from the input has been dealt
    /// with: what ends the pod in the same instant comes first.
    pub(super) fn start_free(&mut self, now: Tick, container: ContainerId) {
        if !self.is_free(container) {
            return;
        }
        self.take_turn(now, container);
        if self.has_image(container) {
            self.start(now, container);
        } else {
            self.want_image(container);
        }
    }

    fn is_free(&self, container: ContainerId) -> bool {
        let life = self.life(container);
        life.record.state == State::Waiting
            && life.closed == 0
            && life.broken == 0
            && self.record.sandbox
            && self.is_wanted(container)
    }

    pub(super) fn on_pulled(&mut self, now: Tick, container: ContainerId, attempt: Attempt) {
        let Some(life) = self.lives.get_mut(container.index()) else {
            return;
        };
        let awaited = match &life.image {
            Image::Pulling(awaited) => *awaited == attempt,
            Image::Failed { retrying, .. } => *retrying == Some(attempt),
            Image::Unknown | Image::Present(_) => false,
        };
        if !awaited {
            return;
        }
        life.image = Image::Present(attempt);
        self.tell(now, container, What::Pulled, Cause::Itself);
        if self.replacement_pulled(now, container) {
            return;
        }
        self.work.push_back(Work::Consider(container));
    }

    pub(super) fn on_pull_failed(
        &mut self,
        now: Tick,
        container: ContainerId,
        attempt: Attempt,
        message: Box<str>,
    ) {
        let Some(life) = self.lives.get(container.index()) else {
            return;
        };
        let failures = match &life.image {
            Image::Pulling(awaited) if *awaited == attempt => 0,
            Image::Failed {
                failures,
                retrying: Some(awaited),
                ..
            } if *awaited == attempt => *failures,
            Image::Pulling(_) | Image::Failed { .. } | Image::Unknown | Image::Present(_) => return,
        };
        let failures = failures.saturating_add(1);
        let retry_in = restart::delay(&Backoff::default(), failures);
        self.life_mut(container).image = Image::Failed {
            failures,
            message: message.clone(),
            retrying: None,
        };
        self.tell(
            now,
            container,
            What::PullFailed { message, retry_in },
            Cause::Itself,
        );
        self.timers.arm(Timer::Pull(container), now + retry_in);
        if !self.replacing.contains_key(&container) {
            self.note_failed_attempt(container);
        }
    }

    /// Tries again to get an image.
    pub(super) fn on_pull_due(&mut self, now: Tick, container: ContainerId) {
        let attempt = self.life(container).record.next_attempt();
        let version = self.pull_version(container);
        if let Image::Failed { retrying, .. } = &mut self.life_mut(container).image {
            *retrying = Some(attempt);
            self.tell(now, container, What::Pulling, Cause::Itself);
            self.actions.push_back(Action::Pull {
                container,
                attempt,
                version,
            });
        }
    }

    pub(super) fn on_start_failed(
        &mut self,
        now: Tick,
        container: ContainerId,
        attempt: Attempt,
        reason: StartFailure,
        message: Box<str>,
    ) {
        if !self.is_current(container, attempt) || self.life(container).record.is_running() {
            return;
        }
        self.tell(
            now,
            container,
            What::StartFailed {
                reason,
                message: message.clone(),
            },
            Cause::Itself,
        );
        if self.life(container).record.command() == Command::Undo {
            return self.undo_ended(now, container, false);
        }
        self.forget_process(container);
        self.forget_start(container);
        if self.record.goal == Goal::Run && self.life(container).record.after.is_none() {
            self.note_failed_attempt(container);
            if self.stopped_by(container) == Some(StopWhy::StartTimeout) {
                self.record_mut(container).last_start = now;
                self.by_policy(now, container, Outcome::Failure, Cause::StartTimeout);
                self.replacement_due(container);
                return self.came_down_by_itself(now, container);
            }
            // There was no run, so neither rules nor policy are asked: it is tried again, as often as it may.
            let unstarted = Some((reason, message));
            self.restart_after_back_off(now, container, unstarted, Cause::Itself);
            self.replacement_due(container);
            return self.came_down_by_itself(now, container);
        }
        let told = self.stopped_by(container).is_some();
        let record = self.record_mut(container);
        record.failed = true;
        record.state = State::Waiting;
        if !told && self.record.goal != Goal::Run && self.is_wanted(container) {
            self.enter_back_off(now, container, Some((reason, message)), Cause::Itself);
        }
        self.came_down(now, container);
    }

    /// Whether the pod wants this container up at all.
    pub(super) fn is_wanted(&self, container: ContainerId) -> bool {
        let life = self.life(container);
        let def = self.def(container);
        match self.record.goal {
            Goal::Run => life.record.after.is_none() && !self.is_winding_down(container),
            // Something above still needs it, so it goes on serving. Nothing else is started in an ending pod.
            Goal::Restart { at_once: false, .. } | Goal::End { .. } => {
                def.role == Role::Sidecar
                    && !def.plain
                    && !def.is_oneshot()
                    && life.record.launched
                    && self.something_above_is_up(container)
                    && !self.is_budget_spent()
            }
            Goal::Restart { at_once: true, .. } => false,
        }
    }

    /// Pulls the image that the next start needs, unless that is under way. What ends the pod or the container in the
    /// same instant comes first.
    pub(super) fn want_image(&mut self, container: ContainerId) {
        self.unpulled.push_back(container);
    }

    /// Asks for the image of a container that waits for its next start.
    pub(super) fn pull_missing(&mut self, now: Tick, container: ContainerId) {
        let life = self.life(container);
        let waits = matches!(life.record.state, State::Waiting | State::BackOff { .. });
        if !waits
            || life.broken > 0
            || life.record.after.is_some()
            || self.def(container).image.is_none()
            || self.will_be_redefined(container)
            || self.is_pulling_replacement(container)
            || self.is_swapped_out(container)
        {
            return;
        }
        let attempt = life.record.next_attempt();
        let pull = match &life.image {
            Image::Unknown => true,
            Image::Pulling(awaited) | Image::Present(awaited) => *awaited != attempt,
            Image::Failed { .. } => false,
        };
        if pull && (self.record.goal == Goal::Run || self.is_wanted(container)) {
            self.ask_for_image(now, container, attempt);
        }
    }

    pub(super) fn ask_for_image(&mut self, now: Tick, container: ContainerId, attempt: Attempt) {
        let version = self.pull_version(container);
        self.life_mut(container).image = Image::Pulling(attempt);
        self.tell(now, container, What::Pulling, Cause::Itself);
        self.actions.push_back(Action::Pull {
            container,
            attempt,
            version,
        });
    }

    /// Nobody needs the image any more.
    pub(super) fn cancel_pull(&mut self, container: ContainerId) {
        match std::mem::take(&mut self.life_mut(container).image) {
            Image::Pulling(attempt)
            | Image::Failed {
                retrying: Some(attempt),
                ..
            } => self
                .actions
                .push_back(Action::CancelPull { container, attempt }),
            Image::Failed { retrying: None, .. } | Image::Unknown | Image::Present(_) => {}
        }
        self.timers.disarm(Timer::Pull(container));
    }

    fn has_image(&self, container: ContainerId) -> bool {
        let life = self.life(container);
        self.def(container).image.is_none()
            || life.image == Image::Present(life.record.next_attempt())
            // It has run from its own image; the one that is pulled is for its replacement.
            || self.is_pulling_replacement(container)
    }

    fn take_turn(&mut self, now: Tick, container: ContainerId) {
        if self.life(container).record.turn.is_some() {
            return;
        }
        let cause = self.turn_cause(container);
        let start_by = self.def(container).start_timeout.map(|limit| now + limit);
        let record = self.record_mut(container);
        record.turn = Some(now);
        record.start_by = start_by;
        let pull_failed = matches!(self.life(container).image, Image::Failed { .. });
        self.tell(now, container, What::Turn, cause);
        self.watch_start(container);
        self.replacement_turn(now, container);
        if pull_failed {
            self.note_failed_attempt(container);
        }
        // Those who wait for it with a timeout count from now on.
        self.changed(container);
    }

    /// Something holds a container back again before it was started: its turn is to come once more.
    pub(super) fn lose_turn(&mut self, container: ContainerId) {
        let record = &self.life(container).record;
        if record.state == State::Waiting && record.turn.is_some() {
            self.record_mut(container).turn = None;
            self.start_is_over(container);
        }
    }

    /// Arms the deadline of a start that is under way.
    pub(super) fn watch_start(&mut self, container: ContainerId) {
        if let Some(at) = self.life(container).record.start_by {
            self.timers.arm(Timer::Start(container), at);
        }
    }

    /// The start has succeeded, failed or is not wanted any more.
    pub(super) fn start_is_over(&mut self, container: ContainerId) {
        self.timers.disarm(Timer::Start(container));
        if self.life(container).record.start_by.is_some() {
            self.record_mut(container).start_by = None;
        }
    }

    fn turn_cause(&self, container: ContainerId) -> Cause {
        let life = self.life(container);
        // One that was stopped with its target, and found it back when it was down itself.
        let regained = || {
            let edges = self.graph.outgoing(Target::Container(container));
            edges.iter().copied().find(|edge| self.gate(*edge).anew)
        };
        match life.last_opened.or_else(regained) {
            Some(edge) => self.opening(edge),
            None if life.record.attempt == 0 => Cause::PodStart,
            None if !(life.record.launched || life.record.attempted) => Cause::PodRestart,
            None if self.replacing(container).is_some() => Cause::Replacement(container),
            None => Cause::Itself,
        }
    }

    /// Why an edge lets its container through.
    fn opening(&self, edge: u32) -> Cause {
        if let Some((target, until)) = self.does_without(edge) {
            return Cause::Without { target, until };
        }
        let requirement = &self.graph.edge(edge).requirement;
        let (target, until) = (requirement.target, requirement.until);
        Cause::Fulfilled { target, until }
    }

    fn start(&mut self, now: Tick, container: ContainerId) {
        let node = Target::Container(container);
        for index in 0..self.graph.outgoing(node).len() {
            let edge = self.graph.outgoing(node)[index];
            self.remember(edge, |gate| gate.anew = false);
        }
        let image = self.def(container).image.clone();
        let record = self.record_mut(container);
        record.attempt = record.next_attempt();
        record.state = State::Starting;
        record.launched = true;
        record.last_start = now;
        record.image = image;
        record.begin_attempt();
        let (attempt, version) = (record.attempt, record.version);
        self.note_up(container);
        self.tell(now, container, What::Starting, Cause::Itself);
        self.actions.push_back(Action::Start {
            container,
            attempt,
            version,
            command: Command::Run,
        });
    }

    /// A start came to nothing. If nothing of this container has run yet, its first start is still to come.
    pub(super) fn forget_start(&mut self, container: ContainerId) {
        let record = self.record_mut(container);
        record.launched = record.ran;
    }

    /// Begins the reversal of a oneshot.
    pub(super) fn start_undo(&mut self, now: Tick, container: ContainerId) {
        let done_by = self.def(container).stop_timeout.map(|limit| now + limit);
        let record = self.record_mut(container);
        record.attempt = record.next_attempt();
        record.undo = Undo::Starting;
        record.start_by = done_by;
        let (attempt, version) = (record.attempt, record.version);
        self.watch_start(container);
        self.tell(now, container, What::Undoing, Cause::Unneeded);
        self.actions.push_back(Action::Start {
            container,
            attempt,
            version,
            command: Command::Undo,
        });
    }

    /// An attempt to start came to nothing, or a run ended: those who only wait for it to settle go on.
    pub(super) fn note_failed_attempt(&mut self, container: ContainerId) {
        let has_turn = self.life(container).record.turn.is_some();
        let record = self.record_mut(container);
        record.failed = true;
        record.attempted |= has_turn;
        self.changed(container);
    }

    /// A container waits for a requirement from now on.
    pub(super) fn begin_wait(&mut self, now: Tick, container: ContainerId, edge: u32) {
        let requirement = &self.graph.edge(edge).requirement;
        let (target, until) = (requirement.target, requirement.until);
        self.tell(
            now,
            container,
            What::Waiting { target, until },
            Cause::Itself,
        );
        if let Target::Container(target) = target {
            self.hurry_probes(now, target);
        }
    }
}
