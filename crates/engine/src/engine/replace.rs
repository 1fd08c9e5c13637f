//! Exchanging one container while the others keep running.
//!
//! ```text
//! Pulling ─▶ Stopping ─▶ Watching ─▶ (done)
//!    │                      │
//!    └▶ (abandoned)         └▶ RollingBack ─▶ (the old one is back)
//!
//! NextStart ─▶ (done)
//! ```
//!
//! A oneshot is not stopped for it: whatever runs, and its reversal, go by the definition under
//! which they were begun. So does everything in a pod that is being restarted.

use super::Engine;
use crate::entry::{Cause, What};
use crate::fact::{Change, Goal, ReplaceStep, Replacing};
use crate::life::{After, GiveUp, Image, Record, State, Termination, Undo};
use crate::pod::{Container, ContainerId, OnRestart, Role, Target};
use crate::result::Refused;
use crate::tick::Tick;
use crate::timer::Timer;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a new container has to become ready when nobody says.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

impl Engine {
    pub(super) fn on_replace(
        &mut self,
        now: Tick,
        container: ContainerId,
        new: Container,
        timeout: Option<Duration>,
        force: bool,
    ) -> Result<(), Refused> {
        self.check_replacement(container, &new, force)?;
        self.tell(now, container, What::ReplaceBegan, Cause::Itself);
        let version = self.life(container).next_version();
        self.life_mut(container).latest_version = version;
        let bound = self.is_bound(container);
        if !bound {
            self.take_at_next_start(now, container, new, version);
            return Ok(());
        }
        let timeout = timeout.or(new.start_timeout).unwrap_or(DEFAULT_TIMEOUT);
        let replacing = Replacing {
            old: self.def(container).clone(),
            old_version: self.life(container).record.version,
            new,
            new_version: version,
            step: ReplaceStep::NextStart,
            timeout,
            deadline: None,
        };
        let has_image = replacing.new.image.is_some();
        self.replacing.insert(container, replacing);
        if self.is_left_to_end(container) {
            self.note_replacing(container);
        } else if has_image {
            self.step_to(container, ReplaceStep::Pulling, Some(now + timeout));
            let attempt = self.life(container).record.next_attempt();
            self.ask_for_image(now, container, attempt);
        } else {
            self.begin_swap(now, container);
        }
        Ok(())
    }

    /// A container that must not be cut short has ended: it has the new definition from now on.
    pub(super) fn replacement_due(&mut self, container: ContainerId) {
        if !self.will_be_redefined(container) || self.is_bound(container) {
            return;
        }
        self.take_replacement_now(container);
        self.want_image(container);
    }

    /// The image of a replacement is there. Says whether it was one.
    pub(super) fn replacement_pulled(&mut self, now: Tick, container: ContainerId) -> bool {
        let pulling = self.replace_step(container) == Some(ReplaceStep::Pulling);
        if pulling {
            self.begin_swap(now, container);
        }
        pulling
    }

    /// The container to be exchanged is down: put the other definition in place. Says whether it was.
    pub(super) fn replacement_down(&mut self, now: Tick, container: ContainerId) -> bool {
        let Some(replacing) = self.replacing.get(&container) else {
            return false;
        };
        match replacing.step {
            ReplaceStep::Stopping => {
                let (def, version) = (replacing.new.clone(), replacing.new_version);
                self.step_to(container, ReplaceStep::Watching, None);
                let life = self.life_mut(container);
                // The old one may have been restarted since the image came.
                if let Image::Present(attempt) = &mut life.image {
                    *attempt = life.record.next_attempt();
                }
                self.define(container, def, version);
                self.count_exchange(container, |record| record.last.as_deref());
                self.retry_those_without(now, container);
                true
            }
            ReplaceStep::RollingBack => {
                self.put_back(container);
                true
            }
            ReplaceStep::Pulling | ReplaceStep::Watching | ReplaceStep::NextStart => false,
        }
    }

    /// Whether a container is on its way out, and the one to come in its place is known. However it goes down now, by
    /// itself or when it is told, the other one is next: those who were stopped for the exchange wait for it.
    pub(super) fn is_swapped_out(&self, container: ContainerId) -> bool {
        let going = self.life(container).record.after.is_some();
        let step = self.replace_step(container);
        going && matches!(step, Some(ReplaceStep::Stopping | ReplaceStep::RollingBack))
    }

    /// The new container is ready: the replacement is done.
    pub(super) fn replacement_ready(&mut self, now: Tick, container: ContainerId) {
        if self.replace_step(container) == Some(ReplaceStep::Watching) {
            self.end_replacing(container);
            self.tell(now, container, What::Replaced, Cause::Itself);
        }
    }

