//! A requirement is satisfied, pending or impossible. Nothing waits for what cannot come, and
//! nothing is skipped in silence.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::world::World;
use crate::world::fate::Fates;
use crate::world::goal::{EndCause, Level};
use pillion_engine::pod::Pod;
use pillion_engine::{Action, Command, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of waits.
#[derive(Debug)]
pub(crate) struct Waiting;

/// Whether every wait ended when it had to, and none was skipped.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Waiting, pod, trace)
}

// === impl Waiting ===

impl Law for Waiting {
    fn promise(&self) -> Promise {
        Promise::Waiting
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        if let &Action::Start {
            container,
            command: Command::Run,
            ..
        } = action
            && world.knows(container)
            && world.hopeless(container).surely()
        {
            return Err(Complaint::of(
                container,
                "was started though a hard requirement of it is impossible",
            ));
        }
        Ok(())
    }

    fn settled(&self, world: &World) -> Verdict {
        world.ids().try_for_each(|id| {
            settled_wait(world, id)?;
            fatal_wait(world, id)
        })
    }

    fn rest(&self, world: &World) -> Verdict {
        world.ids().try_for_each(|id| rests(world, id))
    }
}

/// A wait that has settled, one way or the other, is over.
fn settled_wait(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let edges = &world.container(id).requires;
    let settled = (0..edges.len()).any(|index| world.impossible(id, index).surely());
    let free = life.turn.latest.is_some() && world.may_run(id).surely();
    let unasked = world.container(id).image.is_none() && !life.live();
    if settled && free && unasked {
        return Err(Complaint::of(id, "still waits for what cannot come"));
    }
    Ok(())
}

/// A container whose hard requirement is impossible gives up, and the pod hears of it.
fn fatal_wait(world: &World, id: ContainerId) -> Verdict {
    let by_it = world.goal.level == Level::End && world.goal.causes == [EndCause::GiveUp(id)];
    if !by_it || world.life(id).live() {
        return Ok(());
    }
    let quiet = |other: ContainerId| {
        let life = world.life(other);
        let spared = life.told.is_some() || !world.unneeded(other).surely();
        life.runs_itself()
            && life.shown.since.is_some()
            && !spared
            && !life.is_in_stop_hook(world.timed)
    };
    match world.ids().find(|&other| quiet(other)) {
        Some(other) => Err(Complaint::of(
            id,
            format!("gave up, which fails the pod, and {other:?} was not told to stop"),
        )),
        None => Ok(()),
    }
}

/// Nothing will move any more: whoever is wanted runs, or waits for something that runs.
fn rests(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let idle = life.fates.is(Fates::WANTED).surely() && !life.live();
    if !idle || !world.sandbox || !world.is_running().surely() {
        return Ok(());
    }
    if world.lets_all(id).surely() {
        return Err(Complaint::of(
            id,
            "could run, and nothing will ever start it",
        ));
    }
    if world.hopeless(id).surely() {
        return Err(Complaint::of(id, "waits for ever for what cannot come"));
    }
    Ok(())
}
