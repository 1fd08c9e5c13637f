//! What the containers of a simulated pod do: start slowly, run, exit, ignore signals, fail probes.
//!
//! A [`Script`] is the behaviour of one container over all its runs. The default is the simplest
//! container there is: it is up at once, runs until told to stop, and stops at once with 0.

use pillion_engine::pod::{HookKind, ProbeKind, Reaction};
use pillion_engine::{Exit, StartFailure, Tick};
use std::iter;
use std::ops::RangeInclusive;
use std::time::Duration;

/// What one container does.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Script {
    /// Between the lines `Starting` and `Started`.
    pub starts_in: PerRun<Duration>,
    /// From `Started` until it exits by itself.
    pub runs: PerRun<Delay>,
    /// How it ends by itself, and when told to stop.
    pub ends: PerRun<End>,
    /// From the stop signal to the end; never is to ignore the signal.
    pub stops_in: PerRun<Delay>,
    /// How it ends when told to stop, if otherwise.
    pub stop_ends: Option<PerRun<End>>,
    /// The hook after its start.
    pub post_start: PerRun<HookScript>,
    /// The hook before its stop signal.
    pub pre_stop: PerRun<HookScript>,
    /// The hook when the pod begins to stop.
    pub pod_stopping: PerRun<HookScript>,
    /// The command that reverses it.
    pub undo: PerRun<HookScript>,
    /// What the startup probe finds.
    pub startup: PerRun<Answers>,
    /// What the readiness probe finds.
    pub readiness: PerRun<Answers>,
    /// What the liveness probe finds.
    pub liveness: PerRun<Answers>,
    /// From `Started` until it tells that it is ready.
    pub ready_in: PerRun<Delay>,
    /// How its image comes.
    pub pull: PullScript,
    /// Whether it can be created.
    pub create: CreateScript,
    /// What it asks of its pod.
    pub asks: Vec<AskScript>,
}

/// A value for each run: the n-th for the n-th run, the last for all later ones.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PerRun<T> {
    first: T,
    later: Vec<T>,
}

/// How long until something happens.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Delay {
    /// This long.
    After(Duration),
    /// It does not happen.
    Never,
}

/// How a process ends.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum End {
    /// With this code.
    Exit(i32),
    /// Killed by this signal.
    Signal(i32),
    /// Killed for want of memory.
    OutOfMemory,
}

/// What a hook does.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HookScript {
    /// Between the lines `Starting` and `Started`.
    pub starts_in: Duration,
    /// How long from there.
    pub runs: HookRuns,
    /// Its exit code; anything but 0 is a failure.
    pub exits: i32,
}

/// How long a hook runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HookRuns {
    /// This long.
    For(Duration),
    /// Until its container has written `Started`.
    UntilStarted,
    /// It never returns.
    Forever,
}

/// What a probe finds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Answers {
    /// Yes, once the container has written `Started`.
    #[default]
    Ok,
    /// No.
    Fail,
    /// Nothing, until the attempt times out.
    Hang,
    /// It depends.
    Timed {
        /// Yes from here on, counted from `Started`.
        ok_after: Duration,
        /// No from here on.
        fail_after: Option<Duration>,
        /// How long each attempt takes.
        takes: Duration,
    },
}

/// How an image comes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PullScript {
    /// How long each attempt takes until the image is there.
    pub takes: Duration,
    /// So many attempts fail.
    pub fails: u32,
}

/// Whether a container can be created.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CreateScript {
    /// So many attempts fail.
    pub fails: u32,
    /// For this reason.
    pub reason: StartFailure,
}

/// Something that a container asks of its pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AskScript {
    /// When, counted from `Started`.
    pub after: Duration,
    /// What.
    pub reaction: Reaction,
    /// Why, for people.
    pub reason: Box<str>,
    /// In this run only; `None` is every run.
    pub in_run: Option<u32>,
}

/// The codes with which a process can exit; `-1` is how C programs say 255.
pub(crate) const EXIT_CODES: RangeInclusive<i32> = -1..=255;

/// The signals of Linux.
pub(crate) const SIGNALS: RangeInclusive<i32> = 1..=64;

// === impl Script ===

impl Default for Script {
    fn default() -> Self {
        Self {
            starts_in: PerRun::same(Duration::ZERO),
            runs: PerRun::same(Delay::Never),
            ends: PerRun::same(End::Exit(0)),
            stops_in: PerRun::same(Delay::ZERO),
            stop_ends: None,
            post_start: PerRun::default(),
            pre_stop: PerRun::default(),
            pod_stopping: PerRun::default(),
            undo: PerRun::default(),
            startup: PerRun::default(),
            readiness: PerRun::default(),
            liveness: PerRun::default(),
            ready_in: PerRun::same(Delay::ZERO),
            pull: PullScript::default(),
            create: CreateScript::default(),
            asks: Vec::new(),
        }
    }
}

impl Script {
    /// Runs this long, then exits with that code.
    pub fn runs(duration: Duration, code: i32) -> Self {
        Self {
            runs: PerRun::same(Delay::After(duration)),
            ends: PerRun::same(End::Exit(code)),
            ..Self::default()
        }
    }

