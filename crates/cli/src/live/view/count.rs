//! Times that run on while somebody looks, and when they have to be written anew.
//!
//! A time is shown as exactly as anybody reads it: tenths of a second at first, then seconds, then
//! minutes. Between two steps there is nothing to draw, and nobody has to wake up.

use pillion_engine::Tick;
use pillion_timeline::quantity::length;
use std::cell::Cell;
use std::time::Duration;

/// Writes times as they are now, and knows when the next of them changes.
#[derive(Debug)]
pub(super) struct Count {
    now: Tick,
    next: Cell<Option<Tick>>,
}

// === impl Count ===

impl Count {
    pub(super) const fn new(now: Tick) -> Self {
        Self {
            now,
            next: Cell::new(None),
        }
    }

    /// When a time that was written has to be written anew.
    pub(super) const fn next(&self) -> Option<Tick> {
        self.next.get()
    }

    /// How long ago that was: `4.2 s`, `42 s`, `12 min`.
    pub(super) fn since(&self, then: Tick) -> String {
        let passed = self.now.since(then);
        let step = step_of(passed);
        let shown = times(step, passed.as_nanos() / step.as_nanos());
        self.change_at(then + shown + step);
        written(shown)
    }

    /// How long it is until then: `27 s`. Rounded up, so that the last second is shown as one.
    pub(super) fn until(&self, then: Tick) -> String {
        let left = then.since(self.now);
        let step = if left > MINUTES_FROM { MINUTE } else { SECOND };
        let steps = left.as_nanos().div_ceil(step.as_nanos());
        let shown = times(step, steps);
        if steps > 0 && then != Tick::NEVER {
            let after = left.saturating_sub(times(step, steps - 1));
            self.change_at(self.now + after.max(Duration::from_nanos(1)));
        }
        length(shown)
    }

    fn change_at(&self, at: Tick) {
        let next = self.next.get().map_or(at, |next| next.min(at));
        self.next.set(Some(next));
    }
}

const TENTH: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
/// From here on nobody counts tenths.
const SECONDS_FROM: Duration = Duration::from_secs(10);
/// From here on nobody counts seconds.
const MINUTES_FROM: Duration = Duration::from_mins(10);

fn step_of(passed: Duration) -> Duration {
    if passed < SECONDS_FROM {
        TENTH
    } else if passed < MINUTES_FROM {
        SECOND
    } else {
        MINUTE
    }
}

fn times(step: Duration, count: u128) -> Duration {
    step.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Tenths are always written, so that a line does not get longer and shorter all the time.
fn written(time: Duration) -> String {
    if time < SECONDS_FROM {
        format!("{}.{} s", time.as_secs(), time.subsec_millis() / 100)
    } else {
        length(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Tick {
        Tick::from_millis(millis)
    }

    #[test]
    fn what_has_passed_is_shown_in_steps_and_changes_with_them() {
        for (now, text, next) in [
            (0, "0.0 s", 100),
            (99, "0.0 s", 100),
            (100, "0.1 s", 200),
            (4_250, "4.2 s", 4_300),
            (9_999, "9.9 s", 10_000),
            (10_000, "10 s", 11_000),
            (65_300, "1 min 5 s", 66_000),
            (600_000, "10 min", 660_000),
            (3_700_000, "1 h 1 min", 3_720_000),
        ] {
            let count = Count::new(at(now));
            assert_eq!(count.since(Tick::ZERO), text);
            assert_eq!(count.next(), Some(at(next)), "{text}");
        }
    }

    #[test]
    fn what_is_left_is_rounded_up() {
        for (now, text, next) in [
            (0, "27 s", Some(1_000)),
            (1, "27 s", Some(1_000)),
            (26_000, "1 s", Some(27_000)),
            (26_999, "1 s", Some(27_000)),
            (27_000, "0 s", None),
            (50_000, "0 s", None),
        ] {
            let count = Count::new(at(now));
            assert_eq!(count.until(at(27_000)), text);
            assert_eq!(count.next(), next.map(at), "{now}");
        }
    }

    #[test]
    fn the_next_change_is_never_now() {
        for now in [0, 1, 99_999_999, 100_000_000, 999_999_999, u64::MAX - 5] {
            let count = Count::new(Tick::from_nanos(now));
            count.since(Tick::ZERO);
            count.until(Tick::from_secs(3));
            count.until(Tick::NEVER);
            assert!(count.next().unwrap() > Tick::from_nanos(now), "{now}");
        }
    }

    #[test]
    fn of_several_times_the_first_to_change_counts() {
        let count = Count::new(at(20_450));
        count.since(at(0));
        count.until(at(30_500));
        assert_eq!(count.next(), Some(at(20_500)));
    }
}
