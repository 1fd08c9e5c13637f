//! What became of a pod, in a form in which two plays of it can be laid side by side.

use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, ContainerState, Phase, PodStatus, Terminated};
use pillion_simulator::Record;
use pillion_simulator::line::{Part, Word};
use std::collections::BTreeMap;
use std::time::Duration;

/// One play.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    pub(super) containers: BTreeMap<Box<str>, Lives>,
    /// When everything was down, if it was.
    pub(super) end: Option<Tick>,
    pub(super) phase: Option<Phase>,
    /// When the pod was told to go, or watching stopped.
    pub(super) horizon: Tick,
    /// When a hook or a stop of one container kept a kubelet from everything else.
    pub(super) busy: Vec<(Tick, Tick)>,
    /// For how long it was in each phase, until the horizon.
    pub(super) phases: BTreeMap<Phase, Duration>,
    /// For how long each condition held, until the horizon.
    pub(super) conditions: BTreeMap<ConditionKind, Duration>,
    /// The conditions in the last status, with their reasons.
    pub(super) finally: BTreeMap<ConditionKind, (bool, Option<&'static str>)>,
}

/// The runs of one container.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives {
    pub(super) runs: Vec<Run>,
    /// By the number of the run, from 1.
    pub(super) codes: BTreeMap<u32, i32>,
    /// What was left as the last words of each run.
    pub(super) messages: BTreeMap<u32, Box<str>>,
    /// For what it was seen to wait, and how long, until the horizon.
    pub(super) waits: BTreeMap<&'static str, Duration>,
    /// How often it was restarted, by the last status.
    pub(super) restarts: u32,
    /// The end of the last run, in the words of the last status.
    pub(super) last: Option<(i32, Box<str>)>,
}

/// One run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) starting: Tick,
    pub(super) stopping: Option<Tick>,
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
        if record.end.is_some() {
            account.phase = record.status().map(|status| status.phase);
        }
        if let Some(deleted) = record.moments.get("deleted") {
            account.horizon = deleted.at;
        } else if let Some(end) = account.end {
            account.horizon = end;
        }
        account.read_lines(record);
        account.read_statuses(record);
        account
    }

    fn read_lines(&mut self, record: &Record) {
        let mut hooks: BTreeMap<Box<str>, Tick> = BTreeMap::new();
        for line in record.log.lines() {
            let name = &line.who.container;
            let lives = self.containers.entry(name.clone()).or_default();
            match (line.who.part, line.word) {
                (Part::Itself, Word::Starting) => lives.runs.push(Run {
                    starting: line.at,
                    ..Run::default()
                }),
                (Part::Itself, Word::Stopping) => {
                    if let Some(run) = lives.runs.last_mut() {
                        run.stopping.get_or_insert(line.at);
                    }
                }
                (Part::Itself, Word::Exited) => {
                    if let Some(run) = lives.runs.last_mut() {
                        run.exited.get_or_insert(line.at);
                        if let Some(from) = run.stopping {
                            self.busy.push((from, line.at));
                        }
                    }
                }
                (Part::PostStart | Part::PreStop, Word::Starting) => {
                    hooks.insert(name.clone(), line.at);
                }
                (Part::PostStart | Part::PreStop, Word::Exited) => {
                    if let Some(from) = hooks.remove(name) {
                        self.busy.push((from, line.at));
                    }
                }
                (_, _) => {}
            }
        }
    }

    fn read_statuses(&mut self, record: &Record) {
        let ends = record.statuses.iter().skip(1).map(|sample| sample.at);
        let ends = ends.chain([record.until]);
        for (sample, end) in record.statuses.iter().zip(ends) {
            let time = end.min(self.horizon).since(sample.at);
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
        for condition in status.conditions.iter().filter(|one| one.status) {
            *self.conditions.entry(condition.kind).or_default() += time;
        }
        for container in &status.containers {
            let lives = self.containers.entry(container.name.clone()).or_default();
            lives.restarts = container.restarts;
            if let Some(last) = &container.last {
                lives.note(container.restarts, last);
            }
            match &container.state {
                ContainerState::Terminated(end) => {
                    lives.note(container.restarts + 1, end);
                    lives.last = Some((end.code, end.reason.clone()));
                }
                ContainerState::Waiting { reason, .. } => {
                    *lives.waits.entry(reason).or_default() += time;
                    lives.last = None;
                }
                ContainerState::Running { .. } => lives.last = None,
            }
        }
    }

    /// How far times can have drifted by then: a kubelet notices an end within a second or so, in every run anew, and does
    /// nothing else for the pod while it runs a hook or stops a container.
    pub(super) fn drift(&self, at: Tick, run: usize) -> Duration {
        let before = |(from, to): &(Tick, Tick)| (*to).min(at).since(*from);
        let busy: Duration = self.busy.iter().map(before).sum();
        let runs = u32::try_from(run).unwrap_or(u32::MAX);
        NOTICE + EACH_RUN.saturating_mul(runs) + busy
    }
}

// === impl Lives ===

impl Lives {
    /// How a run ended.
    fn note(&mut self, run: u32, end: &Terminated) {
        self.codes.insert(run, end.code);
        if let Some(message) = &end.message {
            self.messages.insert(run, message.clone());
        }
    }
}

/// What a kubelet with much to do needs to start a container, or to see its end.
const NOTICE: Duration = Duration::from_millis(2_500);
const EACH_RUN: Duration = Duration::from_millis(1_500);
