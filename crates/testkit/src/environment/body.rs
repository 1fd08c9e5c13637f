//! What there really is of one container: its process, and what the driver owes an answer to.

use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Action, Attempt, Command, Event, Exit, Tick};
use std::hash::{Hash, Hasher};

/// One container as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) process: Option<Process>,
    /// How the last process ended, for a driver that comes back; `None` inside if nobody knows.
    pub(super) ended: Option<(Attempt, Option<Exit>)>,
    /// A pull that has not answered.
    pub(super) pull: Option<Attempt>,
    /// Something that will be said too late.
    pub(super) late: Option<Event>,
}

/// A process that lives, or is about to.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) struct Process {
    pub(super) attempt: Attempt,
    pub(super) command: Command,
    /// The driver has said that it runs.
    pub(super) announced: bool,
    /// It was told to stop, and is killed then.
    pub(super) kill_at: Option<Tick>,
    /// Hooks that have not returned.
    pub(super) hooks: [bool; 3],
    /// Probes that have not answered, and until when they must.
    pub(super) probes: [Option<Tick>; 3],
    /// What it told of its readiness.
    pub(super) notified: Option<bool>,
}

// === impl Body ===

impl Body {
    /// Whether the driver owes an answer.
    pub(super) fn owes(&self) -> bool {
        self.pull.is_some() || self.process.as_ref().is_some_and(Process::owes)
    }

    /// Does what the machine asks for.
    pub(super) fn act(&mut self, now: Tick, action: &Action) {
        match *action {
            Action::Pull { attempt, .. } => self.pull = Some(attempt),
            Action::CancelPull { container, attempt } => {
                if self.pull.take().is_some() {
                    self.late = Some(Event::Pulled { container, attempt });
                }
            }
            Action::Start {
                attempt, command, ..
            } => self.process = Some(Process::new(attempt, command)),
            Action::RunHook { attempt, hook, .. } => {
                if let Some(process) = self.process_of(attempt) {
                    process.hooks[hook as usize] = true;
                }
            }
            Action::Probe {
                attempt,
                probe,
                timeout,
                ..
            } => {
                if let Some(process) = self.process_of(attempt) {
                    process.probes[probe as usize] = Some(now + timeout);
                }
            }
            Action::Stop {
                attempt, deadline, ..
            } => {
                if let Some(process) = self.process_of(attempt) {
                    let sooner = process.kill_at.map_or(deadline, |at| at.min(deadline));
                    process.kill_at = Some(sooner.max(now));
                }
            }
        }
    }

    /// Mixes it into a hash, with times relative to now and without numbers that only grow.
    pub(super) fn fingerprint(&self, now: Tick, hasher: &mut impl Hasher) {
        self.pull.is_some().hash(hasher);
        let late = self.late.as_ref().map(std::mem::discriminant);
        late.hash(hasher);
        let Some(process) = &self.process else {
            return 0u8.hash(hasher);
        };
        let kill_in = process.kill_at.map(|at| at.since(now));
        let probes = process.probes.map(|by| by.map(|at| at.since(now)));
        (1u8, process.command, process.announced, kill_in).hash(hasher);
        (process.hooks, probes, process.notified).hash(hasher);
    }

    fn process_of(&mut self, attempt: Attempt) -> Option<&mut Process> {
        self.process
            .as_mut()
            .filter(|process| process.attempt == attempt)
    }
}

// === impl Process ===

impl Process {
    fn new(attempt: Attempt, command: Command) -> Self {
        Self {
            attempt,
            command,
            announced: false,
            kill_at: None,
            hooks: [false; 3],
            probes: [None; 3],
            notified: None,
        }
    }

    fn owes(&self) -> bool {
        let told = !self.announced || self.kill_at.is_some();
        let reversal = self.command == Command::Undo;
        let hooks = self.hooks.contains(&true);
        told || hooks || reversal || self.probes.iter().any(Option::is_some)
    }

    /// The hooks that have not returned.
    pub(super) fn hooks(&self) -> impl Iterator<Item = HookKind> {
        let kinds = [
            HookKind::PostStart,
            HookKind::PreStop,
            HookKind::PodStopping,
        ];
        kinds.into_iter().filter(|&kind| self.hooks[kind as usize])
    }

    /// The probes that have not answered, and until when they must.
    pub(super) fn probes(&self) -> impl Iterator<Item = (ProbeKind, Tick)> {
        let kinds = ProbeKind::ALL.into_iter();
        kinds.filter_map(|kind| self.probes[kind as usize].map(|by| (kind, by)))
    }

    /// The next moment at which the driver must do something.
    pub(super) fn deadline(&self) -> Option<Tick> {
        self.probes().map(|(_, by)| by).chain(self.kill_at).min()
    }
}
