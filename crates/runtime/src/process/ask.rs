//! The door at which the processes of one container ask for something.
//!
//! The socket is the identity: there is one for each run of a container, and only its user can open it. Whoever comes is
//! handed on, with the container's number, to whoever fetches [`callers`](Processes::take_callers).

use super::alarm::Due;
use super::recipe::Identity;
use super::{Processes, Source};
use crate::clock;
use crate::poller::Token;
use crate::runtime::Happening;
use pillion_engine::{Attempt, ContainerId};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The socket of one run.
#[derive(Debug)]
pub(super) struct Door {
    listener: UnixListener,
    path: PathBuf,
}

/// So many are let in before anybody else gets their turn.
const AT_ONCE: usize = 8;

/// When nobody can be let in, for want of descriptors say, it is tried again after this.
const PAUSE: Duration = Duration::from_secs(1);

impl Processes {
    /// Those in containers who have come to ask something since the last time.
    pub fn take_callers(&mut self) -> Vec<(ContainerId, OwnedFd)> {
        std::mem::take(&mut self.callers)
    }

    /// A container tells that it is ready, or is not any more. Says whether that means anything: its readiness must
    /// depend on what it tells.
    pub fn notify(&mut self, container: ContainerId, ready: bool) -> bool {
        let run = self.runs.get(&container);
        let run = run.filter(|run| run.notify.is_some());
        let attempt = run.map(|run| run.attempt);
        if let Some(attempt) = attempt {
            self.notified(container, attempt, ready);
        }
        attempt.is_some()
    }

    pub(super) fn answer_door(&mut self, container: ContainerId) {
        for _ in 0..AT_ONCE {
            let Some(run) = self.runs.get(&container) else {
                return;
            };
            match run.door.listener.accept() {
                Ok((socket, _)) => {
                    if self.callers.is_empty() {
                        self.queue.push_back(Happening::Ready(Token::Callers));
                    }
                    self.callers.push((container, socket.into()));
                }
                Err(error) if is_passing(&error) => return,
                Err(_) => return self.close_door(container),
            }
        }
    }

    /// Nobody can be let in for now, and nobody must be woken for it all the time.
    fn close_door(&mut self, container: ContainerId) {
        if let Some(run) = self.runs.get(&container)
            && self.poller.remove(&run.door).is_ok()
        {
            let attempt = run.attempt;
            self.set_alarm(clock::now() + PAUSE, container, attempt, Due::OpenDoor);
        }
    }

    pub(super) fn open_door(&mut self, container: ContainerId, attempt: Attempt) {
        let token = self.token(Source::Ask(container));
        let poller = self.poller.clone();
        if let Some(run) = self.run_of(container, attempt) {
            run.tokens.push(token);
            // If that fails too, the container goes on without.
            let _ = poller.add(&run.door, token);
        }
    }
}

/// Whether that somebody could not be let in says nothing about the next one.
pub fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted
    )
}

// === impl Door ===

impl Door {
    /// Listens there, for whoever the container runs as.
    pub(super) fn open(path: &Path, identity: &Identity) -> io::Result<Self> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        identity.own(path)?;
        let path = path.to_owned();
        Ok(Self { listener, path })
    }
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // The folder goes with the run at the latest.
        let _ = fs::remove_file(&self.path);
    }
}
