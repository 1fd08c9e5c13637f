//! What happens around the moment at which a pod begins to go, because it is told to or because its last main has ended, and
//! when its stops begin.

use super::super::role::{Role, place};
use super::{Account, Lives, Run};
use pillion_engine::Tick;
use std::collections::BTreeSet;
use std::time::Duration;

/// A kubelet that has little to do has seen by then what has happened.
const VERGE: Duration = Duration::from_millis(1_500);

// === impl Account ===

impl Account {
    /// Whether a run lived to see the grace period made shorter: by a second deletion, or by the first, when it was being stopped
    /// for itself.
    pub(in super::super) fn is_cut_short(&self, run: &Run) -> bool {
        let lives_to_see = |at: Tick| run.exited.is_none_or(|exited| exited > at);
        let is_overtaken = self.is_deleted && run.is_killed(self.horizon);
        self.shortened.is_some_and(lives_to_see) || is_overtaken && lives_to_see(self.horizon)
    }

    /// Whether something began or ended at about the time at which the pod was told to go: whether it was seen before that, and
    /// who had a turn for it, is a matter of the moment.
    pub(in super::super) fn is_on_the_verge(&self) -> bool {
        let near = |at| self.is_near_horizon(at);
        let mut containers = self.containers.iter();
        self.is_deleted
            && containers.any(|(name, lives)| {
                // A main that goes because of it was seen before.
                let counts =
                    |run: &Run| !(Role::Main.is_of(name) && self.is_stopped_by_deletion(run));
                let mut runs = lives.runs.iter().filter(|run| counts(run));
                runs.any(|run| near(run.starting) || run.exited.is_some_and(near))
            })
    }

    /// Whether the last run of a container ended at about the time at which the pod was told to go: another one may just have been
    /// begun, and is gone before it has said anything.
    pub(in super::super) fn ends_at_deletion(&self, lives: &Lives) -> bool {
        let last = lives.runs.last();
        let last = last.filter(|run| !self.is_stopped_by_deletion(run));
        let end = last.and_then(|run| run.exited);
        self.is_deleted && end.is_some_and(|end| self.is_near_horizon(end))
    }

    /// Whether a container came or went by itself at about the time at which the pod began to go.
    pub(in super::super) fn is_restless(&self, lives: &Lives) -> bool {
        let goes = self.goes();
        let near = |at| are_near(goes, at);
        // The last main goes when it ends, and not by chance at that time.
        let is_reason = |end: Tick| !self.is_deleted && end == goes;
        let by_itself = |end: Tick| near(end) && !is_reason(end);
        lives.runs.iter().any(|run| {
            let is_told = self.is_stopped_with_pod(run);
            near(run.starting) || run.exited.is_some_and(by_itself) && !is_told
        })
    }

    /// Whether all were just being restarted when the pod was told to go.
    pub(in super::super) fn is_restarting_at_deletion(&self) -> bool {
        let mut runs = self.containers.values().flat_map(|lives| &lives.runs);
        self.is_deleted
            && runs.any(|run| {
                let is_over = run.exited.is_some_and(|exited| exited < self.horizon);
                run.is_killed(self.horizon) && self.is_stopped_with_all(run) && !is_over
            })
    }

    /// Whether a run of a container was being stopped for itself when the pod began to go.
    pub(in super::super) fn is_killed_while_it_goes(&self, lives: &Lives) -> bool {
        let goes = self.goes();
        let goes_on = |run: &Run| run.exited.is_none_or(|end| end > goes);
        let mut runs = lives.runs.iter();
        runs.any(|run| run.is_killed(goes) && goes_on(run))
    }

    fn is_near_horizon(&self, at: Tick) -> bool {
        are_near(self.horizon, at)
    }

    /// When the pod began to go: it was told to, or its last main had ended. If it did not, when watching stopped.
    pub(in super::super) fn goes(&self) -> Tick {
        let completed = self.completed().filter(|_| !self.is_deleted);
        completed.unwrap_or(self.horizon)
    }

    /// Whether a run had been up for a while when the pod was told to go, and was told to stop for it.
    pub(in super::super) fn is_stopped_by_deletion(&self, run: &Run) -> bool {
        self.is_deleted && self.is_stopped_with_pod(run)
    }

