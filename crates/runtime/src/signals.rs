//! Signals to `pillion` itself, read as data.

use crate::sys::SignalFd;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Signals that are asked for and not obeyed.
#[derive(Debug)]
pub struct Signals(SignalFd);

// === impl Signals ===

impl Signals {
    /// Takes these signals from now on. To be called before any thread is started.
    pub fn new(numbers: &[i32]) -> io::Result<Self> {
        SignalFd::of(numbers).map(Self)
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
