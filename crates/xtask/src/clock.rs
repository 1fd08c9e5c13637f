//! The one place where a chore looks at the clock.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// A clock that runs from the moment it is made.
pub(crate) struct Stopwatch(Instant);

/// A clock that runs while this thread computes: what others do on the machine does not count.
pub(crate) struct Effort(Duration);

// === impl Stopwatch ===

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "a chore says how long its steps take"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

// === impl Effort ===

impl Effort {
    pub(crate) fn start() -> Self {
        Self(spent())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        spent().saturating_sub(self.0)
    }
}

/// The time that this thread has spent on a processor.
fn spent() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a thread does not compute for less than no time")
}
