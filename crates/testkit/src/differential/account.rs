//! What became of a pod, in a form in which two plays of it can be laid side by side.

use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, ContainerState, Phase, PodStatus, Terminated};
use pillion_simulator::Record;
use pillion_simulator::line::{Part, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// One play.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    pub(super) containers: BTreeMap<Box<str>, Lives>,
    /// When everything was down, if it was.
    pub(super) end: Option<Tick>,
    /// When the first thing happened, from which all times here count.
    begin: Tick,
    pub(super) phase: Option<Phase>,
    /// When the pod was told to go, or watching stopped.
    pub(super) horizon: Tick,
    /// It was told to go.
    pub(super) is_deleted: bool,
    /// When the grace period was made shorter, if it was.
    pub(super) shortened: Option<Tick>,
    /// When an image was exchanged, if one was.
    updated: Option<Tick>,
    /// When a hook or a stop of one container kept a kubelet from everything else.
    pub(super) busy: Vec<(Tick, Tick)>,
    /// For how long it was in each phase, until the horizon.
    pub(super) phases: BTreeMap<Phase, Duration>,
    /// For how long each condition held, or did not for that reason, until the horizon.
    pub(super) conditions: BTreeMap<Standing, Duration>,
    /// For how long each condition did not hold after it had, at most at a time, until the horizon.
    pub(super) lapses: BTreeMap<ConditionKind, Duration>,
    /// Since when each condition that has held does not any more, in time that was seen.
    lapsed: BTreeMap<ConditionKind, Option<Duration>>,
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
    is_probed: bool,
    /// By the number of the run, from 1.
    pub(super) codes: BTreeMap<u32, i32>,
    /// Runs whose codes a restart of all has taken away.
    pub(super) removed: BTreeSet<u32>,
    /// What was left as the last words of each run.
    pub(super) messages: BTreeMap<u32, Box<str>>,
    /// For what it was seen to wait, and how long at most at a time, until the horizon.
    pub(super) waits: BTreeMap<&'static str, Duration>,
    /// For what it waits just now, and since how long.
    waiting: Option<(&'static str, Duration)>,
    /// How often it was restarted, by the last status.
    pub(super) restarts: u32,
    /// The end of the last run, in the words of the last status.
    pub(super) last: Option<(i32, Box<str>)>,
}

/// One run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) starting: Tick,
    /// Its hook after the start was begun.
    pub(super) post_start: Option<Tick>,
    /// Its hook before the stop was begun; it may end by itself before it is told.
    pub(super) pre_stop: Option<Tick>,
    pub(super) stopping: Option<Tick>,
    /// When it ended by itself, if it was not killed.
    pub(super) exiting: Option<Tick>,
    pub(super) exited: Option<Tick>,
}

// === impl Account ===

impl Account {
    pub(super) fn of(record: &Record) -> Self {
        let mut account = Self {
            end: record.end.as_ref().map(|end| end.at),
            horizon: record.until,
            ..Self::default()
        };
        account.begin = record
            .log
            .lines()
            .iter()
            .map(|line| line.at)
            .min()
            .unwrap_or_default();
        account.horizon = account.since_begin(account.horizon);
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
        account.shortened = moment("again").map(|at| account.since_begin(at));
        account.updated = moment("updated").map(|at| account.since_begin(at));
        account.read_lines(record);
        account.read_statuses(record);
        account
    }

    /// Times count from the first line: how long a sandbox takes to be made is nobody's rule.
    fn since_begin(&self, at: Tick) -> Tick {
        Tick::ZERO + at.since(self.begin)
    }

