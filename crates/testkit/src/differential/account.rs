//! What became of a pod, in a form in which two plays of it can be laid side by side.

mod busy;
mod deletion;
mod read;
mod spells;

pub(super) use read::PULL_WAITS;

use super::role::Role;
use super::terms::Terms;
use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, Phase};
use pillion_simulator::Record;
use spells::Spells;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Whose play it is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Whose {
    /// What it shows while it is busy may be long past: that time does not count.
    Kubelets,
    #[default]
    Ours,
}

/// One play.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    of: Whose,
    pub(super) containers: BTreeMap<Box<str>, Lives>,
    /// When everything was down, if it was.
    pub(super) end: Option<Tick>,
    /// When the first thing happened, from which all times here count.
    begin: Tick,
    pub(super) phase: Option<Phase>,
    /// When the pod was told to go, or watching stopped.
    pub(super) horizon: Tick,
    /// When watching stopped.
    pub(super) until: Tick,
    /// It was told to go.
    pub(super) is_deleted: bool,
    /// A startup probe was made after that.
    pub(super) starts_up_late: bool,
    /// When the grace period was made shorter, if it was.
    pub(super) shortened: Option<Tick>,
    /// When the image of which container was exchanged, if one was.
    updated: Option<(Box<str>, Tick)>,
    /// When a hook or a stop of one container kept a kubelet from everything else.
    pub(super) busy: Vec<(Tick, Tick)>,
    /// The same in order, and without what overlaps.
    busy_spells: Vec<(Tick, Tick)>,
    /// The same, and when a kubelet had turned away from the pod until it looks at all pods.
    away: Vec<(Tick, Tick)>,
    /// For how long it was in each phase, until the horizon.
    pub(super) phases: Spells<Phase>,
    /// For how long each condition held, or did not for that reason, until the horizon.
    pub(super) conditions: Spells<Standing>,
    /// For how long each condition did not hold after it had, at most at a time, until the horizon.
    pub(super) lapses: BTreeMap<ConditionKind, Duration>,
    /// Since when each condition that has held does not any more, in time that was seen.
    lapsed: BTreeMap<ConditionKind, Option<Duration>>,
    /// When all containers were seen to be restarted, and whether they just are.
    pub(super) restarts_of_all: Vec<Tick>,
    is_restarting_all: bool,
    /// The conditions in the last status, with their reasons.
    pub(super) finally: BTreeMap<ConditionKind, (bool, Option<&'static str>)>,
}

/// A condition, whether it holds, and the reason that is given.
pub(super) type Standing = (ConditionKind, bool, Option<&'static str>);

/// The runs of one container.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives {
    pub(super) runs: Vec<Run>,
    /// A probe that can kill it was made.
    pub(super) is_probed: bool,
    /// By the number of the run, from 1.
    pub(super) codes: BTreeMap<u32, i32>,
    /// Runs whose codes a restart of all has taken away.
    pub(super) removed: BTreeSet<u32>,
    /// What was left as the last words of each run.
    pub(super) messages: BTreeMap<u32, Box<str>>,
    /// For what it was seen to wait, until the horizon.
    pub(super) waits: Spells<&'static str>,
    /// How often it was restarted, by the last status.
    pub(super) restarts: u32,
    /// The end of the last run, in the words of the last status.
    pub(super) last: Option<(i32, Box<str>)>,
    /// For how long it was shown as ready and as started, until the horizon.
    pub(super) stands: Spells<&'static str>,
    /// When it was first shown as ready and as started, and after how many restarts.
    pub(super) first_stood: BTreeMap<&'static str, (u32, Tick)>,
    /// Its image, by the last status. Host processes have none.
    pub(super) image: Option<Arc<str>>,
}

/// One run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) starting: Tick,
    /// Its hook after the start was begun.
    pub(super) post_start: Option<Tick>,
    post_start_done: Option<Tick>,
    /// Its hook before the stop was begun; it may end by itself before it is told.
    pub(super) pre_stop: Option<Tick>,
    pub(super) pre_stop_done: Option<Tick>,
    /// One of its hooks was begun once more.
    pub(super) hooked_again: Option<Tick>,
    pub(super) stopping: Option<Tick>,
    /// When it ended by itself, if it was not killed.
    pub(super) exiting: Option<Tick>,
    pub(super) exited: Option<Tick>,
}

// === impl Account ===

