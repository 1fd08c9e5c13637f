//! Every ordered stop has the pod's grace period as its one budget; at its end all that remain
//! get the signal at once and two seconds. The worst case is the grace period and two seconds.

use super::{Complaint, Law, Promise, Verdict, Violation, check_one};
use crate::world::goal::{Level, PodStop};
use crate::world::life::Why;
use crate::world::{LastInput, World};
use pillion_engine::pod::{HookKind, Pod, ProbeKind};
use pillion_engine::{Action, Command, ContainerId, Tick};
use pillion_simulator::trace::Trace;
use std::time::Duration;

/// The law of the budget.
#[derive(Debug)]
pub(crate) struct Budget;

/// Whether every stop kept within its budget, and got what the budget left.
pub fn check(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    check_one(Promise::Budget, pod, trace)
}

// === impl Budget ===

impl Law for Budget {
    fn promise(&self) -> Promise {
        Promise::Budget
    }

    fn action(&self, world: &World, action: &Action) -> Verdict {
        match *action {
            Action::Stop {
                container,
                deadline,
                ..
            } if world.knows(container) => {
                never_later(world, container, deadline)?;
                within(world, container, deadline)?;
                not_too_short(world, container, deadline)
            }
            Action::RunHook {
                container,
                hook: hook @ (HookKind::PreStop | HookKind::PodStopping),
                deadline,
                ..
            } if world.knows(container) => hook_ends(world, container, hook, deadline),
            Action::Stop { .. }
            | Action::RunHook { .. }
            | Action::Start { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Probe { .. } => Ok(()),
        }
    }

    fn settled(&self, world: &World) -> Verdict {
        let Some(stop) = world.goal.stop else {
            return Ok(());
        };
        world.ids().try_for_each(|id| {
            hurried(world, stop, id)?;
            told_at_the_end(world, stop, id)
        })
    }
}

/// Asked again, a stop can only be hurried.
fn never_later(world: &World, id: ContainerId, deadline: Tick) -> Verdict {
    match world.life(id).told {
        Some(told) if deadline > told.deadline && !told.stale => {
            Err(Complaint::of(id, "was given more time by a second stop"))
        }
        Some(_) | None => Ok(()),
    }
}

fn within(world: &World, id: ContainerId, deadline: Tick) -> Verdict {
    let latest = latest_deadline(world, id) + LAST_WORDS;
    // What was told before a crash is told again first, and hurried afterwards if need be.
    let again = world.last == LastInput::Resume && world.life(id).told.is_some();
    // Whoever was on its way down before the pod began to stop is held to the budget at its end.
    let before = world.life(id).run.left_before;
    if deadline > latest && !again && !before {
        return Err(Complaint::of(
            id,
            format!("may run until {deadline}, and the budget allows {latest}"),
        ));
    }
    Ok(())
}

/// The end of what a container may use up, but for the last two seconds.
fn latest_deadline(world: &World, id: ContainerId) -> Tick {
    let life = world.life(id);
    let alone = world.now + own_grace(world, id);
    match world.goal.stop {
        Some(_) if world.goal.level == Level::Kill && world.crashed => world.now,
        Some(stop) if world.goal.level == Level::Kill => stop.began.latest,
        // The budget holds for what was told before it began, too.
        Some(stop) => stop.ends.latest,
        None => match life.going {
            // If it need not have gone then, something else may have sent it just now.
            Some(going) if going.must.surely() && world.own_reasons(id).only(Why::TARGET) => {
                going.since + world.shape.pod.grace
            }
            Some(_) | None => alone,
        },
    }
}

fn own_grace(world: &World, id: ContainerId) -> Duration {
    let probes = &world.container(id).probes;
    let graces = ProbeKind::ALL
        .iter()
        .filter_map(|&kind| probes.get(kind)?.grace);
    graces.fold(world.shape.pod.grace, Duration::max)
}

/// Whoever is told at its turn has the time that the budget leaves, or its own timeout.
fn not_too_short(world: &World, id: ContainerId, deadline: Tick) -> Verdict {
    let life = world.life(id);
    let Some(stop) = world.goal.stop else {
        return Ok(());
    };
    let orderly = world.reasons(id).only(Why::POD) && life.told.is_none() && !life.run.left_before;
    let own = world.container(id).stop_timeout;
    // A timeout counts from the turn, and a hook or the reversal itself may have used it up.
    let hooks = world.container(id).hooks;
    let reverses = life.command == Command::Undo;
    let from = if hooks.pre_stop || hooks.pod_stopping || reverses {
        Tick::ZERO
    } else {
        world.now
    };
    let least = own.map_or(stop.ends.earliest, |own| stop.ends.earliest.min(from + own));
    if orderly && deadline < least {
        return Err(Complaint::of(
            id,
            format!("is killed at {deadline}, before {least}"),
        ));
    }
    Ok(())
}

fn hook_ends(world: &World, id: ContainerId, hook: HookKind, deadline: Option<Tick>) -> Verdict {
    let Some(stop) = world.goal.stop else {
        return Ok(());
    };
    if deadline.is_none_or(|deadline| deadline > stop.ends.latest) {
        return Err(Complaint::of(
            id,
            format!("its {hook:?} hook may outlast the budget"),
        ));
    }
    if world.budget_spent().surely() {
        return Err(Complaint::of(
            id,
            format!("its {hook:?} hook begins after the budget"),
        ));
    }
    Ok(())
}

/// Whoever was told before, for another reason or with more time, is held to the budget at its end.
fn hurried(world: &World, stop: PodStop, id: ContainerId) -> Verdict {
    let life = world.life(id);
    let spent = world.timed >= stop.ends.latest || world.goal.level == Level::Kill;
    let late = |deadline: Tick| deadline > stop.ends.latest + LAST_WORDS;
    if spent && life.live() && life.told.is_some_and(|told| late(told.deadline)) {
        return Err(Complaint::of(id, "may run on though the budget is used up"));
    }
    Ok(())
}

/// At the end of the budget all that remain are told, and get two seconds.
fn told_at_the_end(world: &World, stop: PodStop, id: ContainerId) -> Verdict {
    let life = world.life(id);
    if !life.live() || world.is_untouched(id) || world.timed < stop.ends.latest {
        return Ok(());
    }
    match life.told {
        None => Err(Complaint::of(
            id,
            "was not told to stop when the budget was used up",
        )),
        Some(_) => Ok(()),
    }
}

/// What everybody gets when the budget is used up.
const LAST_WORDS: Duration = Duration::from_secs(2);
