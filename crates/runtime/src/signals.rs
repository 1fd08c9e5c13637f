//! Signals to `pillion` itself, read as data.

use crate::sys::{SignalFd, is_ignored};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Signals that are asked for and not obeyed.
#[derive(Debug)]
pub struct Signals(SignalFd);

// === impl Signals ===

impl Signals {
    /// Takes these signals from now on. To be called before any thread is started. Who was started by `nohup` does not hear of
    /// the terminal that goes.
    pub fn new(numbers: &[i32]) -> io::Result<Self> {
        let numbers = numbers.iter().copied();
        let heard = numbers.filter(|number| *number != libc::SIGHUP || !is_ignored(*number));
        SignalFd::of(&heard.collect::<Vec<_>>()).map(Self)
    }

    /// Those that have come, in no particular order. Several of one kind may count as one.
    pub fn read(&self) -> Vec<i32> {
        self.0.read()
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
