//! Moments that are known only within bounds.

use pillion_engine::Tick;
use std::time::Duration;

/// A moment that lies between two others, both included.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Span {
    /// Not before this.
    pub(crate) earliest: Tick,
    /// Not after this; [`Tick::NEVER`] if nothing is promised.
    pub(crate) latest: Tick,
}

// === impl Span ===

impl Span {
    /// Exactly then.
    pub(crate) const fn at(moment: Tick) -> Self {
        Self {
            earliest: moment,
            latest: moment,
        }
    }

    /// From `earliest` on, by `latest` at the last.
    pub(crate) const fn between(earliest: Tick, latest: Tick) -> Self {
        Self { earliest, latest }
    }

    /// The same, so much later.
    pub(crate) fn plus(self, duration: Duration) -> Self {
        Self {
            earliest: self.earliest + duration,
            latest: self.latest + duration,
        }
    }

    /// The earlier of each bound.
    pub(crate) fn min(self, other: Self) -> Self {
        Self {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.min(other.latest),
        }
    }

    /// Whatever either allows.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.max(other.latest),
        }
    }
}
