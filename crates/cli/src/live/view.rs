//! A pod at one moment, as a person wants to see it: one line for the pod, one for each container.
//!
//! A view says what is so, in words; how many columns there are, and what they can show, is for
//! [`frame`](super::frame) to say. It also knows until when it holds: a pod in which nothing waits
//! for anything is shown without a single time that runs on, so nobody wakes up to redraw it.

mod count;
mod head;
mod row;

use super::moments::Moments;
use count::Count;
use pillion_engine::{ContainerId, Engine, Tick};
use pillion_timeline::Tone;
use serde::{Deserialize, Serialize};

/// A pod at one moment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct View {
    /// The pod.
    pub(crate) head: Head,
    /// Its containers, in the order of the pod.
    pub(crate) rows: Vec<Row>,
    /// When something of it changes by itself, if nothing happens.
    pub(crate) next: Option<Tick>,
}

/// What there is to say of the pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Head {
    /// The pod's name.
    pub(crate) name: String,
    /// The most important first.
    pub(crate) parts: Vec<(Tone, String)>,
    /// What one can do; left out where there is no room.
    pub(crate) hint: Option<&'static str>,
}

/// What there is to say of a container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Row {
    /// Its name.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) standing: Standing,
    /// How it got there, how long it takes, who is waited for: the most important first.
    pub(crate) detail: Vec<String>,
    /// Whether the pod's readiness and result depend on it.
    pub(crate) counts: bool,
}

/// Where a container stands, the most interesting first.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Standing {
    /// It will not be tried again.
    GaveUp,
    /// It ended for good, and not well.
    Failed,
    /// It will be tried again later.
    BackOff,
    /// It was told to stop.
    Stopping,
    /// What it did is being reversed.
    Undoing,
    /// It was ready before.
    Unready,
    /// It is on its way up.
    Starting,
    /// Others hold it back.
    Waiting,
    /// It runs to its end.
    Running,
    /// It can be used, and had to be restarted to come this far.
    ReadyAgain,
    /// It can be used.
    Ready,
    /// It ended well.
    Done,
    /// It was stopped when it was its turn.
    Stopped,
    /// It was never started, and will not be.
    Idle,
    /// It counts nowhere.
    Ignored,
}

/// The sign of a standing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mark {
    /// It is up.
    Up,
    /// It is done.
    Done,
    /// It is on its way, up or down.
    Moving,
    /// Something is wrong with it.
    Wrong,
    /// It is of no interest any more.
    Off,
}

// === impl View ===

impl View {
    /// The pod of that name as it is now.
    pub(crate) fn of(engine: &Engine, name: &str, moments: &Moments, now: Tick) -> Self {
        let count = Count::new(now);
        let rows: Vec<_> = ids(engine)
            .filter_map(|id| row::of(engine, id, moments, &count))
            .collect();
        Self {
            head: head::of(engine, name, &rows, moments, &count),
            rows,
            next: count.next(),
        }
    }
}

fn ids(engine: &Engine) -> impl Iterator<Item = ContainerId> + use<> {
    let count = u32::try_from(engine.pod().containers.len()).unwrap_or(u32::MAX);
    (0..count).map(ContainerId)
}

/// `migrate, cache and 3 more`
fn few(names: impl ExactSizeIterator<Item = String>) -> String {
    const SHOWN: usize = 2;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
}

// === impl Standing ===

impl Standing {
    /// In one word, or two.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::GaveUp => "gave up",
            Self::Failed => "failed",
            Self::BackOff => "back-off",
            Self::Stopping => "stopping",
            Self::Undoing => "undoing",
            Self::Unready => "unready",
            Self::Starting => "starting",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::ReadyAgain | Self::Ready => "ready",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Idle => "idle",
            Self::Ignored => "ignored",
        }
    }

    /// Whether it is good or bad news.
    pub(crate) const fn tone(self) -> Tone {
        match self {
            Self::GaveUp | Self::Failed => Tone::Bad,
            Self::BackOff
            | Self::Stopping
            | Self::Undoing
            | Self::Unready
            | Self::Starting
            | Self::Waiting => Tone::Waiting,
            Self::Running => Tone::Plain,
            Self::ReadyAgain | Self::Ready | Self::Done => Tone::Good,
            Self::Stopped | Self::Idle | Self::Ignored => Tone::Dim,
        }
    }

    /// Its sign.
    pub(crate) const fn mark(self) -> Mark {
        match self {
            Self::GaveUp | Self::Failed => Mark::Wrong,
            Self::BackOff
            | Self::Stopping
            | Self::Undoing
            | Self::Unready
            | Self::Starting
            | Self::Waiting => Mark::Moving,
            Self::Running | Self::ReadyAgain | Self::Ready => Mark::Up,
            Self::Done => Mark::Done,
            Self::Stopped | Self::Idle | Self::Ignored => Mark::Off,
        }
    }

    /// Whether it has come as far as it should in a pod that runs.
    pub(crate) const fn is_up(self) -> bool {
        matches!(self, Self::ReadyAgain | Self::Ready | Self::Done)
    }
}

// === impl Mark ===

impl Mark {
    /// As it is shown.
    pub(crate) const fn sign(self, ascii: bool) -> &'static str {
        match (self, ascii) {
            (Self::Up, false) => "●",
            (Self::Up, true) => "*",
            (Self::Done, false) => "✓",
            (Self::Done, true) => "+",
            (Self::Moving, false) => "◌",
            (Self::Moving, true) => "o",
            (Self::Wrong, false) => "✗",
            (Self::Wrong, true) => "x",
            (Self::Off, false) => "–",
            (Self::Off, true) => "-",
        }
    }
}
