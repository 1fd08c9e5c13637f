//! Listening sockets that are held for containers, so that a connect is queued while a container is restarted or replaced.

use pillion_engine::ContainerId;
use pillion_spec::pillion::{Listen, ListenAddress};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// All of a pod's.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    held: BTreeMap<ContainerId, Vec<Held>>,
}

#[derive(Debug)]
pub(super) struct Held {
    /// What the container knows it by.
    pub(super) name: String,
    pub(super) socket: OwnedFd,
    listen: Listen,
}

/// Why nobody can listen there.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}")]
pub struct ListenError {
    /// Where.
    pub address: String,
    /// Why not.
    pub source: io::Error,
}

// === impl Listeners ===

impl Listeners {
    /// Holds these for a container. Those that it has already stay as they are, with all who wait in their queues.
    pub(super) fn hold(
        &mut self,
        container: ContainerId,
        listen: &[Listen],
    ) -> Result<(), ListenError> {
        let mut old = self.held.remove(&container).unwrap_or_default();
        let mut held = Vec::new();
        for wanted in listen {
            let same = old.iter().position(|held| held.listen == *wanted);
            held.push(match same {
                Some(index) => old.swap_remove(index),
                None => Held::open(wanted)?,
            });
        }
        self.held.insert(container, held);
        Ok(())
    }

    /// What a container gets.
    pub(super) fn of(&self, container: ContainerId) -> &[Held] {
        self.held.get(&container).map_or(&[], Vec::as_slice)
    }
}

// === impl Held ===

impl Held {
    fn open(listen: &Listen) -> Result<Self, ListenError> {
        let (address, socket) = match &listen.address {
            ListenAddress::Tcp { host, port } => {
                let host = host.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
                let address = SocketAddr::new(host, *port);
                (address.to_string(), open_tcp(address))
            }
            ListenAddress::Unix(path) => (path.clone(), open_unix(Path::new(path))),
        };
        let socket = socket.map_err(|source| ListenError { address, source })?;
        Ok(Self {
            // As systemd calls what nobody has named.
            name: listen.name.clone().unwrap_or_else(|| "unknown".to_owned()),
            socket,
            listen: listen.clone(),
        })
    }
}

/// On all addresses of both kinds, or of the older one where there is no other.
fn open_tcp(address: SocketAddr) -> io::Result<OwnedFd> {
    let unspecified = address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED);
    match TcpListener::bind(address) {
        Err(_) if unspecified => TcpListener::bind(("0.0.0.0", address.port())),
        bound => bound,
    }
    .map(OwnedFd::from)
}

/// A socket that nobody answers on is left from somebody who died.
fn open_unix(path: &Path) -> io::Result<OwnedFd> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && UnixStream::connect(path).is_err() {
        fs::remove_file(path)?;
    }
    UnixListener::bind(path).map(OwnedFd::from)
}

impl Drop for Held {
    fn drop(&mut self) {
        if let ListenAddress::Unix(path) = &self.listen.address {
            // Nobody is left to hear of a failure, and the next run removes it.
            let _ = fs::remove_file(path);
        }
    }
}
