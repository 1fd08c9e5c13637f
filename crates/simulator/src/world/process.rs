//! The life of one process: it comes up, runs, hears the stop signal, ends or is killed.
//!
//! ```text
//! begin ─▶ Starting ─▶ Started ─▶ (runs) ─▶ Exiting ─▶ Exited
//!              └──────────┴─ stop signal ─▶ (stopsIn) ─┘  │
//!              └──────────┴────── kill ───────────────────┘
//! ```

use super::hook::HookRun;
use super::{Happening, Heard, World};
use crate::actor::{AskScript, Delay, End, HookRuns, Script};
use crate::line::{Part, Word};
use pillion_engine::action::Command;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Attempt, ContainerId, Event, Request, Tick};
use std::time::Duration;

/// A living process.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) number: u64,
    pub(super) attempt: Attempt,
    /// Which actor of its cell it is, in which of that actor's runs.
    pub(super) actor: usize,
    pub(super) run: u32,
    pub(super) part: Part,
    /// Since when it is up.
    pub(super) up: Option<Tick>,
    pub(super) hooks: Vec<HookRun>,
    pub(super) probes: Vec<(u64, ProbeKind)>,
    pub(super) told_ready: bool,
    ready_in: Delay,
    asks: Vec<AskScript>,
    plan: Plan,
    /// Counts changes of plan: an end that was put in under an older plan does not come.
    plan_number: u32,
    signalled: bool,
    kill_at: Option<Tick>,
    /// Until then it does what was said of this run in particular.
    scripted_until: Tick,
}

/// What a process has in mind.
#[derive(Clone, Copy, Debug)]
struct Plan {
    starts_in: Duration,
    runs: Delay,
    end: End,
    stops_in: Delay,
    stop_end: End,
}

// === impl World ===

impl World {
    /// When the last of the processes has done what was said of its run in particular: it has ended
    /// by itself, or asked for something. One that has just ended counts too: nobody has heard of it yet.
    pub(crate) fn scripted_until(&self) -> Tick {
        let processes = self.cells.iter().filter_map(|cell| cell.process.as_ref());
        let until = processes.map(|process| process.scripted_until);
        until.fold(self.scripted_end, Tick::max)
    }

    /// Whether a container is on its way up or down.
    pub(crate) fn is_on_its_way(&self, id: ContainerId) -> bool {
        let Some(cell) = self.cells.get(id.index()) else {
            return false;
        };
        let moves = |process: &Process| process.up.is_none() || process.is_going();
        cell.pull.is_some() || cell.pending.is_some() || cell.process.as_ref().is_some_and(moves)
    }

    pub(super) fn ask_start(
        &mut self,
        id: ContainerId,
        attempt: Attempt,
        version: u32,
        command: Command,
    ) {
        if self.latency.start.is_zero() {
            return self.begin(id, attempt, version, command);
        }
        self.cells[id.index()].pending = Some((attempt, None));
        let at = self.now() + self.latency.start;
        let begin = Happening::Begin {
            container: id,
            attempt,
            version,
            command,
        };
        self.agenda.put(at, begin);
    }

    pub(super) fn begin(
        &mut self,
        id: ContainerId,
        attempt: Attempt,
        version: u32,
        command: Command,
    ) {
        let pending = self.cells[id.index()].pending.take();
        if self.must_not_begin(id, attempt, version) || self.create_fails(id, attempt, version) {
            return;
        }
        let process = self.make(id, attempt, version, command);
        let (number, part, starts_in) = (process.number, process.part, process.plan.starts_in);
        self.cells[id.index()].process = Some(process);
        self.write(id, part, Word::Starting);
        self.hear(Event::Started {
            container: id,
            attempt,
        });
        if starts_in.is_zero() {
            self.comes_up(id, number);
        } else {
            let at = self.now() + starts_in;
            self.agenda.put(at, Happening::Up(id, number));
        }
        if let Some((_, Some(deadline))) = pending {
            self.stop(id, attempt, deadline);
        }
    }

    fn must_not_begin(&mut self, id: ContainerId, attempt: Attempt, version: u32) -> bool {
        let cell = &self.cells[id.index()];
        let name = &cell.name;
        let wrong = if let Some(alive) = &cell.process {
            let old = alive.attempt;
            format!("{name} is started (run {attempt}) while its run {old} still lives")
        } else if version as usize >= cell.versions.len() {
            format!("{name} is started in version {version}, which does not exist")
        } else {
            return false;
        };
        self.violated(wrong);
        true
    }

