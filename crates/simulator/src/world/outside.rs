//! What is done to the world behind the engine's back: signals, lost drivers, reboots.

use super::process::{Process, SIGINT, SIGTERM};
use super::{Happening, World};
use crate::actor::{Answers, End, PerRun};
use pillion_engine::ContainerId;
use pillion_engine::pod::ProbeKind;

impl World {
    /// Why nothing can be done to the process of a container, if it has none.
    pub(crate) fn why_not_running(&self, id: ContainerId) -> Option<&'static str> {
        let cell = &self.cells[id.index()];
        match (&cell.process, &cell.last) {
            (Some(_), _) => None,
            (None, Some(_)) => Some("was not running any more"),
            (None, None) => Some("had not started yet"),
        }
    }

    /// A signal from outside.
    pub(crate) fn kill(&mut self, id: ContainerId, signal: i32) {
        let Some(process) = &self.cells[id.index()].process else {
            return;
        };
        let number = process.number;
        if signal == SIGTERM || signal == SIGINT {
            self.signal(id, number);
        } else {
            self.gone(id, End::Signal(signal));
        }
    }

    /// The process ends by itself now, with this code.
    pub(crate) fn exit(&mut self, id: ContainerId, code: i32) {
        self.gone(id, End::Exit(code));
    }

    /// From now on that probe finds something else.
    pub(crate) fn set_probe(&mut self, id: ContainerId, probe: ProbeKind, answers: Answers) {
        for actor in &mut self.cells[id.index()].actors {
            *actor.script.probe_mut(probe) = PerRun::same(answers);
        }
    }

    /// The driver is gone: what it would have heard, pulled, waited for or killed is lost.
    pub(crate) fn lose_driver(&mut self) {
        self.agenda.retain(|happening| match happening {
            Happening::Hear(_)
            | Happening::Pulled(..)
            | Happening::Begin { .. }
            | Happening::Kill(..)
            | Happening::HookDeadline(..)
            | Happening::ProbeEnd(..) => false,
            Happening::Act(_)
            | Happening::Up(..)
            | Happening::End(..)
            | Happening::Notify(..)
            | Happening::Ask(..)
            | Happening::HookUp(..)
            | Happening::HookEnd(..) => true,
        });
        for cell in &mut self.cells {
            cell.pull = None;
            cell.pending = None;
            if let Some(process) = &mut cell.process {
                process.lose_driver();
            }
        }
    }

    /// The records of a container that has ended are gone.
    pub(crate) fn remove(&mut self, id: ContainerId) {
        if let Some((_, exit)) = &mut self.cells[id.index()].last {
            *exit = None;
        }
    }

    /// Every process is gone, and nobody knows how it ended.
    pub(crate) fn reboot(&mut self) {
        for index in 0..self.cells.len() {
            let id = ContainerId(u32::try_from(index).expect("containers are numbered in 32 bits"));
            self.gone(id, End::Signal(9));
            self.remove(id);
        }
        self.agenda
            .retain(|happening| matches!(happening, Happening::Act(_)));
    }

    /// What told that it is ready tells a driver that has come back so again.
    pub(crate) fn tell_again(&mut self) {
        let told = self.processes().filter(|(_, process)| process.told_ready);
        let events: Vec<_> = told.map(|(id, process)| process.notified(id)).collect();
        for event in events {
            self.hear(event);
        }
    }

    fn processes(&self) -> impl Iterator<Item = (ContainerId, &Process)> {
        let ids = (0..).map(ContainerId);
        ids.zip(&self.cells)
            .filter_map(|(id, cell)| Some((id, cell.process.as_ref()?)))
    }
}
