//! Readiness is a level: a later failure makes the container, and the pod, unready, and by
//! itself stops or restarts nothing.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::fate::Fates;
use crate::world::goal::Level;
use crate::world::life::Hook;
use crate::world::{LastInput, World};
use pillion_engine::pod::{Container, Need, OnGiveUp, Pod, ProbeKind, Role, Target, Until};
use pillion_engine::{Action, Command, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of readiness.
#[derive(Debug)]
pub(crate) struct Readiness;

/// Whether readiness was a level, and probes were made when they may be.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Readiness, pod, trace)
}

// === impl Readiness ===

impl Law for Readiness {
    fn promise(&self) -> Promise {
        Promise::Readiness
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        match *action {
            Action::Start {
                container,
                command: Command::Run,
                ..
            } if world.knows(container) => needs_it_now(world, container),
            Action::Stop { container, .. } if world.knows(container) => {
                stops_nothing(world, container)
            }
            Action::Probe {
                container, probe, ..
            } if world.knows(container) => probed_in_time(world, container, probe),
            Action::Start { .. }
            | Action::Stop { .. }
            | Action::Probe { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::RunHook { .. } => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        if !world.is_running().surely() || world.goal.level != Level::Run {
            return Ok(());
        }
        // Where nothing serves there is nothing to be ready for.
        if !world.ids().any(|id| serves(world.container(id))) {
            return if world.shown_ready {
                Err(Complaint::pod("is shown ready though nothing serves"))
            } else {
                Ok(())
            };
        }
        let ready = Tri::all(world.ids().map(|id| counts_as_ready(world, id)));
        match (ready, world.shown_ready) {
            (Tri::Yes, false) => Err(Complaint::pod(
                "is shown unready though everything is ready",
            )),
            (Tri::No, true) => {
                let unready = world
                    .ids()
                    .find(|&id| counts_as_ready(world, id) == Tri::No);
                Err(Complaint {
                    container: unready,
                    sentence: "is not ready, and the pod is shown as ready".into(),
                })
            }
            (Tri::Yes | Tri::Maybe, true) | (Tri::No | Tri::Maybe, false) => Ok(()),
        }
    }
}

/// A hard requirement on readiness looks at now, not at what once was.
fn needs_it_now(world: &World, id: ContainerId) -> Verdict {
    let edges = world.container(id).requires.iter();
    let hard = edges.filter(|edge| edge.need == Need::Hard && edge.until == Until::Ready);
    for edge in hard.filter(|edge| edge.gates_start()) {
        if let Target::Container(target) = edge.target
            && world.life(target).ready(world.container(target)) == Tri::No
        {
            return Err(Complaint::of(
                id,
                format!("was started while {target:?} was not ready"),
            ));
        }
    }
    Ok(())
}

fn stops_nothing(world: &World, id: ContainerId) -> Verdict {
    let reasons = world.reasons(id);
    match world.last {
        LastInput::Unready(cause) if reasons.is_empty() && world.life(id).told.is_none() => {
            Err(Complaint::of(
                id,
                format!("was told to stop because {cause:?} is not ready"),
            ))
        }
        LastInput::Unready(_) | LastInput::Pod | LastInput::Resume | LastInput::Other => Ok(()),
    }
}

/// What a container does to the pod's readiness.
fn counts_as_ready(world: &World, id: ContainerId) -> Tri {
    let (life, container) = (world.life(id), world.container(id));
    let ignored = life.fates.is(Fates::IGNORED);
    if container.role == Role::Ephemeral
        || container.on_give_up == OnGiveUp::Ignore
        || ignored.surely()
    {
        return Tri::Yes;
    }
    let gave_up = life.fates.is(Fates::GAVE_UP);
    let ready = if container.is_oneshot() {
        Tri::Yes
    } else {
        life.ready(container)
    };
    // What is on its way down may count as either, and so may what asked to be ignored.
    let hooked = life.pre_stop != Hook::Idle;
    let leaves = life.told.is_some() || life.asked.is_some() || hooked;
    let ready = if leaves { ready.min(Tri::Maybe) } else { ready };
    (ready & !gave_up) | ignored
}

/// No attempt overlaps another, comes before the initial delay, or before the startup probe passed.
fn probed_in_time(world: &World, id: ContainerId, kind: ProbeKind) -> Verdict {
    let (life, container) = (world.life(id), world.container(id));
    let complain =
        |sentence: &str| Err(Complaint::of(id, format!("its {kind:?} probe {sentence}")));
    let Some(probe) = container.probes.get(kind) else {
        return complain("was asked for, and it has none");
    };
    let Some(since) = life.shown.since else {
        return complain("was asked for before its process ran");
    };
    if life.tally(kind).asked.is_some() {
        return complain("was asked for while the attempt before it had not answered");
    }
    if world.now < since + probe.initial_delay && !world.crashed {
        return complain("was asked for before its initial delay was over");
    }
    let early =
        container.probes.startup.is_some() && life.tally(ProbeKind::Startup).passed == Tri::No;
    if kind != ProbeKind::Startup && early {
        return complain("was asked for before the startup probe passed");
    }
    Ok(())
}

/// Whether its readiness can make the pod ready.
fn serves(container: &Container) -> bool {
    !container.is_oneshot() && container.role != Role::Ephemeral
}
