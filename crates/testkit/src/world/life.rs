//! The life of one container, as far as a trace tells it.

use super::delays::Delays;
use super::fate::Fates;
use super::moment::Span;
use super::tally::Tally;
use crate::tri::Tri;
use pillion_engine::pod::{Container, ProbeKind};
use pillion_engine::{Attempt, Command, Tick};

/// What is known of one container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Life {
    /// What has become of it.
    pub(crate) fates: Fates,
    /// Its process.
    pub(crate) process: Process,
    /// Whether the process is its own command or the one that reverses it.
    pub(crate) command: Command,
    /// The last run that was asked for.
    pub(crate) attempt: Attempt,
    /// When that was.
    pub(crate) asked_at: Tick,
    /// The last definition that was started.
    pub(crate) version: u32,
    /// The image for the run to come.
    pub(crate) image: Image,
    /// What the process has shown.
    pub(crate) shown: Shown,
    /// The process was told to stop.
    pub(crate) told: Option<Told>,
    /// Its preStop hook in this run of the container.
    pub(crate) pre_stop: Hook,
    /// Its podStopping hook in this stop of the pod.
    pub(crate) pod_stopping: Hook,
    /// What happened in this run of the pod.
    pub(crate) run: InRun,
    /// The restarts that count for its back-off.
    pub(crate) delays: Delays,
    /// When its next start is due as far as back-off is concerned.
    pub(crate) due: Span,
    /// Since when it has not run.
    pub(crate) waits_since: Tick,
    /// Its turn.
    pub(crate) turn: Turn,
    /// The command that reverses it.
    pub(crate) undo: Undo,
    /// It must go because a target went down.
    pub(crate) going: Option<Going>,
    /// Somebody asked something of it, and it has not been down since.
    pub(crate) asked: Option<Asked>,
    /// It is being exchanged.
    pub(crate) replacing: Option<Replacing>,
    /// The newest definition that was given.
    pub(crate) newest: u32,
    /// The driver died and has not said yet what it finds.
    pub(crate) lost: bool,
    /// The driver died when there was a reason to stop it.
    pub(crate) condemned: bool,
}

/// Whether there is a process.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Process {
    /// There is none.
    Down,
    /// Its start was asked for and has not been answered.
    Asked,
    /// It runs.
    Runs,
}

/// The image for the run to come.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Image {
    /// Nobody asked for it.
    Unasked,
    /// It is on its way.
    Pulling { attempt: Attempt, version: u32 },
    /// It is there.
    There { attempt: Attempt, version: u32 },
    /// It could not be had, and will be tried again.
    Failed,
    /// The driver died: it may be there.
    Unknown,
}

/// What a process has shown of itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Shown {
    /// When it was seen to run.
    pub(crate) since: Option<Tick>,
    /// Its postStart hook.
    pub(crate) post_start: Hook,
    /// Its probes, by kind.
    pub(crate) probes: [Tally; 3],
    /// What it told of its readiness.
    pub(crate) notified: Tri,
    /// It was ready at some moment.
    pub(crate) was_ready: Tri,
}

/// Where a hook is.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) enum Hook {
    /// It has not been asked for.
    #[default]
    Idle,
    /// It runs.
    Runs { deadline: Option<Tick> },
    /// It returned.
    Done { ok: bool },
    /// The driver died: it may have run, and may not be waited for.
    Unknown,
}

/// A process was told to stop.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Told {
    /// When it is killed.
    pub(crate) deadline: Tick,
    /// The reasons there were.
    pub(crate) why: Why,
    /// The driver died since: it must be told again.
    pub(crate) stale: bool,
}

/// Reasons for a stop, as a set.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) struct Why(u8);

/// What happened to a container in this run of the pod.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) struct InRun {
    /// Its first start has been.
    pub(crate) begun: Tri,
    /// Its process has been there.
    pub(crate) ran: bool,
    /// It has been *started* (and stays so, if it is a oneshot).
    pub(crate) started: Tri,
    /// A start of it was tried, successfully or not.
    pub(crate) attempted: Tri,
    /// An attempt failed.
    pub(crate) failed: Tri,
    /// How its last run ended.
    pub(crate) code: Option<i32>,
    /// How that run counts by itself.
    pub(crate) verdict: Option<Fates>,
    /// Whether its requirements have held, by number.
    pub(crate) held: Vec<Tri>,
    /// Requirements that were lost, and must hold anew before its next start.
    pub(crate) anew: Vec<Anew>,
    /// It went down by itself while the pod was stopping.
    pub(crate) fell: bool,
    /// It was already on its way down when the pod began to stop.
    pub(crate) left_before: bool,
    /// It had started when the pod began to end, and is to hear of it.
    pub(crate) to_be_warned: bool,
    /// It was going because a target had ended with 0 when the pod began to stop: it may count as such.
    pub(crate) pardoned: bool,
}

/// A requirement that was lost with its target, and its container stopped for it.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Anew {
    /// Its number.
    pub(crate) edge: usize,
    /// Whether it was surely lost.
    pub(crate) surely: Tri,
    /// The target has been started since.
    pub(crate) back: bool,
}