    /// What is being exchanged will not be started again: if it is the new container, the old one is put back.
    pub(super) fn replacement_failed(&mut self, now: Tick, container: ContainerId) {
        match self.replace_step(container) {
            Some(ReplaceStep::Watching) if self.record.goal == Goal::Run => {
                self.roll_back(now, container);
            }
            // The old one is not wanted either; if the whole pod is run again, it is the one that holds.
            Some(ReplaceStep::RollingBack) => self.put_back(container),
            // The old one has ended for good by itself, and is not started again: if the whole pod is, then by what
            // was wanted last.
            Some(ReplaceStep::Pulling | ReplaceStep::Stopping) => {
                self.cancel_pull(container);
                self.take_replacement_now(container);
                self.tell(now, container, What::ReplaceAbandoned, Cause::Itself);
            }
            Some(ReplaceStep::Watching | ReplaceStep::NextStart) | None => {}
        }
    }

    /// Whether the new container is to be ready or not says nothing any more: it stays what it is, and the exchange is
    /// over.
    pub(super) fn end_trial(&mut self, now: Tick, container: ContainerId) {
        if self.replace_step(container) == Some(ReplaceStep::Watching) {
            self.end_replacing(container);
            self.tell(now, container, What::ReplaceAbandoned, Cause::Itself);
        }
    }

    /// Whether the end for good of a container that is being exchanged is the end of the pod all the same: it is a
    /// keystone, and names that end. A new one that fails before it was ready has only failed its trial.
    pub(super) fn ends_pod_in_exchange(&self, container: ContainerId, ok: bool) -> bool {
        let record = &self.life(container).record;
        let named = self.def(container).keystone;
        named.is_some_and(|keystone| keystone.names(ok))
            && !record.ignored
            && match self.replace_step(container) {
                Some(ReplaceStep::Stopping) => true,
                Some(ReplaceStep::Watching | ReplaceStep::RollingBack) => ok,
                Some(ReplaceStep::Pulling | ReplaceStep::NextStart) | None => false,
            }
    }

    /// Waits no more for a new image: the container runs on until its own end, and takes the new definition then.
    pub(super) fn put_off_pulling(&mut self, container: ContainerId) {
        if self.replace_step(container) == Some(ReplaceStep::Pulling) {
            self.cancel_pull(container);
            self.step_to(container, ReplaceStep::NextStart, None);
        }
    }

    pub(super) fn on_replace_timeout(&mut self, now: Tick, container: ContainerId) {
        match self.replace_step(container) {
            Some(ReplaceStep::Pulling) => {
                self.abandon_replacement(now, container);
                self.want_image(container);
            }
            Some(ReplaceStep::Watching) => self.roll_back(now, container),
            Some(ReplaceStep::Stopping | ReplaceStep::RollingBack | ReplaceStep::NextStart)
            | None => {}
        }
    }

    /// The pod begins to stop, or is gone with its sandbox: no container is exchanged any more. If it
    /// will run again, it does so with what was wanted last.
    pub(super) fn settle_replacements(&mut self, now: Tick) {
        let under_way: Vec<_> = self.replacing.keys().copied().collect();
        let ends = matches!(self.record.goal, Goal::End { .. });
        for container in under_way {
            match self.replace_step(container) {
                Some(ReplaceStep::Pulling | ReplaceStep::Stopping | ReplaceStep::NextStart)
                    if ends =>
                {
                    self.abandon_replacement(now, container);
                }
                Some(ReplaceStep::Watching) if ends => self.end_trial(now, container),
                Some(ReplaceStep::RollingBack) if ends => self.end_replacing(container),
                Some(ReplaceStep::Pulling | ReplaceStep::Stopping) => {
                    self.cancel_pull(container);
                    self.step_to(container, ReplaceStep::NextStart, None);
                }
                Some(ReplaceStep::Watching) => self.step_to(container, ReplaceStep::Watching, None),
                Some(ReplaceStep::RollingBack | ReplaceStep::NextStart) | None => {}
            }
        }
    }

    /// A run of the pod begins, with what was wanted last.
    pub(super) fn resume_replacements(&mut self) {
        let under_way: Vec<_> = self.replacing.keys().copied().collect();
        for container in under_way {
            match self.replace_step(container) {
                Some(ReplaceStep::RollingBack) => self.put_back(container),
                Some(ReplaceStep::Watching | ReplaceStep::Pulling | ReplaceStep::Stopping) => {}
                Some(ReplaceStep::NextStart) | None => self.replacement_due(container),
            }
        }
    }

    /// The turn of a new container has come: it has to become ready from now on. If what it requires is not there,
    /// that is no fault of its own, and the old one would have to wait as well.
    pub(super) fn replacement_turn(&mut self, now: Tick, container: ContainerId) {
        if let Some(replacing) = self.replacing.get(&container)
            && replacing.step == ReplaceStep::Watching
            && replacing.deadline.is_none()
        {
            let deadline = now + replacing.timeout;
            self.step_to(container, ReplaceStep::Watching, Some(deadline));
        }
    }

