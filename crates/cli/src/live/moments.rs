//! When things happened that the engine does not remember, because it decides nothing by them.

use pillion_engine::Tick;
use pillion_timeline::words::cause_words;
use pillion_timeline::{Base, Cause, Record, What};
use std::collections::BTreeMap;

/// The moments of a pod's life that somebody who watches it wants to see.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    base: Base,
    containers: BTreeMap<Box<str>, Moment>,
    pod: PodMoment,
}

/// What happened to a container, and when, since it was last started.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Moment {
    /// It became ready for the first time.
    pub(crate) ready: Option<Tick>,
    /// It is not ready any more.
    pub(crate) unready: Option<Tick>,
    /// It was told to stop.
    pub(crate) stopping: Option<Tick>,
    /// That was no fault of its own.
    pub(crate) in_order: bool,
    /// It was told to stop before its last exit, and that was no fault of its own.
    pub(crate) left_in_order: bool,
    /// How the latest attempt of a probe failed that keeps it from being ready.
    pub(crate) probe: Option<String>,
    /// A hook of its was begun.
    pub(crate) hook: Option<Tick>,
    /// Its undo was begun.
    pub(crate) undoing: Option<Tick>,
    /// Its image could not be had: why, and when it is tried again.
    pub(crate) no_image: Option<(Box<str>, Tick)>,
    /// Why it gave up.
    pub(crate) gave_up: Option<String>,
    /// It took the place of an older version.
    pub(crate) replaced: Option<Tick>,
    /// A newer version was taken back for it.
    pub(crate) put_back: Option<Tick>,
}

/// What happened to the pod, and when, in its latest run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct PodMoment {
    /// The run began.
    pub(crate) began: Tick,
    /// Everything was ready for the first time.
    pub(crate) ready: Option<Tick>,
    /// Not everything is ready any more.
    pub(crate) unready: Option<Tick>,
    /// Why it stops, if that is not plain.
    pub(crate) stops: Option<String>,
}

// === impl Moments ===

impl Moments {
    /// Of a pod that began then.
    pub(crate) fn new(base: Base) -> Self {
        Self {
            base,
            containers: BTreeMap::new(),
            pod: PodMoment {
                began: base.tick,
                ..PodMoment::default()
            },
        }
    }

    /// When the pod began.
    pub(crate) const fn base(&self) -> Base {
        self.base
    }

    /// What happened to a container.
    pub(crate) fn container(&self, name: &str) -> Moment {
        self.containers.get(name).cloned().unwrap_or_default()
    }

    /// What happened to the pod.
    pub(crate) const fn pod(&self) -> &PodMoment {
        &self.pod
    }

    /// Takes in what happened.
    pub(crate) fn note(&mut self, record: &Record) {
        let at = self.base.tick + record.at.saturating_sub(self.base.elapsed);
        match &record.container {
            None => self.note_pod(at, record),
            Some(name) => {
                let moment = self.containers.entry(name.clone()).or_default();
                moment.note(at, record);
            }
        }
    }

    /// An attempt of a probe failed. Says whether that is news.
    pub(crate) fn probe_failed(&mut self, name: &str, words: String) -> bool {
        let moment = self.containers.entry(name.into()).or_default();
        let words = Some(words);
        let news = moment.probe != words;
        moment.probe = words;
        news
    }

    fn note_pod(&mut self, at: Tick, record: &Record) {
        let pod = &mut self.pod;
        let what = &record.what;
        if matches!(what, What::PodStarted { .. }) {
            *pod = PodMoment {
                began: at,
                ..PodMoment::default()
            };
        } else if *what == What::PodReady {
            pod.ready.get_or_insert(at);
            pod.unready = None;
        } else if *what == What::PodUnready {
            pod.unready = Some(at);
        } else if matches!(what, What::PodStopping { .. } | What::PodKilled) {
            pod.stops = stop_words(&record.cause);
        }
    }
}

/// Whoever stops the pod from outside knows why.
fn stop_words(cause: &Cause) -> Option<String> {
    if matches!(cause, Cause::Deletion { .. }) {
        return None;
    }
    cause_words(cause, None)
}

// === impl Moment ===

impl Moment {
    fn note(&mut self, at: Tick, record: &Record) {
        match &record.what {
            What::Starting => {
                *self = Self {
                    put_back: self.put_back,
                    left_in_order: self.left_in_order,
                    ..Self::default()
                };
            }
            What::Ready => {
                self.probe = None;
                self.ready.get_or_insert(at);
                self.unready = None;
            }
            What::Unready => self.unready = Some(at),
            What::Stopping { .. } => {
                // Told again, it only has less time.
                self.stopping.get_or_insert(at);
                self.in_order = !is_fault(&record.cause);
            }
            What::Exited { .. } => {
                self.left_in_order = self.stopping.is_some() && self.in_order;
            }
            What::HookBegan { .. } => self.hook = Some(at),
            What::Undoing => self.undoing = Some(at),
            What::PullFailed { message, retry_in } => {
                self.no_image = Some((message.clone(), at + *retry_in));
            }
            What::Pulling | What::Pulled => self.no_image = None,
            What::GaveUp => {
                self.gave_up = cause_words(&record.cause, record.container.as_deref());
            }
            What::ReplaceBegan => self.put_back = None,
            What::Replaced => self.replaced = Some(at),
            What::RolledBack => self.put_back = Some(at),
            What::Waiting { .. }
            | What::Turn
            | What::Running
            | What::StartFailed { .. }
            | What::HookEnded { .. }
            | What::HookCut { .. }
            | What::HookSkipped { .. }
            | What::ProbeVerdict { .. }
            | What::Started
            | What::Restarting { .. }
            | What::Ended { .. }
            | What::Ignored
            | What::Undone { .. }
            | What::UndoSkipped
            | What::ReplaceAbandoned
            | What::PodStarted { .. }
            | What::PodReady
            | What::PodUnready
            | What::PodStopping { .. }
            | What::PodKilled
            | What::PodHurried { .. }
            | What::PodNotDelayed { .. }
            | What::BudgetSpent
            | What::PodRestarting { .. }
            | What::PodEnded { .. }
            | What::Recovered
            | What::Unknown => {}
        }
    }
}

/// Whether a stop for this cause is one that the container brought about.
const fn is_fault(cause: &Cause) -> bool {
    matches!(
        cause,
        Cause::Probe { .. } | Cause::PostStart | Cause::StartTimeout
    )
}
