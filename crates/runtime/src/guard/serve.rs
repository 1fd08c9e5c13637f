//! The guard itself: forks keepers, and adopts what a keeper that was killed leaves behind.

use super::QUIET;
use super::channel::Channel;
use super::keeper::keep;
use super::tree::{self, Reaped};
use crate::sys::{Forked, SignalFd, fork, give_back, keep_descriptors};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, Signal, set_child_subreaper, setsid};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// The byte that asks for a keeper; its socket comes with it.
pub(super) const KEEPER: u8 = b'k';

/// The byte that asks to let all keepers go on, if somebody has stopped them.
pub(super) const WAKE: u8 = b'w';

/// What `pillion` wants of a guard.
enum Asked {
    /// A keeper for this socket.
    Keeper(OwnedFd),
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
    // What whoever started pillion has left open is not for containers.
    keep_descriptors();
    // A terminal's signals are for pillion; it says what happens to the containers.
    let _ = setsid();
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let children = SignalFd::new(libc::SIGCHLD)?;
    let mut keepers = HashSet::new();
    let mut open = true;
    loop {
        let left = reap(&mut keepers);
        if !open && !left {
            return Ok(());
        }
        let stdin = io::stdin();
        let mut events = [
            PollFd::new(&children, PollFlags::IN),
            PollFd::new(&stdin, PollFlags::IN),
        ];
        let watched = if open { 2 } else { 1 };
        let mut patience = Some(&QUIET);
        // Whatever else it says, we look at both.
        while poll(&mut events[..watched], patience) == Ok(0) {
            patience = None;
            give_back();
        }
        let asked = open && !events[1].revents().is_empty();
        children.drain();
        if asked {
            match next(&stdin).unwrap_or(Asked::End) {
                Asked::Keeper(socket) => match start_keeper(socket) {
                    Ok(Some(keeper)) => {
                        keepers.insert(keeper);
                    }
                    // This is the keeper, and it is done.
                    Ok(None) => return Ok(()),
                    // Whoever asked sees its socket closed.
                    Err(_) => {}
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

/// Waits for those that have ended, and kills what has been adopted. Says whether anybody is left.
fn reap(keepers: &mut HashSet<Pid>) -> bool {
    let mut adopted = false;
    loop {
        match tree::reap() {
            // A keeper that ends by itself leaves nobody behind. Whoever else has ended may have.
            Reaped::Child(pid, status) => {
                adopted |= !keepers.remove(&pid) || status.exit_status() != Some(0);
            }
            Reaped::NoneYet => break,
            Reaped::NoChildren => return false,
        }
    }
    if adopted {
        // A keeper brings down what it keeps by itself. Whoever else is here has lost its keeper.
        tree::kill_children(|pid| keepers.contains(&pid));
    }
    true
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
        ([KEEPER], Some(socket)) => Asked::Keeper(socket),
        ([WAKE], _) => Asked::Wake,
        _ => Asked::Nothing,
    })
}

/// Forks a keeper for this socket. In the keeper it returns `None`, when all is over.
fn start_keeper(socket: OwnedFd) -> io::Result<Option<Pid>> {
    match fork()? {
        Forked::Parent(keeper) => Ok(Some(keeper)),
        Forked::Child => {
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
