//! Signals to `pillion` itself, read as data.

use crate::sys::{SignalFd, catch, is_ignored};
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd, BorrowedFd};

/// Signals that are asked for and not obeyed.
#[derive(Debug)]
pub struct Signals(SignalFd);

/// The same for a process that starts programs of others by any way there is: nothing is blocked, which would stay so in
/// all of them.
#[derive(Debug)]
pub struct Caught(PipeReader);

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

// === impl Caught ===

impl Caught {
    /// Catches these signals from now on, once in a process. Those that are ignored stay so, as whoever started this wanted
    /// it.
    pub fn new(numbers: &[i32]) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let numbers = numbers.iter().copied();
        let heeded: Vec<_> = numbers.filter(|number| !is_ignored(*number)).collect();
        catch(&heeded, writer)?;
        Ok(Self(reader))
    }

    /// Waits for the next one.
    pub fn wait(&mut self) -> io::Result<i32> {
        let mut number = [0];
        self.0.read_exact(&mut number)?;
        Ok(number[0].into())
    }
}
