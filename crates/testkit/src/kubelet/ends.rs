//! Sees the end of every actor of a pod, however it comes.
//!
//! An actor that finds a socket on its stage connects to it, says who it is, and keeps the connection as long as it
//! lives. The kernel closes it when the process is gone: nobody has to ask, and nobody who was killed has to tell.

use pillion_engine::Tick;
use pillion_runtime::clock;
use pillion_simulator::line::Who;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Read as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

/// Everybody who lives.
pub(super) struct Ends {
    listener: UnixListener,
    alive: Vec<Life>,
}

/// A process that is there.
struct Life {
    stream: UnixStream,
    pid: Option<Pid>,
    /// What it has said so far; its name when the line is complete.
    said: Vec<u8>,
}

// === impl Ends ===

impl Ends {
    /// Listens at that place.
    pub(super) fn at(socket: &Path) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        listener.set_nonblocking(true)?;
        let alive = Vec::new();
        Ok(Self { listener, alive })
    }

    /// Waits for ends, at most so long.
    pub(super) fn wait(&mut self, time: Duration) -> io::Result<Vec<(Tick, Who)>> {
        let mut events = vec![PollFd::new(&self.listener, PollFlags::IN)];
        events.extend(
            self.alive
                .iter()
                .map(|life| PollFd::new(&life.stream, PollFlags::IN)),
        );
        let timeout = Timespec::try_from(time).ok();
        match poll(&mut events, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let now = clock::now();
        let mut ended = Vec::new();
        let lives = std::mem::take(&mut self.alive);
        for mut life in lives {
            if life.listen()? {
                self.alive.push(life);
            } else {
                ended.extend(life.who().map(|who| (now, who)));
            }
        }
        self.accept()?;
        Ok(ended)
    }

    /// Whether any of these lives.
    pub(super) fn is_anybody_there(&self) -> bool {
        !self.alive.is_empty()
    }

    /// Sends a signal to the process of that name, from outside its container.
    pub(super) fn signal(&self, who: &Who, signal: i32) {
        let lives = self
            .alive
            .iter()
            .filter(|life| life.who().as_ref() == Some(who));
        for pid in lives.filter_map(|life| life.pid) {
            if let Some(signal) = Signal::from_named_raw(signal) {
                // It may have ended just now.
                let _ = kill_process(pid, signal);
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(true)?;
                    let pid = socket_peercred(&stream).ok().map(|peer| peer.pid);
                    self.alive.push(Life {
                        stream,
                        pid,
                        said: Vec::new(),
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

// === impl Life ===

impl Life {
    /// Reads what it says; false when it is gone.
    fn listen(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 256];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(count) => self.said.extend(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    fn who(&self) -> Option<Who> {
        let text = std::str::from_utf8(&self.said).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn an_end_is_seen_when_the_connection_closes() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("alive");
        let mut ends = Ends::at(&socket).unwrap();
        let second = Duration::from_secs(1);
        let mut actor = UnixStream::connect(&socket).unwrap();
        actor.write_all(b"m1/preStop\n").unwrap();

        assert_eq!(ends.wait(second).unwrap(), []);
        assert_eq!(ends.wait(second).unwrap(), []);
        assert!(ends.is_anybody_there());
        drop(actor);

        let ended: Vec<_> = ends.wait(second).unwrap();
        let names: Vec<_> = ended.iter().map(|(_, who)| who.to_string()).collect();
        assert_eq!(names, ["m1/preStop"]);
        assert!(!ends.is_anybody_there());
    }
}
