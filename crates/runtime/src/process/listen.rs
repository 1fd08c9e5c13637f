//! Listening sockets that are held for containers, so that a connect is queued while a container is restarted or replaced.

use super::definition::Definition;
use super::recipe::RecipeError;
use super::recipe::error::{Problem, Subject};
use super::volume::VolumePlan;
use super::volume::host_path::will_be_made;
use crate::causes::with_causes;
use pillion_engine::ContainerId;
use pillion_spec::pillion::{Listen, ListenAddress};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

/// All of a pod's.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    held: BTreeMap<ContainerId, Vec<Held>>,
}

/// One of them.
#[derive(Debug)]
struct Held {
    address: ListenAddress,
    socket: OwnedFd,
    /// The file that it made, if it did: what others put in its place is theirs.
    file: Option<(u64, u64)>,
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

/// Tells which addresses of containers cannot be had. Nothing is held for them yet.
pub fn taken_addresses(definitions: &[Definition], volumes: &[VolumePlan]) -> Vec<RecipeError> {
    let mut errors = Vec::new();
    // Those of other containers are taken, too.
    let mut held = Vec::new();
    for definition in definitions {
        for (index, listen) in definition.recipe.listen.iter().enumerate() {
            match Held::open(listen) {
                Ok(one) => held.push(one),
                Err(error) if error.may_pass(listen, volumes) => {}
                Err(error) => errors.extend(error.refusal(definition, index)),
            }
        }
    }
    errors
}

// === impl ListenError ===

impl ListenError {
    /// Whether there will be a folder for it by then.
    fn may_pass(&self, listen: &Listen, volumes: &[VolumePlan]) -> bool {
        match &listen.address {
            ListenAddress::Tcp { .. } => false,
            ListenAddress::Unix(path) => {
                let missing = self.source.kind() == io::ErrorKind::NotFound;
                missing && will_be_made(Path::new(path), volumes)
            }
        }
    }

    fn refusal(&self, definition: &Definition, index: usize) -> Option<RecipeError> {
        Some(RecipeError {
            subject: Subject::Container(definition.name.clone()),
            field: format!("{}.listen[{index}]", definition.field()?),
            problem: Problem::Refused {
                message: with_causes(self),
                hint: self.help().map(str::to_owned),
            },
        })
    }

    /// What the user can do about it.
    pub fn help(&self) -> Option<&'static str> {
        let kind = self.source.kind();
        let known = [
            (
                io::ErrorKind::AddrInUse,
                "stop whoever listens there, or choose another address",
            ),
            (
                io::ErrorKind::NotFound,
                "make the folder of the socket first",
            ),
            (
                io::ErrorKind::PermissionDenied,
                "choose an address that you may listen on",
            ),
        ];
        known
            .into_iter()
            .find_map(|(of, help)| (of == kind).then_some(help))
    }
}

// === impl Listeners ===

impl Listeners {
    /// Holds these for a container, beside those that it has: what is wanted again stays as it is, with all who wait
    /// in its queue. If one cannot be had, nothing changes.
    pub(super) fn hold(
        &mut self,
        container: ContainerId,
        listen: &[Listen],
    ) -> Result<(), ListenError> {
        let held = self.held.entry(container).or_default();
        let new = listen.iter().filter(|wanted| find(held, wanted).is_none());
        let new: Vec<_> = new.map(Held::open).collect::<Result<_, _>>()?;
        held.extend(new);
        Ok(())
    }

    /// What a container gets, with the names that it knows them by.
    pub(super) fn of(
        &self,
        container: ContainerId,
        listen: &[Listen],
    ) -> Vec<(String, BorrowedFd<'_>)> {
        let held = self.held.get(&container).map_or(&[][..], Vec::as_slice);
        let wanted = listen.iter().filter_map(|wanted| {
            // As systemd calls what nobody has named.
            let name = wanted.name.clone().unwrap_or_else(|| "unknown".to_owned());
            Some((name, find(held, wanted)?.socket.as_fd()))
        });
        wanted.collect()
    }

    /// Lets go of those that are not wanted any more.
    pub(super) fn keep(&mut self, container: ContainerId, wanted: impl Fn(&ListenAddress) -> bool) {
        if let Some(held) = self.held.get_mut(&container) {
            held.retain(|held| wanted(&held.address));
        }
    }
}

