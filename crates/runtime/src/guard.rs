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
//! when `pillion` dies of anything. The *guard* adopts what a keeper that was killed leaves behind, kills it, and then tells
//! that the keeper is gone: until then a socket that has closed is the end of a keeper, and not of what it kept. `pillion` the same for a guard that was killed, and starts another one. Whoever was stopped is let go on before a kill.

pub mod cgroup;
mod channel;
mod doomed;
mod keeper;
mod message;
mod serve;
mod spawn;
mod stage;
pub(crate) mod tree;

pub use crate::socket::ChannelError;
pub use channel::Channel;
pub use message::{Launch, NotStarted, Order, Outcome, Report};
pub use serve::serve;
pub use stage::{Mount, MountKind, Stage, StageError};

use crate::socket::send_bytes;
use rustix::event::Timespec;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The guard of one pod, seen from `pillion`. Dropped, it ends with all that it guards.
pub struct Guard {
    program: OsString,
    arguments: Vec<String>,
    /// How many files containers may have open: as many as whoever started the first guard, whatever it needs since.
    files: Rlimit,
    process: Child,
    control: Option<OwnedFd>,
    /// A keeper that waits for the next one to ask for it.
    spare: Cell<Option<Channel>>,
    /// How many keepers were asked for, of all guards.
    asked: Cell<u64>,
    /// How many of them of earlier guards.
    earlier: u64,
}

/// Why a stage cannot be set.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refused {
    /// In words.
    pub message: String,
    /// What to do about it, if that is known.
    pub hint: Option<String>,
}

/// Whoever has had nothing to do for so long will have nothing to do for a while, and gives back what it can.
const QUIET: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Whoever takes nothing for so long was stopped by somebody. What fits into its socket it need not take at once.
const PATIENCE: Duration = Duration::from_secs(2);

// === impl Guard ===

impl Guard {
    /// Starts a guard: the program must call [`serve`] when it gets these arguments.
    pub fn start(program: impl AsRef<OsStr>, arguments: &[&str]) -> io::Result<Self> {
        let program = program.as_ref().to_owned();
        let arguments: Vec<_> = arguments.iter().map(|&word| word.to_owned()).collect();
        let files = getrlimit(Resource::Nofile);
        let (process, control) = start(&program, &arguments, files)?;
        Ok(Self {
            program,
            arguments,
            files,
            process,
            control: Some(control),
            spare: Cell::new(None),
            asked: Cell::new(0),
            earlier: 0,
        })
    }

    /// Can be read when a keeper is gone, or the guard itself.
    pub fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.control.as_ref().map(OwnedFd::as_fd)
    }

    /// The numbers of keepers that are gone with all that they kept, and were not told before. Never waits.
    pub(crate) fn gone(&self) -> Vec<u64> {
        let mut gone = Vec::new();
        let Some(control) = &self.control else {
            return gone;
        };
        let mut buffer = [0; 64 * serve::WORD];
        // One that is closed tells nothing more.
        if let Ok((length, _)) = recv(control, &mut buffer[..], RecvFlags::DONTWAIT) {
            let words = buffer[..length].chunks_exact(serve::WORD);
            let numbers = words.filter_map(|word| word.try_into().ok());
            gone.extend(numbers.map(|word| self.earlier + u64::from_le_bytes(word)));
        }
        gone
    }

    /// Whether it is this one who tells of the end of that keeper, and no earlier one.
    pub(crate) fn tells_of(&self, keeper: u64) -> bool {
        keeper >= self.earlier
    }

    /// Whether it was killed: it does not end by itself.
    pub fn has_ended(&mut self) -> bool {
        // Whoever cannot be asked is not there.
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Lets it and its keepers go on if somebody has stopped them.
    pub fn wake(&mut self) {
        let number = i32::try_from(self.process.id()).ok();
        if let Some(process) = number.and_then(Pid::from_raw)
            && !self.has_ended()
        {
            // Its number is its own until it was waited for.
            let _ = kill_process(process, Signal::CONT);
            if let Some(control) = &self.control {
                let _ = send_bytes(control.as_fd(), &[serve::WAKE], &[], Some(PATIENCE));
            }
        }
    }

    /// Starts another one in place of one that was killed.
    pub fn restart(&mut self) -> io::Result<()> {
        self.rest();
        self.control = None;
        self.earlier = self.asked.get();
        self.process.wait()?;
        let (process, control) = start(&self.program, &self.arguments, self.files)?;
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
        let asked = [theirs.as_fd()];
        send_bytes(control.as_fd(), &[serve::KEEPER], &asked, Some(PATIENCE))?;
        // The guard counts them as well.
        let number = self.asked.replace(self.asked.get() + 1);
        Ok(Channel::new(ours).numbered(number).with_patience(PATIENCE))
    }

    /// Tries whether a stage can be set, without starting anything; says why not.
    pub fn rehearse(&self, stage: Stage) -> Result<Option<Refused>, ChannelError> {
        let mut channel = self.keeper()?;
        channel.send(&Order::Rehearse(Box::new(stage)), &[])?;
        match channel.receive_within(PATIENCE)? {
            Report::StartFailed { message, hint, .. } => Ok(Some(Refused { message, hint })),
            Report::Rehearsed
            | Report::Started { .. }
            | Report::Exited { .. }
            | Report::ExecDone { .. } => Ok(None),
        }
    }

    /// The process of the guard, for those who look at it from outside.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Lets the guard go, and waits until nothing is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.let_go()
    }

    fn let_go(&mut self) -> io::Result<()> {
        self.rest();
        self.control = None;
        self.wake();
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
        // It ends by itself once its socket is closed; nobody is left to hear of a failure.
        let _ = self.let_go();
    }
}

fn start(program: &OsStr, arguments: &[String], files: Rlimit) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = pair()?;
    let mut process = Command::new(program)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .spawn()?;
    // It starts nobody before it is asked to.
    if files != getrlimit(Resource::Nofile)
        && let Err(error) = limit(&process, files)
    {
        // It would end by itself, and nobody would wait for it.
        drop(ours);
        process.wait()?;
        return Err(error);
    }
    Ok((process, ours))
}

fn limit(process: &Child, files: Rlimit) -> io::Result<()> {
    let number = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    prlimit(number, Resource::Nofile, files)?;
    Ok(())
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
