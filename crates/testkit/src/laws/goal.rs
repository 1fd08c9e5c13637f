//! A pod's goal only moves right: run, restart, end. The first cause of the end decides the
//! result; in an ending pod rules, replacements and `onRestart` do nothing.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::tri::Tri;
use crate::world::goal::{EndCause, Level};
use crate::world::{LastInput, World};
use pillion_engine::pod::Pod;
use pillion_engine::{Action, Command, ContainerId, PodResult, Refused, Request};
use pillion_simulator::trace::Trace;

/// The law of the goal.
#[derive(Debug)]
pub(crate) struct Goal;

/// Whether the pod's goal never moved back.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Goal, pod, trace)
}

// === impl Goal ===

impl Law for Goal {
    fn promise(&self) -> Promise {
        Promise::Goal
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        match *action {
            Action::Start {
                container,
                command: Command::Run,
                ..
            } if world.knows(container) => no_way_back(world, container),
            Action::Pull { container, .. } if world.knows(container) => {
                no_new_pull(world, container)
            }
            Action::Start { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::RunHook { .. }
            | Action::Probe { .. }
            | Action::Stop { .. } => Ok(()),
        }
    }

    fn request(&self, world: &World, request: &Request, answer: Result<(), Refused>) -> Verdict {
        let replaces = matches!(request, Request::Replace { .. });
        if replaces && answer.is_ok() && world.goal.level == Level::End {
            return Err(Complaint::pod("a replacement was taken in an ending pod"));
        }
        if answer == Err(Refused::Ending) && !world.is_ending().possibly() {
            return Err(Complaint::pod(
                "a request was refused as if the pod were ending",
            ));
        }
        Ok(())
    }

    fn ended(&self, world: &World, result: &PodResult) -> Verdict {
        if world.goal.level != Level::End {
            return Err(Complaint::pod(
                "the pod has a result, and nothing has ended it",
            ));
        }
        let decisive = world.goal.causes.iter().all(|cause| {
            matches!(
                cause,
                EndCause::Fail(_)
                    | EndCause::Complete(_)
                    | EndCause::GiveUp(_)
                    | EndCause::Keystone(_)
            )
        });
        match world.wrong_result(result) {
            Some(wrong) if decisive => Err(Complaint::pod(format!(
                "not the first cause decided: {wrong}"
            ))),
            Some(_) | None => Ok(()),
        }
    }
}

/// In a pod that stops nothing is started but a sidecar that is still needed.
fn no_way_back(world: &World, id: ContainerId) -> Verdict {
    let allowed = match world.goal.level {
        Level::Run => true,
        Level::Restart | Level::Kill | Level::End => world.may_run(id).possibly(),
    };
    if allowed {
        return Ok(());
    }
    Err(Complaint::of(
        id,
        format!("was started in a pod whose goal is {:?}", world.goal.level),
    ))
}

fn no_new_pull(world: &World, id: ContainerId) -> Verdict {
    // After a crash what is found may end the pod after the pulls were asked for.
    let resumed = world.last == LastInput::Resume;
    if world.goal.level == Level::End && world.may_run(id) == Tri::No && !resumed {
        return Err(Complaint::of(
            id,
            "its image was asked for in an ending pod",
        ));
    }
    Ok(())
}