fn find<'h>(held: &'h [Held], wanted: &Listen) -> Option<&'h Held> {
    held.iter().find(|held| held.address == wanted.address)
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
        let file = match &listen.address {
            ListenAddress::Tcp { .. } => None,
            ListenAddress::Unix(path) => identity(Path::new(path)),
        };
        Ok(Self {
            address: listen.address.clone(),
            socket,
            file,
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

/// A socket that nobody has open any more is left from somebody who died.
fn open_unix(path: &Path) -> io::Result<OwnedFd> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && is_dead(path)? {
        fs::remove_file(path)?;
    }
    UnixListener::bind(path).map(OwnedFd::from)
}

/// Only a refusal tells that nobody is there: one of another kind, or closed to us, has an owner, and whoever has much to do
/// lets others wait. Nobody waits for that here.
fn is_dead(path: &Path) -> io::Result<bool> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let connected = connect(&socket, &SocketAddrUnix::new(path)?);
    Ok(connected == Err(Errno::CONNREFUSED))
}

/// Which file of the machine it is, whatever its name becomes.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

impl Drop for Held {
    fn drop(&mut self) {
        if let ListenAddress::Unix(path) = &self.address
            && self.file.is_some()
            && identity(Path::new(path)) == self.file
        {
            // Nobody is left to hear of a failure, and the next run removes it.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::fstat;
    use std::net::TcpStream;
    use std::os::unix::net::{UnixDatagram, UnixStream};

    const APP: ContainerId = ContainerId(0);

    fn listen(name: &str, port: u16) -> Listen {
        Listen {
            name: Some(name.to_owned()),
            address: ListenAddress::Tcp {
                host: Some(IpAddr::from([127, 0, 0, 1])),
                port,
            },
        }
    }

    fn at(path: &Path) -> [Listen; 1] {
        let address = ListenAddress::Unix(path.to_string_lossy().into_owned());
        [Listen {
            name: None,
            address,
        }]
    }

    fn hold(path: &Path) -> Result<Listeners, ListenError> {
        let mut listeners = Listeners::default();
        listeners.hold(APP, &at(path)).map(|()| listeners)
    }

    /// Ports that nobody listens on.
    fn ports() -> [u16; 2] {
        let free = [(), ()].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        free.map(|free| free.local_addr().unwrap().port())
    }

    #[test]
    fn a_socket_that_is_wanted_again_stays_whatever_it_is_called() {
        let [one, other] = ports();
        let mut listeners = Listeners::default();
        listeners.hold(APP, &[listen("a", one)]).unwrap();
        let inode = |listeners: &Listeners, wanted| {
            let held = listeners.of(APP, &[wanted]);
            let (name, socket) = held.into_iter().next().unwrap();
            (name, fstat(socket).unwrap().st_ino)
        };
        let (_, before) = inode(&listeners, listen("a", one));

        let new = [listen("c", other), listen("b", one)];
        listeners.hold(APP, &new).unwrap();
        listeners.keep(APP, |address| new.iter().any(|new| new.address == *address));

        assert_eq!(
            inode(&listeners, listen("b", one)),
            ("b".to_owned(), before)
        );
        let names = listeners.of(APP, &new).into_iter().map(|(name, _)| name);
        assert_eq!(names.collect::<Vec<_>>(), ["c", "b"]);
    }

    #[test]
    fn a_socket_of_one_who_died_is_taken_over_and_goes_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        drop(UnixListener::bind(&path).unwrap());

        let listeners = hold(&path).unwrap();
        assert!(UnixStream::connect(&path).is_ok());

        drop(listeners);
        assert!(!path.exists());
    }

    #[test]
    fn a_socket_that_somebody_has_is_left_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("datagrams");
        let _theirs = UnixDatagram::bind(&path).unwrap();
        hold(&path).expect_err("it is taken");
        assert!(path.exists());

        let path = folder.path().join("busy");
        let theirs = UnixListener::bind(&path).unwrap();
        rustix::net::listen(&theirs, 0).unwrap();
        let _waits = UnixStream::connect(&path).unwrap();
        hold(&path).expect_err("it is taken, and nobody is waited for");
        assert!(path.exists());
    }

    #[test]
    fn what_was_put_in_the_place_of_a_socket_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listeners = hold(&path).unwrap();
        fs::rename(&path, folder.path().join("old")).unwrap();
        fs::write(&path, "theirs").unwrap();

        drop(listeners);
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn an_address_that_cannot_be_had_changes_nothing() {
        let [one, other] = ports();
        let taken = TcpListener::bind(("127.0.0.1", other)).unwrap();
        let mut listeners = Listeners::default();
        listeners.hold(APP, &[listen("a", one)]).unwrap();

        let error = listeners.hold(APP, &[listen("b", other)]).unwrap_err();
        assert_eq!(error.address, taken.local_addr().unwrap().to_string());
        assert_eq!(listeners.of(APP, &[listen("b", other)]).len(), 0);

        listeners.keep(APP, |_| false);
        assert!(TcpStream::connect(("127.0.0.1", one)).is_err());
    }
}
