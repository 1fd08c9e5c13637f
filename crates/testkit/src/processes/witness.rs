//! Sees every actor of a pod live and die, whatever becomes of it, and asks nobody who drives the pod.
//!
//! An actor that finds a socket on its stage connects to it, says who it is and then each of its lines, and keeps the
//! connection as long as it lives. The kernel closes it when the process is gone, before anybody can be told of that: who
//! was killed does not have to tell, and whatever follows from an end is later than what is seen of it here.

mod life;
mod watch;

pub use life::{Life, Said, Seen};
pub(super) use watch::Watch;

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
pub(crate) struct Witness {
    listener: UnixListener,
    present: Vec<Presence>,
}

/// A process that is there.
struct Presence {
    stream: UnixStream,
    pid: Option<Pid>,
    seen: Option<Seen>,
    said: Vec<u8>,
}

// === impl Witness ===

impl Witness {
    /// Listens at that place.
    pub(crate) fn at(socket: &Path) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        listener.set_nonblocking(true)?;
        let present = Vec::new();
        Ok(Self { listener, present })
    }

    /// Waits until something is said or somebody comes or goes, at most so long: those who have gone.
    pub(crate) fn wait(&mut self, time: Duration) -> io::Result<Vec<Life>> {
        let mut events = vec![PollFd::new(&self.listener, PollFlags::IN)];
        let streams = self.present.iter().map(|presence| &presence.stream);
        events.extend(streams.map(|stream| PollFd::new(stream, PollFlags::IN)));
        let timeout = Timespec::try_from(time).ok();
        match poll(&mut events, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.accept()?;
        let mut gone = Vec::new();
        for mut presence in std::mem::take(&mut self.present) {
            if presence.listen()? {
                self.present.push(presence);
            } else {
                gone.extend(presence.into_life(Some(clock::now())));
            }
        }
        Ok(gone)
    }

    /// Whether any of these lives.
    pub(crate) fn is_anybody_there(&self) -> bool {
        !self.present.is_empty()
    }

    /// Sends a signal to the process of that name, from outside its container.
    pub(crate) fn signal(&self, who: &Who, signal: i32) {
        let wanted = |presence: &&Presence| {
            let name = Life::name(&presence.said);
            name.as_ref() == Some(who)
        };
        let pids = self.present.iter().filter(wanted);
        for pid in pids.filter_map(|presence| presence.pid) {
            if let Some(signal) = Signal::from_named_raw(signal) {
                // It may have ended just now.
                let _ = kill_process(pid, signal);
            }
        }
    }

    /// Kills everybody who lives: their names.
    pub(crate) fn kill_all(&self) -> Vec<String> {
        let killed = self.present.iter().map(|presence| {
            if let Some(pid) = presence.pid {
                // It may have ended just now.
                let _ = kill_process(pid, Signal::KILL);
            }
            let name = Life::name(&presence.said);
            name.map_or("somebody without a name".to_owned(), |name| {
                name.to_string()
            })
        });
        killed.collect()
    }

    /// Those who are still there, when nobody waits for their end.
    fn into_present(self) -> impl Iterator<Item = Life> {
        let present = self.present.into_iter();
        present.filter_map(|presence| presence.into_life(None))
    }

    fn accept(&mut self) -> io::Result<()> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(true)?;
                    let pid = socket_peercred(&stream).ok().map(|peer| peer.pid);
                    self.present.push(Presence {
                        stream,
                        pid,
                        // It may have gone before it was let in.
                        seen: None,
                        said: Vec::new(),
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

// === impl Presence ===

impl Presence {
    /// Reads what it says; false when it is gone.
    fn listen(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 256];
        loop {
            let now = clock::now();
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(count) => self.said.extend(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.seen.get_or_insert(Seen::at(now)).last = now;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Of somebody who did not come to say a name there is nothing to tell.
    fn into_life(self, gone: Option<Tick>) -> Option<Life> {
        Life::read(&self.said, self.seen, gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_simulator::line::Word;
    use std::io::Write as _;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Command;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_end_is_seen_when_the_connection_closes() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("alive");
        let mut witness = Witness::at(&socket).unwrap();
        let mut actor = UnixStream::connect(&socket).unwrap();
        actor.write_all(b"m1/preStop\n").unwrap();

        assert_eq!(witness.wait(SECOND).unwrap(), []);
        assert!(witness.is_anybody_there());
        let looked = clock::now();
        drop(actor);

        let gone = witness.wait(SECOND).unwrap();
        let names: Vec<_> = gone.iter().map(|life| life.who.to_string()).collect();
        assert_eq!(names, ["m1/preStop"]);
        assert!(gone[0].until() <= looked && Some(looked) <= gone[0].gone);
        assert!(!witness.is_anybody_there());
    }

    #[test]
    fn whoever_is_there_is_killed_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("alive");
        let mut witness = Witness::at(&socket).unwrap();
        let mut actor = UnixStream::connect(&socket).unwrap();
        actor.write_all(b"m1\n").unwrap();
        let nobody = UnixStream::connect(&socket).unwrap();
        witness.wait(SECOND).unwrap();
        // Both are this process, which is to go on.
        let mut sleeper = Command::new("sleep").arg("600").spawn().unwrap();
        witness.present[0].pid = Some(Pid::from_child(&sleeper));
        witness.present[1].pid = None;

        assert_eq!(witness.kill_all(), ["m1", "somebody without a name"]);
        assert_eq!(sleeper.wait().unwrap().signal(), Some(9));
        drop((actor, nobody));
        witness.wait(SECOND).unwrap();
        assert_eq!(witness.kill_all(), Vec::<String>::new());
    }

    #[test]
    fn one_who_was_killed_has_said_what_it_said() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("alive");
        let mut witness = Witness::at(&socket).unwrap();
        let mut actor = UnixStream::connect(&socket).unwrap();
        actor.write_all(b"m1\n5 Starting\n7 Exiting 3\n").unwrap();
        drop(actor);

        let gone = witness.wait(SECOND).unwrap();

        assert_eq!(gone[0].when(Word::Starting), Some(Tick::from_nanos(5)));
        assert_eq!(gone[0].code(), Some(3));
        // Nobody looked while it was there.
        assert_eq!((gone[0].seen, gone[0].until()), (None, Tick::from_nanos(7)));
    }
}
