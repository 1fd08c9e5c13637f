//! The folder for sockets of a pod that runs: a short path, because the names of sockets are short, and nobody else's.

use crate::hint::Hint;
use pillion_runtime::removal::remove_tree;
use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The folder cannot be made, or is not ours.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RoomError {
    #[error("cannot make the folder {} for the sockets of the pod", .folder.display())]
    Make { folder: PathBuf, source: io::Error },
    #[error("the folder {} belongs to somebody else", .folder.display())]
    Foreign { folder: PathBuf },
}

/// Names are cut to this, with something that tells them apart.
const LONGEST_NAME: usize = 40;

/// Where the sockets of a pod are.
pub(crate) fn folder(namespace: &str, name: &str) -> PathBuf {
    base().join(short(&format!("{namespace}.{name}")))
}

/// Makes it, empty.
pub(super) fn make(folder: &Path) -> Result<(), RoomError> {
    let failed = |source| RoomError::Make {
        folder: folder.to_owned(),
        source,
    };
    let base = base();
    make_private(&base).map_err(failed)?;
    let found = fs::symlink_metadata(&base).map_err(failed)?;
    if found.uid() != rustix::process::geteuid().as_raw() || !found.is_dir() {
        return Err(RoomError::Foreign { folder: base });
    }
    remove_tree(folder).map_err(failed)?;
    make_private(folder).map_err(failed)
}

/// What names another place; it holds for everybody, root too.
const VARIABLE: &str = "PILLION_RUNTIME_DIR";

/// Root's containers may run as somebody else, who must get through to the sockets that they know the names of.
fn make_private(folder: &Path) -> io::Result<()> {
    let root = rustix::process::geteuid().is_root();
    let mode = if root { 0o711 } else { 0o700 };
    DirBuilder::new().recursive(true).mode(mode).create(folder)
}

/// The socket that people talk to a pod over.
pub(super) fn control(folder: &Path) -> PathBuf {
    folder.join("control")
}

/// The sockets of all pods that may be running.
pub(crate) fn control_sockets() -> io::Result<Vec<PathBuf>> {
    let rooms = match fs::read_dir(base()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        rooms => rooms?,
    };
    let sockets = rooms.map(|room| room.map(|room| control(&room.path())));
    let mut sockets: Vec<_> = sockets.collect::<io::Result<_>>()?;
    sockets.retain(|socket| socket.exists());
    sockets.sort();
    Ok(sockets)
}

/// Whether this can be the socket of a pod of that name: a long name is not written out.
pub(crate) fn may_be_of(socket: &Path, name: &str) -> bool {
    let room = socket.parent().and_then(Path::file_name);
    let room = room.and_then(|room| room.to_str()).unwrap_or_default();
    room.len() >= LONGEST_NAME || room.split_once('.').is_some_and(|(_, of)| of == name)
}

/// Root's containers may run as others, who cannot get through root's own `XDG_RUNTIME_DIR`: so that is not asked, and there
/// is a variable of our own for whoever wants another place.
fn base() -> PathBuf {
    let user = rustix::process::geteuid();
    let chosen = env::var_os(VARIABLE).map(PathBuf::from);
    if let Some(folder) = chosen.filter(|folder| folder.is_absolute()) {
        return folder;
    }
    if user.is_root() {
        return PathBuf::from("/run/pillion");
    }
    let given = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match given.filter(|folder| folder.is_absolute() && folder.is_dir()) {
        Some(folder) => folder.join("pillion"),
        None => env::temp_dir().join(format!("pillion-{}", user.as_raw())),
    }
}

/// The name, or its beginning and a sum over the whole of it.
pub(super) fn short(name: &str) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let sum = sum(name);
    let begin: String = name.chars().take(LONGEST_NAME - 17).collect();
    format!("{begin}-{sum:016x}")
}

/// Tells texts apart. FNV-1a: the same on every machine and in every version.
pub(super) fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

// === impl RoomError ===

impl Hint for RoomError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Make { .. } => Some(format!(
                "set `{VARIABLE}` to a folder that you can write to"
            )),
            Self::Foreign { folder } => Some(format!(
                "remove {}, or set `{VARIABLE}` to a folder of yours",
                folder.display()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_apart_and_short() {
        let (one, other) = (short(&"a".repeat(200)), short(&"a".repeat(201)));
        assert_ne!(one, other);
        assert!(one.len() <= LONGEST_NAME);
        assert_eq!(short("default.orders"), "default.orders");
        let socket = |room: &str| control(Path::new(room));
        assert!(may_be_of(&socket(&one), &"a".repeat(192)));
        assert!(may_be_of(&socket("default.orders"), "orders"));
        assert!(!may_be_of(&socket("default.orders"), "ders"));
    }
}
