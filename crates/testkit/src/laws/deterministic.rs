//! Time, randomness and I/O come from outside: the same inputs give the same outputs.

use super::{Promise, Violation};
use pillion_engine::{Action, Fact, Pod, Tick};
use pillion_simulator::Machine;
use pillion_simulator::trace::{Item, Trace};

/// What a machine said to one input.
type Answer = (Vec<Fact>, Vec<Action>, Option<Tick>);

/// Whether two new machines give the same facts, actions and deadlines when they are told what a
/// trace tells, in the same order. Reads the trace up to the first crash.
pub fn check<M: Machine>(pod: &Pod, trace: &Trace) -> Result<(), Violation> {
    let begin = trace.steps.first().map_or(Tick::ZERO, |step| step.at);
    let (Ok(mut one), Ok(mut two)) = (M::create(pod.clone(), begin), M::create(pod.clone(), begin))
    else {
        return Ok(());
    };
    compare(0, &mut one, &mut two)?;
    for (index, step) in trace.steps.iter().enumerate() {
        if step.item == Item::Crash {
            break;
        }
        tell(&mut one, step.at, &step.item);
        tell(&mut two, step.at, &step.item);
        compare(index, &mut one, &mut two)?;
    }
    Ok(())
}

fn tell<M: Machine>(machine: &mut M, now: Tick, item: &Item) {
    match item {
        Item::Event(event) => machine.handle_event(now, event.clone()),
        Item::Request(request, _) => drop(machine.handle_request(now, request.clone())),
        Item::Timeout => machine.handle_timeout(now),
        Item::Action(_)
        | Item::Crash
        | Item::Found(..)
        | Item::Resume
        | Item::Ready(_)
        | Item::Ended(_) => {}
    }
}

fn compare<M: Machine>(step: usize, one: &mut M, two: &mut M) -> Result<(), Violation> {
    let (first, second) = (answer(one), answer(two));
    if first == second {
        return Ok(());
    }
    Err(Violation {
        promise: Promise::Deterministic,
        step,
        container: None,
        sentence: format!(
            "the same inputs gave {:?} and then {:?}",
            (first.1, first.2),
            (second.1, second.2)
        ),
    })
}

fn answer<M: Machine>(machine: &mut M) -> Answer {
    let facts = std::iter::from_fn(|| machine.poll_fact()).collect();
    let actions = std::iter::from_fn(|| machine.poll_action()).collect();
    while machine.poll_entry().is_some() {}
    (facts, actions, machine.poll_deadline())
}
