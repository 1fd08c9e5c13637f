//! Everything that can happen to a pod: a driver that may answer in any way and in any order.
//!
//! At each moment [`possible`](Environment::possible) lists what can happen next, and
//! [`happen`](Environment::happen) makes one of it so. The driver keeps to its contract: facts
//! are kept before actions are carried out, a process that was told to stop is killed at its
//! deadline, a probe answers within its timeout. Everything else is left to whoever chooses.

mod body;
mod crash;
mod happening;

pub use crash::CrashPoint;
pub use happening::{End, Happening};

use crate::subject::Subject;
use body::Body;
use pillion_engine::fact::Change;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Action, ContainerId, Event, Fact, Pod, Request, Tick};
use pillion_simulator::Unplayable;
use pillion_simulator::trace::{Item, Step};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A pod, the machine that runs it, and the world around it.
#[derive(Clone, Debug)]
pub struct Environment<M> {
    machine: M,
    pod: Arc<Pod>,
    now: Tick,
    sandbox: bool,
    bodies: Vec<Body>,
    /// What was kept: the newest about each thing.
    journal: Vec<Change>,
    limits: Limits,
    shown_ready: bool,
    ended: bool,
}

/// How often the unpleasant may happen.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Limits {
    /// Exits that nobody asked for, failed pulls, starts, hooks and probes.
    pub faults: u8,
    /// Deletions.
    pub deletions: u8,
    /// Other requests.
    pub requests: u8,
    /// Deaths of the driver.
    pub crashes: u8,
    /// Losses of the sandbox.
    pub losses: u8,
    /// Answers that come after nobody wants them any more.
    pub late: u8,
}

// === impl Limits ===

impl Limits {
    /// Only what must happen does.
    pub const CALM: Self = Self {
        faults: 0,
        deletions: 0,
        requests: 0,
        crashes: 0,
        losses: 0,
        late: 0,
    };

    /// The same with so many faults.
    #[must_use]
    pub const fn faults(mut self, faults: u8) -> Self {
        self.faults = faults;
        self
    }

    /// The same with so many deletions.
    #[must_use]
    pub const fn deletions(mut self, deletions: u8) -> Self {
        self.deletions = deletions;
        self
    }

    /// The same with so many other requests.
    #[must_use]
    pub const fn requests(mut self, requests: u8) -> Self {
        self.requests = requests;
        self
    }

    /// The same with so many deaths of the driver.
    #[must_use]
    pub const fn crashes(mut self, crashes: u8) -> Self {
        self.crashes = crashes;
        self
    }

    /// The same with so many losses of the sandbox.
    #[must_use]
    pub const fn losses(mut self, losses: u8) -> Self {
        self.losses = losses;
        self
    }

    /// The same with so many late answers.
    #[must_use]
    pub const fn late(mut self, late: u8) -> Self {
        self.late = late;
        self
    }
}

// === impl Environment ===

impl<M: Subject> Environment<M> {
    /// Gives a pod to a new machine at the beginning of time.
    pub fn new(pod: &Pod, limits: Limits, out: &mut Vec<Step>) -> Result<Self, Unplayable> {
        let machine = M::create(pod.clone(), Tick::ZERO)?;
        let mut environment = Self {
            machine,
            bodies: vec![Body::default(); pod.containers.len()],
            pod: Arc::new(pod.clone()),
            now: Tick::ZERO,
            sandbox: false,
            journal: Vec::new(),
            limits,
            shown_ready: false,
            ended: false,
        };
        environment.drain(out);
        Ok(environment)
    }

    /// The machine.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// The time.
    pub fn now(&self) -> Tick {
        self.now
    }

    /// Whether the pod has its result.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the machine asks to be called now and is not content with being called.
    pub fn is_stuck(&self) -> bool {
        self.machine
            .poll_deadline()
            .is_some_and(|at| at <= self.now)
    }

    /// Whether nothing is outstanding and no deadline will come.
    pub fn is_resting(&self) -> bool {
        let owes = self.bodies.iter().any(Body::owes);
        self.sandbox && !owes && self.machine.poll_deadline().is_none()
    }

    /// Mixes the state into a hash; states that differ only in the date give the same.
    pub fn fingerprint(&self, hasher: &mut impl Hasher) {
        self.machine.fingerprint(self.now, hasher);
        for body in &self.bodies {
            body.fingerprint(self.now, hasher);
        }
        let told = (self.sandbox, self.shown_ready, self.ended);
        (told, self.limits).hash(hasher);
        if self.limits.crashes > 0
            && let Ok(machine) = self.restored()
        {
            machine.fingerprint(self.now, hasher);
        }
    }

