//! Time as the engine sees it: a number that only grows, handed in by the caller.
//!
//! It grows over the whole life of a pod, restarts of its driver and of its machine included: a restored engine goes on
//! from the moments in its facts. A driver whose own clock began anew adds an offset to it.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A moment, in nanoseconds since some beginning that the driver chose (boot time, or zero in a simulation).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tick(u64);

// === impl Tick ===

impl Tick {
    /// The beginning.
    pub const ZERO: Self = Self(0);
    /// A moment that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// The moment this many nanoseconds after the beginning.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The moment this many milliseconds after the beginning.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// The moment this many seconds after the beginning.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// Nanoseconds since the beginning.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time since the beginning.
    pub const fn elapsed(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// Time from `earlier` to this moment; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Tick {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanos))
    }
}

impl Sub for Tick {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}s", self.elapsed().as_secs_f64())
    }
}