    fn read_lines(&mut self, record: &Record) {
        let mut hooks: BTreeMap<Box<str>, Tick> = BTreeMap::new();
        // A hook and its container are started at about the same time.
        let mut early: BTreeMap<Box<str>, Tick> = BTreeMap::new();
        for line in record.log.lines() {
            let at = self.since_begin(line.at);
            let name = &line.who.container;
            let lives = self.containers.entry(name.clone()).or_default();
            match (line.who.part, line.word) {
                (Part::Itself, Word::Starting) => {
                    let post_start = early.remove(name);
                    lives.runs.push(Run {
                        starting: at,
                        post_start,
                        ..Run::default()
                    });
                }
                (Part::Itself, Word::Stopping) => {
                    if let Some(run) = lives.runs.last_mut() {
                        run.stopping.get_or_insert(at);
                    }
                }
                (Part::Itself, Word::Exiting) => {
                    if let Some(run) = lives.runs.last_mut() {
                        run.exiting.get_or_insert(at);
                    }
                }
                (Part::Itself, Word::Exited) => {
                    // A hook that was waited for in vain ends with its container.
                    self.busy.extend(hooks.remove(name).map(|from| (from, at)));
                    if let Some(run) = lives.runs.last_mut() {
                        run.exited.get_or_insert(at);
                        if let Some(from) = run.stopping {
                            self.busy.push((from, at));
                        }
                    }
                }
                (Part::PostStart, Word::Starting) => {
                    hooks.insert(name.clone(), at);
                    let run = lives.runs.last_mut();
                    match run.filter(|run| run.exited.is_none() && run.post_start.is_none()) {
                        Some(run) => run.post_start = Some(at),
                        None => drop(early.insert(name.clone(), at)),
                    }
                }
                (Part::PreStop, Word::Starting) => {
                    hooks.insert(name.clone(), at);
                    if let Some(run) = lives.runs.last_mut() {
                        run.pre_stop.get_or_insert(at);
                    }
                }
                (Part::Startup | Part::Liveness, _) => lives.is_probed = true,
                (Part::PostStart | Part::PreStop, Word::Exited) => {
                    if let Some(from) = hooks.remove(name) {
                        self.busy.push((from, at));
                    }
                }
                (_, _) => {}
            }
        }
        let until = self.since_begin(record.until);
        let under_way = hooks.into_values().map(|from| (from, until));
        self.busy.extend(under_way);
    }

    fn read_statuses(&mut self, record: &Record) {
        let ends = record.statuses.iter().skip(1).map(|sample| sample.at);
        let ends = ends.chain([record.until]);
        for (sample, end) in record.statuses.iter().zip(ends) {
            let time = self.since_begin(end).min(self.horizon);
            let time = time.since(self.since_begin(sample.at));
            self.read_status(&sample.status, time);
        }
        if let Some(status) = record.status() {
            let conditions = status.conditions.iter();
            let conditions = conditions.map(|one| (one.kind, (one.status, one.reason)));
            self.finally = conditions.collect();
        }
    }

    /// A status that was shown for that time.
    fn read_status(&mut self, status: &PodStatus, time: Duration) {
        *self.phases.entry(status.phase).or_default() += time;
        for one in &status.conditions {
            let standing = (one.kind, one.status, one.reason);
            *self.conditions.entry(standing).or_default() += time;
            // A pod that was told to go loses all of it.
            if !time.is_zero() {
                self.note_lapse(one.kind, one.status, time);
            }
        }
        for container in &status.containers {
            let lives = self.containers.entry(container.name.clone()).or_default();
            lives.restarts = container.restarts;
            // The count goes up when the next run begins, and not when one has ended. Beside an end the last one may be the
            // same: a kubelet leaves it there from when the container waited.
            let ended = match &container.state {
                ContainerState::Waiting { .. } => Some(container.restarts + 1),
                ContainerState::Running { .. } => Some(container.restarts),
                ContainerState::Terminated(_) => None,
            };
            if let Some((ended, last)) = ended.zip(container.last.as_ref()) {
                lives.note(ended, last);
            }
            match &container.state {
                ContainerState::Terminated(end) => {
                    lives.note(container.restarts + 1, end);
                    lives.last = Some((end.code, end.reason.clone()));
                    lives.waiting = None;
                }
                ContainerState::Waiting { reason, .. } => {
                    lives.wait(reason, time);
                    lives.last = None;
                }
                ContainerState::Running { .. } => {
                    lives.last = None;
                    lives.waiting = None;
                }
            }
        }
    }

