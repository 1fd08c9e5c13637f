//! What the runtime itself must do at a certain time, because the engine only says until when.

use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Attempt, ContainerId, Tick};
use std::collections::BTreeSet;

/// Something to do when its time comes, for one run of a container.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Alarm {
    pub(super) at: Tick,
    pub(super) container: ContainerId,
    pub(super) attempt: Attempt,
    pub(super) what: Due,
}

/// What is due.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Due {
    /// It was told to stop and had its time.
    Kill,
    /// A pause that is a hook is over.
    Slept(HookKind),
    /// Nobody waits for this command any longer.
    EndExec(u64),
    /// A container may ask again.
    OpenDoor,
    /// A probe by a command has taken too long.
    ProbeTimeout(ProbeKind, u64),
}

/// All of them, the earliest first.
#[derive(Debug, Default)]
pub(super) struct Alarms(BTreeSet<Alarm>);

// === impl Alarms ===

impl Alarms {
    pub(super) fn set(&mut self, alarm: Alarm) {
        self.0.insert(alarm);
    }

    /// Forgets all of one run.
    pub(super) fn forget(&mut self, container: ContainerId, attempt: Attempt) {
        self.0
            .retain(|alarm| (alarm.container, alarm.attempt) != (container, attempt));
    }

    /// Forgets what would be due for a command.
    pub(super) fn forget_exec(&mut self, container: ContainerId, id: u64) {
        let of_command = |what| match what {
            Due::EndExec(of) | Due::ProbeTimeout(_, of) => of == id,
            Due::Kill | Due::Slept(_) | Due::OpenDoor => false,
        };
        self.0
            .retain(|alarm| alarm.container != container || !of_command(alarm.what));
    }

    pub(super) fn next(&self) -> Option<Tick> {
        self.0.first().map(|alarm| alarm.at)
    }

    /// Takes out one whose time has come.
    pub(super) fn expire(&mut self, now: Tick) -> Option<Alarm> {
        let first = self.0.first().filter(|alarm| alarm.at <= now)?;
        let first = *first;
        self.0.remove(&first);
        Some(first)
    }
}
