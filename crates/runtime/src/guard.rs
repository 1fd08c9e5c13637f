//! Who starts a pod's processes, and sees to it that none of them is left.
//!
//! ```text
//!  pillion ── socket ── guard             one per pod: small, one thread, so that forking is cheap
//!     │                   │ forks
//!     └───── socket ── keeper             one per run of a container
//!                         │ spawns
//!                      process ─▶ its children, their children …
//! ```
//!
//! A *keeper* adopts whatever its process leaves behind, also what has forked twice and made a session of its own.
//! When the process ends, the keeper kills the rest, as the end of a container's first process does, and only then
//! tells of the end. So an end that was told means that nothing is left of that run.
//!
//! Nobody has to be asked to clean up: a keeper whose socket closes kills all it keeps and goes, and a socket closes
//! when `pillion` dies of anything. The *guard* adopts what a keeper that was killed leaves behind, and kills it.

pub mod cgroup;
mod channel;
mod keeper;
mod message;
mod serve;
mod spawn;
mod stage;
mod tree;

pub use crate::socket::ChannelError;
pub use channel::Channel;
pub use message::{Launch, Order, Outcome, Report};
pub use serve::serve;
pub use stage::{Mount, MountKind, Stage, StageError};

use crate::socket::send_bytes;
use rustix::event::Timespec;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command, Stdio};

/// The guard of one pod, seen from `pillion`. Dropped, it ends with all that it guards.
pub struct Guard {
    program: OsString,
    arguments: Vec<String>,
    process: Child,
    control: Option<OwnedFd>,
    /// A keeper that waits for the next one to ask for it.
    spare: Cell<Option<Channel>>,
}

/// Whoever has had nothing to do for so long will have nothing to do for a while, and gives back what it can.
const QUIET: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

// === impl Guard ===

impl Guard {
    /// Starts a guard: the program must call [`serve`] when it gets these arguments.
    pub fn start(program: impl AsRef<OsStr>, arguments: &[&str]) -> io::Result<Self> {
        let program = program.as_ref().to_owned();
        let arguments: Vec<_> = arguments.iter().map(|&word| word.to_owned()).collect();
        let (process, control) = start(&program, &arguments)?;
        Ok(Self {
            program,
            arguments,
            process,
            control: Some(control),
            spare: Cell::new(None),
        })
    }

    /// Starts another one in place of one that was killed.
    pub fn restart(&mut self) -> io::Result<()> {
        self.rest();
        self.control = None;
        self.process.wait()?;
        let (process, control) = start(&self.program, &self.arguments)?;
        self.process = process;
        self.control = Some(control);
        Ok(())
    }

    /// A keeper that waits for its first order.
    pub fn keeper(&self) -> io::Result<Channel> {
        match self.spare.take() {
            Some(spare) => Ok(spare),
            None => self.ask(),
        }
    }

    /// Has a keeper made, so that the next one who asks need not wait for it.
    pub fn prepare(&self) {
        let spare = self.spare.take();
        // Whoever asks next sees what is wrong.
        self.spare.set(spare.or_else(|| self.ask().ok()));
    }

    /// Lets the keeper go that was made for the next one who asks.
    pub fn rest(&self) {
        self.spare.set(None);
    }

    fn ask(&self) -> io::Result<Channel> {
        let (ours, theirs) = pair()?;
        let control = self.control.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        send_bytes(control.as_fd(), &[serve::KEEPER], &[theirs.as_fd()])?;
        Ok(Channel::new(ours))
    }

    /// The process of the guard, for those who look at it from outside.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Lets the guard go, and waits until nothing is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.rest();
        self.control = None;
        self.process.wait().map(drop)
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = self.process.id();
        let mut text = formatter.debug_struct("Guard");
        text.field("process", &process).finish_non_exhaustive()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.rest();
        self.control = None;
        // It ends by itself once its socket is closed; nobody is left to hear of a failure.
        let _ = self.process.wait();
    }
}

fn start(program: &OsStr, arguments: &[String]) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = pair()?;
    let process = Command::new(program)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .spawn()?;
    Ok((process, ours))
}

fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC;
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        flags,
        None,
    )?)
}
