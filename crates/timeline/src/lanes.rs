//! What each container did, span by span: the stuff a Gantt picture is drawn from.
//!
//! ```text
//! Waiting ─▶ Pulling ─▶ Starting ─▶ Ready ◀─▶ Unready ─▶ Stopping ─▶ Down
//!                ▲          │  (a oneshot: Running)          │
//!                └──────── BackingOff ◀──────────────────────┘
//! ```

use crate::record::{Cause, Name, Record, Seq, What};
use crate::timeline::{Kind, Timeline};
use pillion_engine::pod::HookKind;
use std::collections::BTreeMap;
use std::time::Duration;

/// The life of one container, from its first record to its last or the end of the timeline.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lane {
    /// Whose.
    pub container: Name,
    /// One after the other, without gaps. Spans that took no time are there too.
    pub spans: Vec<Span>,
    /// When an attempt failed that nobody had told to stop, when one was stopped because it failed
    /// (a probe, its time to start), and when it gave up.
    pub failures: Vec<Duration>,
}

/// A time in which a container did one thing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Span {
    /// What it did.
    pub doing: Doing,
    /// In which run.
    pub attempt: u32,
    /// From when.
    pub from: Duration,
    /// Until when.
    pub to: Duration,
    /// The record with which it began.
    pub record: Seq,
}

/// What a container can be doing.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Doing {
    /// Waits for others; its image may be pulled meanwhile.
    Waiting,
    /// Its turn has come, and its image is not there yet.
    Pulling,
    /// Begun, and not ready for the first time.
    Starting,
    /// A oneshot at work.
    Running,
    /// Ready.
    Ready,
    /// Runs, and is not ready any more.
    Unready,
    /// Told to stop, or being undone.
    Stopping,
    /// Waits for its next attempt.
    BackingOff,
    /// Not running, and nothing is to come.
    Down,
}

/// A lane in the making.
struct Builder {
    lane: Lane,
    oneshot: bool,
    /// How its image stands, whatever the span.
    image: Image,
    /// Its turn has come: nothing but its image holds it up.
    turned: bool,
    /// There is a process. What is pulled then is for the one that shall replace it.
    up: bool,
    open: Option<Span>,
    /// What it did when the pod began to stop, if it was not up: it does so no more, unless it is started after all.
    cut: Option<Doing>,
}

/// How the image of a container stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Image {
    /// Nothing is known to be missing.
    There,
    /// A pull is under way.
    Pulled,
    /// It could not be had, and is tried again later.
    Missing,
}

impl Timeline {
    /// The life of each container, in the order of [`containers`](Self::containers); of those that
    /// have no record, without spans.
    pub fn lanes(&self) -> Vec<Lane> {
        let names = self.containers();
        let mut builders: Vec<_> = names.iter().map(|name| Builder::new(self, name)).collect();
        let places: BTreeMap<_, _> = names.iter().zip(0..).collect();
        for record in self.records() {
            match &record.container {
                Some(name) => {
                    if let Some(place) = places.get(&&**name) {
                        builders[*place].take(record);
                    }
                }
                None => builders.iter_mut().for_each(|it| it.take_of_pod(record)),
            }
        }
        let end = self.end();
        builders
            .into_iter()
            .map(|builder| builder.finish(end))
            .collect()
    }
}

// === impl Lane ===

impl Lane {
    /// The time spent on that, over all runs.
    pub fn time(&self, doing: Doing) -> Duration {
        self.spans
            .iter()
            .filter(|span| span.doing == doing)
            .map(Span::length)
            .sum()
    }
}

// === impl Span ===

impl Span {
    /// How long it took.
    pub const fn length(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }
}

// === impl Builder ===

impl Builder {
    fn new(timeline: &Timeline, name: &str) -> Self {
        let head = timeline.header().container(name);
        Self {
            lane: Lane {
                container: name.into(),
                spans: Vec::new(),
                failures: Vec::new(),
            },
            oneshot: head.is_some_and(|head| head.kind == Kind::Oneshot),
            image: Image::There,
            turned: false,
            up: false,
            open: None,
            cut: None,
        }
    }

    /// Nothing is to come of a container that is not up when its pod stops.
    fn take_of_pod(&mut self, record: &Record) {
        if matches!(record.what, What::PodStarted { .. }) {
            self.cut = None;
        }
        let Some(span) = self.open.filter(|_| !self.up) else {
            return;
        };
        let waits = matches!(
            span.doing,
            Doing::Waiting | Doing::Pulling | Doing::BackingOff
        );
        if waits && matches!(record.what, What::PodStopping { .. } | What::PodKilled) {
            self.cut = Some(span.doing);
            self.begin(Doing::Down, span.attempt, record);
        }
    }

    /// A sidecar that is still needed goes on with what the pod's stop seemed to have ended.
    fn go_on(&mut self) {
        let Some(doing) = self.cut.take() else {
            return;
        };
        let before = self.lane.spans.pop();
        if let (Some(before), Some(open)) = (before, &mut self.open) {
            *open = Span {
                to: open.to,
                doing,
                ..before
            };
        }
    }

