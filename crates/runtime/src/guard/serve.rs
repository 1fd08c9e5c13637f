//! The guard itself: forks keepers, and adopts what a keeper that was killed leaves behind.

use super::QUIET;
use super::channel::Channel;
use super::keeper::keep;
use super::message::Report;
use super::tree::{self, Reaped};
use crate::sys::{Forked, SignalFd, fork, give_back, heed_signals, keep_descriptors};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send};
use rustix::process::{Pid, Signal, set_child_subreaper, setsid};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// The byte that asks for a keeper; its socket comes with it.
pub(super) const KEEPER: u8 = b'k';

/// The byte that asks to let all keepers go on, if somebody has stopped them.
pub(super) const WAKE: u8 = b'w';

/// How long the number of a keeper that is gone is, as `pillion` is told it: the lowest byte first.
pub(super) const WORD: usize = size_of::<u64>();

/// Those that a guard has made, by the order in which they were asked for.
#[derive(Default)]
struct Keepers {
    asked: u64,
    living: HashMap<Pid, u64>,
    /// They have ended, and what they kept may not have.
    ended: Vec<u64>,
    /// Nothing is left of them, and nobody was told yet.
    gone: VecDeque<u64>,
}

/// What `pillion` wants of a guard.
enum Asked {
    /// A keeper for this socket, if it has come.
    Keeper(Option<OwnedFd>),
    /// That no keeper stands still.
    Wake,
    /// Nothing that makes sense.
    Nothing,
    /// Nothing ever again.
    End,
}

/// Guards until the other end of standard input is closed and nothing is left.
///
/// To be called first of all: a process with more than one thread must not fork.
pub fn serve() -> io::Result<()> {
    // What whoever started pillion has left open is not for containers, and what they ignore is not their affair.
    keep_descriptors();
    heed_signals();
    // A terminal's signals are for pillion; it says what happens to the containers.
    let _ = setsid();
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let children = SignalFd::new(libc::SIGCHLD)?;
    let mut keepers = Keepers::default();
    let mut open = true;
    loop {
        let left = keepers.reap();
        if !open && !left {
            return Ok(());
        }
        let stdin = io::stdin();
        keepers.tell(&stdin);
        let mut wanted = PollFlags::IN;
        // Whoever was not told for want of room is told when there is some.
        wanted.set(PollFlags::OUT, !keepers.gone.is_empty());
        let mut events = [
            PollFd::new(&children, PollFlags::IN),
            PollFd::new(&stdin, wanted),
        ];
        let watched = if open { 2 } else { 1 };
        let mut patience = Some(&QUIET);
        // Whatever else it says, we look at both.
        while poll(&mut events[..watched], patience) == Ok(0) {
            patience = None;
            give_back();
        }
        let asked = open && !(events[1].revents() - PollFlags::OUT).is_empty();
        children.drain();
        if asked {
            match next(&stdin).unwrap_or(Asked::End) {
                Asked::Keeper(socket) => match socket.map(start_keeper) {
                    Some(Ok(Some(keeper))) => keepers.add(Some(keeper)),
                    // This is the keeper, and it is done.
                    Some(Ok(None)) => return Ok(()),
                    // Whoever asked sees its socket closed.
                    Some(Err(_)) | None => keepers.add(None),
                },
                Asked::Wake => wake(),
                Asked::Nothing => {}
                Asked::End => {
                    open = false;
                    // A keeper that somebody has stopped would not notice that it is alone.
                    wake();
                }
            }
        }
    }
}

fn wake() {
    tree::signal_children(Signal::CONT, |_| false);
}

/// What is asked for next.
fn next(control: impl AsFd) -> io::Result<Asked> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let parts = &mut [IoSliceMut::new(&mut byte)];
    let came = match recvmsg(control, parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
        Err(rustix::io::Errno::INTR) => return Ok(Asked::Nothing),
        came => came?,
    };
    if came.bytes == 0 {
        return Ok(Asked::End);
    }
    let socket = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        RecvAncillaryMessage::ScmCredentials(_) | _ => None,
    });
    Ok(match (byte, socket) {
        ([KEEPER], socket) => Asked::Keeper(socket),
        ([WAKE], _) => Asked::Wake,
        _ => Asked::Nothing,
    })
}

/// Forks a keeper for this socket. In the keeper it returns `None`, when all is over. Where there can be none, whoever asked
/// for it is told why, lest they take it for one that was killed.
fn start_keeper(socket: OwnedFd) -> io::Result<Option<Pid>> {
    match fork() {
        Err(error) => {
            let why = Report::StartFailed {
                errno: None,
                message: format!("cannot make a process: {error}"),
                hint: None,
            };
            // If nobody listens, nobody is misled.
            let _ = Channel::new(socket).send(&why, &[]);
            Err(error)
        }
        Ok(Forked::Parent(keeper)) => Ok(Some(keeper)),
        Ok(Forked::Child) => {
            if let_go_of_guard().is_ok() {
                keep(Channel::new(socket));
            }
            Ok(None)
        }
    }
}

/// The guard's socket must close with the guard, and with nobody else.
fn let_go_of_guard() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdin(null)?)
}

// === impl Keepers ===

impl Keepers {
    /// One more was asked for, which may not have come to be.
    fn add(&mut self, keeper: Option<Pid>) {
        let number = self.asked;
        self.asked += 1;
        match keeper {
            Some(keeper) => {
                self.living.insert(keeper, number);
            }
            None => self.ended.push(number),
        }
    }

    /// Waits for those that have ended, and kills what has been adopted. Says whether anybody is left.
    fn reap(&mut self) -> bool {
        let mut adopted = false;
        let left = loop {
            match tree::reap() {
                // A keeper that ends by itself leaves nobody behind. Whoever else has ended may have.
                Reaped::Child(pid, status) => {
                    let keeper = self.living.remove(&pid);
                    adopted |= keeper.is_none() || status.exit_status() != Some(0);
                    self.ended.extend(keeper);
                }
                Reaped::NoneYet => break true,
                Reaped::NoChildren => break false,
            }
        };
        let is_keeper = |pid: &Pid| self.living.contains_key(pid);
        if adopted && left {
            // A keeper brings down what it keeps by itself. Whoever else is here has lost its keeper.
            tree::kill_children(|pid| is_keeper(&pid));
        }
        // Who is killed stays a child until it was waited for, and what it leaves is a child by then.
        if !self.ended.is_empty() && tree::children().iter().all(is_keeper) {
            self.gone.extend(self.ended.drain(..));
        }
        left
    }

    /// Tells of those of whom nothing is left, as far as there is room.
    fn tell(&mut self, control: impl AsFd) {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        while let Some(number) = self.gone.front() {
            match send(&control, &number.to_le_bytes(), flags) {
                Err(rustix::io::Errno::AGAIN) => return,
                Err(rustix::io::Errno::INTR) => {}
                // If nobody listens, nobody waits for it.
                Ok(_) | Err(_) => {
                    self.gone.pop_front();
                }
            }
        }
    }
}
