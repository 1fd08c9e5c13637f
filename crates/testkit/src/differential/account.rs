//! What became of a pod, in a form in which two plays of it can be laid side by side.

use pillion_engine::Tick;
use pillion_engine::status::{ConditionKind, ContainerState, Phase};
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
    pub(super) phase: Option<Phase>,
    /// When the pod was told to go, or watching stopped.
    pub(super) horizon: Tick,
    /// When a hook or a stop of one container kept a kubelet from everything else.
    pub(super) busy: Vec<(Tick, Tick)>,
    /// For how long the pod was ready.
    pub(super) ready: Duration,
}

/// The runs of one container.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives {
    pub(super) runs: Vec<Run>,
    /// By the number of the run, from 1.
    pub(super) codes: BTreeMap<u32, i32>,
    /// For what it was seen to wait.
    pub(super) waits: BTreeSet<&'static str>,
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
        let mut ready_since = None;
        for sample in &record.statuses {
            let is_ready = sample.status.condition(ConditionKind::Ready);
            match (is_ready.is_some_and(|ready| ready.status), ready_since) {
                (true, None) => ready_since = Some(sample.at),
                (false, Some(since)) => {
                    self.ready += sample.at.since(since);
                    ready_since = None;
                }
                (true, Some(_)) | (false, None) => {}
            }
            for container in &sample.status.containers {
                let lives = self.containers.entry(container.name.clone()).or_default();
                if let Some(last) = &container.last {
                    lives.codes.insert(container.restarts, last.code);
                }
                match &container.state {
                    ContainerState::Terminated(end) => {
                        lives.codes.insert(container.restarts + 1, end.code);
                        lives.last = Some((end.code, end.reason.clone()));
                    }
                    ContainerState::Waiting { reason, .. } => {
                        lives.waits.insert(reason);
                        lives.last = None;
                    }
                    ContainerState::Running { .. } => lives.last = None,
                }
            }
        }
        if let Some(since) = ready_since {
            self.ready += record.until.since(since);
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

/// What a kubelet with much to do needs to start a container, or to see its end.
const NOTICE: Duration = Duration::from_millis(2_500);
const EACH_RUN: Duration = Duration::from_millis(1_500);
