//! Counts restarts, and tells when the next one is due and when there have been too many.

use super::moment::Span;
use crate::tri::Tri;
use pillion_engine::Tick;
use pillion_engine::pod::{Backoff, RestartLimit};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// The restarts of one container, or of the pod, that count for its back-off.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Delays {
    count: u32,
    /// Each restart that a limit may count: from the exit that asked for it to the start that followed.
    counted: Vec<Span>,
    /// Something happened of which the promises do not say whether it counts.
    pub(crate) doubted: bool,
}

/// What comes of a restart that somebody wants.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Next {
    /// When it is due.
    pub(crate) due: Span,
    /// Whether it is one too many.
    pub(crate) too_many: Tri,
}

// === impl Delays ===

impl Delays {
    /// A run of this length ended now, and another one is wanted.
    pub(crate) fn next(
        &mut self,
        now: Tick,
        ran: Option<Duration>,
        backoff: &Backoff,
        limit: Option<RestartLimit>,
    ) -> Next {
        let too_many = self.too_many(now, limit);
        match ran.map(|ran| ran.cmp(&backoff.reset)) {
            Some(Ordering::Greater) => self.count = 0,
            // The words "after" and "longer than" disagree about the very instant.
            Some(Ordering::Equal) => self.doubted = true,
            Some(Ordering::Less) | None => {}
        }
        let due = self.due(now, backoff);
        self.count = self.count.saturating_add(1).min(MANY);
        if limit.is_some() {
            self.counted.push(Span::between(now, due.latest));
        }
        Next { due, too_many }
    }

    /// All are restarted: what a limit has counted is forgotten, and what counts for the delay stays, but for a restart that has not
    /// begun yet. Whether it has is not known here.
    pub(crate) fn outlast_restart(&mut self) {
        self.counted.clear();
        self.doubted |= self.count > 0;
    }

    /// Forgets everything that was counted.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Mixes what still counts into a hash.
    pub(crate) fn fingerprint(&self, now: Tick, hasher: &mut impl Hasher) {
        (self.count, self.doubted).hash(hasher);
        for restart in &self.counted {
            now.since(restart.earliest).hash(hasher);
        }
    }

    fn due(&self, now: Tick, backoff: &Backoff) -> Span {
        if self.doubted {
            return Span::between(now, now + backoff.max);
        }
        Span::at(now + delay(self.count, backoff))
    }

    fn too_many(&self, now: Tick, limit: Option<RestartLimit>) -> Tri {
        let Some(RestartLimit { max, window }) = limit else {
            return Tri::No;
        };
        if self.doubted {
            return Tri::Maybe;
        }
        // The promises do not say whether a restart is dated by the exit or by the start.
        let inside = |from: Tick| window.is_none_or(|window| now.since(from) <= window);
        let surely_inside = |from: Tick| window.is_none_or(|window| now.since(from) < window);
        let surely = self.counted.iter().filter(|it| surely_inside(it.earliest));
        let possibly = self.counted.iter().filter(|it| inside(it.latest));
        let enough = usize::try_from(max).unwrap_or(usize::MAX);
        match (surely.count() >= enough, possibly.count() >= enough) {
            (true, _) => Tri::Yes,
            (false, true) => Tri::Maybe,
            (false, false) => Tri::No,
        }
    }
}

/// At once, then `initial`, growing by `factor` up to `max`.
fn delay(count: u32, backoff: &Backoff) -> Duration {
    if count == 0 {
        return Duration::ZERO;
    }
    let grown = (1..count).fold(backoff.initial, |wait, _| {
        let next = wait.saturating_mul(backoff.factor) / 1000;
        next.max(wait).min(backoff.max)
    });
    grown.min(backoff.max)
}

/// From here on every back-off has reached its maximum.
const MANY: u32 = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn due(delays: &mut Delays, at: u64, ran: u64) -> Span {
        let ran = Some(Duration::from_secs(ran));
        let next = delays.next(Tick::from_secs(at), ran, &Backoff::default(), None);
        next.due
    }

    #[test]
    fn delays_double_from_at_once_to_the_maximum() {
        let mut delays = Delays::default();
        let seconds: Vec<_> = (0..8).map(|_| due(&mut delays, 0, 1)).collect();
        let expected = [0, 10, 20, 40, 80, 160, 300, 300].map(|s| Span::at(Tick::from_secs(s)));
        assert_eq!(seconds, expected);
    }

    #[test]
    fn a_long_run_is_forgiven() {
        let mut delays = Delays::default();
        due(&mut delays, 0, 1);
        due(&mut delays, 1, 1);
        assert_eq!(due(&mut delays, 1000, 601), Span::at(Tick::from_secs(1000)));
        assert_eq!(due(&mut delays, 1001, 1), Span::at(Tick::from_secs(1011)));
    }

    #[test]
    fn one_more_than_the_limit_is_too_many() {
        let limit = Some(RestartLimit {
            max: 1,
            window: Some(Duration::from_mins(1)),
        });
        let mut delays = Delays::default();
        let mut next = |at| {
            let backoff = Backoff::default();
            let next = delays.next(Tick::from_secs(at), None, &backoff, limit);
            next.too_many
        };
        assert_eq!(next(0), Tri::No);
        assert_eq!(next(61), Tri::No);
        assert_eq!(next(100), Tri::Yes);
    }
}
