//! What will happen, and when: the clock of the simulated world.
//!
//! Time only moves when the next thing is taken. Things of the same moment come in the order in
//! which they were put in, so that a play is the same every time.

use pillion_engine::Tick;
use std::collections::BTreeMap;

/// Things to come, by time and then by the order in which they were put in.
#[derive(Clone, Debug)]
pub(crate) struct Agenda<T> {
    now: Tick,
    next: u64,
    entries: BTreeMap<(Tick, u64), T>,
}

// === impl Agenda ===

impl<T> Agenda<T> {
    pub(crate) fn new() -> Self {
        Self {
            now: Tick::ZERO,
            next: 0,
            entries: BTreeMap::new(),
        }
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Tick {
        self.now
    }

    /// Lets time pass up to `at`, without taking anything.
    pub(crate) fn advance(&mut self, at: Tick) {
        self.now = self.now.max(at);
    }

    /// Puts something in for `at`, or for now if that has passed. What never comes is left out.
    pub(crate) fn put(&mut self, at: Tick, entry: T) {
        if at != Tick::NEVER {
            self.entries.insert((at.max(self.now), self.next), entry);
            self.next += 1;
        }
    }

    /// When the next thing happens.
    pub(crate) fn next_at(&self) -> Option<Tick> {
        self.entries.first_key_value().map(|((at, _), _)| *at)
    }

    /// Takes the next thing and moves the clock to its time.
    pub(crate) fn take(&mut self) -> Option<T> {
        let ((at, _), entry) = self.entries.pop_first()?;
        self.advance(at);
        Some(entry)
    }

    /// Forgets what does not pass.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.entries.retain(|_, entry| keep(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_come_by_time_and_then_in_the_order_they_were_put_in() {
        let mut agenda = Agenda::new();
        agenda.put(Tick::from_secs(2), 'c');
        agenda.put(Tick::from_secs(1), 'a');
        agenda.put(Tick::from_secs(1), 'b');
        let order: Vec<_> = std::iter::from_fn(|| agenda.take()).collect();
        assert_eq!(order, ['a', 'b', 'c']);
        assert_eq!(agenda.now(), Tick::from_secs(2));
    }

    #[test]
    fn what_is_late_happens_now_and_what_is_never_does_not() {
        let mut agenda = Agenda::new();
        agenda.advance(Tick::from_secs(5));
        agenda.put(Tick::NEVER, 'n');
        agenda.put(Tick::from_secs(1), 'l');
        assert_eq!(agenda.next_at(), Some(Tick::from_secs(5)));
        assert_eq!(agenda.take(), Some('l'));
        assert_eq!(agenda.take(), None);
    }
}
