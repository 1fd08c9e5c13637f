//! How much later a kubelet may come to something than we do.

use super::super::role::Role;
use super::{Account, COMES_BACK, GLIMPSE, HOOK_FAILED, Lives, NOTICE, Run};
use pillion_engine::Tick;
use std::time::Duration;

// === impl Account ===

impl Account {
    /// How far times can have drifted by then: a kubelet notices an end within a second or so, in every run anew, and does
    /// nothing else for the pod while it runs a hook or stops a container.
    pub(in super::super) fn drift(&self, at: Tick, run: usize) -> Duration {
        // An init container holds up all that come after it.
        let by_then = self.put_off(Tick::ZERO, at + NOTICE);
        let before = self
            .runs_of(Role::Init)
            .filter(|run| run.starting <= by_then);
        let runs = run + before.count();
        let until = at + NOTICE + times(NOTICE, runs);
        self.put_off(Tick::ZERO, until).since(at)
    }

    /// When something has surely happened that is due so long after something else: a kubelet may notice both late, and does
    /// nothing for the pod while it runs a hook or stops a container.
    pub(in super::super) fn delayed(&self, from: Tick, pause: Duration) -> Tick {
        let until = from + pause + times(NOTICE, 2);
        self.put_off(from, until)
    }

    /// Whether a run was told to stop in the breath in which it began: whoever starts all containers of a pod sees what has
    /// happened meanwhile when it is through.
    pub(in super::super) fn is_told_at_once(&self, run: &Run) -> bool {
        let through = self.put_off(run.starting, run.starting + NOTICE);
        run.told().is_some_and(|told| told <= through)
    }

    /// How much of that time it was not busy.
    pub(super) fn time_at_leisure(&self, from: Tick, to: Tick) -> Duration {
        let spells = self.busy_spells.iter();
        let busy = spells.map(|(begin, end)| (*end).min(to).since((*begin).max(from)));
        to.since(from).saturating_sub(busy.sum())
    }

    /// How old a run may be before a kubelet does to it what is due at that age.
    pub(in super::super) fn at_the_latest(&self, run: &Run, age: Duration) -> Duration {
        let due = run.starting + age + NOTICE;
        self.put_off(run.starting, due).since(run.starting)
    }

    /// How long it was busy with one container or another before the pod was told to go.
    pub(in super::super) fn busy_time(&self) -> Duration {
        let busy = self.busy_spells.iter();
        busy.map(|(from, to)| (*to).min(self.horizon).since(*from))
            .sum()
    }

    /// A moment, put off by all the time since another in which the kubelet was busy before it came, or had turned away.
    pub(super) fn put_off(&self, since: Tick, until: Tick) -> Tick {
        let away = self.away.iter();
        away.fold(until, |until, (from, to)| {
            if *from < until {
                until + to.since((*from).max(since))
            } else {
                until
            }
        })
    }

    /// Notes when it was busy: two hooks at a time hold nobody up twice.
    pub(super) fn merge_busy(&mut self) {
        self.busy_spells = merged(self.busy.clone());
        self.away.clone_from(&self.busy_spells);
    }

    /// Notes when it had turned away from the pod, because a hook after a start had failed.
    pub(super) fn note_failures(&mut self) {
        let all = self.containers.values();
        let failing = all.filter(|lives| lives.waits.longest().contains_key(HOOK_FAILED));
        let spells = failing.flat_map(|lives| {
            let next = lives.runs.iter().skip(1).map(|run| Some(run.starting));
            let next = next.chain([None]);
            let failed = lives.runs.iter().zip(next);
            let failed = failed.filter(|(run, _)| self.is_stopped_by_hook(run));
            failed.filter_map(|(run, next)| {
                let end = run.exited?;
                Some((end, next.unwrap_or(Tick::NEVER).min(end + COMES_BACK)))
            })
        });
        let spells = spells.chain(self.busy.iter().copied());
        self.away = merged(spells.collect());
    }

    /// Whether a run was told to stop when its hook after the start was through.
    pub(super) fn is_stopped_by_hook(&self, run: &Run) -> bool {
        let done = run.post_start_done.zip(run.told());
        done.is_some_and(|(done, told)| done <= told && told <= self.put_off(done, done + NOTICE))
    }

