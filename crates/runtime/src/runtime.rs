//! Where containers run, seen from the pump.

use crate::poller::Token;
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
    /// Something can be read that is not the runtime's own.
    Ready(Token),
    /// The time has come.
    Due,
}
