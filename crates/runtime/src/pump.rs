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

use crate::guard::{NotStarted, Outcome};
use crate::poller::Token;
use crate::runtime::{Happening, Output, Runtime};
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{ContainerId, Engine, Entry, Fact, PodResult, Refused, Request, Tick};
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
pub trait Front<R> {
    /// Something happened in the pod's life.
    fn told(&mut self, entry: &Entry, engine: &Engine);

    /// A container wrote something.
    fn output(&mut self, output: &Output, engine: &Engine);

    /// Something of the front's own can be read.
    fn ready(&mut self, token: Token, pod: Driven<'_, R>);

    /// A command that was begun for a person is over.
    fn exec_done(&mut self, id: u64, outcome: Result<Outcome, NotStarted>);

    /// A hook failed, for this reason. Most fronts are content with what the engine makes of it.
    fn hook_failed(&mut self, _container: ContainerId, _hook: HookKind, _why: &str) {}

    /// One attempt of a probe failed, for this reason. Most fronts are content with what the engine makes of it.
    fn probe_failed(
        &mut self,
        _container: ContainerId,
        _probe: ProbeKind,
        _why: &str,
        _engine: &Engine,
    ) {
    }

    /// When the front wants to be woken.
    fn next_wake(&self) -> Option<Tick>;

    /// That time has come.
    fn wake(&mut self, pod: Driven<'_, R>);

    /// Everything that has happened so far was told: a good moment to draw it.
    fn settle(&mut self, now: Tick, engine: &Engine);
}

/// A pod that is being run, in the hands of its front.
#[derive(Debug)]
pub struct Driven<'p, R> {
    /// What time it is.
    pub now: Tick,
    /// What it runs on.
    pub runtime: &'p mut R,
    engine: &'p mut Engine,
}

// === impl Pump ===

impl<R: Runtime, J: Journal, F: Front<R>> Pump<R, J, F> {
    /// Couples an engine with what it runs on.
    pub fn new(engine: Engine, runtime: R, journal: J, front: F) -> Self {
        Self {
            engine,
            runtime,
            journal,
            front,
        }
    }

    /// Tells an engine that was restored from a journal what is left of its containers.
    pub fn recover(&mut self) {
        let now = self.runtime.now();
        for container in self.engine.expected() {
            if let Some(record) = self.engine.record(container) {
                let found = self.runtime.find(container, record.attempt);
                self.engine.handle_found(now, container, found);
            }
        }
        self.engine.handle_resume(now);
    }

    /// Runs the pod to its end.
    pub fn run(&mut self) -> io::Result<PodResult> {
        loop {
            self.pass_on()?;
            if let Some(result) = self.engine.result() {
                return Ok(result.clone());
            }
            self.front.settle(self.runtime.now(), &self.engine);
            let wake = self.front.next_wake();
            let until = [self.engine.poll_deadline(), wake];
            let until = until.into_iter().flatten().min();
            let happening = self.runtime.wait(until)?;
            self.take_in(happening);
        }
    }

    /// Takes it apart, once the pod has ended.
    pub fn into_parts(self) -> (Engine, R, J, F) {
        (self.engine, self.runtime, self.journal, self.front)
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
            Happening::Output(output) => self.front.output(&output, &self.engine),
            Happening::ExecDone { id, outcome } => self.front.exec_done(id, outcome),
            Happening::HookFailed {
                container,
                hook,
                why,
            } => self.front.hook_failed(container, hook, &why),
            Happening::ProbeFailed {
                container,
                probe,
                why,
            } => (self.front).probe_failed(container, probe, &why, &self.engine),
            Happening::Due => {
                // The front is woken when everything that has happened was told; it is due again at once.
                if self.engine.poll_deadline().is_some_and(|due| due <= now) {
                    self.engine.handle_timeout(now);
                } else if self.front.next_wake().is_some_and(|due| due <= now) {
                    let pod = Driven::new(now, &mut self.runtime, &mut self.engine);
                    self.front.wake(pod);
                }
            }
            Happening::Ready(token) => {
                let pod = Driven::new(now, &mut self.runtime, &mut self.engine);
                self.front.ready(token, pod);
            }
        }
    }
}

// === impl Driven ===

impl<'p, R> Driven<'p, R> {
    fn new(now: Tick, runtime: &'p mut R, engine: &'p mut Engine) -> Self {
        Self {
            now,
            runtime,
            engine,
        }
    }

    /// How the pod stands.
    pub fn engine(&self) -> &Engine {
        self.engine
    }

    /// Asks for something. What follows from it is done when the front returns.
    pub fn request(&mut self, request: Request) -> Result<(), Refused> {
        self.engine.handle_request(self.now, request)
    }
}
