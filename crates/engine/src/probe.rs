//! Probes as thresholds over results: attempts in, a verdict out.
//!
//! The engine owns all timing. Regular attempts come every period. While somebody waits for the
//! container there are extra ones in between, quick at first; of those only a success counts, so
//! that they can make a container ready earlier but never fail it. The pause between them grows by
//! an eighth each time: all pauses together are then about eight times the last one, so that the first success is seen
//! within an eighth of the time it took anyway, however long that was. A higher success threshold takes further attempts.

use crate::pod::Probe;
use crate::tick::Tick;
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// What is known of one probe of one run of a container.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) struct Probing {
    /// When the next regular attempt is due; `None` while the probe rests.
    pub(crate) next: Option<Tick>,
    /// The attempt that is under way.
    pub(crate) in_flight: Option<AttemptKind>,
    /// The pause before the next extra attempt.
    extra_pause: Duration,
    successes: u32,
    failures: u32,
}

/// Whether an attempt came at its period.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum AttemptKind {
    /// It did.
    Regular,
    /// It came earlier, because somebody waits.
    Extra,
}

/// A threshold was reached.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
}

/// The first pause between extra attempts: shorter than a process takes to get ready, long enough not to keep it from it.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

// === impl Probing ===

impl Probing {
    /// Begins to probe: the first attempt is due at that time.
    pub(crate) fn begin(&mut self, first: Tick) {
        *self = Self {
            next: Some(first),
            extra_pause: FIRST_PAUSE,
            ..Self::default()
        };
    }

    /// Probes no more.
    pub(crate) fn rest(&mut self) {
        *self = Self::default();
    }

    /// Whether the probe is being made.
    pub(crate) fn is_active(&self) -> bool {
        self.next.is_some()
    }

    /// Notes that an attempt is made now: a regular one if it is due, else an extra one.
    pub(crate) fn attempt(&mut self, probe: &Probe, now: Tick) {
        let Some(due) = self.next else { return };
        if now < due {
            self.in_flight = Some(AttemptKind::Extra);
            return;
        }
        self.in_flight = Some(AttemptKind::Regular);
        // Periods that passed while an attempt took long are not made up for.
        let period = probe.period.max(FIRST_PAUSE);
        let mut next = due + period;
        if next <= now {
            next = now + period;
        }
        self.next = Some(next);
    }

    /// Takes in the answer of the attempt that is under way.
    pub(crate) fn answer(&mut self, probe: &Probe, ok: bool) -> Option<Verdict> {
        let kind = self.in_flight.take()?;
        if ok {
            self.failures = 0;
            self.successes = self.successes.saturating_add(1);
            return (self.successes >= probe.success_threshold.max(1)).then_some(Verdict::Passed);
        }
        if kind == AttemptKind::Extra {
            return None;
        }
        self.successes = 0;
        self.failures = self.failures.saturating_add(1);
        (self.failures >= probe.failure_threshold.max(1)).then_some(Verdict::Failed)
    }

    /// When the next attempt is due, given whether somebody waits.
    pub(crate) fn due(&mut self, probe: &Probe, now: Tick, awaited: bool) -> Option<Tick> {
        let next = self.next?;
        if !awaited {
            self.extra_pause = FIRST_PAUSE;
            return Some(next);
        }
        let pause = self.extra_pause.min(probe.period.max(FIRST_PAUSE));
        self.extra_pause = (pause.saturating_mul(9) / 8).min(Duration::from_mins(1));
        Some(next.min(now + pause))
    }

    /// Hashes what can matter later, with times relative to now.
    pub(crate) fn hash_relative(&self, now: Tick, hasher: &mut impl Hasher) {
        (
            self.next.map(|at| at.since(now)),
            self.in_flight,
            self.extra_pause,
        )
            .hash(hasher);
        (self.successes, self.failures).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBE: Probe = Probe {
        initial_delay: Duration::ZERO,
        period: Duration::from_secs(10),
        timeout: Duration::from_secs(1),
        success_threshold: 2,
        failure_threshold: 2,
        grace: None,
    };

    fn probing(now: Tick) -> Probing {
        let mut probing = Probing::default();
        probing.begin(now);
        probing
    }

    fn answers(probing: &mut Probing, at: u64, ok: bool) -> Option<Verdict> {
        probing.attempt(&PROBE, Tick::from_secs(at));
        probing.answer(&PROBE, ok)
    }

    #[test]
    fn a_threshold_counts_answers_in_a_row() {
        let mut probing = probing(Tick::ZERO);

        assert_eq!(answers(&mut probing, 0, false), None);
        assert_eq!(answers(&mut probing, 10, true), None);
        assert_eq!(answers(&mut probing, 20, false), None);
        assert_eq!(answers(&mut probing, 30, false), Some(Verdict::Failed));
    }

    #[test]
    fn extra_attempts_only_count_as_successes() {
        let mut probing = probing(Tick::from_secs(5));

        assert_eq!(answers(&mut probing, 1, false), None);
        assert_eq!(answers(&mut probing, 2, false), None);
        assert_eq!(answers(&mut probing, 3, true), None);
        assert_eq!(answers(&mut probing, 4, true), Some(Verdict::Passed));
    }

    #[test]
    fn extra_attempts_slow_down_to_the_period() {
        let mut probing = probing(Tick::from_secs(1000));
        let mut now = Tick::ZERO;
        let mut pauses = Vec::new();
        for _ in 0..64 {
            let due = probing.due(&PROBE, now, true).unwrap();
            pauses.push(due.since(now));
            now = due;
        }

        assert_eq!(pauses[0], FIRST_PAUSE);
        assert_eq!(pauses[1], FIRST_PAUSE * 9 / 8);
        assert_eq!(pauses.last(), Some(&PROBE.period));
    }

    #[test]
    fn readiness_is_seen_within_an_eighth_of_the_time_it_took() {
        let mut probing = probing(Tick::from_secs(1000));
        let mut now = Tick::ZERO;
        while now < Tick::from_secs(60) {
            let due = probing.due(&PROBE, now, true).unwrap();
            assert!(due.since(now) <= now.elapsed() / 8 + FIRST_PAUSE);
            now = due;
        }
    }

    #[test]
    fn an_answer_without_an_attempt_is_nothing() {
        assert_eq!(probing(Tick::ZERO).answer(&PROBE, true), None);
    }
}