    fn note_lapse(&mut self, kind: ConditionKind, holds: bool, time: Duration) {
        match self.lapsed.get_mut(&kind) {
            Some(lapsed) if holds => *lapsed = None,
            Some(lapsed) => {
                let so_far = lapsed.unwrap_or_default() + time;
                *lapsed = Some(so_far);
                let longest = self.lapses.entry(kind).or_default();
                *longest = so_far.max(*longest);
            }
            None if holds => drop(self.lapsed.insert(kind, None)),
            None => {}
        }
    }

    /// Whether a container lived to see the grace period made shorter.
    pub(super) fn is_cut_short(&self, lives: &Lives) -> bool {
        let last = lives.runs.last();
        self.shortened
            .is_some_and(|at| last.is_some_and(|run| run.exited.is_none_or(|exited| exited > at)))
    }

    /// When the last main that was up was told to stop by a probe, and no main came after it or the init containers were run
    /// again before: a kubelet takes that for the end of the pod, and stops all the others within what that leaves of the grace
    /// period. If a rule wants the main again, it begins anew in another sandbox.
    pub(super) fn last_main_killed(&self) -> Option<Tick> {
        if self.has_restarted_all() {
            return None;
        }
        let mains = self.containers.iter();
        let mains = mains.filter(|(name, lives)| name.starts_with('m') && lives.is_probed);
        let killed = mains.flat_map(|(_, lives)| &lives.runs);
        let killed = killed.filter_map(|run| run.stopping);
        let killed = killed.filter(|at| *at < self.horizon);
        killed.filter(|at| self.is_last_main_at(*at)).min()
    }

    fn is_last_main_at(&self, killed: Tick) -> bool {
        let rebuilt = self.runs_of('i').map(|run| run.starting);
        let rebuilt = rebuilt.filter(|at| *at > killed).min();
        self.runs_of('m').all(|run| {
            let is_it = run.stopping == Some(killed);
            let is_over = run.exited.is_some_and(|exited| exited <= killed);
            let is_after = rebuilt.is_some_and(|at| run.starting > at);
            is_it || is_over || is_after
        })
    }

    pub(super) fn has_restarted_all(&self) -> bool {
        let mut conditions = self.conditions.keys();
        conditions.any(|(kind, holds, _)| *kind == ConditionKind::AllContainersRestarting && *holds)
    }

    /// Whether the pod was begun anew in another sandbox then: its containers count from 1 again.
    pub(super) fn is_rebuilt(&self) -> bool {
        let killed = self.last_main_killed();
        killed.is_some_and(|killed| self.runs_of('i').any(|run| run.starting > killed))
    }

    /// Whether something began or ended at about the time at which the pod was told to go: whether it was seen before that, and
    /// who had a turn for it, is a matter of the moment.
    pub(super) fn is_on_the_verge(&self) -> bool {
        let mut runs = self.containers.values().flat_map(|lives| &lives.runs);
        let near = |at| self.is_near_horizon(at);
        self.is_deleted && runs.any(|run| near(run.starting) || run.exited.is_some_and(near))
    }

    /// Whether something began or ended then for another reason.
    pub(super) fn is_restless_at_deletion(&self) -> bool {
        let mut runs = self.containers.values().flat_map(|lives| &lives.runs);
        let near = |at| self.is_near_horizon(at);
        runs.any(|run| {
            let is_told = self.is_stopped_by_deletion(run);
            near(run.starting) || run.exited.is_some_and(near) && !is_told
        })
    }

    fn is_near_horizon(&self, at: Tick) -> bool {
        at.since(self.horizon).max(self.horizon.since(at)) <= VERGE
    }