    fn create_fails(&mut self, id: ContainerId, attempt: Attempt, version: u32) -> bool {
        let cell = &mut self.cells[id.index()];
        let actor = &mut cell.actors[cell.versions[version as usize].actor];
        let create = actor.script.create;
        if actor.failed_creates >= create.fails {
            return false;
        }
        actor.failed_creates += 1;
        self.hear(Event::StartFailed {
            container: id,
            attempt,
            reason: create.reason,
            message: "the scenario says so".into(),
        });
        true
    }

    fn make(
        &mut self,
        id: ContainerId,
        attempt: Attempt,
        version: u32,
        command: Command,
    ) -> Process {
        let number = self.number();
        let cell = &mut self.cells[id.index()];
        let version = &cell.versions[version as usize];
        let actor = &mut cell.actors[version.actor];
        if command == Command::Run {
            actor.runs += 1;
        }
        let run = actor.runs;
        let script = &actor.script;
        Process {
            number,
            attempt,
            actor: version.actor,
            run,
            part: match command {
                Command::Run => Part::Itself,
                Command::Undo => Part::Undo,
            },
            up: None,
            hooks: Vec::new(),
            probes: Vec::new(),
            told_ready: false,
            ready_in: if version.ready_on {
                *script.ready_in.in_run(run)
            } else {
                Delay::Never
            },
            asks: match command {
                Command::Run => script.asks_in(run),
                Command::Undo => Vec::new(),
            },
            plan: match command {
                Command::Run => Plan::of_run(script, run),
                Command::Undo => Plan::of_undo(script, run),
            },
            plan_number: 0,
            signalled: false,
            kill_at: None,
            scripted_until: Tick::ZERO,
        }
    }

    pub(super) fn comes_up(&mut self, id: ContainerId, number: u64) {
        let now = self.now();
        let Some(process) = self.process(id, number) else {
            return;
        };
        process.up = Some(now);
        let (part, plan, plan_number) = (process.part, process.plan, process.plan_number);
        let (signalled, ready_in) = (process.signalled, process.ready_in);
        let (actor, run) = (process.actor, process.run);
        let asks = std::mem::take(&mut process.asks);
        let own_run = self.cells[id.index()].actors[actor]
            .script
            .runs
            .is_said_of(run);
        let ends = Some(plan.runs.from(now)).filter(|end| own_run && *end != Tick::NEVER);
        let ends = ends
            .into_iter()
            .chain(asks.iter().map(|ask| now + ask.after));
        let scripted_until = ends.max().unwrap_or_default();
        if let Some(process) = self.process(id, number) {
            process.scripted_until = scripted_until;
        }
        self.write(id, part, Word::Started);
        if !(signalled && plan.stops_in != Delay::Never) {
            let end = Happening::End(id, number, plan_number);
            self.agenda.put(plan.runs.from(now), end);
        }
        let notify = Happening::Notify(id, number);
        self.agenda.put(ready_in.from(now), notify);
        for ask in asks {
            self.agenda
                .put(now + ask.after, Happening::Ask(id, number, ask));
        }
        self.hooks_see_it_up(id);
    }

    pub(super) fn notifies(&mut self, id: ContainerId, number: u64) {
        if let Some(process) = self.process(id, number) {
            process.told_ready = true;
            let event = process.notified(id);
            self.hear(event);
        }
    }

    pub(super) fn asks(&mut self, id: ContainerId, number: u64, ask: AskScript) -> Heard {
        match self.process(id, number) {
            None => Heard::Nothing,
            Some(_) => Heard::Request(Request::Ask {
                reaction: ask.reaction,
                by: Some(id),
                reason: ask.reason,
            }),
        }
    }

    pub(super) fn stop(&mut self, id: ContainerId, attempt: Attempt, deadline: Tick) {
        let now = self.now();
        let Some(process) = self.run(id, attempt) else {
            return self.overtake(id, attempt, deadline);
        };
        if deadline <= now {
            return self.gone(id, End::Signal(9));
        }
        let number = process.number;
        let sooner = process.kill_at.is_none_or(|at| deadline < at);
        // The signal first: an end at the deadline is an end in time.
        self.signal(id, number);
        if let (Some(process), true) = (self.process(id, number), sooner) {
            process.kill_at = Some(deadline);
            self.agenda
                .put(deadline, Happening::Kill(id, number, deadline));
        }
    }

    /// A stop can arrive while the start it is about is still under way.
    fn overtake(&mut self, id: ContainerId, attempt: Attempt, deadline: Tick) {
        if let Some((pending, stop)) = &mut self.cells[id.index()].pending
            && *pending == attempt
        {
            *stop = Some(stop.map_or(deadline, |at| at.min(deadline)));
        }
    }

