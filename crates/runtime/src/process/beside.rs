//! What runs beside a container's process: hooks, probes, and commands of a person.

use super::alarm::Due;
use super::recipe::{HookAction, ProbeAction};
use super::run::Run;
use super::{Asked, Processes};
use crate::clock;
use crate::guard::{Launch, NotStarted, Order, Outcome};
use crate::probe::{Purpose, Target};
use crate::runtime::Happening;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Attempt, ContainerId, Tick};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::Duration;

/// Who wants to know how it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Beside {
    Hook(HookKind),
    Probe(ProbeKind),
    Person,
    /// Nobody any more.
    Nobody,
}

/// How long a hook over the network may take if nobody says.
const LONGEST_HOOK: Duration = Duration::from_hours(1);

impl Processes {
    pub(super) fn run_hook(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        hook: HookKind,
        deadline: Option<Tick>,
    ) {
        let Some(run) = self.run_of(container, attempt) else {
            return;
        };
        let action = run.definition.recipe.hooks.get(&hook).cloned();
        match action {
            Some(HookAction::Exec { command }) => {
                match self.exec(container, attempt, command, Beside::Hook(hook)) {
                    Ok(id) => {
                        if let Some(deadline) = deadline {
                            self.set_alarm(deadline, container, attempt, Due::EndExec(id));
                        }
                    }
                    Err(error) => {
                        self.hook_done(container, attempt, hook, Err(error.to_string()));
                    }
                }
            }
            Some(HookAction::Ask(target)) => {
                let timeout = deadline.map_or(LONGEST_HOOK, |at| at.since(clock::now()));
                let what = Beside::Hook(hook);
                self.ask(container, attempt, what, target, timeout);
            }
            Some(HookAction::Sleep(pause)) => {
                let end = clock::now() + pause;
                let end = deadline.map_or(end, |deadline| deadline.min(end));
                self.set_alarm(end, container, attempt, Due::Slept(hook));
            }
            Some(HookAction::Fail { why }) => {
                self.hook_done(container, attempt, hook, Err(why));
            }
            None => {
                let why = "the file has no such hook".to_owned();
                self.hook_done(container, attempt, hook, Err(why));
            }
        }
    }

    pub(super) fn probe(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        probe: ProbeKind,
        timeout: Duration,
    ) {
        let Some(run) = self.run_of(container, attempt) else {
            return;
        };
        let action = run.definition.recipe.probes.get(&probe).cloned();
        let what = Beside::Probe(probe);
        match action {
            Some(ProbeAction::Exec { command }) => {
                match self.exec(container, attempt, command, what) {
                    Ok(id) => {
                        let at = clock::now() + timeout;
                        self.set_alarm(at, container, attempt, Due::ProbeTimeout(probe, id));
                    }
                    Err(error) => self.probed(container, attempt, probe, Err(error.to_string())),
                }
            }
            Some(ProbeAction::Ask(target)) => self.ask(container, attempt, what, target, timeout),
            Some(ProbeAction::Fail { why }) => self.probed(container, attempt, probe, Err(why)),
            None => {
                let why = "there is nothing to ask".to_owned();
                self.probed(container, attempt, probe, Err(why));
            }
        }
    }

