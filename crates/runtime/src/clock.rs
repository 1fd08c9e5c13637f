//! The one place where the time is read.

use pillion_engine::Tick;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Time since the machine was started, sleep included: it neither jumps nor stands still.
pub fn now() -> Tick {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(time.tv_nsec).unwrap_or_default();
    Tick::from_nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}

/// The calendar's time, for records: it may jump.
pub fn since_1970() -> Duration {
    let time = clock_gettime(ClockId::Realtime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}
