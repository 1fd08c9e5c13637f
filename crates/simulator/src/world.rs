//! The simulated runtime: carries out actions on actors, in virtual time.
//!
//! The world does what a driver and a machine do together. It pulls, creates, starts, runs hooks
//! and probes, sends stop signals and kills at deadlines; and it is the one place that knows which
//! processes really live. What an engine must never ask for (a second process beside a living one,
//! a hook that does not exist) is noted as a [`Violation`] and not done.
//!
//! ```text
//!   Action ──▶ carry_out ──▶ Agenda ──▶ turn ──▶ Heard (an event, a request, an act that is due)
//!                              ▲          │
//!                              └──────────┘ actors come up, exit, answer
//! ```

mod hook;
mod image;
mod outside;
mod probe;
mod process;

use crate::act::Ticket;
use crate::actor::{AskScript, Script};
use crate::agenda::Agenda;
use crate::line::{Log, Part, Who, Word};
use image::Pull;
use pillion_engine::action::Command;
use pillion_engine::pod::Container;
use pillion_engine::{Action, Attempt, ContainerId, Event, Exit, Found, Request, Tick};
use process::Process;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A simulated machine with one pod.
#[derive(Clone, Debug)]
pub(crate) struct World {
    agenda: Agenda<Happening>,
    cells: Vec<Cell>,
    latency: Latency,
    next_id: u64,
    /// When a process last ended as was said of its run in particular.
    scripted_end: Tick,
    pub(crate) log: Log,
    pub(crate) violations: Vec<Violation>,
}

/// How long things take between an engine and its containers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Latency {
    /// From an asked start to the process.
    pub start: Duration,
    /// From something that happened until the engine hears of it.
    pub report: Duration,
}

/// Something that was asked for and must never be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Violation {
    /// When.
    pub at: Tick,
    /// What, for people.
    pub what: String,
}

/// What comes out of the world when its clock moves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Heard {
    /// Something happened that only the world needs to know.
    Nothing,
    /// The driver heard of this.
    Event(Event),
    /// A container asks for something.
    Request(Request),
    /// The act that was put in is due.
    Act(Ticket),
}

/// All that the world knows of one container.
#[derive(Clone, Debug)]
struct Cell {
    name: Box<str>,
    /// By the version that an action names.
    versions: Vec<Version>,
    actors: Vec<Actor>,
    /// Images that are there already.
    images: BTreeSet<Box<str>>,
    /// The pull under way.
    pull: Option<Pull>,
    /// A start that was asked for and takes its time, with the stop that overtook it.
    pending: Option<(Attempt, Option<Tick>)>,
    process: Option<Process>,
    /// The newest run that has ended, and how, unless its record is gone.
    last: Option<(Attempt, Option<Exit>)>,
}

/// One definition of a container.
#[derive(Clone, Debug)]
struct Version {
    image: Option<Arc<str>>,
    ready_on: bool,
    /// Which of the cell's actors plays it.
    actor: usize,
}

/// A script, and how far it has been played.
#[derive(Clone, Debug)]
struct Actor {
    script: Script,
    runs: u32,
    failed_pulls: u32,
    failed_creates: u32,
}

/// What can be put in for later. Processes, hooks and attempts have numbers, so that what was put
/// in for one that is gone does not touch the next.
#[derive(Clone, Debug)]
enum Happening {
    Hear(Event),
    Act(Ticket),
    Pulled(ContainerId, u64),
    Begin {
        container: ContainerId,
        attempt: Attempt,
        version: u32,
        command: Command,
    },
    Up(ContainerId, u64),
    /// The process ends by its own plan; the second number says which plan.
    End(ContainerId, u64, u32),
    Kill(ContainerId, u64, Tick),
    Notify(ContainerId, u64),
    Ask(ContainerId, u64, AskScript),
    HookUp(ContainerId, u64),
    HookEnd(ContainerId, u64),
    HookDeadline(ContainerId, u64),
    ProbeEnd(ContainerId, u64, Option<bool>),
}

// === impl World ===

impl World {
    pub(crate) fn new(latency: Latency) -> Self {
        Self {
            agenda: Agenda::new(),
            cells: Vec::new(),
            latency,
            next_id: 0,
            scripted_end: Tick::ZERO,
            log: Log::default(),
            violations: Vec::new(),
        }
    }

    // --- what is there ---

    pub(crate) fn now(&self) -> Tick {
        self.agenda.now()
    }

    /// When the next thing happens.
    pub(crate) fn next_at(&self) -> Option<Tick> {
        self.agenda.next_at()
    }

    /// Adds a container, played by a script.
    pub(crate) fn add(&mut self, container: &Container, script: Script) {
        self.cells.push(Cell {
            name: container.name.clone(),
            versions: vec![Version::new(container, 0)],
            actors: vec![Actor::new(script)],
            images: BTreeSet::new(),
            pull: None,
            pending: None,
            process: None,
            last: None,
        });
    }

    /// Adds a definition of a container; without a script its actor goes on.
    pub(crate) fn add_version(
        &mut self,
        id: ContainerId,
        container: &Container,
        script: Option<Script>,
    ) {
        let Some(cell) = self.cells.get_mut(id.index()) else {
            return;
        };
        cell.actors.extend(script.map(Actor::new));
        let actor = cell.actors.len() - 1;
        cell.versions.push(Version::new(container, actor));
    }

