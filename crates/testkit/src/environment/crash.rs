//! The driver dies and comes back.

use super::Environment;
use super::body::Process;
use crate::subject::Subject;
use pillion_engine::fact::Change;
use pillion_engine::{Attempt, ContainerId, Event, Fact, Found, Tick};
use pillion_simulator::Unplayable;
use pillion_simulator::trace::{Item, Step};

/// Where between an input and its consequences the driver dies.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct CrashPoint {
    /// So many of the facts were kept.
    pub kept: usize,
    /// So many of the actions were carried out; none if a fact was not kept.
    pub done: usize,
}

// === impl CrashPoint ===

impl CrashPoint {
    /// The driver lives on.
    pub(super) const fn never() -> Self {
        Self {
            kept: usize::MAX,
            done: usize::MAX,
        }
    }

    /// After everything was done, and before anything is heard of it.
    pub const AFTER_ALL: Self = Self::never();
}

// === impl Environment ===

impl<M: Subject> Environment<M> {
    /// Whether the driver may die.
    pub fn may_crash(&self) -> bool {
        self.limits.crashes > 0 && !self.ended
    }

    /// Where the driver can die while this happens. What is asked for by people is either heard as a whole or not.
    pub fn crash_points(&self, happening: &super::Happening) -> Vec<CrashPoint> {
        let mut copy = self.clone();
        let Some(item) = copy.make(happening) else {
            return Vec::new();
        };
        let asked = matches!(item, Item::Request(..));
        copy.tell(item);
        let facts = std::iter::from_fn(|| copy.machine.poll_fact()).count();
        let actions = std::iter::from_fn(|| copy.machine.poll_action()).count();
        let before = (0..facts).filter(|&kept| !asked || kept == 0);
        let cut = before.map(|kept| CrashPoint { kept, done: 0 });
        let after = (0..=actions).map(|done| CrashPoint { kept: facts, done });
        cut.chain(after).collect()
    }

    /// A machine made of what was kept.
    pub(super) fn restored(&self) -> Result<M, Unplayable> {
        let pod = (*self.pod).clone();
        if self.journal.is_empty() {
            return M::create(pod, self.now);
        }
        let changes = self.journal.clone();
        let at = self.now;
        M::restore(pod, vec![Fact { at, changes }])
    }

    /// The driver is dead, and comes back.
    pub(super) fn recover(&mut self, out: &mut Vec<Step>) {
        let at = self.now;
        let mut push = |item| out.push(Step { at, item });
        push(Item::Crash);
        for body in &mut self.bodies {
            body.pull = None;
            body.late = None;
            if let Some(process) = &mut body.process {
                process.forget();
            }
        }
        let Ok(machine) = self.restored() else {
            return;
        };
        self.machine = machine;
        let fresh = self.journal.is_empty();
        let expected = if fresh {
            Vec::new()
        } else {
            self.machine.expected()
        };
        for id in expected {
            let found = self.found(id);
            push(Item::Found(id, found.clone()));
            self.machine.handle_found(at, id, found);
        }
        push(Item::Resume);
        if !fresh {
            self.machine.handle_resume(at);
        }
        self.drain(out);
        self.tell_levels(out);
    }

    fn found(&self, id: ContainerId) -> Found {
        let Some(body) = self.bodies.get(id.index()) else {
            return Found::NeverCreated;
        };
        let asked = self.asked_attempt(id);
        match (&body.process, &body.ended) {
            (Some(process), _) => Found::Running {
                attempt: process.attempt,
            },
            (None, Some((attempt, exit))) if asked.is_none_or(|asked| asked <= *attempt) => {
                Found::Ended {
                    attempt: *attempt,
                    exit: exit.clone(),
                }
            }
            (None, Some(_) | None) => Found::NeverCreated,
        }
    }

    fn asked_attempt(&self, id: ContainerId) -> Option<Attempt> {
        self.journal.iter().rev().find_map(|change| match change {
            Change::Container(of, record) if *of == id => Some(record.attempt),
            Change::Container(..)
            | Change::Pod(_)
            | Change::Replacing(..)
            | Change::Defined(..)
            | Change::Requirement(..) => None,
        })
    }

    /// What is so is told again, because what was on its way is lost.
    fn tell_levels(&mut self, out: &mut Vec<Step>) {
        let mut levels = Vec::new();
        if self.sandbox {
            levels.push(Event::SandboxReady);
        }
        for (id, body) in (0..).map(ContainerId).zip(&self.bodies) {
            let told = body
                .process
                .as_ref()
                .and_then(|it| Some((it.attempt, it.notified?)));
            levels.extend(told.map(|(attempt, ready)| Event::Notified {
                container: id,
                attempt,
                ready,
            }));
        }
        for event in levels {
            let at: Tick = self.now;
            let item = self.tell(Item::Event(event));
            out.push(Step { at, item });
            self.drain(out);
        }
    }
}

// === impl Process ===

impl Process {
    /// The driver that watched it is dead.
    fn forget(&mut self) {
        self.announced = true;
        self.kill_at = None;
        self.hooks = [false; 3];
        self.probes = [None; 3];
    }
}
