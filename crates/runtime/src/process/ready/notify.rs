//! systemd's protocol: a datagram of `NAME=value` lines to the socket in `NOTIFY_SOCKET`.

use crate::process::recipe::Identity;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

/// The socket of one run.
#[derive(Debug)]
pub(in crate::process) struct NotifySocket {
    socket: UnixDatagram,
    path: PathBuf,
}

/// Longer than anything that the protocol has.
const LONGEST: usize = 4096;

/// So many messages are taken before anybody else gets their turn.
const AT_ONCE: usize = 64;

// === impl NotifySocket ===

impl NotifySocket {
    /// Listens there, for whoever the container runs as, and for nobody else: its name is no secret.
    pub(in crate::process) fn bind(path: &Path, identity: &Identity) -> io::Result<Self> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let socket = UnixDatagram::bind(path)?;
        socket.set_nonblocking(true)?;
        identity.own(path)?;
        let path = path.to_owned();
        Ok(Self { socket, path })
    }

    pub(in crate::process) fn path(&self) -> &Path {
        &self.path
    }

    /// What the messages that have come say about readiness, the last word last. Whoever says more than that at once does
    /// not keep others from their turn.
    pub(in crate::process) fn receive(&self) -> Vec<bool> {
        let mut said = Vec::new();
        let mut buffer = [0; LONGEST];
        for _ in 0..AT_ONCE {
            let Ok(length) = self.socket.recv(&mut buffer) else {
                break;
            };
            said.extend(readiness(&buffer[..length]));
        }
        said
    }
}

impl AsFd for NotifySocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for NotifySocket {
    fn drop(&mut self) {
        // The folder goes with the run at the latest.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// `READY=1` is ready; whoever reloads or stops is not.
fn readiness(message: &[u8]) -> Option<bool> {
    let mut lines = message.rsplit(|byte| *byte == b'\n');
    lines.find_map(|line| match line {
        b"READY=1" => Some(true),
        b"RELOADING=1" | b"STOPPING=1" => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_never_stops_talking_is_left_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = NotifySocket::bind(&path, &Identity::default()).unwrap();
        let flood = UnixDatagram::unbound().unwrap();
        let talker = std::thread::spawn(move || while flood.send_to(b"READY=1", &path).is_ok() {});

        for _ in 0..100 {
            assert!(socket.receive().len() <= AT_ONCE);
        }

        drop(socket);
        talker.join().unwrap();
    }

    #[test]
    fn only_whole_lines_count() {
        assert_eq!(readiness(b"STATUS=up\nREADY=1\n"), Some(true));
        assert_eq!(readiness(b"READY=1"), Some(true));
        assert_eq!(readiness(b"READY=10"), None);
        assert_eq!(readiness(b"RELOADING=1\nMONOTONIC_USEC=5"), Some(false));
        assert_eq!(readiness(b""), None);
    }
}
