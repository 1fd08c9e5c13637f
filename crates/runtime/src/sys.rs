//! The few calls that neither the standard library nor rustix offers safely.

#![expect(unsafe_code, reason = "fork, signal masks and signalfd")]

use rustix::process::Pid;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Which of the two processes this is.
pub(crate) enum Forked {
    /// The new one.
    Child,
    /// The old one.
    Parent(Pid),
}

/// Signals that are read as data instead of interrupting.
#[derive(Debug)]
pub(crate) struct SignalFd(OwnedFd);

/// Makes a second process of this one.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: the guard has one thread only, so the child finds no lock held by anybody else.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        pid if pid > 0 => Pid::from_raw(pid)
            .map(Forked::Parent)
            .ok_or_else(|| io::Error::other("a process without a number")),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has a command begin with all signals let through and with their usual meaning, as the first of a session of its own.
pub(crate) fn begin_afresh(command: &mut Command) {
    // SAFETY: everything in there may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            let mut all = std::mem::zeroed();
            libc::sigemptyset(&raw mut all);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
            // Rust ignores it; programs expect to die of it.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            libc::setsid();
            Ok(())
        });
    }
}

// === impl SignalFd ===

impl SignalFd {
    /// Reads this signal as data from now on.
    pub(crate) fn new(signal: i32) -> io::Result<Self> {
        // SAFETY: the set is initialised before it is used.
        let fd = unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, signal);
            libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made, and nobody else has it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Forgets the signals that have come.
    pub(crate) fn drain(&self) {
        let mut buffer = [0; 8 * size_of::<libc::signalfd_siginfo>()];
        while rustix::io::read(&self.0, &mut buffer).is_ok_and(|read| read > 0) {}
    }
}

impl AsFd for SignalFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