    /// Whether a run had been up for a while when the pod began to go, and was told to stop for it.
    pub(in super::super) fn is_stopped_with_pod(&self, run: &Run) -> bool {
        let goes = self.goes();
        run.starting + VERGE < goes && run.told().is_some_and(|told| told >= goes)
    }

    /// Whether the kubelet was in the middle of something when the pod was told to go: it finishes that first.
    pub(in super::super) fn is_busy_at_deletion(&self) -> bool {
        let is_restless = |lives| self.is_restless(lives);
        let is_under_way = |(from, to): &(Tick, Tick)| *from < self.horizon && *to >= self.horizon;
        self.is_deleted && self.containers.values().any(is_restless)
            || self.busy.iter().any(is_under_way)
    }

    /// Whether the hook after the start of a run was at work when the pod was told to go, or the run was begun after that by a
    /// kubelet that had not heard of it. A kubelet waits for it, and if it fails
    /// stops the container as if nobody had told the pod anything.
    pub(in super::super) fn is_starting_at_deletion(&self, run: &Run) -> bool {
        let ends = [run.post_start_done, run.exited];
        let is_over = ends.into_iter().flatten().any(|end| end < self.horizon);
        let begun = run.post_start.filter(|_| !is_over);
        let is_hooked = begun.is_some_and(|begun| begun <= self.horizon);
        self.is_deleted && (is_hooked || run.starting > self.horizon)
    }

    /// Whether a container was up when the pod began to go, or was started after that.
    pub(in super::super) fn is_there_to_stop(&self, lives: &Lives) -> bool {
        let goes = self.goes();
        let is_over = |run: &Run| run.exited.is_some_and(|exited| exited < goes);
        lives.runs.iter().any(|run| !is_over(run))
    }

    /// Whether somebody was being stopped when the pod was told to go.
    pub(in super::super) fn is_stopping_at_deletion(&self) -> bool {
        let mut runs = self.containers.values().flat_map(|lives| &lives.runs);
        runs.any(|run| {
            let is_over = run.exited.is_some_and(|exited| exited < self.horizon);
            run.is_killed(self.horizon) && !is_over
        })
    }

    /// How long the kubelet went on with something after the pod was told to go.
    pub(in super::super) fn busy_after_deletion(&self) -> Duration {
        let busy = self.busy.iter().filter(|(from, _)| *from < self.horizon);
        let rest = busy.map(|(_, to)| to.since(self.horizon));
        rest.max().unwrap_or_default()
    }

    /// Whether a container was not up when the pod began to go, or only just.
    pub(in super::super) fn is_down_then(&self, lives: &Lives) -> bool {
        let goes = self.goes();
        let over = |run: &Run| {
            let is_over = run.exited.is_some_and(|exited| exited <= goes + VERGE);
            is_over && !self.is_stopped_with_pod(run)
        };
        lives.runs.last().is_none_or(over)
    }

    /// How long after the pod began to go the first of those that were up began to stop.
    pub(in super::super) fn hears_after(&self) -> Option<Duration> {
        Some(self.heard()?.since(self.goes()))
    }

    /// Whether the last container of the init list is a sidecar, and was down, or may have been about to start, when the last main ended:
    /// a kubelet looks whether it has started before it looks whether the pod has completed.
    pub(in super::super) fn waits_to_complete(&self, slow: &BTreeSet<Box<str>>) -> bool {
        let Some(goes) = self.last_main_end() else {
            return false;
        };
        let listed = self.containers.iter();
        let listed = listed.filter(|(name, _)| !Role::Main.is_of(name));
        let last = listed.max_by_key(|(name, _)| place(name));
        last.is_some_and(|(name, lives)| {
            let is_up = |run: &Run| {
                let has_started = if slow.contains(name) {
                    STARTED
                } else {
                    Duration::ZERO
                };
                run.starting + has_started < goes && run.exited.is_none_or(|exited| exited > goes)
            };
            Role::Sidecar.is_of(name) && !lives.runs.iter().any(is_up)
        })
    }

    /// Whether what runs the containers of a kubelet stood still: nobody was told anything for longer than a kubelet that has nothing
    /// else to do ever waits. A containerd whose probes are given up may do so for half a minute.
    pub(in super::super) fn stood_still(&self) -> bool {
        let is_late = self.hears_after().is_some_and(|after| after > STANDSTILL);
        is_late && self.is_deleted && !self.is_busy_at_deletion()
    }