    /// The containers that have a living process.
    pub(crate) fn alive(&self) -> impl Iterator<Item = &str> {
        let alive = self.cells.iter().filter(|cell| cell.process.is_some());
        alive.map(|cell| &*cell.name)
    }

    /// What a driver finds of a container when it looks for a run of it.
    pub(crate) fn found(&self, id: ContainerId, expected: Option<Attempt>) -> Found {
        let Some(cell) = self.cells.get(id.index()) else {
            return Found::NeverCreated;
        };
        match (&cell.process, &cell.last) {
            (Some(process), _) => Found::Running {
                attempt: process.attempt,
            },
            // What is left is of an older run: the one that was asked for never was.
            (None, Some((attempt, _))) if expected.is_some_and(|run| run > *attempt) => {
                Found::NeverCreated
            }
            (None, Some((attempt, exit))) => Found::Ended {
                attempt: *attempt,
                exit: exit.clone(),
            },
            (None, None) => Found::NeverCreated,
        }
    }

    // --- what the engine asks for ---

    pub(crate) fn carry_out(&mut self, action: &Action) {
        let (id, attempt) = action.container();
        if id.index() >= self.cells.len() {
            return self.violated(format!("{action:?} names a container that does not exist"));
        }
        match *action {
            Action::Pull { version, .. } => self.pull(id, attempt, version),
            Action::CancelPull { .. } => self.cancel_pull(id, attempt),
            Action::Start {
                version, command, ..
            } => self.ask_start(id, attempt, version, command),
            Action::RunHook { hook, deadline, .. } => self.run_hook(id, attempt, hook, deadline),
            Action::Probe { probe, timeout, .. } => self.probe(id, attempt, probe, timeout),
            Action::Stop { deadline, .. } => self.stop(id, attempt, deadline),
        }
    }

    // --- what time brings ---

    /// Lets the next thing happen and moves the clock to it.
    pub(crate) fn turn(&mut self) -> Heard {
        match self.agenda.take() {
            None => Heard::Nothing,
            Some(Happening::Hear(event)) => Heard::Event(event),
            Some(Happening::Act(act)) => Heard::Act(act),
            Some(Happening::Ask(id, process, ask)) => self.asks(id, process, ask),
            Some(happening) => {
                self.happens(&happening);
                Heard::Nothing
            }
        }
    }

    /// Lets time pass; nothing else happens until then.
    pub(crate) fn advance(&mut self, at: Tick) {
        self.agenda.advance(at);
    }

    fn happens(&mut self, happening: &Happening) {
        match *happening {
            Happening::Hear(_) | Happening::Act(_) | Happening::Ask(..) => {}
            Happening::Pulled(id, pull) => self.pull_ends(id, pull),
            Happening::Begin {
                container,
                attempt,
                version,
                command,
            } => self.begin(container, attempt, version, command),
            Happening::Up(id, process) => self.comes_up(id, process),
            Happening::End(id, process, plan) => self.ends(id, process, plan),
            Happening::Kill(id, process, at) => self.kill_is_due(id, process, at),
            Happening::Notify(id, process) => self.notifies(id, process),
            Happening::HookUp(id, hook) => self.hook_comes_up(id, hook),
            Happening::HookEnd(id, hook) => self.hook_ends(id, hook),
            Happening::HookDeadline(id, hook) => self.hook_is_left(id, hook),
            Happening::ProbeEnd(id, attempt, answer) => self.probe_ends(id, attempt, answer),
        }
    }

    /// Puts an act in.
    pub(crate) fn put_act(&mut self, at: Tick, act: Ticket) {
        self.agenda.put(at, Happening::Act(act));
    }

    /// Lets the driver hear of something that happens now.
    pub(crate) fn hear(&mut self, event: Event) {
        let at = self.now() + self.latency.report;
        self.agenda.put(at, Happening::Hear(event));
    }

    // --- small things ---

    /// The living process of that run.
    fn run(&mut self, id: ContainerId, attempt: Attempt) -> Option<&mut Process> {
        let process = self.cells[id.index()].process.as_mut();
        process.filter(|process| process.attempt == attempt)
    }

    /// The living process of that number.
    fn process(&mut self, id: ContainerId, number: u64) -> Option<&mut Process> {
        let process = self.cells[id.index()].process.as_mut();
        process.filter(|process| process.number == number)
    }

    fn number(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn write(&mut self, id: ContainerId, part: Part, word: Word) {
        let who = Who::part(&self.cells[id.index()].name, part);
        self.log.write(self.agenda.now(), who, word);
    }

    pub(crate) fn violated(&mut self, what: String) {
        let at = self.now();
        self.violations.push(Violation { at, what });
    }
}

// === impl Violation ===

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.at, self.what)
    }
}

// === impl Version ===

impl Version {
    fn new(container: &Container, actor: usize) -> Self {
        Self {
            image: container.image.clone(),
            ready_on: container.ready_on,
            actor,
        }
    }
}

// === impl Actor ===

impl Actor {
    fn new(script: Script) -> Self {
        Self {
            script,
            runs: 0,
            failed_pulls: 0,
            failed_creates: 0,
        }
    }
}

#[cfg(test)]
mod tests;