    /// Which definition the next image is for.
    pub(super) fn pull_version(&self, container: ContainerId) -> u32 {
        match self.replacing.get(&container) {
            Some(replacing) if replacing.step == ReplaceStep::Pulling => replacing.new_version,
            Some(_) | None => self.life(container).record.version,
        }
    }

    /// Whether the image of a replacement is being pulled while the old container does its work.
    pub(super) fn is_pulling_replacement(&self, container: ContainerId) -> bool {
        self.replace_step(container) == Some(ReplaceStep::Pulling)
    }

    /// Whether the next start goes by another definition than the present one.
    pub(super) fn will_be_redefined(&self, container: ContainerId) -> bool {
        self.replace_step(container) == Some(ReplaceStep::NextStart)
    }

    /// The exchange of a container that is under way.
    pub fn replacing(&self, container: ContainerId) -> Option<&Replacing> {
        self.replacing.get(&container)
    }

    /// Whether an exchange would be taken now, without beginning it.
    pub fn check_replacement(
        &self,
        container: ContainerId,
        new: &Container,
        force: bool,
    ) -> Result<(), Refused> {
        if container.index() >= self.lives.len() {
            return Err(Refused::NoSuchContainer);
        }
        self.check_running()?;
        if self.def(container).role == Role::Ephemeral {
            return Err(Refused::Ephemeral);
        }
        // One that is only waiting for the next start gives way to a newer one.
        if self.replacing.contains_key(&container) && !self.will_be_redefined(container) {
            return Err(Refused::Busy);
        }
        let old = self.def(container);
        let same = old.name == new.name
            && old.list == new.list
            && old.is_oneshot() == new.is_oneshot()
            && old.role == new.role
            && old.requires == new.requires;
        if !same {
            return Err(Refused::OtherShape);
        }
        if self.is_left_to_end(container) || !self.life(container).is_up() {
            return Ok(());
        }
        match self.stopped_for_good_by(container) {
            Some(dependant) if !force => Err(Refused::WouldStop(dependant)),
            Some(_) | None => Ok(()),
        }
    }

    /// A dependant that would give up if this container went down now.
    fn stopped_for_good_by(&self, container: ContainerId) -> Option<ContainerId> {
        let mut going = vec![container];
        let mut seen = BTreeSet::from([container]);
        while let Some(target) = going.pop() {
            for number in self.graph.incoming(Target::Container(target)) {
                let edge = self.graph.edge(number);
                let Target::Container(from) = edge.from else {
                    continue;
                };
                if !self.gate(number).held || !self.life(from).is_up() {
                    continue;
                }
                match edge.requirement.on_restart {
                    OnRestart::Stop => return Some(from),
                    OnRestart::Restart if seen.insert(from) => going.push(from),
                    OnRestart::Restart | OnRestart::Keep => {}
                }
            }
        }
        None
    }

    /// Stops the old container and those that restart with it.
    fn begin_swap(&mut self, now: Tick, container: ContainerId) {
        self.step_to(container, ReplaceStep::Stopping, None);
        self.bring_down(now, container);
    }

    fn roll_back(&mut self, now: Tick, container: ContainerId) {
        // Whoever is left out runs on until its own end, and stays down then.
        if self.life(container).record.ignored {
            return self.end_trial(now, container);
        }
        self.tell(now, container, What::RolledBack, Cause::Itself);
        self.step_to(container, ReplaceStep::RollingBack, None);
        if self.life(container).is_up() {
            return self.bring_down(now, container);
        }
        self.cancel_pull(container);
        self.timers.disarm(Timer::BackOff(container));
        let was_over = self.life(container).record.is_over();
        self.replacement_down(now, container);
        if was_over {
            self.try_again(now, container);
        } else {
            self.enter_waiting(now, container);
        }
    }

    fn bring_down(&mut self, now: Tick, container: ContainerId) {
        self.mark(
            now,
            container,
            After::Restart,
            Cause::Replacement(container),
        );
        self.mark_dependants(now, container, After::Restart);
        if self.record.goal == Goal::Run {
            self.begin_partial_wave();
        }
    }

    /// A container that is not up simply has the new definition from now on.
    fn take_at_next_start(
        &mut self,
        now: Tick,
        container: ContainerId,
        new: Container,
        version: u32,
    ) {
        self.cancel_pull(container);
        self.define(container, new, version);
        self.count_exchange(container, |record| record.exit.as_deref());
        match self.life(container).record.state {
            State::Waiting => self.enter_waiting(now, container),
            State::BackOff { .. } => {
                self.timers.disarm(Timer::BackOff(container));
                self.enter_waiting(now, container);
            }
            State::GaveUp { .. } => {
                self.try_again(now, container);
                self.retry_those_without(now, container);
            }
            // It is not started for this; if the whole pod is run again, then as the new one.
            State::Ended { .. } => {
                self.tell(now, container, What::ReplaceAbandoned, Cause::Itself);
            }
            State::Starting | State::Running { .. } | State::Stopping { .. } => {}
        }
    }

