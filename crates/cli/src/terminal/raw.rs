//! A terminal that passes every key on, and obeys none.

use rustix::process::{Signal, getpid, kill_process};
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use std::io;

/// The terminal passes every key on. Dropped, it is what it was before.
#[derive(Debug)]
pub(crate) struct Raw {
    before: Option<Termios>,
}

// === impl Raw ===

impl Raw {
    /// Takes the terminal over, if there is one.
    pub(crate) fn enter() -> io::Result<Self> {
        let before = if isatty(stdin()) {
            Some(tcgetattr(stdin())?)
        } else {
            None
        };
        let raw = Self { before };
        raw.set()?;
        Ok(raw)
    }

    /// Another program gets the terminal until somebody brings this one back.
    pub(crate) fn pause(&self) -> io::Result<()> {
        self.restore()?;
        kill_process(getpid(), Signal::STOP)?;
        self.set()
    }

    fn set(&self) -> io::Result<()> {
        let Some(before) = &self.before else {
            return Ok(());
        };
        let mut raw = before.clone();
        raw.make_raw();
        Ok(tcsetattr(stdin(), OptionalActions::Now, &raw)?)
    }

    fn restore(&self) -> io::Result<()> {
        match &self.before {
            Some(before) => Ok(tcsetattr(stdin(), OptionalActions::Now, before)?),
            None => Ok(()),
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing any more.
        let _ = self.restore();
    }
}
