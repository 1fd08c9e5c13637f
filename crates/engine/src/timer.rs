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
    /// The time that one container has for the hooks of its stop is used up.
    Stop(ContainerId),
    /// A container that goes down with another must go now, though it is not its turn.
    Leave(ContainerId),
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
///
/// Most timers are disarmed far more often than they are armed: whatever ends for a container ends
/// all its timers. So each container has its own small table, and only what is armed is searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    due: BTreeSet<(Tick, Timer)>,
    /// A moment that never comes stands for a timer that is not armed.
    of_containers: Vec<[Tick; SLOTS]>,
    others: BTreeMap<Timer, Tick>,
}

/// Kinds of timers that a container can have.
const SLOTS: usize = 9;

// === impl Timer ===

impl Timer {
    /// The container and the slot in its table, for timers that belong to a container.
    const fn slot(self) -> Option<(ContainerId, usize)> {
        match self {
            Self::Stop(id) => Some((id, 0)),
            Self::Start(id) => Some((id, 1)),
            Self::Replace(id) => Some((id, 2)),
            Self::BackOff(id) => Some((id, 3)),
            Self::Pull(id) => Some((id, 4)),
            Self::Leave(id) => Some((id, 5)),
            Self::Probe(id, probe) => Some((id, 6 + probe as usize)),
            Self::ActiveDeadline | Self::Budget | Self::Requirement(_) | Self::PodBackOff => None,
        }
    }
}

// === impl Timers ===

impl Timers {
    /// Sets a timer, or moves it if it is set.
    pub(crate) fn arm(&mut self, timer: Timer, at: Tick) {
        self.disarm(timer);
        match timer.slot() {
            Some((id, slot)) => {
                if self.of_containers.len() <= id.index() {
                    let unarmed = [Tick::NEVER; SLOTS];
                    self.of_containers.resize(id.index() + 1, unarmed);
                }
                self.of_containers[id.index()][slot] = at;
            }
            None => {
                self.others.insert(timer, at);
            }
        }
        if at != Tick::NEVER {
            self.due.insert((at, timer));
        }
    }

    /// Forgets a timer.
    pub(crate) fn disarm(&mut self, timer: Timer) {
        let armed = match timer.slot() {
            Some((id, slot)) => {
                let table = self.of_containers.get_mut(id.index());
                table.map(|table| std::mem::replace(&mut table[slot], Tick::NEVER))
            }
            None => self.others.remove(&timer),
        };
        if let Some(at) = armed.filter(|at| *at != Tick::NEVER) {
            self.due.remove(&(at, timer));
        }
    }

    /// When a timer is due, if it is set.
    pub(crate) fn at(&self, timer: Timer) -> Option<Tick> {
        let at = match timer.slot() {
            Some((id, slot)) => self.of_containers.get(id.index())?[slot],
            None => *self.others.get(&timer)?,
        };
        Some(at).filter(|at| *at != Tick::NEVER)
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
        *self = Self::default();
    }

    /// Every armed timer, the earliest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Timer, Tick)> {
        self.due.iter().map(|(at, timer)| (*timer, *at))
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
