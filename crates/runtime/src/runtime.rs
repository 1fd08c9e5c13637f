//! Where containers run, seen from the pump.

use crate::guard::{NotStarted, Outcome};
use crate::poller::Token;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_engine::{Action, Attempt, ContainerId, Event, Found, Tick};
use std::io;

/// Carries out what an engine asks for, and tells what happens.
///
/// Time is the runtime's: a simulated one may let it pass as it likes.
pub trait Runtime {
    /// What time it is.
    fn now(&self) -> Tick;

    /// Begins to do this. What comes of it is told by [`wait`](Self::wait), success and failure alike.
    fn carry_out(&mut self, action: Action);

    /// Waits for the next thing that happens, at most until that time.
    fn wait(&mut self, until: Option<Tick>) -> io::Result<Happening>;

    /// What is there of a container that may be alive, after the driver was away.
    fn find(&mut self, container: ContainerId, attempt: Attempt) -> Found;
}

/// Why a wait is over.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Happening {
    /// Something happened to the pod.
    Event(Event),
    /// A container wrote something.
    Output(Output),
    /// A command that a person ran in a container is over.
    ExecDone {
        /// As it was called when it was begun.
        id: u64,
        /// How it ended, or why it never ran.
        outcome: Result<Outcome, NotStarted>,
    },
    /// A hook failed, and this is why. The event that says so comes next.
    HookFailed {
        /// Whose.
        container: ContainerId,
        /// Which hook.
        hook: HookKind,
        /// In a few words.
        why: String,
    },
    /// One attempt of a probe failed, and this is why. The event that says so comes next.
    ProbeFailed {
        /// Whose.
        container: ContainerId,
        /// Which probe.
        probe: ProbeKind,
        /// In a few words.
        why: String,
    },
    /// Something can be read that is not the runtime's own.
    Ready(Token),
    /// The time has come.
    Due,
}

/// Something that a container wrote.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Output {
    /// Who.
    pub container: ContainerId,
    /// In which run.
    pub attempt: Attempt,
    /// Where to.
    pub stream: Stream,
    /// What: any bytes, and not always whole lines. Empty when this run will write no more.
    pub bytes: Vec<u8>,
}

/// Where a container writes.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

// === impl Stream ===

impl Stream {
    /// As log files call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}