    /// The stop signal arrives. A second one changes nothing.
    pub(super) fn signal(&mut self, id: ContainerId, number: u64) {
        let now = self.now();
        let Some(process) = self.process(id, number) else {
            return;
        };
        if std::mem::replace(&mut process.signalled, true) {
            return;
        }
        let part = process.part;
        let stops_in = process.plan.stops_in;
        if stops_in != Delay::Never {
            process.plan_number += 1;
            process.plan.end = process.plan.stop_end;
        }
        let plan_number = process.plan_number;
        self.write(id, part, Word::Stopping);
        let end = Happening::End(id, number, plan_number);
        self.agenda.put(stops_in.from(now), end);
    }

    pub(super) fn kill_is_due(&mut self, id: ContainerId, number: u64, at: Tick) {
        let due = |process: &mut Process| process.kill_at == Some(at);
        if self.process(id, number).is_some_and(due) {
            self.gone(id, End::Signal(9));
        }
    }

    pub(super) fn ends(&mut self, id: ContainerId, number: u64, plan: u32) {
        if let Some(process) = self.process(id, number)
            && process.plan_number == plan
        {
            let end = process.plan.end;
            self.gone(id, end);
        }
    }

    /// The process is gone, and its hooks and probes with it.
    pub(super) fn gone(&mut self, id: ContainerId, end: End) {
        let cell = &mut self.cells[id.index()];
        let Some(process) = cell.process.take() else {
            return;
        };
        let attempt = process.attempt;
        if process.scripted_until == self.agenda.now() {
            self.scripted_end = process.scripted_until;
        }
        let exit = end.exit();
        cell.last = Some((attempt, Some(exit.clone())));
        if end.is_own() {
            self.write(id, process.part, Word::Exiting);
        }
        self.write(id, process.part, Word::Exited);
        for part in process.parts() {
            self.write(id, part, Word::Exited);
        }
        self.hear(Event::Exited {
            container: id,
            attempt,
            exit,
        });
    }
}

// === impl Process ===

impl Process {
    pub(super) fn notified(&self, id: ContainerId) -> Event {
        Event::Notified {
            container: id,
            attempt: self.attempt,
            ready: true,
        }
    }

    pub(super) fn lose_driver(&mut self) {
        self.kill_at = None;
        self.probes.clear();
        for hook in &mut self.hooks {
            hook.waited_for = false;
        }
    }

    /// Whether its stop has begun. One that does not listen goes only when somebody will kill it.
    fn is_going(&self) -> bool {
        let stops = |hook: &HookRun| hook.waited_for && hook.kind != HookKind::PostStart;
        let hears = self.signalled && self.plan.stops_in != Delay::Never;
        hears || self.kill_at.is_some() || self.hooks.iter().any(stops)
    }

    /// The hooks and probes that run in it.
    fn parts(&self) -> impl Iterator<Item = Part> {
        let hooks = self.hooks.iter().map(|hook| Part::from(hook.kind));
        hooks.chain(self.probes.iter().map(|(_, probe)| Part::from(*probe)))
    }
}

// === impl Plan ===

impl Plan {
    fn of_run(script: &Script, run: u32) -> Self {
        let end = *script.ends.in_run(run);
        Self {
            starts_in: *script.starts_in.in_run(run),
            runs: *script.runs.in_run(run),
            end,
            stops_in: *script.stops_in.in_run(run),
            stop_end: script
                .stop_ends
                .as_ref()
                .map_or(end, |ends| *ends.in_run(run)),
        }
    }

    /// An undo hears the signal as its container does, and does not end well by it.
    fn of_undo(script: &Script, run: u32) -> Self {
        let undo = script.undo.in_run(run);
        Self {
            starts_in: undo.starts_in,
            runs: match undo.runs {
                HookRuns::For(duration) => Delay::After(duration),
                HookRuns::UntilStarted => Delay::ZERO,
                HookRuns::Forever => Delay::Never,
            },
            end: End::Exit(undo.exits),
            stops_in: *script.stops_in.in_run(run),
            stop_end: End::Signal(SIGTERM),
        }
    }
}

// === impl Script ===

impl Script {
    fn asks_in(&self, run: u32) -> Vec<AskScript> {
        let this_run = |ask: &&AskScript| ask.in_run.is_none_or(|only| only == run);
        self.asks.iter().filter(this_run).cloned().collect()
    }
}

pub(super) const SIGINT: i32 = 2;
pub(super) const SIGTERM: i32 = 15;
