//! Reads a play: the lines that containers wrote, and what was shown of them.

use super::{Account, Lives, Run, Whose};
use pillion_engine::Tick;
use pillion_engine::status::{
    ConditionKind, ContainerState, ContainerStatus, PodStatus, Terminated,
};
use pillion_simulator::Record;
use pillion_simulator::line::{Part, Word};
use std::collections::BTreeMap;
use std::time::Duration;

/// An image that cannot be had.
const PULL_FAILED: &str = "ErrImagePull";
pub(in super::super) const PULL_WAITS: &str = "ImagePullBackOff";

/// The end of a container that never ran, in a pod that has ended.
const FORGOTTEN: &str = "ContainerStatusUnknown";

/// Whoever shows something needs that long at most.
const A_MOMENT: Duration = Duration::from_millis(100);

/// Why a container waits that was removed so that all are run again, and what is said of it.
const RESTARTING: &str = "RestartingAllContainers";
const REMOVED: &str = "The container is removed because RestartAllContainers";

// === impl Account ===

impl Account {
    pub(super) fn read_lines(&mut self, record: &Record) {
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
                    let is_over = |run: &Run| run.exiting.or(run.exited).or(run.stopping).is_some();
                    match lives.runs.last_mut().filter(|run| !is_over(run)) {
                        Some(run) if run.post_start.is_some() => run.hooked_again = Some(at),
                        Some(run) => run.post_start = Some(at),
                        None => drop(early.insert(name.clone(), at)),
                    }
                }
                (Part::PreStop, Word::Starting) => {
                    hooks.insert(name.clone(), at);
                    match lives.runs.last_mut() {
                        Some(run) if run.pre_stop.is_some() => run.hooked_again = Some(at),
                        Some(run) => run.pre_stop = Some(at),
                        None => {}
                    }
                }
                (Part::Startup, word) => {
                    lives.is_probed = true;
                    let is_late = self.is_deleted && at > self.horizon;
                    self.starts_up_late |= is_late && word == Word::Starting;
                }
                (Part::Liveness, _) => lives.is_probed = true,
                (Part::PostStart | Part::PreStop, Word::Exited) => {
                    if let Some(from) = hooks.remove(name) {
                        self.busy.push((from, at));
                    }
                    match lives.runs.last_mut() {
                        Some(run) if line.who.part == Part::PreStop => run.pre_stop_done = Some(at),
                        Some(run) if run.post_start.is_some() => run.post_start_done = Some(at),
                        Some(_) | None => {}
                    }
                }
                // Hooks and probes say little else, and what plain pods do not have says nothing.
                (Part::Itself, Word::Started)
                | (
                    Part::PostStart | Part::PreStop,
                    Word::Started | Word::Stopping | Word::Exiting,
                )
                | (Part::PodStopping | Part::Undo | Part::Readiness, _) => {}
            }
        }
        let until = self.since_begin(record.until);
        let under_way = hooks.into_values().map(|from| (from, until));
        self.busy.extend(under_way);
    }

    pub(super) fn read_statuses(&mut self, record: &Record) {
        let ends = record.statuses.iter().skip(1).map(|sample| sample.at);
        let ends = ends.chain([record.until]);
        for (sample, end) in record.statuses.iter().zip(ends) {
            let (from, to) = (self.since_begin(sample.at), self.since_begin(end));
            let to = to.min(self.horizon);
            let time = match self.of {
                Whose::Kubelets => self.time_at_leisure(from, to),
                Whose::Ours => to.since(from),
            };
            self.read_status(&sample.status, from, time);
            self.read_lapses(&sample.status, to.since(from));
        }
        if let Some(status) = record.status() {
            let conditions = status.conditions.iter();
            let conditions = conditions.map(|one| (one.kind, (one.status, one.reason)));
            self.finally = conditions.collect();
        }
    }

    /// A status that was shown from then on, for that time. What is shown of a pod that was told to go is another matter.
    fn read_status(&mut self, status: &PodStatus, from: Tick, time: Duration) {
        let is_told = from >= self.horizon;
        let is_restarting_all = restarts_all(status);
        let begins = is_restarting_all && !self.is_restarting_all;
        // What passes in a moment may be shown when the next runs have begun; a kubelet shows it first.
        let late = match self.of {
            Whose::Kubelets => Duration::ZERO,
            Whose::Ours => A_MOMENT,
        };
        let at = Tick::ZERO + from.since(Tick::ZERO + late);
        self.restarts_of_all.extend(begins.then_some(at));
        self.is_restarting_all = is_restarting_all;
        if !is_told {
            self.phases.note([status.phase], time);
            let standings = status.conditions.iter();
            let standings = standings.map(|one| (one.kind, one.status, one.reason));
            self.conditions.note(standings, time);
        }
        for container in &status.containers {
            let lives = self.containers.entry(container.name.clone()).or_default();
            if !is_told {
                lives.read_standing(container, from, time);
            }
            lives.read_runs(container);
        }
    }

    /// That something does not hold any more a kubelet knows from its probes, busy or not.
    fn read_lapses(&mut self, status: &PodStatus, time: Duration) {
        // A pod that was told to go loses all of it.
        if !time.is_zero() {
            for one in &status.conditions {
                self.note_lapse(one.kind, one.status, time);
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
}

// === impl Lives ===

impl Lives {
    /// What it is shown as, and waits for, from then on, for that time.
    fn read_standing(&mut self, container: &ContainerStatus, from: Tick, time: Duration) {
        let stands = [("ready", container.ready), ("started", container.started)];
        let stands = stands.into_iter().filter(|(_, is_so)| *is_so);
        let stands = stands.map(|(what, _)| what);
        for what in stands.clone() {
            let first = (container.restarts, from);
            self.first_stood.entry(what).or_insert(first);
        }
        self.stands.note(stands, time);
        let wait = match &container.state {
            // Whether the next try is due is a matter of the moment.
            ContainerState::Waiting { reason, .. } if *reason == PULL_FAILED => Some(PULL_WAITS),
            ContainerState::Waiting { reason, .. } => Some(*reason),
            ContainerState::Running { .. } | ContainerState::Terminated(_) => None,
        };
        self.waits.note(wait, time);
    }

    /// Its runs, and how they have ended.
    fn read_runs(&mut self, container: &ContainerStatus) {
        self.restarts = container.restarts;
        self.image.clone_from(&container.image);
        // The count goes up when the next run begins, and not when one has ended. Beside an end the last one may be the
        // same: a kubelet leaves it there from when the container waited.
        let ended = match &container.state {
            ContainerState::Waiting { .. } => Some(container.restarts + 1),
            ContainerState::Running { .. } => Some(container.restarts),
            ContainerState::Terminated(_) => None,
        };
        if let Some((ended, last)) = ended.zip(container.last.as_ref()) {
            self.note(ended, last);
        }
        match &container.state {
            ContainerState::Terminated(end) => {
                self.note(container.restarts + 1, end);
                self.last = Some((end.code, end.reason.clone()));
            }
            ContainerState::Waiting { .. } | ContainerState::Running { .. } => self.last = None,
        }
    }

    /// How a run ended.
    fn note(&mut self, run: u32, end: &Terminated) {
        // The one is said of runs that never were. The other takes the place of the code of a run when a restart of all
        // begins, which a kubelet may not come to show before the pod is told to go.
        let is_removed = |message: &str| message.starts_with(REMOVED);
        if end.message.as_deref().is_some_and(is_removed) {
            // It is counted when it is removed, or when it runs again.
            self.removed.extend([run, run.saturating_sub(1)]);
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

/// Whether all containers are being restarted: what passes in a moment shows only in that they have been removed.
fn restarts_all(status: &PodStatus) -> bool {
    let mut conditions = status.conditions.iter();
    let mut containers = status.containers.iter();
    conditions.any(|one| one.kind == ConditionKind::AllContainersRestarting && one.status)
        || containers.any(|one| {
            matches!(&one.state, ContainerState::Waiting { reason, .. } if *reason == RESTARTING)
        })
}

/// The number of the run in the last words of an actor: `m1 ends run 2 with 0`.
fn run_of(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once(" ends run ")?;
    rest.split(' ').next()?.parse().ok()
}
