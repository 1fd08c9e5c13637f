//! Stops go in reverse and in parallel: a container is told to stop when, and as soon as,
//! everything that requires it, directly or through others, is down.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::World;
use crate::world::fate::Fates;
use crate::world::goal::Level;
use crate::world::life::{Hook, Life, Process, Undo, Why};
use pillion_engine::pod::{HookKind, Pod, Role};
use pillion_engine::{Action, Command, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of stops.
#[derive(Debug)]
pub(crate) struct Stop;

/// Whether every stop came in order, and none later than it could.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Stop, pod, trace)
}

// === impl Stop ===

impl Law for Stop {
    fn promise(&self) -> Promise {
        Promise::Stop
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        match *action {
            Action::Stop { container, .. } if world.knows(container) => {
                in_order(world, container)?;
                after_its_hook(world, container)
            }
            Action::RunHook {
                container,
                hook: HookKind::PreStop,
                ..
            } if world.knows(container) && !world.container(container).plain => {
                in_order(world, container)
            }
            Action::Start {
                container,
                command: Command::Undo,
                ..
            } if world.knows(container) => reversal(world, container),
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
            told_in_time(world, id)?;
            goes_with_its_target(world, id)?;
            reversed_in_time(world, id)?;
            warned_in_time(world, id)
        })
    }

    fn rest(&self, world: &World) -> Verdict {
        if world.is_running().possibly() || world.goal.level == Level::Run {
            return Ok(());
        }
        match world
            .ids()
            .find(|&id| world.life(id).live() && world.life(id).told.is_none())
        {
            Some(id) => Err(Complaint::of(id, "is left running in a pod that stops")),
            None => Ok(()),
        }
    }
}

/// Everything above it is down.
fn in_order(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    if life.told.is_some() || world.container(id).role == Role::Ephemeral {
        return Ok(());
    }
    let why = world.reasons(id);
    let own = why.has(Why::FAILURE) || why.has(Why::ASKED) || why.has(Why::KILL);
    let free = own || life.run.left_before;
    if free || world.budget_spent().possibly() {
        return Ok(());
    }
    let (bad, whose) = if why.has(Why::POD) {
        (
            world.unneeded(id) == Tri::No,
            "something that requires it is up",
        )
    } else {
        let replaced = why.has(Why::REPLACE) || world.had_its_time_to_go(id);
        (
            !replaced && world.alone_in_going(id) == Tri::No,
            "something that goes with it is up",
        )
    };
    if bad {
        return Err(Complaint::of(id, format!("was told to stop while {whose}")));
    }
    Ok(())
}

/// Its preStop hook comes before the signal, and is waited for.
fn after_its_hook(world: &World, id: ContainerId) -> Verdict {
    let (life, container) = (world.life(id), world.container(id));
    let orderly = world.reasons(id).only(Why::POD) && !world.budget_spent().possibly();
    let hooked = container.hooks.pre_stop && life.runs_itself() && life.started(container).surely();
    let early = life.told.is_some() || life.run.left_before || world.crashed;
    if !orderly || !hooked || early || used_up_by_another_hook(world, id) {
        return Ok(());
    }
    if life.pre_stop == Hook::Idle {
        return Err(Complaint::of(
            id,
            "was told to stop without its preStop hook",
        ));
    }
    if life.pre_stop.is_awaited(world.now) {
        return Err(Complaint::of(
            id,
            "was told to stop while its preStop hook ran",
        ));
    }
    Ok(())
}

/// Its own timeout counts from its turn, and its `podStopping` hook, which comes first, may have taken all of it.
fn used_up_by_another_hook(world: &World, id: ContainerId) -> bool {
    let container = world.container(id);
    let own = container
        .stop_timeout
        .filter(|_| container.hooks.pod_stopping);
    let used = |own| {
        world
            .goal
            .stop
            .is_some_and(|stop| stop.began.earliest + own <= world.now)
    };
    own.is_some_and(used)
}

/// A reversal runs in an ordered stop, after a success, when nothing needs the oneshot any more.
fn reversal(world: &World, id: ContainerId) -> Verdict {
    let Undo::Owed(_) = world.life(id).undo else {
        return Err(Complaint::of(
            id,
            "is reversed, and there is nothing to reverse",
        ));
    };
    if world.reverses(id) == Tri::No {
        return Err(Complaint::of(id, "is reversed, and nothing asks for it"));
    }
    if world.unneeded(id) == Tri::No {
        return Err(Complaint::of(
            id,
            "is reversed while something that requires it is up",
        ));
    }
    if world.budget_spent().surely() {
        return Err(Complaint::of(
            id,
            "is reversed though the budget is used up",
        ));
    }
    Ok(())
}

/// Nothing needs it any more, and yet it was not told.
fn told_in_time(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let idle = is_untold(world, life) && world.is_stopping_in_order() && !world.is_untouched(id);
    if idle && world.unneeded(id).surely() {
        return Err(Complaint::of(
            id,
            "was not told to stop, and nothing needs it any more",
        ));
    }
    if world.goal.level == Level::Kill && is_untold(world, life) && !is_ephemeral(world, id) {
        return Err(Complaint::of(
            id,
            "was not told to stop though everything is to be killed",
        ));
    }
    Ok(())
}

/// It runs, and neither a signal nor a hook of its own stop is under way.
fn is_untold(world: &World, life: &Life) -> bool {
    let told = life.told.is_some_and(|told| !told.stale);
    life.process == Process::Runs
        && life.command == Command::Run
        && !told
        && !life.is_in_stop_hook(world.timed)
}

fn is_ephemeral(world: &World, id: ContainerId) -> bool {
    world.container(id).role == Role::Ephemeral
}

/// A target went down, and it is its turn among those that go with it.
fn goes_with_its_target(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let must = life.going.is_some_and(|going| going.must.surely());
    let alone = world.alone_in_going(id).surely();
    if must && alone && is_untold(world, life) && world.is_running().surely() {
        return Err(Complaint::of(
            id,
            "was not told to stop though its target went down",
        ));
    }
    Ok(())
}

fn reversed_in_time(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let owed = matches!(life.undo, Undo::Owed(Tri::Yes)) && !life.live();
    let due = owed && world.reverses(id).surely() && world.unneeded(id).surely();
    let spared = world.budget_spent().possibly() || !world.sandbox;
    let done = life.fates.is(Fates::ENDED_OK).surely();
    if due && done && !spared {
        return Err(Complaint::of(
            id,
            "was not reversed, and nothing needs it any more",
        ));
    }
    Ok(())
}

/// Who has a podStopping hook is told as soon as the pod begins to end.
fn warned_in_time(world: &World, id: ContainerId) -> Verdict {
    let (life, container) = (world.life(id), world.container(id));
    let due = container.hooks.pod_stopping && life.run.to_be_warned;
    let idle = life.runs_itself() && life.pod_stopping == Hook::Idle;
    if due && idle && !world.budget_spent().possibly() {
        return Err(Complaint::of(
            id,
            "was not told by its podStopping hook that the pod stops",
        ));
    }
    Ok(())
}