    /// When the first was told to stop because the pod goes.
    fn heard(&self) -> Option<Tick> {
        let goes = self.begins_to_go()?;
        let runs = self.containers.values().flat_map(|lives| &lives.runs);
        let told = runs.filter_map(Run::told);
        told.filter(|told| *told >= goes).min()
    }

    /// When the pod began to go, if it did.
    pub(in super::super) fn begins_to_go(&self) -> Option<Tick> {
        let goes = self.is_deleted || self.completed().is_some();
        goes.then(|| self.goes())
    }

    /// How long after anybody had heard that the pod goes a run was given its signal; and how long after the last thing that it
    /// can have waited for: its own hook, or the end of another.
    pub(in super::super) fn turn(&self, run: &Run) -> Option<(Duration, Duration)> {
        let heard = self.heard().filter(|_| self.is_stopped_with_pod(run))?;
        let signal = run.stopping?;
        let runs = self.containers.values().flat_map(|lives| &lives.runs);
        let ends = runs.filter_map(|run| run.exited).chain(run.pre_stop_done);
        let ends = ends.filter(|end| *end <= signal + A_LITTLE);
        let last = ends.chain([heard]).max()?;
        Some((signal.since(heard), signal.since(last)))
    }

    /// How long after the beginning of its stop a run was killed, if it was told to stop and did not end by itself.
    pub(in super::super) fn killed_after(&self, run: &Run) -> Option<Duration> {
        let begin = self.stop_begins(run).filter(|_| run.exiting.is_none())?;
        let exited = run.exited.filter(|_| run.stopping.is_some())?;
        Some(exited.since(begin))
    }

    /// Whether a run that was told to stop had its signal at the beginning of its stop: no time was spent on a hook, or on waiting.
    pub(in super::super) fn is_signalled_at_once(&self, run: &Run) -> bool {
        let times = self.stop_begins(run).zip(run.stopping);
        let at_once = times.is_some_and(|(begin, signal)| signal.since(begin) <= A_LITTLE);
        at_once && run.pre_stop.is_none()
    }

    /// From when the grace period of a run that was told to stop counts: from the deletion, or from the end of the last main, if
    /// it was told because of that.
    fn stop_begins(&self, run: &Run) -> Option<Tick> {
        let told = run.told()?;
        let is_with_pod = self.begins_to_go().is_some_and(|goes| told >= goes);
        let begin = self.heard().filter(|_| is_with_pod && self.is_deleted);
        let begin = begin.or_else(|| self.completed().filter(|completed| *completed <= told));
        Some(begin.unwrap_or(told))
    }

    /// When the last main ended, if all have.
    fn last_main_end(&self) -> Option<Tick> {
        let ends: Option<Vec<_>> = self.runs_of(Role::Main).map(|run| run.exited).collect();
        ends?.into_iter().max()
    }

    /// When the last main ended, if the pod has completed.
    pub(in super::super) fn completed(&self) -> Option<Tick> {
        self.end?;
        let last = self.last_main_end()?;
        // If all are run again after that, it has not.
        let is_begun_anew = self.runs_of(Role::Init).any(|run| run.starting > last);
        (!is_begun_anew).then_some(last)
    }

    /// How long after the last thing that happened to a container, or the deletion, the pod was shown to have ended.
    pub(in super::super) fn ends_after(&self) -> Option<Duration> {
        let runs = self.containers.values().flat_map(|lives| &lives.runs);
        let times = runs.flat_map(|run| [Some(run.starting), run.exited]);
        let deleted = self.is_deleted.then_some(self.horizon);
        let last = times.flatten().chain(deleted).max()?;
        Some(self.end?.since(last))
    }
}

fn are_near(one: Tick, other: Tick) -> bool {
    one.since(other).max(other.since(one)) <= VERGE
}

/// A container of a random pod that starts at all has started by then.
const STARTED: Duration = Duration::from_secs(12);

/// No kubelet that is not busy takes so long to hear of a deletion.
const STANDSTILL: Duration = Duration::from_secs(10);

/// Clocks and pipes take their time.
const A_LITTLE: Duration = Duration::from_millis(500);
