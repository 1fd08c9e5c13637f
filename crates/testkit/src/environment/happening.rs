//! What can happen next, and how it is made so.

use super::body::Process;
use super::{Environment, hook_done, probed};
use crate::subject::Subject;
use pillion_engine::pod::{
    Container, HookKind, Kind, List, ProbeKind, Reaction, RestartPolicy, Role, When,
};
use pillion_engine::{Command, ContainerId, Event, Exit, Request, StartFailure, Tick};
use pillion_simulator::trace::Item;
use std::time::Duration;

/// One thing that can happen next.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Happening {
    /// The sandbox is there, or gone.
    Sandbox(bool),
    /// A pull answers.
    Pulled(ContainerId, bool),
    /// A process that was asked for runs.
    Runs(ContainerId),
    /// A process that was asked for could not be had.
    StartFails(ContainerId),
    /// A process ends.
    Ends(ContainerId, End),
    /// A hook returns.
    Hooked(ContainerId, HookKind, bool),
    /// A probe answers.
    Probed(ContainerId, ProbeKind, bool),
    /// A container tells of its readiness.
    Notifies(ContainerId, bool),
    /// Something is said that nobody wants to hear any more.
    Late(ContainerId),
    /// The pod is deleted, with that many seconds instead of its own grace period.
    Deleted(Option<u64>),
    /// A reaction is asked for.
    Asked(Reaction, Option<ContainerId>),
    /// A container is to be exchanged.
    Replaced(ContainerId),
    /// A debugging container is added.
    Debugged,
    /// The machine is called because something is due.
    Timeout,
    /// Nothing happens until the next deadline.
    Clock,
}

/// How a process ends.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum End {
    /// With this code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
    /// Killed for want of memory.
    Memory,
}

// === impl Happening ===

impl Happening {
    /// Whether it is something that has to happen sooner or later if nothing else does.
    pub fn is_owed(&self) -> bool {
        match self {
            Self::Sandbox(ready) => *ready,
            Self::Pulled(_, ok) | Self::Hooked(_, _, ok) | Self::Probed(_, _, ok) => *ok,
            Self::Runs(_) | Self::Timeout | Self::Clock => true,
            Self::Ends(_, end) => *end == End::Code(0),
            Self::Notifies(_, ready) => *ready,
            Self::StartFails(_)
            | Self::Late(_)
            | Self::Deleted(_)
            | Self::Asked(..)
            | Self::Replaced(_)
            | Self::Debugged => false,
        }
    }
}

// === impl End ===

impl End {
    fn exit(self) -> Exit {
        match self {
            Self::Code(code) => Exit::code(code),
            Self::Signal(signal) => Exit::signal(signal),
            Self::Memory => Exit::out_of_memory(),
        }
    }
}

// === impl Environment ===

impl<M: Subject> Environment<M> {
    /// Everything that can happen next.
    pub fn possible(&self) -> Vec<Happening> {
        let mut next = Vec::new();
        if self.ended {
            return next;
        }
        if !self.sandbox {
            next.push(Happening::Sandbox(true));
        } else if self.limits.losses > 0 {
            next.push(Happening::Sandbox(false));
        }
        for id in (0..).map(ContainerId).take(self.bodies.len()) {
            self.of_container(id, &mut next);
        }
        self.of_requests(&mut next);
        self.of_time(&mut next);
        next
    }

    fn of_container(&self, id: ContainerId, next: &mut Vec<Happening>) {
        let body = &self.bodies[id.index()];
        let faults = self.limits.faults > 0;
        if body.pull.is_some() {
            next.push(Happening::Pulled(id, true));
            next.extend(faults.then_some(Happening::Pulled(id, false)));
        }
        if self.limits.late > 0 && body.late.is_some() {
            next.push(Happening::Late(id));
        }
        let Some(process) = &body.process else {
            return;
        };
        if !process.announced {
            next.push(Happening::Runs(id));
            next.extend(faults.then_some(Happening::StartFails(id)));
        }
        for end in self.ends(id, process) {
            next.push(Happening::Ends(id, end));
        }
        for hook in process.hooks() {
            next.push(Happening::Hooked(id, hook, true));
            next.extend(faults.then_some(Happening::Hooked(id, hook, false)));
        }
        for (probe, by) in process.probes() {
            next.extend((by > self.now).then_some(Happening::Probed(id, probe, true)));
            let fails = faults || by <= self.now;
            next.extend(fails.then_some(Happening::Probed(id, probe, false)));
        }
        if process.announced && self.container(id).is_some_and(|it| it.ready_on) {
            match process.notified {
                Some(true) => next.extend(faults.then_some(Happening::Notifies(id, false))),
                Some(false) | None => next.push(Happening::Notifies(id, true)),
            }
        }
    }

