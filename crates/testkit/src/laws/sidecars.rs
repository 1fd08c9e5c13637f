//! Sidecars do not keep a pod alive, do not decide its result, are stopped after all mains
//! unless they require one, and are started again during a stop while something above is up.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::World;
use crate::world::goal::{EndCause, Level};
use crate::world::life::Why;
use pillion_engine::pod::{HookKind, OnGiveUp, Pod, Reaction, Role};
use pillion_engine::{Action, ContainerId, PodResult};
use pillion_simulator::trace::Trace;

/// The law of sidecars.
#[derive(Debug)]
pub(crate) struct Sidecars;

/// Whether sidecars were what they should be to their pod.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Sidecars, pod, trace)
}

// === impl Sidecars ===

impl Law for Sidecars {
    fn promise(&self) -> Promise {
        Promise::Sidecars
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        let id = match *action {
            Action::Stop { container, .. } => container,
            Action::RunHook {
                container,
                hook: HookKind::PreStop,
                ..
            } if world.knows(container) && !world.container(container).plain => container,
            Action::RunHook { .. }
            | Action::Start { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Probe { .. } => return Ok(()),
        };
        if world.knows(id) {
            after_mains(world, id)
        } else {
            Ok(())
        }
    }

    fn ended(&self, world: &World, result: &PodResult) -> Verdict {
        match result.decider {
            Some(id) if world.knows(id) && !may_decide(world, id) => Err(Complaint::of(
                id,
                "is a sidecar and decided the pod's result",
            )),
            Some(_) | None => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        world.ids().try_for_each(|id| {
            let kept = keeps_alive(world, id);
            kept.and_then(|()| returns_in_stop(world, id))
        })
    }
}

/// A sidecar that requires no main service is stopped after all mains but the oneshots that it requires.
fn after_mains(world: &World, id: ContainerId) -> Verdict {
    let sidecar = world.container(id).role == Role::Sidecar && !world.shape.requires_main(id);
    let orderly = world.reasons(id).only(Why::POD) && !world.budget_spent().possibly();
    let left = world.life(id).told.is_some() || world.life(id).run.left_before;
    if !sidecar || !orderly || left {
        return Ok(());
    }
    let below = world.shape.below(id);
    let mut mains = world
        .ids()
        .filter(|&it| world.container(it).role == Role::Main && !below.contains(it));
    match mains.find(|&it| world.up(it).surely()) {
        Some(main) => Err(Complaint::of(
            id,
            format!("was told to stop before the main {main:?}"),
        )),
        None => Ok(()),
    }
}

/// A sidecar decides only where it says so itself, or where it asked.
fn may_decide(world: &World, id: ContainerId) -> bool {
    let container = world.container(id);
    let rules = &container.restart.rules;
    let speaks = rules
        .iter()
        .any(|rule| matches!(rule.reaction, Reaction::FailPod | Reaction::CompletePod));
    let asked = world.goal.causes.iter().any(|cause| {
        matches!(cause, EndCause::Fail(Some(by)) | EndCause::Complete(Some(by)) if *by == id)
    });
    let fatal = container.on_give_up == OnGiveUp::FailPod;
    // It is named where a main gave up for lack of it: the main decided.
    let lacked = world.goal.causes.iter().any(|cause| {
        matches!(cause, EndCause::GiveUp(by) | EndCause::Keystone(by) if world.requires_at_all(*by, id))
    });
    lacked
        || container.role == Role::Main
        || container.keystone.is_some()
        || fatal
        || speaks
        || asked
}

/// When every main has ended, sidecars that nothing else needs are told to stop.
fn keeps_alive(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let completed = world.goal.level == Level::End && world.goal.causes == [EndCause::Completion];
    let sidecar = world.container(id).role == Role::Sidecar;
    let untold =
        life.told.is_none() && life.shown.since.is_some() && !life.is_in_stop_hook(world.timed);
    if completed && sidecar && untold && world.unneeded(id).surely() && life.runs_itself() {
        return Err(Complaint::of(
            id,
            "keeps the pod alive though every main has ended",
        ));
    }
    Ok(())
}

/// A sidecar that dies during a stop is started again while something above it is up.
fn returns_in_stop(world: &World, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let stopping = world.is_stopping_in_order() && life.run.fell;
    let due = life.turn.latest.is_some() && world.may_run(id) == Tri::Yes;
    if stopping && due && !life.live() && world.container(id).image.is_none() {
        return Err(Complaint::of(
            id,
            "is needed during the stop and was not started again",
        ));
    }
    Ok(())
}