/// When its turn came: nothing but its image holds it back.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Turn {
    /// The first in this run of the pod, at the earliest.
    pub(crate) first: Option<Tick>,
    /// Since when its requirements may have let it.
    pub(crate) maybe_free: Option<Tick>,
    /// Since when its requirements surely let it.
    pub(crate) free: Option<Tick>,
    /// The turn of this run of the container, at the earliest.
    pub(crate) earliest: Option<Tick>,
    /// The turn of this run of the container, at the latest.
    pub(crate) latest: Option<Tick>,
}

/// Where the reversal of a oneshot is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Undo {
    /// There is nothing to reverse.
    Nothing,
    /// It succeeded, and has (or may have) to be reversed.
    Owed(Tri),
    /// It runs.
    Runs,
}

/// A container must go because a target of it went down.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Going {
    /// How it goes on afterwards.
    pub(crate) then: Fates,
    /// Whether it surely must.
    pub(crate) must: Tri,
    /// Since when.
    pub(crate) since: Tick,
}

/// What was asked of one container.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Asked {
    /// To be started again.
    Restart,
    /// To stay down and count nowhere, from now on or from its next end.
    Ignore,
}

/// A container is being exchanged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Replacing {
    /// The new definition.
    pub(crate) version: u32,
    /// When it was asked for.
    pub(crate) since: Tick,
    /// Its image is there.
    pub(crate) pulled: bool,
    /// It had started when it was asked for, and has to be swapped.
    pub(crate) swap: Tri,
    /// When the new one was first asked to start.
    pub(crate) swapped: Option<Tick>,
    /// How long the new one has to become ready.
    pub(crate) patience: std::time::Duration,
    /// The new one was ready.
    pub(crate) settled: Tri,
}

// === impl Why ===

impl Why {
    /// The pod stops, in order.
    pub(crate) const POD: Self = Self(1);
    /// Everything is killed at once.
    pub(crate) const KILL: Self = Self(1 << 1);
    /// A probe, its postStart hook or its start timeout failed.
    pub(crate) const FAILURE: Self = Self(1 << 2);
    /// A target went down.
    pub(crate) const TARGET: Self = Self(1 << 3);
    /// Somebody asked for its restart.
    pub(crate) const ASKED: Self = Self(1 << 4);
    /// It is being exchanged.
    pub(crate) const REPLACE: Self = Self(1 << 5);

    /// Adds a reason if it is one.
    pub(crate) fn add(&mut self, reason: Self, is: bool) {
        if is {
            self.0 |= reason.0;
        }
    }

    /// Whether this is one of the reasons.
    pub(crate) const fn has(self, reason: Self) -> bool {
        self.0 & reason.0 != 0
    }