    /// The ways in which a process can end now.
    fn ends(&self, id: ContainerId, process: &Process) -> Vec<End> {
        let killed = process.kill_at.is_some_and(|at| at <= self.now);
        if killed {
            return vec![End::Signal(9)];
        }
        if process.kill_at.is_some() || process.command == Command::Undo {
            return vec![End::Code(0), End::Code(143)];
        }
        let mut ends = Vec::new();
        let oneshot = self.container(id).is_some_and(Container::is_oneshot);
        if oneshot || self.limits.faults > 0 {
            ends.push(End::Code(0));
        }
        if self.limits.faults > 0 {
            ends.push(End::Code(1));
            ends.extend(self.container(id).into_iter().flat_map(named_ends));
        }
        ends
    }

    fn of_requests(&self, next: &mut Vec<Happening>) {
        if self.limits.deletions > 0 {
            next.push(Happening::Deleted(None));
            next.push(Happening::Deleted(Some(1)));
        }
        if self.limits.requests == 0 {
            return;
        }
        for reaction in [
            Reaction::RestartAllContainers,
            Reaction::RestartPod,
            Reaction::FailPod,
            Reaction::CompletePod,
        ] {
            next.push(Happening::Asked(reaction, None));
        }
        for id in (0..).map(ContainerId).take(self.pod.containers.len()) {
            let runs = self.bodies[id.index()]
                .process
                .as_ref()
                .is_some_and(|it| it.announced);
            next.extend(runs.then_some(Happening::Asked(Reaction::Restart, Some(id))));
            next.push(Happening::Replaced(id));
        }
        if self.bodies.len() == self.pod.containers.len() {
            next.push(Happening::Debugged);
        }
    }

    fn of_time(&self, next: &mut Vec<Happening>) {
        match self.next_deadline() {
            Some(at) if at > self.now => next.push(Happening::Clock),
            Some(_) if self.is_stuck() => next.push(Happening::Timeout),
            Some(_) | None => {}
        }
    }

    /// The next moment at which something is due, for the machine or for the driver.
    pub fn next_deadline(&self) -> Option<Tick> {
        let processes = self.bodies.iter().filter_map(|body| body.process.as_ref());
        let owed = processes.filter_map(Process::deadline);
        owed.chain(self.machine.poll_deadline()).min()
    }

    fn container(&self, id: ContainerId) -> Option<&Container> {
        self.machine.pod().containers.get(id.index())
    }

    /// Takes what a happening costs from what may still happen.
    pub(super) fn pay(&mut self, happening: &Happening) {
        let faulty = match happening {
            Happening::Pulled(_, ok) | Happening::Hooked(_, _, ok) => !ok,
            Happening::Probed(id, probe, ok) => !ok && !self.must_answer(*id, *probe),
            Happening::Notifies(_, ready) => !ready,
            Happening::StartFails(_) => true,
            Happening::Ends(id, end) => self.is_fault(*id, *end),
            Happening::Sandbox(_)
            | Happening::Runs(_)
            | Happening::Late(_)
            | Happening::Deleted(_)
            | Happening::Asked(..)
            | Happening::Replaced(_)
            | Happening::Debugged
            | Happening::Timeout
            | Happening::Clock => false,
        };
        let limits = &mut self.limits;
        limits.faults -= u8::from(faulty).min(limits.faults);
        let one = |count: &mut u8| *count = count.saturating_sub(1);
        match happening {
            Happening::Deleted(_) => one(&mut limits.deletions),
            Happening::Asked(..) | Happening::Replaced(_) | Happening::Debugged => {
                one(&mut limits.requests);
            }
            Happening::Sandbox(false) => one(&mut limits.losses),
            Happening::Late(_) => one(&mut limits.late),
            Happening::Sandbox(true)
            | Happening::Pulled(..)
            | Happening::Hooked(..)
            | Happening::Probed(..)
            | Happening::Notifies(..)
            | Happening::StartFails(_)
            | Happening::Ends(..)
            | Happening::Runs(_)
            | Happening::Timeout
            | Happening::Clock => {}
        }
    }

    fn must_answer(&self, id: ContainerId, probe: ProbeKind) -> bool {
        let process = self.bodies[id.index()].process.as_ref();
        process.is_some_and(|it| it.probes[probe as usize].is_some_and(|by| by <= self.now))
    }

    fn is_fault(&self, id: ContainerId, end: End) -> bool {
        let process = self.bodies[id.index()].process.as_ref();
        let told = process.is_some_and(|it| it.kill_at.is_some() || it.command == Command::Undo);
        let oneshot = self.container(id).is_some_and(Container::is_oneshot);
        let done = oneshot && end == End::Code(0);
        !told && !done
    }

