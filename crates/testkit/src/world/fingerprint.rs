//! What is known as a number, for those who explore all states.
//!
//! Times count relative to now, and dates that decide nothing are left out: two states that are
//! the same but for the date must meet. Where that joins more than it should, something is left
//! unexplored and nothing is judged wrongly.

use super::World;
use super::goal::PodStop;
use super::life::{Going, Hook, Image, Life, Replacing, Shown, Told};
use pillion_engine::pod::ProbeKind;
use pillion_engine::{ContainerId, Tick};
use std::hash::{Hash, Hasher};
use std::time::Duration;

// === impl World ===

impl World {
    /// Feeds everything that can influence a later verdict to `hasher`.
    pub(crate) fn fingerprint(&self, hasher: &mut impl Hasher) {
        for id in self.ids() {
            self.hash_life(id, hasher);
        }
        self.hash_goal(hasher);
        self.delays.fingerprint(self.now, hasher);
        let pod = &self.shape.pod;
        let age = pod.active_deadline.map(|_| self.now.since(self.began));
        let settled = self.now.since(self.run_began) > pod.backoff.reset;
        (age, settled, self.timed == self.now, self.between_runs).hash(hasher);
        let told = (self.shown_ready, self.result.is_some());
        (self.sandbox, told, self.crashed, self.dead).hash(hasher);
    }

    fn hash_goal(&self, hasher: &mut impl Hasher) {
        let goal = &self.goal;
        (goal.level, &goal.causes).hash(hasher);
        goal.doubted.map(|since| self.now.since(since)).hash(hasher);
        for it in &goal.open {
            (it.level, it.cause, it.by).hash(hasher);
        }
        if let Some(PodStop { began, ends }) = &goal.stop {
            (began.latest == self.now, began.earliest == self.now).hash(hasher);
            (self.ahead(ends.earliest), self.ahead(ends.latest)).hash(hasher);
        }
    }

    fn hash_life(&self, id: ContainerId, hasher: &mut impl Hasher) {
        let Life {
            fates,
            process,
            command,
            attempt,
            asked_at,
            version,
            image,
            shown,
            told,
            pre_stop,
            pod_stopping,
            run,
            delays,
            due,
            waits_since,
            turn,
            undo,
            going,
            asked,
            replacing,
            newest,
            lost,
            condemned,
        } = self.life(id);
        (fates, process, command, *attempt > 0, version, run).hash(hasher);
        (undo, asked, lost, condemned, newest).hash(hasher);
        hash_image(*image, *attempt, hasher);
        let reset = self.container(id).restart.backoff.reset;
        (self.now.since(*asked_at) > reset).hash(hasher);
        self.hash_shown(id, shown, hasher);
        self.hash_hook(*pre_stop, hasher);
        self.hash_hook(*pod_stopping, hasher);
        if let Some(Told {
            deadline,
            why,
            stale,
        }) = told
        {
            (self.ahead(*deadline), why, stale).hash(hasher);
        }
        delays.fingerprint(self.now, hasher);
        let over = due.latest <= self.timed;
        (self.ahead(due.earliest), self.ahead(due.latest), over).hash(hasher);
        let patient = self
            .container(id)
            .requires
            .iter()
            .any(|edge| edge.timeout.is_some());
        let waits = patient.then(|| self.now.since(*waits_since));
        let dates = [
            turn.first,
            turn.maybe_free,
            turn.free,
            turn.earliest,
            turn.latest,
        ];
        let ages = dates.map(|date| date.map(|date| self.now.since(date)));
        // The date of a turn matters only to those who count from it.
        let ages = if self.turn_counts(id) {
            ages
        } else {
            ages.map(|age| age.map(|_| Duration::ZERO))
        };
        (waits, ages).hash(hasher);
        if let Some(Going { then, must, since }) = going {
            (then, must, self.now.since(*since)).hash(hasher);
        }
        if let Some(Replacing {
            version,
            since,
            pulled,
            swap,
            swapped,
            patience,
            settled,
        }) = replacing
        {
            let left = swapped.map(|at| self.ahead(at + *patience));
            let least = self.ahead(*since + *patience);
            (version, pulled, swap, left, least, settled).hash(hasher);
        }
    }

    fn turn_counts(&self, id: ContainerId) -> bool {
        let mut dependants = self.shape.dependants(id);
        self.container(id).start_timeout.is_some()
            || dependants.any(|(_, _, edge)| edge.timeout.is_some())
    }

    fn hash_shown(&self, id: ContainerId, shown: &Shown, hasher: &mut impl Hasher) {
        let container = self.container(id);
        let age = shown.since.map(|since| self.now.since(since));
        let long = age.map(|age| age > container.restart.backoff.reset);
        (long, shown.notified, shown.was_ready).hash(hasher);
        self.hash_hook(shown.post_start, hasher);
        for kind in ProbeKind::ALL {
            if let Some(probe) = container.probes.get(kind) {
                age.map(|age| age >= probe.initial_delay).hash(hasher);
                shown.probes[kind as usize].fingerprint(self.now, probe, hasher);
            }
        }
    }

    fn hash_hook(&self, hook: Hook, hasher: &mut impl Hasher) {
        std::mem::discriminant(&hook).hash(hasher);
        match hook {
            Hook::Runs { deadline } => deadline.map(|at| self.ahead(at)).hash(hasher),
            Hook::Done { ok } => ok.hash(hasher),
            Hook::Idle | Hook::Unknown => {}
        }
    }

    fn ahead(&self, tick: Tick) -> Duration {
        if tick == Tick::NEVER {
            Duration::MAX
        } else {
            tick.since(self.now)
        }
    }
}

fn hash_image(image: Image, started: u32, hasher: &mut impl Hasher) {
    std::mem::discriminant(&image).hash(hasher);
    if let Image::Pulling { attempt, version } | Image::There { attempt, version } = image {
        (attempt > started, version).hash(hasher);
    }
}
