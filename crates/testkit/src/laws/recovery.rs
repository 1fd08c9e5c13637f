//! The driver can die at any instant; afterwards nothing is run a second time, nothing alive is
//! forgotten, and what was told to stop is told again.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::fate::Fates;
use crate::world::{LastInput, World};
use pillion_engine::pod::Pod;
use pillion_engine::{Action, Command, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of recovery.
#[derive(Debug)]
pub(crate) struct Recovery;

/// Whether the deaths of the driver changed nothing.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Recovery, pod, trace)
}

// === impl Recovery ===

impl Law for Recovery {
    fn promise(&self) -> Promise {
        Promise::Recovery
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        let &Action::Start {
            container, command, ..
        } = action
        else {
            return Ok(());
        };
        if !world.crashed || !world.knows(container) {
            return Ok(());
        }
        let life = world.life(container);
        if life.live() {
            return Err(Complaint::of(
                container,
                "was started a second time while it runs",
            ));
        }
        let done = life.fates.is(Fates::WANTED) == Tri::No;
        if command == Command::Run && done {
            return Err(Complaint::of(
                container,
                "was run a second time after its driver died",
            ));
        }
        Ok(())
    }

    fn resumed(&self, world: &World) -> Verdict {
        match world.ids().find(|&id| world.life(id).lost) {
            Some(id) => Err(Complaint::of(
                id,
                "may be alive, and nobody asked for it after the crash",
            )),
            None => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        if world.last != LastInput::Resume {
            return Ok(());
        }
        world.ids().try_for_each(|id| told_again(world, id))
    }
}

/// The driver has forgotten whom it was to kill.
fn told_again(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let forgotten = life.told.is_some_and(|told| told.stale);
    if life.live() && forgotten && !life.is_in_stop_hook(world.timed) {
        return Err(Complaint::of(
            id,
            "was told to stop before the crash, and not again after it",
        ));
    }
    Ok(())
}