    /// Whether this is the only reason.
    pub(crate) const fn only(self, reason: Self) -> bool {
        self.0 == reason.0
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

// === impl Life ===

impl Life {
    /// Of a container that has not been started, at that time.
    pub(crate) fn new(container: &Container, now: Tick) -> Self {
        Self {
            fates: Fates::WANTED,
            process: Process::Down,
            command: Command::Run,
            attempt: 0,
            asked_at: now,
            version: 0,
            image: Image::Unasked,
            shown: Shown::default(),
            told: None,
            pre_stop: Hook::Idle,
            pod_stopping: Hook::Idle,
            run: InRun::of(container),
            delays: Delays::default(),
            due: Span::at(now),
            waits_since: now,
            turn: Turn::default(),
            undo: Undo::Nothing,
            going: None,
            asked: None,
            replacing: None,
            newest: 0,
            lost: false,
            condemned: false,
        }
    }

    /// Whether there is, or may be, a process.
    pub(crate) const fn live(&self) -> bool {
        !matches!(self.process, Process::Down)
    }

    /// Whether it waits for a hook of its own stop at that time.
    pub(crate) fn is_in_stop_hook(&self, at: Tick) -> bool {
        // Whether a podStopping hook holds the signal of its own container up is not said.
        self.pre_stop.is_awaited(at) || self.pod_stopping.is_awaited(at)
    }

    /// Whether its own command (not its reversal) has a process.
    pub(crate) const fn runs_itself(&self) -> bool {
        self.live() && matches!(self.command, Command::Run)
    }

    /// The process runs, its postStart hook is done and its startup probe has passed.
    pub(crate) fn started(&self, container: &Container) -> Tri {
        let runs = self.process == Process::Runs && self.command == Command::Run;
        let hook = if container.hooks.post_start {
            self.shown.post_start.went_well()
        } else {
            Tri::Yes
        };
        Tri::from(runs) & hook & self.passed(container, ProbeKind::Startup)
    }

    /// Started, and its readiness holds.
    pub(crate) fn ready(&self, container: &Container) -> Tri {
        let told = if container.ready_on {
            self.shown.notified
        } else {
            Tri::Yes
        };
        self.started(container) & told & self.passed(container, ProbeKind::Readiness)
    }

    /// Its liveness or startup probe, or its postStart hook, has failed.
    pub(crate) fn broken(&self) -> Tri {
        let probes = self.tally(ProbeKind::Liveness).failed | self.tally(ProbeKind::Startup).failed;
        Tri::from(self.runs_itself()) & (probes | self.hook_failed())
    }

    /// Its postStart hook has failed.
    pub(crate) fn hook_failed(&self) -> Tri {
        match self.shown.post_start {
            Hook::Done { ok } => Tri::from(!ok),
            Hook::Unknown => Tri::Maybe,
            Hook::Idle | Hook::Runs { .. } => Tri::No,
        }
    }

    /// The answers of one probe.
    pub(crate) const fn tally(&self, kind: ProbeKind) -> &Tally {
        &self.shown.probes[kind as usize]
    }

    /// The answers of one probe.
    pub(crate) const fn tally_mut(&mut self, kind: ProbeKind) -> &mut Tally {
        &mut self.shown.probes[kind as usize]
    }

    /// The process is gone, and with it all that it had shown.
    pub(crate) fn down(&mut self, now: Tick) {
        self.waits_since = now;
        self.process = Process::Down;
        self.shown = Shown::default();
        self.told = None;
        self.pre_stop = Hook::Idle;
        self.going = None;
        self.asked = None;
        self.lost = false;
        self.condemned = false;
        self.turn = Turn {
            first: self.turn.first,
            ..Turn::default()
        };
    }

    /// Its start timeout may have passed before it had a process.
    pub(crate) fn oversleep(&mut self, never: bool, limited: bool) {
        self.run.failed = self.run.failed | Tri::Maybe;
        self.run.attempted = self.run.attempted | Tri::Maybe;
        self.due.latest = Tick::NEVER;
        self.delays.doubted = true;
        if never {
            self.fates = self.fates.or(Fates::ENDED_BAD);
        }
        if limited {
            self.fates = self.fates.or(Fates::GAVE_UP);
        }
    }

    /// The new one of an exchange is ready: the exchange is over, unless its time was over before.
    pub(crate) fn settle_replacement(&mut self, ready: Tri, timed: Tick) {
        let late = |it: Replacing| it.swapped.is_some_and(|at| at + it.patience <= timed);
        let told = self.told.is_some() || self.replacing.is_some_and(late);
        let Some(replacing) = self.replacing.as_mut().filter(|it| it.swapped.is_some()) else {
            return;
        };
        replacing.settled = replacing.settled | if told { Tri::No } else { ready };
        if replacing.settled.surely() {
            self.replacing = None;
        }
    }

    /// The driver died.
    pub(crate) fn crash(&mut self, container: &Container) {
        for tally in &mut self.shown.probes {
            tally.forget();
        }
        self.shown.notified = self.shown.notified.doubted();
        // It may be written down as begun, and never have been.
        if self.live() && container.hooks.post_start {
            self.shown.post_start = Hook::Unknown;
        }
        self.run.to_be_warned = false;
        self.pre_stop.forget();
        self.pod_stopping.forget();
        if let Some(told) = &mut self.told {
            told.stale = true;
        }
        for lost in &mut self.run.anew {
            lost.surely = lost.surely.doubted();
        }
        self.image = Image::Unknown;
        self.due.latest = Tick::NEVER;
        self.turn.latest = None;
        self.turn.free = None;
        self.delays.doubted = true;
        self.lost = self.live();
    }

    fn passed(&self, container: &Container, kind: ProbeKind) -> Tri {
        match container.probes.get(kind) {
            Some(_) => self.tally(kind).passed,
            None => Tri::Yes,
        }
    }
}

// === impl InRun ===

impl InRun {
    /// At the beginning of a run of the pod.
    pub(crate) fn of(container: &Container) -> Self {
        Self {
            held: vec![Tri::No; container.requires.len()],
            ..Self::default()
        }
    }

    /// There was no process: unless there was one before, the first start is still to come.
    pub(crate) fn start_came_to_nothing(&mut self) {
        if !self.ran {
            self.begun = Tri::No;
        }
    }
}

// === impl Hook ===

impl Hook {
    /// Whether it has returned, and did what it should.
    pub(crate) fn went_well(self) -> Tri {
        match self {
            Self::Done { ok } => Tri::from(ok),
            Self::Unknown => Tri::Maybe,
            Self::Idle | Self::Runs { .. } => Tri::No,
        }
    }

    /// Whether it runs, and somebody may wait for it now.
    pub(crate) fn is_awaited(self, now: Tick) -> bool {
        match self {
            Self::Runs { deadline } => deadline.is_none_or(|deadline| now < deadline),
            Self::Idle | Self::Done { .. } | Self::Unknown => false,
        }
    }

    /// It returned.
    pub(crate) fn done(&mut self, ok: bool) {
        if let Self::Runs { .. } = self {
            *self = Self::Done { ok };
        }
    }

    fn forget(&mut self) {
        if *self != Self::Idle {
            *self = Self::Unknown;
        }
    }
}
