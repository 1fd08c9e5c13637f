//! Deadlines: what they are for, and the one table that holds them all.

use crate::pod::{ContainerId, ProbeKind};
use crate::tick::Tick;
use std::collections::{BTreeMap, BTreeSet};

/// What a deadline is for. Deadlines of the same moment are due in this order.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Timer {
    /// The pod was active long enough.
    ActiveDeadline,
    /// The budget of the pod's ordered stop is used up.
    Budget,
    /// The time that one container has for its stop is used up.
    Stop(ContainerId),
    /// A container should have become ready by now.
    Start(ContainerId),
    /// A requirement has been waited for long enough; by the number of its edge.
    Requirement(u32),
    /// A replaced container should have become ready by now.
    Replace(ContainerId),
    /// The pod may run again.
    PodBackOff,
    /// A container may be tried again.
    BackOff(ContainerId),
    /// Its image may be tried again.
    Pull(ContainerId),
    /// A probe is due.
    Probe(ContainerId, ProbeKind),
}

/// The deadlines that are armed, each timer at most once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    due: BTreeSet<(Tick, Timer)>,
    armed: BTreeMap<Timer, Tick>,
}

// === impl Timers ===

impl Timers {
    /// Sets a timer, or moves it if it is set.
    pub(crate) fn arm(&mut self, timer: Timer, at: Tick) {
        if let Some(old) = self.armed.insert(timer, at) {
            self.due.remove(&(old, timer));
        }
        self.due.insert((at, timer));
    }

    /// Forgets a timer.
    pub(crate) fn disarm(&mut self, timer: Timer) {
        if let Some(at) = self.armed.remove(&timer) {
            self.due.remove(&(at, timer));
        }
    }

    /// When a timer is due, if it is set.
    pub(crate) fn get(&self, timer: Timer) -> Option<Tick> {
        self.armed.get(&timer).copied()
    }

    /// The earliest deadline.
    pub(crate) fn next(&self) -> Option<Tick> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Disarms and returns the first timer that has passed, if any.
    pub(crate) fn expire(&mut self, now: Tick) -> Option<Timer> {
        let &(at, timer) = self.due.first()?;
        if at > now {
            return None;
        }
        self.disarm(timer);
        Some(timer)
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.due.clear();
        self.armed.clear();
    }

    /// Every armed timer, in the order of their kinds.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Timer, Tick)> {
        self.armed.iter().map(|(timer, at)| (*timer, *at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Timer = Timer::BackOff(ContainerId(0));
    const SECOND: Timer = Timer::BackOff(ContainerId(1));

    #[test]
    fn a_timer_that_is_moved_is_due_once() {
        let mut timers = Timers::default();
        timers.arm(FIRST, Tick::from_secs(1));
        timers.arm(FIRST, Tick::from_secs(3));

        assert_eq!(timers.expire(Tick::from_secs(2)), None);
        assert_eq!(timers.expire(Tick::from_secs(3)), Some(FIRST));
        assert_eq!(timers.expire(Tick::from_secs(9)), None);
    }

    #[test]
    fn timers_expire_in_the_order_of_their_times() {
        let mut timers = Timers::default();
        timers.arm(FIRST, Tick::from_secs(2));
        timers.arm(SECOND, Tick::from_secs(1));

        assert_eq!(timers.next(), Some(Tick::from_secs(1)));
        assert_eq!(timers.expire(Tick::from_secs(5)), Some(SECOND));
        assert_eq!(timers.expire(Tick::from_secs(5)), Some(FIRST));
    }
}
