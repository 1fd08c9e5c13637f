//! The driver dies and comes back.

use super::{Driver, Input, Player};
use crate::machine::{Machine, Unplayable};
use crate::trace::Item;
use pillion_engine::Event;

impl<M: Machine> Player<'_, M> {
    /// The driver is gone, and the machine with it.
    pub(super) fn die(&mut self) -> Result<(), Unplayable> {
        let away = self
            .crash
            .take()
            .map(|crash| crash.away)
            .unwrap_or_default();
        self.go_away();
        if away.is_zero() {
            return self.come_back();
        }
        self.back_at = Some(self.world.now() + away);
        Ok(())
    }

    pub(super) fn go_away(&mut self) {
        self.machine = None;
        self.world.lose_driver();
        self.trace.push(self.world.now(), Item::Crash);
    }

    /// The driver starts: for the first time, or with what was kept.
    pub(super) fn come_back(&mut self) -> Result<(), Unplayable> {
        let now = self.world.now();
        self.back_at = None;
        let facts = self.journal.facts.clone();
        if facts.is_empty() {
            self.machine = Some(M::create(self.scenario.pod.clone(), now)?);
        } else {
            let machine = M::restore(self.scenario.pod.clone(), facts)?;
            self.recover(machine);
        }
        match self.drain() {
            Driver::Dies => return self.die(),
            Driver::Lives => self.rebooted = false,
        }
        // Levels are told again, because what was on its way is lost.
        self.world.hear(Event::SandboxReady);
        self.world.tell_again();
        for wanted in std::mem::take(&mut self.unanswered) {
            self.tell(Input::Wanted(Box::new(wanted)))?;
        }
        Ok(())
    }

    /// Tells the machine what is left of its containers.
    fn recover(&mut self, mut machine: M) {
        let now = self.world.now();
        for id in machine.expected() {
            let found = self.world.found(id, self.journal.attempt(id));
            self.trace.push(now, Item::Found(id, found.clone()));
            machine.handle_found(now, id, found);
        }
        if self.rebooted {
            self.trace.push(now, Item::Event(Event::SandboxLost));
            machine.handle_event(now, Event::SandboxLost);
        }
        self.trace.push(now, Item::Resume);
        machine.handle_resume(now);
        self.machine = Some(machine);
    }
}