    /// The old container went down by itself while the replacement was prepared: go on with the new one.
    fn take_replacement_now(&mut self, container: ContainerId) {
        if let Some(replacing) = self.replacing.get(&container) {
            let (def, version) = (replacing.new.clone(), replacing.new_version);
            self.end_replacing(container);
            self.define(container, def, version);
            self.count_exchange(container, |record| record.exit.as_deref());
        }
    }

    /// The old definition holds again.
    fn put_back(&mut self, container: ContainerId) {
        if let Some(replacing) = self.replacing.get(&container) {
            let (def, version) = (replacing.old.clone(), replacing.old_version);
            self.end_replacing(container);
            self.define(container, def, version);
            self.cancel_pull(container);
        }
    }

    /// The image of the new container did not come: the old one stays.
    fn abandon_replacement(&mut self, now: Tick, container: ContainerId) {
        self.cancel_pull(container);
        self.end_replacing(container);
        self.tell(now, container, What::ReplaceAbandoned, Cause::Itself);
    }

    fn define(&mut self, container: ContainerId, def: Container, version: u32) {
        self.changes
            .push(Change::Defined(container, version, Box::new(def.clone())));
        self.pod.containers[container.index()] = def;
        let record = self.record_mut(container);
        record.version = version;
        record.backoff_level = 0;
        record.recent_restarts.clear();
    }

    /// The start that an exchange brings counts for the back-off, which begins anew with it, if a run is known to have ended before. The
    /// one that is stopped for the exchange does not count: when a kubelet looks, it is not over.
    fn count_exchange(
        &mut self,
        container: ContainerId,
        before: fn(&Record) -> Option<&Termination>,
    ) {
        let is_plain = self.def(container).plain;
        let record = self.record_mut(container);
        let is_known = before(record).is_some_and(|end| !end.restarting_all);
        record.backoff_level = u32::from(is_plain && is_known);
    }

    /// Those who gave up for lack of this container are tried again, and those who gave up for lack of them.
    fn retry_those_without(&mut self, now: Tick, container: ContainerId) {
        let mut lacking = vec![Target::Container(container)];
        while let Some(lacked) = lacking.pop() {
            for number in self.graph.incoming(lacked) {
                let from = self.graph.edge(number).from;
                match from {
                    Target::Barrier(_) => lacking.push(from),
                    Target::Container(other) if self.gave_up_without(other, lacked) => {
                        self.try_again(now, other);
                        lacking.push(from);
                    }
                    Target::Container(_) => {}
                }
            }
        }
    }

    fn gave_up_without(&self, container: ContainerId, lacked: Target) -> bool {
        matches!(
            self.life(container).record.state,
            State::GaveUp {
                why: GiveUp::Requirement { target, .. },
            } if target == lacked
        )
    }

    fn replace_step(&self, container: ContainerId) -> Option<ReplaceStep> {
        self.replacing
            .get(&container)
            .map(|replacing| replacing.step)
    }

    /// Whether a container is not stopped for an exchange: a oneshot does its work, and whoever is left out runs on.
    fn is_left_to_end(&self, container: ContainerId) -> bool {
        self.def(container).is_oneshot() || self.life(container).record.ignored
    }

    /// Whether something of the container still goes by its present definition.
    fn is_bound(&self, container: ContainerId) -> bool {
        let life = self.life(container);
        life.is_up() || life.record.undo == Undo::Owed
    }

    /// A replacement has come this far, and has so much time for it.
    fn step_to(&mut self, container: ContainerId, step: ReplaceStep, deadline: Option<Tick>) {
        if let Some(replacing) = self.replacing.get_mut(&container) {
            replacing.step = step;
            replacing.deadline = deadline;
        }
        let timer = Timer::Replace(container);
        match deadline {
            Some(deadline) => self.timers.arm(timer, deadline),
            None => self.timers.disarm(timer),
        }
        self.note_replacing(container);
    }

    fn end_replacing(&mut self, container: ContainerId) {
        self.timers.disarm(Timer::Replace(container));
        self.replacing.remove(&container);
        self.changes.push(Change::Replacing(container, None));
    }

    fn note_replacing(&mut self, container: ContainerId) {
        let replacing = self.replacing.get(&container).cloned().map(Box::new);
        self.changes.push(Change::Replacing(container, replacing));
    }
}