    /// Whether a run had been up for a while when the pod was told to go, and was told to stop for it.
    pub(super) fn is_stopped_by_deletion(&self, run: &Run) -> bool {
        let is_up = self.is_deleted && run.starting + VERGE < self.horizon;
        let told = run.pre_stop.or(run.stopping);
        is_up && told.is_some_and(|told| told >= self.horizon)
    }

    /// Whether the kubelet was in the middle of something when the pod was told to go: it finishes that first.
    pub(super) fn is_busy_at_deletion(&self) -> bool {
        let mut busy = self.busy.iter();
        self.is_on_the_verge() || busy.any(|(from, to)| *from < self.horizon && *to >= self.horizon)
    }

    /// Whether a container was not up when the pod was told to go, or only just.
    pub(super) fn is_down_at_deletion(&self, lives: &Lives) -> bool {
        let over = |run: &Run| {
            run.exited
                .is_some_and(|exited| exited <= self.horizon + VERGE)
        };
        lives.runs.last().is_none_or(over)
    }

    /// Whether the kubelet was busy from the exchange of an image to the end of a run, with another container or with the stop of
    /// this one, so that it never came to exchange it.
    pub(super) fn is_busy_until_end(&self, run: &Run) -> bool {
        self.updated.zip(run.exited).is_some_and(|(updated, end)| {
            let covers =
                |(from, to): &(Tick, Tick)| *from <= updated + NOTICE && *to + NOTICE >= end;
            let is_told_later = run.stopping.is_some_and(|told| told > updated);
            updated < end && !is_told_later && self.busy.iter().any(covers)
        })
    }

    /// Whether a run ended while the kubelet was busy with something else: its back-off may have passed before anybody saw it.
    pub(super) fn is_busy_at_an_end(&self, lives: &Lives) -> bool {
        let within = |at: Tick| self.busy.iter().any(|(from, to)| *from < at && at < *to);
        lives.runs.iter().any(|run| run.exited.is_some_and(within))
    }

    /// Whether a run was told to stop before the pod was told to go, if it was told at all.
    pub(super) fn was_told_in_time(&self, run: &Run) -> Option<bool> {
        run.stopping.map(|at| at < self.horizon)
    }

    /// The runs of all containers whose names begin so.
    fn runs_of(&self, letter: char) -> impl Iterator<Item = &Run> {
        let all = self.containers.iter();
        let those = all.filter(move |(name, _)| name.starts_with(letter));
        those.flat_map(|(_, lives)| &lives.runs)
    }

    /// Whether a run had been told to stop, or had ended, when an image was exchanged; `None` if none was.
    pub(super) fn was_over_at_update(&self, run: &Run) -> Option<bool> {
        let over = run.stopping.or(run.exited);
        self.updated
            .map(|updated| over.is_some_and(|at| at < updated))
    }

    /// How far times can have drifted by then: a kubelet notices an end within a second or so, in every run anew, and does
    /// nothing else for the pod while it runs a hook or stops a container.
    pub(super) fn drift(&self, at: Tick, run: usize) -> Duration {
        // An init container holds up all that come after it.
        let runs = run + self.runs_of('i').count();
        let mut until = at + NOTICE + times(EACH_RUN, runs) + times(COMES_BACK, self.failures());
        let mut busy = self.busy.clone();
        busy.sort_unstable();
        let mut counted = Tick::ZERO;
        for (from, to) in busy {
            if from < until {
                // Two hooks at a time hold nobody up twice.
                until = until + to.since(from.max(counted));
                counted = counted.max(to);
            }
        }
        until.since(at)
    }

    /// When something has surely happened that is due so long after something else: a kubelet may notice both late, and does
    /// nothing for the pod while it runs a hook or stops a container.
    pub(super) fn delayed(&self, from: Tick, pause: Duration) -> Tick {
        let mut until = from + pause + times(NOTICE, 2) + times(COMES_BACK, self.failures());
        let mut busy = self.busy.clone();
        busy.sort_unstable();
        let mut counted = from;
        for (begin, end) in busy {
            if begin < until && end > counted {
                until = until + end.since(begin.max(counted));
                counted = end;
            }
        }
        until
    }

