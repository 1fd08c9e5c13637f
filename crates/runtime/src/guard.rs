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
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command, Stdio};

/// The guard of one pod, seen from `pillion`. Dropped, it ends with all that it guards.
#[derive(Debug)]
pub struct Guard {
    program: OsString,
    arguments: Vec<String>,
    process: Child,
    control: Option<OwnedFd>,
}

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
        })
    }

    /// Starts another one in place of one that was killed.
    pub fn restart(&mut self) -> io::Result<()> {
        self.control = None;
        self.process.wait()?;
        let (process, control) = start(&self.program, &self.arguments)?;
        self.process = process;
        self.control = Some(control);
        Ok(())
    }

    /// Asks for a keeper. It waits for its first order.
    pub fn keeper(&self) -> io::Result<Channel> {
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
        self.control = None;
        self.process.wait().map(drop)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
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