    /// Makes it so in the world; what the machine is told of it, if anything.
    pub(super) fn make(&mut self, happening: &Happening) -> Option<Item> {
        let now = self.now;
        let event = match *happening {
            Happening::Sandbox(ready) => self.make_sandbox(ready),
            Happening::Pulled(id, ok) => self.make_pulled(id, ok)?,
            Happening::Runs(id) => {
                let process = self.bodies[id.index()].process.as_mut()?;
                process.announced = true;
                Event::Started {
                    container: id,
                    attempt: process.attempt,
                }
            }
            Happening::StartFails(id) => {
                let process = self.bodies[id.index()].process.take()?;
                Event::StartFailed {
                    container: id,
                    attempt: process.attempt,
                    reason: StartFailure::CreateContainerError,
                    message: "".into(),
                }
            }
            Happening::Ends(id, end) => self.make_end(id, end)?,
            Happening::Hooked(id, hook, ok) => {
                let process = self.bodies[id.index()].process.as_mut()?;
                process.hooks[hook as usize] = false;
                hook_done(id, process.attempt, hook, ok)
            }
            Happening::Probed(id, probe, ok) => {
                let process = self.bodies[id.index()].process.as_mut()?;
                process.probes[probe as usize] = None;
                probed(id, process.attempt, probe, ok)
            }
            Happening::Notifies(id, ready) => {
                let process = self.bodies[id.index()].process.as_mut()?;
                process.notified = Some(ready);
                Event::Notified {
                    container: id,
                    attempt: process.attempt,
                    ready,
                }
            }
            Happening::Late(id) => self.bodies[id.index()].late.take()?,
            Happening::Deleted(_)
            | Happening::Asked(..)
            | Happening::Replaced(_)
            | Happening::Debugged => return Some(Item::Request(self.wanted(happening)?, Ok(()))),
            Happening::Timeout => return Some(Item::Timeout),
            Happening::Clock => {
                self.now = self.next_deadline().unwrap_or(now).max(now);
                return None;
            }
        };
        Some(Item::Event(event))
    }

    fn make_sandbox(&mut self, ready: bool) -> Event {
        self.sandbox = ready;
        if ready {
            return Event::SandboxReady;
        }
        for body in &mut self.bodies {
            if let Some(process) = body.process.take() {
                body.ended = Some((process.attempt, None));
            }
        }
        Event::SandboxLost
    }

    fn make_pulled(&mut self, container: ContainerId, ok: bool) -> Option<Event> {
        let attempt = self.bodies[container.index()].pull.take()?;
        Some(if ok {
            Event::Pulled { container, attempt }
        } else {
            Event::PullFailed {
                container,
                attempt,
                message: "".into(),
            }
        })
    }

    fn make_end(&mut self, container: ContainerId, end: End) -> Option<Event> {
        let body = &mut self.bodies[container.index()];
        let process = body.process.take()?;
        let attempt = process.attempt;
        if let Some(probe) = process.probes().map(|(probe, _)| probe).next() {
            body.late = Some(probed(container, attempt, probe, false));
        } else if let Some(hook) = process.hooks().next() {
            body.late = Some(hook_done(container, attempt, hook, true));
        }
        let exit = end.exit();
        body.ended = Some((attempt, Some(exit.clone())));
        Some(Event::Exited {
            container,
            attempt,
            exit,
        })
    }

    fn wanted(&self, happening: &Happening) -> Option<Request> {
        Some(match *happening {
            Happening::Deleted(grace) => Request::Delete {
                grace: grace.map(Duration::from_secs),
            },
            Happening::Asked(reaction, by) => Request::Ask {
                reaction,
                by,
                reason: "".into(),
            },
            Happening::Replaced(container) => {
                let mut with = self.container(container)?.clone();
                with.image = with.image.map(|image| format!("{image}+").into());
                Request::Replace {
                    container,
                    with: Box::new(with),
                    timeout: Some(Duration::from_mins(1)),
                    force: false,
                }
            }
            Happening::Debugged => Request::AddEphemeral(Box::new(debugger())),
            Happening::Sandbox(_)
            | Happening::Pulled(..)
            | Happening::Runs(_)
            | Happening::StartFails(_)
            | Happening::Ends(..)
            | Happening::Hooked(..)
            | Happening::Probed(..)
            | Happening::Notifies(..)
            | Happening::Late(_)
            | Happening::Timeout
            | Happening::Clock => return None,
        })
    }
}

/// The ends that the rules of a container speak of.
fn named_ends(container: &Container) -> Vec<End> {
    let rules = container.restart.rules.iter();
    let ends = rules.flat_map(|rule| match &rule.when {
        When::CodeIn(codes) => codes.iter().map(|&code| End::Code(code)).collect(),
        When::CodeNotIn(_) => Vec::new(),
        When::Signal(signals) => signals.iter().map(|&signal| End::Signal(signal)).collect(),
        When::OomKilled => vec![End::Memory],
    });
    let mut ends: Vec<_> = ends
        .filter(|end| !matches!(end, End::Code(0 | 1)))
        .collect();
    ends.dedup();
    ends
}

fn debugger() -> Container {
    Container {
        list: List::Ephemeral,
        role: Role::Ephemeral,
        kind: Kind::Service,
        ..Container::new("debugger", RestartPolicy::Never)
    }
}