    /// Makes it so; what goes in and comes out is added to `out`.
    pub fn happen(&mut self, happening: &Happening, out: &mut Vec<Step>) {
        let lives = CrashPoint::never();
        self.happen_until(happening, lives, out);
    }

    /// Makes it so, and lets the driver die at that point; then it comes back.
    pub fn happen_and_crash(&mut self, happening: &Happening, at: CrashPoint, out: &mut Vec<Step>) {
        self.happen_until(happening, at, out);
        self.limits.crashes = self.limits.crashes.saturating_sub(1);
        self.recover(out);
    }

    fn happen_until(&mut self, happening: &Happening, at: CrashPoint, out: &mut Vec<Step>) {
        self.pay(happening);
        let Some(item) = self.make(happening) else {
            return;
        };
        let item = self.tell(item);
        let facts: Vec<_> = std::iter::from_fn(|| self.machine.poll_fact()).collect();
        let lost = !facts.is_empty() && at.kept == 0;
        let cut = at.kept < facts.len();
        self.keep(facts, at.kept);
        // What nobody wrote down has not happened, as far as anybody can tell.
        if !lost {
            out.push(Step { at: self.now, item });
        }
        if !cut {
            self.carry_out(at.done, out);
            self.show(out);
        }
    }

    /// Tells the machine, and completes a request by its answer.
    fn tell(&mut self, item: Item) -> Item {
        let now = self.now;
        match item {
            Item::Event(event) => {
                self.machine.handle_event(now, event.clone());
                Item::Event(event)
            }
            Item::Request(request, _) => {
                let answer = self.machine.handle_request(now, request.clone());
                if let (Request::AddEphemeral(_), Ok(())) = (&request, &answer) {
                    self.bodies.push(Body::default());
                }
                Item::Request(request, answer)
            }
            Item::Timeout => {
                self.machine.handle_timeout(now);
                Item::Timeout
            }
            Item::Action(_)
            | Item::Crash
            | Item::Found(..)
            | Item::Resume
            | Item::Ready(_)
            | Item::Ended(_) => item,
        }
    }

    fn drain(&mut self, out: &mut Vec<Step>) {
        let facts: Vec<_> = std::iter::from_fn(|| self.machine.poll_fact()).collect();
        self.keep(facts, usize::MAX);
        self.carry_out(usize::MAX, out);
        self.show(out);
    }

    /// Keeps the first so many facts.
    fn keep(&mut self, facts: Vec<Fact>, most: usize) {
        if self.limits.crashes == 0 {
            return;
        }
        for change in facts.into_iter().take(most).flat_map(|fact| fact.changes) {
            self.journal.retain(|old| !replaces(&change, old));
            self.journal.push(change);
        }
    }

    fn carry_out(&mut self, most: usize, out: &mut Vec<Step>) {
        let mut left = most;
        while left > 0
            && let Some(action) = self.machine.poll_action()
        {
            left -= 1;
            self.act(&action);
            out.push(Step {
                at: self.now,
                item: Item::Action(action),
            });
        }
    }

    fn act(&mut self, action: &Action) {
        let now = self.now;
        let (ContainerId(id), _) = action.container();
        if let Some(body) = self.bodies.get_mut(id as usize) {
            body.act(now, action);
        }
    }

    /// What people see of the pod.
    fn show(&mut self, out: &mut Vec<Step>) {
        let at = self.now;
        let ready = self.machine.is_ready();
        if ready != self.shown_ready {
            self.shown_ready = ready;
            out.push(Step {
                at,
                item: Item::Ready(ready),
            });
        }
        if let Some(result) = self.machine.result()
            && !self.ended
        {
            self.ended = true;
            let item = Item::Ended(result.clone());
            out.push(Step { at, item });
        }
    }
}

/// Whether the newer change makes the older one superfluous.
fn replaces(newer: &Change, older: &Change) -> bool {
    match (newer, older) {
        (Change::Container(new, _), Change::Container(old, _))
        | (Change::Replacing(new, _), Change::Replacing(old, _)) => new == old,
        (Change::Requirement(new, _), Change::Requirement(old, _)) => new == old,
        (Change::Pod(_), Change::Pod(_)) => true,
        (
            Change::Container(..)
            | Change::Replacing(..)
            | Change::Defined(..)
            | Change::Requirement(..)
            | Change::Pod(_),
            _,
        ) => false,
    }
}

/// The event of a hook that returned.
fn hook_done(id: ContainerId, attempt: u32, hook: HookKind, ok: bool) -> Event {
    Event::HookDone {
        container: id,
        attempt,
        hook,
        ok,
    }
}

/// The event of a probe that answered.
fn probed(id: ContainerId, attempt: u32, probe: ProbeKind, ok: bool) -> Event {
    Event::Probed {
        container: id,
        attempt,
        probe,
        ok,
    }
}
