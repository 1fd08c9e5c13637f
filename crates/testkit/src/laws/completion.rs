//! When every main has ended for good, or a keystone in the way it names, the pod ends, and
//! has the right result once everything is down.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::world::World;
use crate::world::goal::{EndCause, Level};
use crate::world::life::Process;
use pillion_engine::pod::Pod;
use pillion_engine::{Command, ContainerId, PodResult};
use pillion_simulator::trace::Trace;

/// The law of completion.
#[derive(Debug)]
pub(crate) struct Completion;

/// Whether the pod ended when it had to, and with the right result.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Completion, pod, trace)
}

// === impl Completion ===

impl Law for Completion {
    fn promise(&self) -> Promise {
        Promise::Completion
    }

    fn ended(&self, world: &World, result: &PodResult) -> Verdict {
        if let Some(id) = world.ids().find(|&id| world.life(id).live()) {
            return Err(Complaint::of(id, "is alive though the pod has its result"));
        }
        match world.wrong_result(result) {
            Some(wrong) => Err(Complaint::pod(wrong)),
            None => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        if world.goal.level != Level::End {
            return Ok(());
        }
        world.ids().try_for_each(|id| stopped_at_once(world, id))?;
        let all = world.ids().all(|id| !world.up(id).possibly());
        if all && world.result.is_none() {
            return Err(Complaint::pod(
                "everything is down and the pod has no result",
            ));
        }
        Ok(())
    }
}

/// The end of a pod begins in the instant of its cause.
fn stopped_at_once(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let named = world
        .goal
        .causes
        .iter()
        .all(|cause| matches!(cause, EndCause::Completion | EndCause::Keystone(_)));
    let runs = life.process == Process::Runs && life.command == Command::Run;
    let idle = runs && life.told.is_none();
    let waits = life.is_in_stop_hook(world.timed);
    if named && idle && !waits && world.unneeded(id).surely() {
        return Err(Complaint::of(
            id,
            "runs on though the pod has come to its end",
        ));
    }
    Ok(())
}