    /// Runs a command of a person in a container, with these for standard input, output and error; in a terminal of
    /// this kind, if they are one. Its end is told under the number that comes back.
    pub fn exec_for_person(
        &mut self,
        container: ContainerId,
        command: Vec<String>,
        stdio: [BorrowedFd<'_>; 3],
        terminal: Option<&str>,
    ) -> io::Result<u64> {
        let id = self.next_exec();
        let run = self.runs.get_mut(&container);
        let run = run.ok_or_else(|| io::Error::other("it does not run"))?;
        let mut launch = beside(run, command);
        if let Some(kind) = terminal {
            launch.terminal = true;
            launch.environment.retain(|(name, _)| name != "TERM");
            launch
                .environment
                .push(("TERM".to_owned(), kind.to_owned()));
        }
        run.begin(id, Beside::Person, true, launch, &stdio)?;
        Ok(id)
    }

    fn exec(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        command: Vec<String>,
        what: Beside,
    ) -> io::Result<u64> {
        let id = self.next_exec();
        let null = File::options().write(true).open("/dev/null")?;
        let run = self.run_of(container, attempt);
        let run = run.ok_or_else(|| io::Error::other("it does not run"))?;
        let launch = beside(run, command);
        run.begin(id, what, false, launch, &[null.as_fd(), null.as_fd()])?;
        Ok(id)
    }

    /// Sends a command of a person a signal.
    pub fn signal_exec(&mut self, id: u64, signal: i32) {
        self.order_person(id, &Order::SignalExec { id, signal });
    }

    /// The person has gone: the command is killed.
    pub fn end_exec_of_person(&mut self, id: u64) {
        self.order_person(id, &Order::EndExec { id });
    }

    fn order_person(&self, id: u64, order: &Order) {
        let is_theirs = |run: &&Run| run.beside.get(&id) == Some(&Beside::Person);
        if let Some(run) = self.runs.values().find(is_theirs) {
            run.order(order);
        }
    }

    fn next_exec(&mut self) -> u64 {
        self.next_exec += 1;
        self.next_exec
    }

    /// A command is over.
    pub(super) fn exec_done(
        &mut self,
        container: ContainerId,
        id: u64,
        outcome: Result<Outcome, NotStarted>,
    ) {
        self.alarms.forget_exec(container, id);
        let Some(run) = self.runs.get_mut(&container) else {
            return;
        };
        let attempt = run.attempt;
        match run.beside.remove(&id) {
            Some(Beside::Hook(hook)) => self.hook_done(container, attempt, hook, well(&outcome)),
            Some(Beside::Probe(probe)) => self.probed(container, attempt, probe, well(&outcome)),
            Some(Beside::Person) => self.queue.push_back(Happening::ExecDone { id, outcome }),
            Some(Beside::Nobody) | None => {}
        }
    }

    /// Nobody waits for a command any longer.
    pub(super) fn end_exec(&mut self, container: ContainerId, attempt: Attempt, id: u64) {
        let Some(run) = self.run_of(container, attempt) else {
            return;
        };
        run.order(&Order::EndExec { id });
        if let Some(what @ Beside::Probe(_)) = run.beside.get_mut(&id) {
            // Its answer has been given.
            *what = Beside::Nobody;
        }
    }

    fn ask(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        what: Beside,
        target: Target,
        timeout: Duration,
    ) {
        let purpose = match what {
            Beside::Hook(_) => Purpose::Hook,
            Beside::Probe(_) | Beside::Person | Beside::Nobody => Purpose::Probe,
        };
        let ticket = self.probers.start(target, purpose, timeout);
        let asked = Asked {
            container,
            attempt,
            what,
        };
        self.asked.insert(ticket, asked);
    }

    /// Takes in what came back over the network.
    pub(super) fn take_answers(&mut self) {
        for (ticket, answer) in self.probers.answers() {
            let Some(asked) = self.asked.remove(&ticket) else {
                continue;
            };
            let (container, attempt) = (asked.container, asked.attempt);
            let answer = if answer.ok { Ok(()) } else { Err(answer.why) };
            match asked.what {
                Beside::Hook(hook) => self.hook_done(container, attempt, hook, answer),
                Beside::Probe(probe) => self.probed(container, attempt, probe, answer),
                Beside::Person | Beside::Nobody => {}
            }
        }
    }
}

/// Whether a command ended well; if not, how it did end.
fn well(outcome: &Result<Outcome, NotStarted>) -> Result<(), String> {
    match outcome {
        Ok(Outcome::Code(0)) => Ok(()),
        Ok(Outcome::Code(code)) => Err(format!("it exited {code}")),
        Ok(Outcome::Signal(signal)) => Err(format!("it was killed by signal {signal}")),
        Err(not_started) => Err(not_started.message.clone()),
    }
}

impl Run {
    fn begin(
        &mut self,
        id: u64,
        what: Beside,
        input: bool,
        launch: Launch,
        stdio: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let order = Order::Exec { id, input, launch };
        self.send(&order, stdio).map_err(io::Error::other)?;
        self.beside.insert(id, what);
        Ok(())
    }

    /// A hook or probe that its container took along has neither failed nor passed: the end of the container says it all.
    /// A person still wants to know.
    pub(super) fn end_beside(&mut self, id: u64) {
        if let Some(what @ (Beside::Hook(_) | Beside::Probe(_))) = self.beside.get_mut(&id) {
            *what = Beside::Nobody;
        }
    }
}

/// A command with what the container's own process has around it.
fn beside(run: &Run, command: Vec<String>) -> Launch {
    let recipe = &run.definition.recipe;
    Launch {
        command,
        environment: run.environment(),
        directory: recipe.working_dir.clone().map(Into::into),
        ..Launch::default()
    }
}
