//! The record of everything that went into an engine and came out of it.
//!
//! A trace and the pod are all that the laws may look at: nothing here tells what the engine thought.

use pillion_engine::{Action, ContainerId, Event, Found, PodResult, Refused, Request, Tick};

/// What went in and out, in order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Trace {
    /// Step by step; times never go back.
    pub steps: Vec<Step>,
}

/// One thing that went in or out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Step {
    /// When.
    pub at: Tick,
    /// What.
    pub item: Item,
}

/// What can go in and out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Item {
    /// In: something happened.
    Event(Event),
    /// In: something was wanted, and what the engine said to it.
    Request(Request, Result<(), Refused>),
    /// In: a deadline was reached.
    Timeout,
    /// Out: something to do.
    Action(Action),
    /// The driver died, and the engine with it.
    Crash,
    /// In, after a crash: what the driver found of a container.
    Found(ContainerId, Found),
    /// In, after a crash: the engine goes on.
    Resume,
    /// Out: the pod's `Ready` condition is this from now on; a pod begins unready.
    Ready(bool),
    /// Out: the pod has ended, with this result.
    Ended(PodResult),
}

// === impl Trace ===

impl Trace {
    /// Adds a step at the end.
    pub fn push(&mut self, at: Tick, item: Item) {
        self.steps.push(Step { at, item });
    }
}