    /// What one of its hooks does.
    pub fn hook(&self, hook: HookKind) -> &PerRun<HookScript> {
        match hook {
            HookKind::PostStart => &self.post_start,
            HookKind::PreStop => &self.pre_stop,
            HookKind::PodStopping => &self.pod_stopping,
        }
    }

    /// What one of its probes finds.
    pub fn probe(&self, probe: ProbeKind) -> &PerRun<Answers> {
        match probe {
            ProbeKind::Startup => &self.startup,
            ProbeKind::Readiness => &self.readiness,
            ProbeKind::Liveness => &self.liveness,
        }
    }

    pub(crate) fn probe_mut(&mut self, probe: ProbeKind) -> &mut PerRun<Answers> {
        match probe {
            ProbeKind::Startup => &mut self.startup,
            ProbeKind::Readiness => &mut self.readiness,
            ProbeKind::Liveness => &mut self.liveness,
        }
    }
}

// === impl PerRun ===

impl<T> PerRun<T> {
    /// The same in every run.
    pub const fn same(value: T) -> Self {
        Self {
            first: value,
            later: Vec::new(),
        }
    }

    /// One value for the first run, others for those after it.
    pub const fn each(first: T, later: Vec<T>) -> Self {
        Self { first, later }
    }

    /// Whether the n-th run, from 1, has a value of its own: later ones only repeat the last.
    pub fn is_said_of(&self, run: u32) -> bool {
        usize::try_from(run).is_ok_and(|run| run <= 1 + self.later.len())
    }

    /// The value of the n-th run, from 1.
    pub fn in_run(&self, run: u32) -> &T {
        let index = usize::try_from(run.saturating_sub(2)).unwrap_or(usize::MAX);
        match self.later.last() {
            Some(last) if run > 1 => self.later.get(index).unwrap_or(last),
            Some(_) | None => &self.first,
        }
    }

    /// All values, the first run's first.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        iter::once(&self.first).chain(&self.later)
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        iter::once(&mut self.first).chain(&mut self.later)
    }
}

impl<T: Default> Default for PerRun<T> {
    fn default() -> Self {
        Self::same(T::default())
    }
}

// === impl Delay ===

impl Delay {
    /// At once.
    pub const ZERO: Self = Self::After(Duration::ZERO);

    /// When it happens, counted from that moment.
    pub fn from(self, moment: Tick) -> Tick {
        match self {
            Self::After(duration) => moment + duration,
            Self::Never => Tick::NEVER,
        }
    }
}

// === impl End ===

impl End {
    /// As the driver reports it.
    pub fn exit(self) -> Exit {
        match self {
            Self::Exit(code) => Exit::code(code & 0xff),
            Self::Signal(signal) => Exit::signal(signal),
            Self::OutOfMemory => Exit::out_of_memory(),
        }
    }

    /// Whether the process can say that it exits.
    pub(crate) const fn is_own(self) -> bool {
        matches!(self, Self::Exit(_))
    }
}

// === impl HookRuns ===

impl Default for HookRuns {
    fn default() -> Self {
        Self::For(Duration::ZERO)
    }
}

// === impl Answers ===

impl Answers {
    /// What an attempt finds that begins `up` after `Started`, and after what time; no time means
    /// that it does not answer.
    pub fn attempt(self, up: Option<Duration>) -> (bool, Option<Duration>) {
        match self {
            Self::Ok => (up.is_some(), Some(Duration::ZERO)),
            Self::Fail => (false, Some(Duration::ZERO)),
            Self::Hang => (false, None),
            Self::Timed {
                ok_after,
                fail_after,
                takes,
            } => {
                let good = |up| up >= ok_after && fail_after.is_none_or(|fail| up < fail);
                (up.is_some_and(good), Some(takes))
            }
        }
    }
}

// === impl PullScript ===

impl PullScript {
    /// No attempt ever succeeds.
    pub const FAIL: Self = Self {
        takes: Duration::ZERO,
        fails: u32::MAX,
    };
}

// === impl CreateScript ===

impl Default for CreateScript {
    fn default() -> Self {
        Self {
            fails: 0,
            reason: StartFailure::CreateContainerError,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_for_all_later_runs() {
        let values = PerRun::each(1, vec![2, 3]);
        let seen: Vec<_> = (1..=5).map(|run| *values.in_run(run)).collect();
        assert_eq!(seen, [1, 2, 3, 3, 3]);
        assert_eq!(*PerRun::same(7).in_run(9), 7);
    }

    #[test]
    fn exit_codes_are_one_byte() {
        assert_eq!(End::Exit(-1).exit().code, 255);
        assert_eq!(End::Signal(15).exit().code, 143);
    }

    #[test]
    fn timed_answers_count_from_started() {
        let secs = Duration::from_secs;
        let answers = Answers::Timed {
            ok_after: secs(3),
            fail_after: Some(secs(8)),
            takes: secs(1),
        };
        let ok = |up: Option<u64>| answers.attempt(up.map(secs)).0;
        assert_eq!(
            [ok(None), ok(Some(2)), ok(Some(3)), ok(Some(7)), ok(Some(8))],
            [false, false, true, true, false]
        );
    }
}