    fn take(&mut self, record: &Record) {
        let pulls = matches!(
            record.what,
            What::Pulling | What::Pulled | What::PullFailed { .. }
        );
        if pulls && self.up {
            return;
        }
        let doing = self.open.map(|span| span.doing);
        // The end for good says no more than the exit before it.
        let told = doing == Some(Doing::Stopping) || matches!(record.what, What::Ended { .. });
        if (record.what.is_failure() && !told) || is_kill(record) {
            self.fail(record.at);
        }
        self.note(&record.what);
        let next = self.next(doing, &record.what);
        if next.is_some_and(|next| next != Doing::Down) {
            self.go_on();
        }
        if let Some(next) = next.or(doing) {
            self.enter(next, record);
        }
    }

    fn note(&mut self, what: &What) {
        if *what == What::Pulling {
            self.image = Image::Pulled;
        } else if *what == What::Pulled || matches!(what, What::Restarting { .. }) {
            self.image = Image::There;
        } else if matches!(what, What::PullFailed { .. }) {
            self.image = Image::Missing;
        }
        if matches!(what, What::Restarting { .. } | What::Waiting { .. }) {
            self.turned = false;
        } else if *what == What::Turn {
            self.turned = true;
        } else if matches!(what, What::Starting | What::Running) {
            self.up = true;
        } else if what.is_down() || matches!(what, What::StartFailed { .. }) {
            self.up = false;
        }
    }

    /// What the container does after a record; `None` if the record changes nothing.
    fn next(&self, doing: Option<Doing>, what: &What) -> Option<Doing> {
        use Doing::{
            BackingOff, Down, Pulling, Ready, Running, Starting, Stopping, Unready, Waiting,
        };
        match what {
            What::Waiting { .. } => Some(Waiting),
            What::Turn => Some(match self.image {
                Image::There => Starting,
                Image::Pulled => Pulling,
                Image::Missing => BackingOff,
            }),
            What::Starting => Some(Starting),
            // While it waits for others, or for the time of its next attempt, the pull is not what
            // holds it up.
            What::Pulling => match doing {
                Some(Waiting | Stopping) => None,
                // Its turn comes after the time, so it backs off for want of the image.
                Some(BackingOff) => self.turned.then_some(Pulling),
                Some(Pulling | Starting | Running | Ready | Unready | Down) | None => {
                    Some(if self.turned { Pulling } else { Waiting })
                }
            },
            What::Pulled => (doing == Some(Pulling)).then_some(Starting),
            What::PullFailed { .. } => (doing == Some(Pulling)).then_some(BackingOff),
            What::Running | What::Started => match doing {
                Some(Ready | Unready | Stopping) => None,
                Some(Waiting | Pulling | Starting | Running | BackingOff | Down) | None => {
                    Some(if self.oneshot { Running } else { Starting })
                }
            },
            What::Ready => (doing != Some(Stopping)).then_some(Ready),
            What::Unready => (doing == Some(Ready)).then_some(Unready),
            What::HookBegan {
                hook: HookKind::PreStop,
            }
            | What::Stopping { .. }
            | What::Undoing => Some(Stopping),
            What::Exited { .. }
            | What::StartFailed { .. }
            | What::Ended { .. }
            | What::Undone { .. }
            | What::UndoSkipped => Some(Down),
            What::Restarting { .. } => Some(BackingOff),
            What::GaveUp => match doing {
                // Its process is still to be stopped.
                Some(Starting | Running | Ready | Unready | Stopping) => None,
                Some(Waiting | Pulling | BackingOff | Down) | None => Some(Down),
            },
            What::HookBegan { .. }
            | What::HookEnded { .. }
            | What::HookCut { .. }
            | What::HookSkipped { .. }
            | What::Ignored
            | What::ProbeVerdict { .. }
            | What::ReplaceBegan
            | What::Replaced
            | What::RolledBack
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
            | What::Unknown => None,
        }
    }

    fn enter(&mut self, doing: Doing, record: &Record) {
        match &mut self.open {
            Some(span) if span.doing == doing && span.attempt == record.attempt => {}
            // A container does not wait in one run and start in another: the run is told late.
            Some(span) if span.doing == doing && span.attempt == 0 => span.attempt = record.attempt,
            Some(_) | None => self.begin(doing, record.attempt, record),
        }
    }

    fn begin(&mut self, doing: Doing, attempt: u32, record: &Record) {
        self.close(record.at);
        self.open = Some(Span {
            doing,
            attempt,
            from: record.at,
            to: record.at,
            record: record.seq,
        });
    }

    fn close(&mut self, at: Duration) {
        if let Some(span) = self.open.take() {
            self.lane.spans.push(Span {
                to: at.max(span.from),
                ..span
            });
        }
    }

    /// An exit, the end and the giving up that follow from it are one failure.
    fn fail(&mut self, at: Duration) {
        if self.lane.failures.last() != Some(&at) {
            self.lane.failures.push(at);
        }
    }

    fn finish(mut self, end: Duration) -> Lane {
        self.close(end);
        self.lane
    }
}

/// Whether a container is stopped because it has failed.
fn is_kill(record: &Record) -> bool {
    let failed = matches!(
        record.cause,
        Cause::Probe { .. } | Cause::StartTimeout | Cause::PostStart
    );
    failed && matches!(record.what, What::Stopping { .. })
}
