//! At most one live process per container, and a start decided before a stop never happens
//! after it.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::world::World;
use crate::world::life::{Life, Process};
use pillion_engine::pod::Pod;
use pillion_engine::{Action, Attempt, ContainerId};
use pillion_simulator::trace::Trace;

/// The law of the single process.
#[derive(Debug)]
pub(crate) struct Single;

/// Whether no container ever had two processes, and no action came to a dead one.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Single, pod, trace)
}

// === impl Single ===

impl Law for Single {
    fn promise(&self) -> Promise {
        Promise::Single
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        let (id, attempt) = action.container();
        if !world.knows(id) {
            return Err(Complaint::of(id, "there is no such container"));
        }
        if world.result.is_some() {
            return Err(Complaint::of(id, "was acted upon after the pod had ended"));
        }
        let life = world.life(id);
        match action {
            Action::Start { .. } => starts(life, id, attempt),
            Action::Stop { .. } => {
                let alive = life.live() && life.attempt == attempt;
                acts_on(alive, id, "was told to stop and has no such process")
            }
            Action::RunHook { .. } | Action::Probe { .. } => {
                let alive = life.process == Process::Runs && life.attempt == attempt;
                acts_on(alive, id, "has a hook or a probe, and no such process")
            }
            Action::Pull { .. } => {
                let stale = attempt < life.attempt;
                acts_on(!stale, id, "has an image pulled for a run that is over")
            }
            Action::CancelPull { .. } => Ok(()),
        }
    }
}

fn starts(life: &Life, id: ContainerId, attempt: Attempt) -> Verdict {
    if life.live() {
        return Err(Complaint::of(id, "was started while it had a process"));
    }
    // After a crash a start that never happened may be asked for again.
    let repeated = attempt == life.attempt && life.run.begun != crate::tri::Tri::Yes;
    if attempt <= life.attempt && !repeated {
        return Err(Complaint::of(
            id,
            format!("was started as run {attempt}, which is over"),
        ));
    }
    Ok(())
}

fn acts_on(allowed: bool, id: ContainerId, sentence: &str) -> Verdict {
    if allowed {
        Ok(())
    } else {
        Err(Complaint::of(id, sentence))
    }
}
