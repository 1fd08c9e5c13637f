//! One container is exchanged in place: pulled first, its dependants that say `restart` stopped
//! in order, swapped; and put back if the new one is not ready in time.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::World;
use crate::world::fate::Fates;
use crate::world::goal::Level;
use crate::world::life::{Image, Replacing, Why};
use pillion_engine::pod::{HookKind, OnRestart, Pod};
use pillion_engine::{Action, Command, ContainerId, Refused, Request};
use pillion_simulator::trace::Trace;

/// The law of replacements.
#[derive(Debug)]
pub(crate) struct Replacement;

/// Whether every exchange went as it should.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Replacement, pod, trace)
}

// === impl Replacement ===

impl Law for Replacement {
    fn promise(&self) -> Promise {
        Promise::Replacement
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        match *action {
            Action::Stop { container, .. }
            | Action::RunHook {
                container,
                hook: HookKind::PreStop,
                ..
            } if world.knows(container) => swapped_in_order(world, container),
            Action::Start {
                container,
                version,
                command: Command::Run,
                ..
            } if world.knows(container) => right_version(world, container, version),
            Action::Stop { .. }
            | Action::RunHook { .. }
            | Action::Start { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Probe { .. } => Ok(()),
        }
    }

    fn request(&self, world: &World, request: &Request, answer: Result<(), Refused>) -> Verdict {
        let Request::Replace {
            container, force, ..
        } = *request
        else {
            return Ok(());
        };
        if !world.knows(container) || world.is_ending().possibly() {
            return Ok(());
        }
        let stopped = would_stop(world, container);
        match answer {
            Ok(()) if stopped.surely() && !force => Err(Complaint::of(
                container,
                "was exchanged though a dependant would be stopped for good",
            )),
            Err(Refused::WouldStop(_)) if force || stopped == Tri::No => Err(Complaint::of(
                container,
                "was not exchanged for the sake of a dependant that does not mind",
            )),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        world.ids().try_for_each(|id| {
            let Some(replacing) = world.life(id).replacing else {
                return Ok(());
            };
            pulled_first(world, id, replacing)?;
            put_back(world, id, replacing)
        })
    }
}

/// Whether an exchange would stop a dependant for good.
fn would_stop(world: &World, id: ContainerId) -> Tri {
    let life = world.life(id);
    let swapped = life.live() && !world.container(id).is_oneshot();
    let dependants = world.shape.dependants(id);
    let says_stop = dependants.filter(|(_, _, edge)| edge.on_restart == OnRestart::Stop);
    let minds = says_stop.map(|(dependant, index, _)| {
        let other = world.life(dependant);
        let loses = Tri::from(other.live() && swapped) & other.run.held[index];
        // "If a dependant says stop" may be meant of one that is not there, too.
        loses | Tri::Maybe
    });
    Tri::any(minds)
}

/// The old one is stopped when the new image is there and those that restart with it are down.
fn swapped_in_order(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let Some(replacing) = life.replacing.filter(|_| life.told.is_none()) else {
        return Ok(());
    };
    let why = world.reasons(id);
    let only = why.is_empty() || why.only(Why::REPLACE);
    if !only || world.goal.level != Level::Run || replacing.swapped.is_some() {
        return Ok(());
    }
    if !replacing.pulled && !world.crashed {
        return Err(Complaint::of(
            id,
            "was stopped for an exchange before the new image was there",
        ));
    }
    let restarts = world
        .shape
        .dependants(id)
        .filter(|(_, _, edge)| edge.on_restart != OnRestart::Keep);
    for (dependant, index, _) in restarts {
        let other = world.life(dependant);
        let hurried = world.had_its_time_to_go(dependant);
        if other.runs_itself() && other.run.held[index].surely() && !hurried {
            return Err(Complaint::of(
                id,
                format!("was stopped for an exchange before {dependant:?}"),
            ));
        }
    }
    Ok(())
}

/// The new definition after the swap, the old one only after the new one was late.
fn right_version(world: &World, id: ContainerId, version: u32) -> Verdict {
    let life = world.life(id);
    let complain = |sentence: &str| Err(Complaint::of(id, sentence));
    let Some(replacing) = life.replacing else {
        let older = version < life.version && life.run.begun.surely();
        return if older && !world.crashed {
            complain("was started in an older definition, and the new one had been ready")
        } else {
            Ok(())
        };
    };
    if replacing.swapped.is_none() {
        return if version > replacing.version {
            complain("was started in a definition that nobody gave")
        } else {
            Ok(())
        };
    }
    // Its time may count from the moment at which it was asked for.
    let late = world.now >= replacing.since + replacing.patience;
    // What has ended for good will never be ready: nobody has to wait for it.
    let over = !life.fates.is(Fates::WANTED).surely();
    // Another run of the pod has begun since, and nobody knows how far the exchange had come.
    let doubted = replacing.settled.possibly();
    if version < replacing.version && !late && !over && !doubted && !world.crashed {
        return complain("was put back before the new one was late");
    }
    Ok(())
}

fn pulled_first(world: &World, id: ContainerId, replacing: Replacing) -> Verdict {
    let life = world.life(id);
    let asked = match life.image {
        Image::Unasked => false,
        Image::Pulling { .. } | Image::There { .. } | Image::Failed | Image::Unknown => true,
    };
    // An image that did not come in time is given up, and the exchange with it.
    let late = world.now >= replacing.since + replacing.patience;
    let needs = world.container(id).image.is_some()
        && replacing.swap.surely()
        && !replacing.pulled
        && !late;
    if needs
        && !asked
        && replacing.swapped.is_none()
        && life.told.is_none()
        && life.fates.is(Fates::WANTED).surely()
        && world.is_running().surely()
    {
        return Err(Complaint::of(
            id,
            "is to be exchanged, and the new image was not asked for",
        ));
    }
    Ok(())
}

/// A new one that was not ready in time does not stay, if it was swapped for one that had been.
fn put_back(world: &World, id: ContainerId, replacing: Replacing) -> Verdict {
    let life = world.life(id);
    let Some(swapped) = replacing.swapped else {
        return Ok(());
    };
    let late = world.timed > swapped + replacing.patience + SLACK;
    let stays = life.live() && life.told.is_none() && !life.is_in_stop_hook(world.timed);
    if late
        && stays
        && replacing.swap.surely()
        && replacing.settled == Tri::No
        && !world.crashed
        && world.is_running().surely()
    {
        return Err(Complaint::of(
            id,
            "was not ready in time after its exchange, and stays",
        ));
    }
    Ok(())
}

/// Patience may count from the turn of the new one, which is not before its start is asked for.
const SLACK: std::time::Duration = std::time::Duration::ZERO;
