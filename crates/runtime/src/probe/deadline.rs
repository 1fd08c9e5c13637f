//! The time by which an attempt is over.

use super::line::Line;
use crate::clock;
use pillion_engine::Tick;
use std::io;
use std::time::Duration;

/// One for all the steps of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline<'l> {
    pub(super) until: Until,
    /// Before that time it is over when somebody hangs up.
    pub(super) line: &'l Line,
}

/// A time that comes whatever happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until(Tick);

// === impl Deadline ===

impl<'l> Deadline<'l> {
    /// So long from now.
    pub(super) fn after(timeout: Duration, line: &'l Line) -> Self {
        let until = Until(clock::now() + timeout);
        Self { until, line }
    }

    /// What is left, never nothing.
    pub(super) fn left(self) -> io::Result<Duration> {
        self.until.left()
    }

    /// The deadline of a part of what is left, when as many more tries are to come.
    pub(super) fn share(self, tries: usize) -> io::Result<Duration> {
        let tries = u32::try_from(tries).unwrap_or(u32::MAX).max(1);
        Ok((self.left()? / tries).max(Duration::from_micros(1)))
    }
}

// === impl Until ===

impl Until {
    /// What is left, never nothing: a socket takes a timeout of zero for none at all.
    pub(super) fn left(self) -> io::Result<Duration> {
        let left = self.0.since(clock::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(left)
    }
}
