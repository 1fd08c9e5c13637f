//! Counts the answers of one probe during one run of a container.
//!
//! While somebody waits, a probe may be tried more often than its period says, and of such extra
//! attempts only successes count. A trace does not tell which attempts were extra, so a failure
//! that came early leaves the verdict open.

use crate::tri::Tri;
use pillion_engine::Tick;
use pillion_engine::pod::Probe;
use std::hash::{Hash, Hasher};

/// The answers so far.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tally {
    /// When the attempt that has not answered was asked for.
    pub(crate) asked: Option<Tick>,
    /// When the last attempt that surely counts was asked for.
    counted: Option<Tick>,
    extra: bool,
    successes: u32,
    failures: u32,
    failures_counted: u32,
    /// Whether the last verdict was a success; before the first verdict it is not.
    pub(crate) passed: Tri,
    /// Whether the last verdict was a failure; before the first verdict it is not.
    pub(crate) failed: Tri,
}

// === impl Tally ===

impl Tally {
    /// An attempt is asked for.
    pub(crate) fn ask(&mut self, now: Tick, probe: &Probe) {
        self.extra = self.counted.is_some_and(|last| now < last + probe.period);
        if !self.extra {
            self.counted = Some(now);
        }
        self.asked = Some(now);
    }

    /// The attempt that was asked for has answered. False if none was.
    pub(crate) fn answer(&mut self, ok: bool, probe: &Probe) -> bool {
        if self.asked.take().is_none() {
            return false;
        }
        if ok {
            self.success(probe);
        } else {
            self.failure(probe);
        }
        true
    }

    /// The driver went away: the attempt will not answer, and what was counted may be forgotten.
    pub(crate) fn forget(&mut self) {
        *self = Self {
            passed: self.passed.doubted(),
            failed: self.failed.doubted(),
            ..Self::default()
        };
    }

    /// Mixes what still counts into a hash.
    pub(crate) fn fingerprint(&self, now: Tick, probe: &Probe, hasher: &mut impl Hasher) {
        let Self {
            asked,
            counted,
            extra,
            successes,
            failures,
            failures_counted,
            passed,
            failed,
        } = self;
        let due = counted.is_none_or(|last| now >= last + probe.period);
        (asked.is_some(), due, extra, passed, failed).hash(hasher);
        (successes, failures, failures_counted).hash(hasher);
    }

    fn success(&mut self, probe: &Probe) {
        self.failures = 0;
        self.failures_counted = 0;
        self.successes = self
            .successes
            .saturating_add(1)
            .min(probe.success_threshold);
        if self.successes >= probe.success_threshold {
            self.passed = Tri::Yes;
            self.failed = Tri::No;
        }
    }

    fn failure(&mut self, probe: &Probe) {
        let enough = probe.failure_threshold;
        self.failures = self.failures.saturating_add(1).min(enough);
        if !self.extra {
            self.successes = 0;
            self.failures_counted = self.failures_counted.saturating_add(1).min(enough);
        }
        if self.failures_counted >= enough {
            self.passed = Tri::No;
            self.failed = Tri::Yes;
        } else if self.failures >= enough {
            self.passed = self.passed.doubted();
            self.failed = self.failed.max(Tri::Maybe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn probe(failure_threshold: u32) -> Probe {
        Probe {
            period: Duration::from_secs(10),
            failure_threshold,
            ..Probe::default()
        }
    }

    fn answers(probe: &Probe, answers: &[(u64, bool)]) -> Tally {
        let mut tally = Tally::default();
        for &(at, ok) in answers {
            tally.ask(Tick::from_secs(at), probe);
            assert!(tally.answer(ok, probe));
        }
        tally
    }

    #[test]
    fn a_verdict_needs_the_threshold_in_a_row() {
        let tally = answers(
            &probe(2),
            &[(0, true), (10, false), (20, true), (30, false)],
        );
        assert_eq!(tally.passed, Tri::Yes);
        let tally = answers(&probe(2), &[(0, true), (10, false), (20, false)]);
        assert_eq!((tally.passed, tally.failed), (Tri::No, Tri::Yes));
    }

    #[test]
    fn failures_before_the_period_is_over_leave_it_open() {
        let tally = answers(&probe(2), &[(0, true), (10, false), (11, false)]);
        assert_eq!((tally.passed, tally.failed), (Tri::Maybe, Tri::Maybe));
    }

    #[test]
    fn an_answer_that_nobody_asked_for_counts_nothing() {
        assert!(!Tally::default().answer(true, &probe(1)));
    }
}
