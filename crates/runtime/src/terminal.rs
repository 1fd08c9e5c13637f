//! A terminal that exists only in the kernel: one end is held by whoever shows it, the other by whoever is in it.

use rustix::process::Uid;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Both ends of a terminal. What a program in it writes is read at the outer end, what is written there was typed.
#[derive(Debug)]
pub struct Terminal {
    /// For whoever shows it. Nothing waits there: it says so when there is nothing to read.
    pub outer: OwnedFd,
    /// For the program in it.
    pub inner: OwnedFd,
}

/// How much a terminal shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Size {
    /// How many characters a line has.
    pub columns: u16,
    /// How many lines there are.
    pub rows: u16,
}

// === impl Terminal ===

impl Terminal {
    /// Makes one of that size.
    pub fn open(size: Size) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let outer = openpt(flags)?;
        grantpt(&outer)?;
        unlockpt(&outer)?;
        let inner = ioctl_tiocgptpeer(&outer, flags)?;
        size.apply_to(&inner)?;
        rustix::io::ioctl_fionbio(&outer, true)?;
        Ok(Self { outer, inner })
    }

    /// Gives it to somebody, who can then open it by its name.
    pub fn give_to(&self, user: u32) -> io::Result<()> {
        Ok(rustix::fs::fchown(
            &self.inner,
            Some(Uid::from_raw(user)),
            None,
        )?)
    }
}

// === impl Size ===

impl Size {
    /// What programs expect where nobody says.
    pub const USUAL: Self = Self {
        columns: 80,
        rows: 24,
    };

    /// Makes a terminal that large. Programs in it are told if that is a change.
    pub fn apply_to(self, terminal: impl AsFd) -> io::Result<()> {
        let size = Winsize {
            ws_row: self.rows,
            ws_col: self.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        Ok(tcsetwinsize(terminal, size)?)
    }
}