impl Account {
    pub(super) fn of(whose: Whose, terms: &Terms, record: &Record) -> Self {
        let mut account = Self {
            of: whose,
            end: record.end.as_ref().map(|end| end.at),
            ..Self::default()
        };
        account.begin = record
            .log
            .lines()
            .iter()
            .map(|line| line.at)
            .min()
            .unwrap_or_default();
        account.until = account.since_begin(record.until);
        account.horizon = account.until;
        account.end = account.end.map(|end| account.since_begin(end));
        if record.end.is_some() {
            account.phase = record.status().map(|status| status.phase);
        }
        if let Some(deleted) = record.moments.get("deleted") {
            account.horizon = account.since_begin(deleted.at);
            account.is_deleted = true;
        } else if let Some(end) = account.end {
            account.horizon = end;
        }
        let moment = |name: &str| record.moments.get(name).map(|moment| moment.at);
        account.shortened = moment("shortened").map(|at| account.since_begin(at));
        let updated = moment("updated").map(|at| account.since_begin(at));
        account.updated = terms.updated.clone().zip(updated);
        account.read_lines(record);
        account.merge_busy();
        account.read_statuses(record);
        account.note_failures();
        account
    }

    /// Times count from the first line: how long a sandbox takes to be made is nobody's rule.
    fn since_begin(&self, at: Tick) -> Tick {
        Tick::ZERO + at.since(self.begin)
    }

    /// When everything was down, if nobody had told the pod to go before.
    pub(super) fn end_by_itself(&self) -> Option<Tick> {
        self.end.filter(|at| !self.is_deleted || *at < self.horizon)
    }

    /// How often the container ran that had run most often by then.
    pub(super) fn most_runs_until(&self, at: Tick) -> usize {
        let begun = |lives: &Lives| lives.runs.iter().filter(|run| run.starting <= at).count();
        self.containers
            .values()
            .map(begun)
            .max()
            .unwrap_or_default()
    }

    /// When the last main that was up was told to stop by a probe, and no main came after it or the init containers were run
    /// again before: a kubelet takes that for the end of the pod, and stops all the others within what that leaves of the grace
    /// period. If a rule wants the main again, it begins anew in another sandbox.
    pub(super) fn last_main_killed(&self) -> Option<Tick> {
        if self.has_restarted_all() {
            return None;
        }
        let mains = self.containers.iter();
        let mains = mains.filter(|(name, _)| Role::Main.is_of(name));
        let killed = mains.flat_map(|(name, lives)| {
            let runs = lives.runs.iter();
            let killed = runs.filter(move |run| self.is_killed_by_probe(name, lives, run));
            killed.filter_map(Run::told)
        });
        killed.filter(|at| self.is_last_main_at(*at)).min()
    }

    /// Whether a run was told to stop while the pod was to run, and not for its image or because its hook after the start has
    /// failed.
    pub(super) fn is_killed_by_probe(&self, name: &str, lives: &Lives, run: &Run) -> bool {
        let told = run.told().filter(|told| *told < self.goes());
        told.is_some_and(|told| {
            let is_after = |at: Tick| at <= told && told <= self.put_off(at, at + NOTICE);
            let is_exchanged = self.update_of(name).is_some_and(is_after);
            let has_failed = lives.waits.longest().contains_key(HOOK_FAILED);
            let is_hooked = has_failed && self.is_stopped_by_hook(run);
            lives.is_probed && !is_exchanged && !is_hooked && !self.is_stopped_with_all(run)
        })
    }

    /// When the image of a container was exchanged, if it was.
    pub(super) fn update_of(&self, name: &str) -> Option<Tick> {
        let updated = self.updated.as_ref();
        let its = updated.filter(|(container, _)| **container == *name);
        its.map(|(_, at)| *at)
    }

    fn is_last_main_at(&self, killed: Tick) -> bool {
        let rebuilt = self.runs_of(Role::Init).map(|run| run.starting);
        let rebuilt = rebuilt.filter(|at| *at > killed).min();
        self.runs_of(Role::Main).all(|run| {
            let is_it = run.told() == Some(killed);
            let is_over = run.exited.is_some_and(|exited| exited <= killed);
            let is_after = rebuilt.is_some_and(|at| run.starting > at);
            is_it || is_over || is_after
        })
    }

    /// Whether a run was told to stop because all were restarted: one after the other, while nothing else is done.
    pub(super) fn is_stopped_with_all(&self, run: &Run) -> bool {
        run.told().is_some_and(|told| {
            self.restarts_of_all.iter().any(|at| {
                let shown = at.since(Tick::ZERO + NOTICE);
                Tick::ZERO + shown <= told && told <= self.put_off(*at, *at + NOTICE)
            })
        })
    }

    /// Whether all were restarted while a run was being stopped for itself.
    pub(super) fn is_overtaken_by_restart(&self, run: &Run) -> bool {
        let times = run.told().zip(run.exited);
        times.is_some_and(|(told, exited)| {
            let mut restarts = self.restarts_of_all.iter();
            restarts.any(|at| told <= *at && *at <= exited + NOTICE)
        })
    }