    /// How long it was busy with one container or another before the pod was told to go.
    pub(super) fn busy_time(&self) -> Duration {
        let mut busy = self.busy.clone();
        busy.sort_unstable();
        let (mut time, mut counted) = (Duration::ZERO, Tick::ZERO);
        for (from, to) in busy {
            time += to.min(self.horizon).since(from.max(counted));
            counted = counted.max(to);
        }
        time
    }

    /// How many hooks may have failed after a start.
    fn failures(&self) -> usize {
        let all = self.containers.values();
        let failed = all.filter(|lives| lives.waits.contains_key(HOOK_FAILED));
        failed.map(|lives| lives.runs.len()).sum()
    }
}

// === impl Run ===

impl Run {
    /// Whether its stop began while the pod was to run.
    pub(super) fn is_killed(&self, horizon: Tick) -> bool {
        let begins = self.pre_stop.or(self.stopping);
        begins.is_some_and(|at| at < horizon)
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
    /// It waits for that time, or for so much longer.
    fn wait(&mut self, reason: &'static str, time: Duration) {
        // Whether the next try is due is a matter of the moment.
        let reason = if reason == PULL_FAILED {
            PULL_WAITS
        } else {
            reason
        };
        let before = self.waiting.filter(|(before, _)| *before == reason);
        let time = time + before.map_or(Duration::ZERO, |(_, time)| time);
        self.waiting = Some((reason, time));
        let longest = self.waits.entry(reason).or_default();
        *longest = time.max(*longest);
    }

    /// Whether a run was told to stop while the pod was to run: a probe or a hook had failed, or the image was exchanged.
    pub(super) fn was_killed(&self, horizon: Tick) -> bool {
        self.runs.iter().any(|run| run.is_killed(horizon))
    }

    /// How a run ended.
    fn note(&mut self, run: u32, end: &Terminated) {
        // The one is said of runs that never were. The other takes the place of the code of a run when a restart of all
        // begins, which a kubelet may not come to show before the pod is told to go.
        let is_removed = |message: &str| message.starts_with(REMOVED);
        if end.message.as_deref().is_some_and(is_removed) {
            self.removed.insert(run);
            return;
        }
        if &*end.reason == FORGOTTEN {
            return;
        }
        // Which run it was says the actor best: a status may be a moment behind.
        let run = end.message.as_deref().and_then(run_of).unwrap_or(run);
        self.codes.insert(run, end.code);
        if let Some(message) = &end.message {
            self.messages.insert(run, message.clone());
        }
    }
}

/// The number of the run in the last words of an actor: `m1 ends run 2 with 0`.
fn run_of(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once(" ends run ")?;
    rest.split(' ').next()?.parse().ok()
}

fn times(each: Duration, count: usize) -> Duration {
    each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// What a kubelet with much to do needs to start a container, or to see its end.
pub(super) const NOTICE: Duration = Duration::from_millis(2_500);
const EACH_RUN: Duration = Duration::from_millis(2_500);

/// A kubelet that has little to do has seen by then what has happened.
const VERGE: Duration = Duration::from_millis(1_500);

/// After something has failed in the middle of its work it looks at the pod again when it looks at all pods, so much later.
pub(super) const COMES_BACK: Duration = Duration::from_secs(16);

/// What is shown meanwhile if that was a `postStart` hook.
pub(super) const HOOK_FAILED: &str = "PostStartHookError";

/// An image that cannot be had.
const PULL_FAILED: &str = "ErrImagePull";
pub(super) const PULL_WAITS: &str = "ImagePullBackOff";

/// The end of a container that never ran, in a pod that has ended.
const FORGOTTEN: &str = "ContainerStatusUnknown";

/// What is said of a container that was removed so that all are run again.
const REMOVED: &str = "The container is removed because RestartAllContainers";
