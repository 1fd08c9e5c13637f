//! A runtime without processes: the simulator's machine behind the trait that a pump drives.

use pillion_engine::{Action, Attempt, ContainerId, Found, Request, Tick};
use pillion_runtime::poller::Token;
use pillion_runtime::pump::Driven;
use pillion_runtime::runtime::{Happening, Runtime};
use pillion_simulator::{News, Scenario, Stage};
use std::collections::VecDeque;
use std::io;

/// What containers ask for can be taken.
pub const ASKED: Token = Token::Callers;

/// A pod that has not ended after so many waits never will.
const PATIENCE: usize = 10_000;

/// Containers played by their scripts, in virtual time.
#[derive(Clone, Debug)]
pub struct Fake {
    /// The machine.
    pub stage: Stage,
    /// What it was asked to do, in order.
    pub done: Vec<Action>,
    /// How long it was asked to wait, each time.
    pub waits: Vec<Option<Tick>>,
    asked: VecDeque<Request>,
}

// === impl Fake ===

impl Fake {
    /// With the containers of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        Self {
            stage: Stage::new(scenario),
            done: Vec::new(),
            waits: Vec::new(),
            asked: VecDeque::new(),
        }
    }
}

/// Hands on what containers have asked for, as fronts do when [`ASKED`] is ready.
pub fn hand_on(mut pod: Driven<'_, Fake>) {
    while let Some(request) = pod.runtime.asked.pop_front() {
        // A pod that cannot take it goes on as it is, as it does for any front.
        let _ = pod.request(request);
    }
}

impl Runtime for Fake {
    fn now(&self) -> Tick {
        self.stage.now()
    }

    fn carry_out(&mut self, action: Action) {
        self.stage.carry_out(&action);
        self.done.push(action);
    }

    fn wait(&mut self, until: Option<Tick>) -> io::Result<Happening> {
        if self.waits.len() == PATIENCE {
            return Err(io::Error::other("the pod does not come to its end"));
        }
        self.waits.push(until);
        match self.stage.next(until) {
            Some(News::Event(event)) => Ok(Happening::Event(event)),
            Some(News::Request(request)) => {
                self.asked.push_back(request);
                Ok(Happening::Ready(ASKED))
            }
            None if until.is_some() => Ok(Happening::Due),
            None => Err(io::Error::other("nothing will ever happen again")),
        }
    }

    fn find(&mut self, container: ContainerId, attempt: Attempt) -> Found {
        self.stage.found(container, attempt)
    }
}