    /// Whether the kubelet was busy from the exchange of an image to the end of a run, with another container or with the stop of
    /// this one, so that it never came to exchange it.
    pub(in super::super) fn is_busy_until_end(&self, name: &str, run: &Run) -> bool {
        let exchange = self.update_of(name).zip(run.exited);
        exchange.is_some_and(|(updated, end)| {
            let covers =
                |(from, to): &(Tick, Tick)| *from <= updated + NOTICE && *to + NOTICE >= end;
            let is_told_later = run.stopping.is_some_and(|told| told > updated);
            updated < end && !is_told_later && self.busy.iter().any(covers)
        })
    }

    /// Whether a run was begun by a kubelet that did not know yet that its image was exchanged: it was in the middle of starting
    /// the containers.
    pub(in super::super) fn starts_unaware(&self, name: &str, run: &Run) -> bool {
        self.update_of(name).is_some_and(|updated| {
            let covers = |(from, to): &(Tick, Tick)| {
                *from <= updated && updated <= *to && run.starting <= *to + NOTICE
            };
            updated <= run.starting && self.busy_spells.iter().any(covers)
        })
    }

    /// Whether the kubelet was busy for a while between the beginning of a run and its stop.
    pub(in super::super) fn was_busy_in(&self, run: &Run) -> bool {
        let told = run.told();
        told.is_some_and(|told| {
            self.time_at_leisure(run.starting, told) + NOTICE < told.since(run.starting)
        })
    }

    /// Whether a run ended while the kubelet was busy with something else: its back-off may have passed before anybody saw it.
    pub(in super::super) fn is_busy_at_an_end(&self, lives: &Lives) -> bool {
        let within = |at: Tick| self.busy.iter().any(|(from, to)| *from < at && at < *to);
        lives.runs.iter().any(|run| run.exited.is_some_and(within))
    }

    /// Whether a kubelet looked at the pod while a container waited for its next run, early enough to show that it waits: by itself, or
    /// because something happened to another container.
    pub(in super::super) fn looks_in_a_wait(&self, name: &str, lives: &Lives) -> bool {
        let next = lives.runs.iter().skip(1).map(|run| run.starting);
        let others = self
            .containers
            .iter()
            .filter(|(other, _)| ***other != *name);
        let runs = others.flat_map(|(_, lives)| &lives.runs);
        let times = runs.flat_map(|run| [Some(run.starting), run.exited]);
        let times: Vec<_> = times.flatten().collect();
        let waits = lives.runs.iter().zip(next);
        let mut waits = waits.filter_map(|(run, next)| Some((run.exited?, next)));
        waits.any(|(from, next)| {
            let reminds = |at: &&Tick| from + NOTICE < **at && **at + GLIMPSE < next;
            from + COMES_BACK + GLIMPSE < next || times.iter().any(|at| reminds(&at))
        })
    }

    /// Whether the kubelet had so much time to show that a container is up, in one of its runs.
    pub(in super::super) fn could_show(&self, lives: &Lives, time: Duration) -> bool {
        lives.runs.iter().any(|run| {
            let end = run.exited.unwrap_or(self.horizon).min(self.horizon);
            self.time_at_leisure(run.starting, end) > time
        })
    }

    /// Whether somebody was started again, with a hook, or stopped, before a container was started for the first time.
    pub(in super::super) fn is_busy_before(&self, lives: &Lives) -> bool {
        let first = lives.runs.first().map(|run| run.starting);
        let before = |at: Option<Tick>| at.is_some() && at < first;
        self.containers.values().any(|lives| {
            let mut again = lives.runs.iter().skip(1);
            let is_hooked = again.any(|run| before(run.post_start));
            is_hooked || lives.runs.iter().any(|run| before(run.told()))
        })
    }
}

/// The same spells in order, and without what overlaps.
fn merged(mut spells: Vec<(Tick, Tick)>) -> Vec<(Tick, Tick)> {
    spells.sort_unstable();
    let mut merged: Vec<(Tick, Tick)> = Vec::new();
    for (from, to) in spells {
        match merged.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            Some(_) | None => merged.push((from, to)),
        }
    }
    merged
}

fn times(each: Duration, count: usize) -> Duration {
    each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}
