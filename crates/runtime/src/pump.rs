//! The loop that feeds an engine from a runtime and a clock.
//!
//! ```text
//!            facts ─▶ journal
//! engine ─▶  actions ─▶ runtime ─▶ events ─▶ engine
//!            entries ─▶ front ─▶ requests ─▶ engine
//! ```
//!
//! Facts are kept before the actions that follow from them are carried out, so that nothing is done that was not
//! written down.

use crate::poller::Token;
use crate::runtime::{Happening, Runtime};
use pillion_engine::{Engine, Entry, Fact, PodResult, Refused, Request};
use std::io;

/// An engine, what it runs on, and who looks at it.
#[derive(Debug)]
pub struct Pump<R, J, F> {
    engine: Engine,
    runtime: R,
    journal: J,
    front: F,
}

/// Where facts are kept.
pub trait Journal {
    /// Keeps a fact: once this returns, it survives the end of the driver.
    fn keep(&mut self, fact: &Fact) -> io::Result<()>;
}

/// Whoever looks at a pod from outside, and wants something of it.
pub trait Front {
    /// Something of the front's own can be read. What it wants of the pod comes back.
    fn ready(&mut self, token: Token, engine: &Engine) -> Vec<Request>;

    /// How one of its requests was answered.
    fn answered(&mut self, answer: Result<(), Refused>);

    /// Something happened in the pod's life.
    fn told(&mut self, entry: &Entry, engine: &Engine);
}

// === impl Pump ===

impl<R: Runtime, J: Journal, F: Front> Pump<R, J, F> {
    /// Couples an engine with what it runs on.
    pub fn new(engine: Engine, runtime: R, journal: J, front: F) -> Self {
        Self {
            engine,
            runtime,
            journal,
            front,
        }
    }

    /// Runs the pod to its end.
    pub fn run(&mut self) -> io::Result<PodResult> {
        loop {
            self.pass_on()?;
            if let Some(result) = self.engine.result() {
                return Ok(result.clone());
            }
            let happening = self.runtime.wait(self.engine.poll_deadline())?;
            self.take_in(happening);
        }
    }

    /// Hands out all that the engine wants kept, done and told.
    fn pass_on(&mut self) -> io::Result<()> {
        while let Some(fact) = self.engine.poll_fact() {
            self.journal.keep(&fact)?;
        }
        while let Some(action) = self.engine.poll_action() {
            self.runtime.carry_out(action);
        }
        while let Some(entry) = self.engine.poll_entry() {
            self.front.told(&entry, &self.engine);
        }
        Ok(())
    }

    fn take_in(&mut self, happening: Happening) {
        let now = self.runtime.now();
        match happening {
            Happening::Event(event) => self.engine.handle_event(now, event),
            Happening::Due => self.engine.handle_timeout(now),
            Happening::Ready(token) => {
                for request in self.front.ready(token, &self.engine) {
                    let answer = self.engine.handle_request(now, request);
                    self.front.answered(answer);
                }
            }
        }
    }
}
