//! A container starts only when each of its requirements lets it; everything that can run in
//! parallel does, and images are pulled while something is waited for.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::LastInput;
use crate::world::World;
use crate::world::fate::Fates;
use crate::world::life::{Hook, Image, Life, Process};
use pillion_engine::pod::{Pod, Role};
use pillion_engine::{Action, Attempt, Command, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of starts.
#[derive(Debug)]
pub(crate) struct Start;

/// Whether every start was allowed, and nothing that could start was left waiting.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Start, pod, trace)
}

// === impl Start ===

impl Law for Start {
    fn promise(&self) -> Promise {
        Promise::Start
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        let &Action::Start {
            container,
            attempt,
            version,
            command: Command::Run,
        } = action
        else {
            return Ok(());
        };
        if !world.knows(container) {
            return Err(Complaint::of(container, "there is no such container"));
        }
        if !world.sandbox {
            return Err(Complaint::of(
                container,
                "was started before there was a sandbox",
            ));
        }
        requirements(world, container)?;
        image(world, container, attempt, version)
    }

    fn settled(&self, world: &World) -> Verdict {
        for id in world.ids() {
            pulled_at_once(world, id)?;
            started_at_once(world, id)?;
            hooked_at_once(world, id)?;
        }
        Ok(())
    }
}

fn requirements(world: &World, id: ContainerId) -> Verdict {
    let edges = &world.container(id).requires;
    for (index, edge) in edges.iter().enumerate() {
        if world.lets(id, index) == Tri::No {
            let sentence = format!(
                "was started though {:?} does not let it ({:?} {:?})",
                edge.target, edge.need, edge.until
            );
            return Err(Complaint::of(id, sentence));
        }
    }
    Ok(())
}

fn image(world: &World, id: ContainerId, attempt: Attempt, version: u32) -> Verdict {
    let replacing = world.life(id).replacing;
    let there = match world.life(id).image {
        _ if world.container(id).image.is_none() => true,
        // The old one has run from its own image; what is pulled is for the new one.
        _ if replacing.is_some_and(|it| version < it.version) => true,
        Image::There {
            attempt: of,
            version: which,
        } => which == version && (of == attempt || replacing.is_some()),
        Image::Unknown => true,
        Image::Unasked | Image::Pulling { .. } | Image::Failed => false,
    };
    if there {
        return Ok(());
    }
    Err(Complaint::of(
        id,
        format!("was started as run {attempt} without its image"),
    ))
}

/// Images are pulled as soon as the pod is there.
fn pulled_at_once(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let first = world.last == LastInput::Pod && life.image == Image::Unasked;
    if first && world.container(id).image.is_some() {
        return Err(Complaint::of(
            id,
            "its image was not asked for when the pod came",
        ));
    }
    Ok(())
}

/// Nothing holds it back, and yet it was not started.
fn started_at_once(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let surely = life.turn.latest.is_some() && life.fates.is(Fates::WANTED).surely();
    if life.live() || !surely || !world.may_run(id).surely() || waits_for_image(world, id, life) {
        return Ok(());
    }
    Err(Complaint::of(id, "could run, and was not asked to start"))
}

fn waits_for_image(world: &World, id: ContainerId, life: &Life) -> bool {
    let needs = world.container(id).image.is_some();
    match life.image {
        Image::Pulling { .. } | Image::Failed | Image::Unknown => needs,
        Image::Unasked | Image::There { .. } => false,
    }
}

/// A postStart hook runs as soon as the process does.
fn hooked_at_once(world: &World, id: ContainerId) -> Verdict {
    let (life, container) = (world.life(id), world.container(id));
    let due = container.hooks.post_start
        && container.role != Role::Ephemeral
        && life.process == Process::Runs;
    let asked =
        life.shown.post_start != Hook::Idle || life.told.is_some() || life.command == Command::Undo;
    if due && !asked && world.is_running().surely() && !world.crashed {
        return Err(Complaint::of(
            id,
            "runs, and its postStart hook was not asked for",
        ));
    }
    Ok(())
}
