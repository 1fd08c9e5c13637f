//! Restarts are inside the graph: a crash is handled by policy, back-off and the edges'
//! `onRestart`; a stop that the engine asks for is no failure, and none comes without a reason.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::World;
use crate::world::fate::Fates;
use crate::world::goal::Level;
use crate::world::life::Process;
use pillion_engine::pod::{HookKind, Pod, Role};
use pillion_engine::{Action, Command, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of restarts.
#[derive(Debug)]
pub(crate) struct Restarts;

/// Whether everything that ended was handled by its policy, rules, back-off and edges.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Restarts, pod, trace)
}

// === impl Restarts ===

impl Law for Restarts {
    fn promise(&self) -> Promise {
        Promise::Restarts
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        match *action {
            Action::Start {
                container,
                command: Command::Run,
                ..
            } if world.knows(container) => wanted(world, container),
            Action::Stop { container, .. }
            | Action::RunHook {
                container,
                hook: HookKind::PreStop,
                ..
            } if world.knows(container) => with_reason(world, container),
            Action::Stop { .. }
            | Action::RunHook { .. }
            | Action::Start { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Probe { .. } => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        world.ids().try_for_each(|id| {
            killed(world, id)?;
            restarted(world, id)
        })
    }
}

/// Only what is wanted is started, and not before its back-off is over.
fn wanted(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    if life.fates.is(Fates::WANTED) == Tri::No {
        return Err(Complaint::of(
            id,
            "was started again though it had ended for good or given up",
        ));
    }
    if world.now < life.due.earliest {
        let due = life.due.earliest;
        return Err(Complaint::of(
            id,
            format!("was started before its back-off was over at {due}"),
        ));
    }
    Ok(())
}

fn with_reason(world: &World, id: ContainerId) -> Verdict {
    if world.life(id).told.is_none() && world.reasons(id).is_empty() {
        return Err(Complaint::of(id, "was told to stop without a reason"));
    }
    Ok(())
}

/// What a probe, a hook or a timeout condemned, or asked to be restarted, is told to stop.
fn killed(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let untold = life.told.is_none() && !life.is_in_stop_hook(world.timed);
    let runs = life.process == Process::Runs && life.command == Command::Run;
    let counts = world.container(id).role != Role::Ephemeral;
    if runs && untold && counts && world.is_running().surely() && world.must_go(id).surely() {
        return Err(Complaint::of(
            id,
            "must be stopped or restarted, and runs on",
        ));
    }
    Ok(())
}

/// What ended and is wanted again is started when its back-off is over.
fn restarted(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let again = life.run.begun.surely() && world.goal.level == Level::Run;
    let due = life.turn.latest.is_some() && world.may_run(id).surely();
    if again && due && !life.live() && world.container(id).image.is_none() {
        return Err(Complaint::of(id, "was not started again when it was time"));
    }
    Ok(())
}