    /// The first run of a container before all were restarted for the first time, after that, and so on.
    pub(super) fn in_round<'l>(&self, round: usize, lives: &'l Lives) -> Option<&'l Run> {
        let restart = |round: usize| self.restarts_of_all.get(round).copied();
        let begin = round.checked_sub(1).map_or(Some(Tick::ZERO), restart)?;
        let end = restart(round).unwrap_or(Tick::NEVER);
        let mut runs = lives.runs.iter();
        runs.find(|run| begin <= run.starting && run.starting < end)
    }

    /// Whether something other than its policy may have to do with how long a container waits for the run after that one: a stop before,
    /// or a restart of all.
    pub(super) fn has_history(&self, lives: &Lives, number: usize) -> bool {
        let killed = lives.runs.iter().take(number);
        let mut killed = killed.filter(|run| run.is_killed(self.horizon));
        let next = lives.runs.get(number).map(|run| run.starting + NOTICE);
        let is_before = |at: &Tick| next.is_none_or(|next| *at <= next);
        killed.next().is_some() || self.restarts_of_all.iter().any(is_before)
    }

    pub(super) fn has_restarted_all(&self) -> bool {
        !self.restarts_of_all.is_empty()
    }

    /// Whether the pod was begun anew in another sandbox then: its containers count from 1 again.
    pub(super) fn is_rebuilt(&self) -> bool {
        let killed = self.last_main_killed();
        killed.is_some_and(|killed| self.runs_of(Role::Init).any(|run| run.starting > killed))
    }

    /// Whether a run was told to stop before the pod began to go, if it was told at all.
    pub(super) fn was_told_in_time(&self, run: &Run) -> Option<bool> {
        run.stopping.map(|at| at < self.goes())
    }

    /// The runs of all containers of that role.
    fn runs_of(&self, role: Role) -> impl Iterator<Item = &Run> {
        let all = self.containers.iter();
        let those = all.filter(move |(name, _)| role.is_of(name));
        those.flat_map(|(_, lives)| &lives.runs)
    }

    /// Whether a run had begun, and whether it had been told to stop or had ended, when its image was exchanged; `None` if it was not.
    pub(super) fn found_by_update(&self, name: &str, run: &Run) -> Option<(bool, bool)> {
        let over = run.stopping.or(run.exited);
        self.update_of(name)
            .map(|updated| (run.starting < updated, over.is_some_and(|at| at < updated)))
    }
}

// === impl Run ===

impl Run {
    /// When its stop began, if it was told to stop: with its hook, or with the signal.
    pub(super) fn told(&self) -> Option<Tick> {
        self.pre_stop.or(self.stopping)
    }

    /// Whether its stop began while the pod was to run.
    pub(super) fn is_killed(&self, horizon: Tick) -> bool {
        self.told().is_some_and(|at| at < horizon)
    }

    /// When it was up: a kubelet shows nothing of a run whose hook after the start is at work.
    pub(super) fn up(&self) -> Option<Tick> {
        let hooked = self.post_start.map(|_| self.post_start_done);
        hooked.unwrap_or(Some(self.starting))
    }

    /// It was killed, and had not been told to stop.
    pub(super) fn is_killed_untold(&self) -> bool {
        self.exited.is_some() && self.exiting.is_none() && self.stopping.is_none()
    }

    /// How long after it was told to stop it ended, if it was, and whether it was killed.
    pub(super) fn stop(&self) -> Option<(Duration, bool)> {
        let time = self.exited?.since(self.stopping?);
        Some((time, self.exiting.is_none()))
    }
}

// === impl Lives ===

impl Lives {
    /// How long it waited between its runs, up to that one: a kubelet may wait for half as long again.
    pub(super) fn waited(&self, number: usize) -> Duration {
        let next = self.runs.iter().take(number).skip(1);
        let pairs = self.runs.iter().zip(next);
        let waits = pairs.filter_map(|(last, next)| Some(next.starting.since(last.exited?)));
        waits.sum()
    }

    /// Whether a run was told to stop while the pod was to run: a probe or a hook had failed, or the image was exchanged.
    pub(super) fn was_killed(&self, horizon: Tick) -> bool {
        self.runs.iter().any(|run| run.is_killed(horizon))
    }
}

/// What was so for less than this may not have been seen.
pub(super) const GLIMPSE: Duration = Duration::from_secs(4);

/// What a kubelet with much to do needs to start a container, or to see its end.
pub(super) const NOTICE: Duration = Duration::from_millis(2_500);

/// After something has failed in the middle of its work it looks at the pod again when it looks at all pods, so much later.
pub(super) const COMES_BACK: Duration = Duration::from_secs(16);

/// What is shown meanwhile if that was a `postStart` hook.
pub(super) const HOOK_FAILED: &str = "PostStartHookError";
