//! The one place where a chore looks at the clock.

use std::time::{Duration, Instant};

/// A clock that runs from the moment it is made.
pub(crate) struct Stopwatch(Instant);

// === impl Stopwatch ===

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a chore measures real time")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
