//! The folder for sockets of a pod that runs: a short path, because the names of sockets are short, and nobody else's.

use crate::hint::{self, Hint};
use crate::state;
use pillion_runtime::removal::remove_tree;
use std::env;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The folder cannot be made, or is not ours.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RoomError {
    #[error("the path `{}` in `{VARIABLE}` is relative", .folder.display())]
    Relative { folder: PathBuf },
    #[error("cannot make the folder {} for the sockets of the pod", .folder.display())]
    Make { folder: PathBuf, source: io::Error },
    #[error("the name of the folder {} for the sockets of the pod is too long for a socket", .folder.display())]
    TooLong { folder: PathBuf },
    #[error("the folder {} belongs to somebody else", .folder.display())]
    Foreign { folder: PathBuf },
    #[error("a pod of this name is running already, with its sockets in {}", .folder.display())]
    Taken { folder: PathBuf },
    #[error("cannot listen to other terminals at {}", .socket.display())]
    Listen { socket: PathBuf, source: io::Error },
}

/// The folder, which is nobody else's until this is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    folder: PathBuf,
    room: File,
    base: Base,
}

/// The folder in which all pods have theirs. One that was made for a pod that was never started goes with this, unless
/// somebody has something in it by now.
#[derive(Debug)]
struct Base {
    folder: PathBuf,
    made: bool,
}

/// Names are cut to this, with something that tells them apart.
const LONGEST_NAME: usize = 40;

/// The path of a socket has so many bytes at most, and those in the folder have names of up to 20.
const LONGEST_FOLDER: usize = 107 - 21;

/// Where the sockets of a pod are.
pub(crate) fn folder(namespace: &str, name: &str) -> Result<PathBuf, RoomError> {
    Ok(base()?.join(short(&format!("{namespace}.{name}"))))
}

/// Makes it, unless a run that was killed has left it.
pub(super) fn take(folder: &Path) -> Result<Taken, RoomError> {
    let failed = |source| RoomError::Make {
        folder: folder.to_owned(),
        source,
    };
    if folder.as_os_str().len() > LONGEST_FOLDER {
        let folder = folder.to_owned();
        return Err(RoomError::TooLong { folder });
    }
    let base = Base::make(base()?).map_err(failed)?;
    base.look()?;
    loop {
        make_private(folder).map_err(failed)?;
        let room = match File::open(folder) {
            // Whoever had it has just taken it away.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            room => room.map_err(failed)?,
        };
        match room.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let folder = folder.to_owned();
                return Err(RoomError::Taken { folder });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let found = match fs::symlink_metadata(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            found => found.map_err(failed)?,
        };
        if !is_ours(&found) {
            let folder = folder.to_owned();
            return Err(RoomError::Foreign { folder });
        }
        if is_same(&room, &found).map_err(failed)? {
            // It may have been another one, if a run that could not begin took it away just now.
            base.look()?;
            let folder = folder.to_owned();
            return Ok(Taken { folder, room, base });
        }
    }
}

/// Whether this is a folder of the user's.
pub(super) fn is_ours(found: &fs::Metadata) -> bool {
    found.is_dir() && found.uid() == rustix::process::geteuid().as_raw()
}

/// Whether what was opened is still what is found under its name.
fn is_same(room: &File, found: &fs::Metadata) -> io::Result<bool> {
    let about = room.metadata()?;
    Ok((found.dev(), found.ino()) == (about.dev(), about.ino()))
}

fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_tree(&entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
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
pub(crate) fn control(folder: &Path) -> PathBuf {
    folder.join("control")
}

/// The sockets of all pods that may be running.
pub(crate) fn control_sockets() -> io::Result<Vec<PathBuf>> {
    let base = base().map_err(io::Error::other)?;
    let rooms = match fs::read_dir(&base) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        rooms => rooms?,
    };
    // In a folder of somebody else anything can stand.
    let owner = fs::symlink_metadata(&base)?.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(RoomError::Foreign { folder: base }));
    }
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
fn base() -> Result<PathBuf, RoomError> {
    let chosen = env::var_os(VARIABLE).map(PathBuf::from);
    match chosen.filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if folder.is_absolute() => Ok(folder),
        // From another folder the pod would not be found again.
        Some(folder) => Err(RoomError::Relative { folder }),
        None => Ok(usual_base()),
    }
}

fn usual_base() -> PathBuf {
    let user = rustix::process::geteuid();
    if user.is_root() {
        return PathBuf::from("/run/pillion");
    }
    let given = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match given.filter(|folder| folder.is_absolute() && folder.is_dir()) {
        Some(folder) => folder.join("pillion"),
        None => env::temp_dir().join(format!("pillion-{}", user.as_raw())),
    }
}

/// What things of a pod are called where all pods have theirs. The same for every run of a pod, so that the next one finds
/// what one that was killed has left; and another one for a pod of the same name whose state is elsewhere, or of somebody
/// else, which can run at the same time. None begins with that of another pod: the sum at its end has always the same length.
pub(super) fn mark(run: &state::Run) -> String {
    let user = rustix::process::geteuid().as_raw();
    let pod = run.folder.parent().unwrap_or(&run.folder);
    let sum = sum(&pod.to_string_lossy());
    format!("pillion-{user}-{}-{sum:016x}", short(&run.name))
}

/// The name, or its beginning and a sum over the whole of it.
fn short(name: &str) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let sum = sum(name);
    let begin: String = name.chars().take(LONGEST_NAME - 17).collect();
    format!("{begin}-{sum:016x}")
}

/// Tells texts apart. FNV-1a: the same on every machine and in every version.
fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

// === impl RoomError ===

impl Hint for RoomError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Relative { .. } => {
                format!("set `{VARIABLE}` to a path that begins with `/`, or not at all")
            }
            Self::Make { source, .. } | Self::Listen { source, .. } => {
                hint::of_folder(VARIABLE, source)
            }
            Self::TooLong { .. } => format!("set `{VARIABLE}` to a folder with a shorter name"),
            // Nobody is told to remove it: pods of its owner may run there.
            Self::Foreign { .. } => format!("set `{VARIABLE}` to a folder of yours"),
            Self::Taken { .. } => {
                format!("`pillion ps` shows it; set `{VARIABLE}` to another folder to run both")
            }
        })
    }
}

// === impl Taken ===

impl Taken {
    /// The pod is started now: others will want the folder of all pods, too.
    pub(super) fn start(&mut self) {
        self.base.made = false;
    }

    /// Where it is.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a run was killed that had it: one that ends takes it away.
    pub(super) fn was_left(&self) -> Result<bool, RoomError> {
        let entries = fs::read_dir(&self.folder).map_err(|source| self.failed(source))?;
        Ok(entries.count() > 0)
    }

    /// Whether this is the same folder, seen from elsewhere.
    pub(super) fn is(&self, found: &fs::Metadata) -> bool {
        is_same(&self.room, found).unwrap_or(false)
    }

    /// Removes what a run that was killed has left. By it the next one is told of that, so nobody of the run must be left.
    pub(super) fn empty(&self) -> Result<(), RoomError> {
        empty(&self.folder).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> RoomError {
        let folder = self.folder.clone();
        RoomError::Make { folder, source }
    }
}

// === impl Base ===

impl Base {
    fn make(folder: PathBuf) -> io::Result<Self> {
        let made = !folder.exists();
        make_private(&folder)?;
        Ok(Self { folder, made })
    }

    /// Looks whose it is.
    fn look(&self) -> Result<(), RoomError> {
        let folder = self.folder.clone();
        match fs::symlink_metadata(&folder) {
            Ok(found) if is_ours(&found) => Ok(()),
            Ok(_) => Err(RoomError::Foreign { folder }),
            Err(source) => Err(RoomError::Make { folder, source }),
        }
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        if self.made {
            // It stays if something is in it.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_no_socket_fits_into_is_told_as_such() {
        let folder = Path::new("/tmp").join("a".repeat(LONGEST_FOLDER));
        let error = take(&folder).expect_err("it is too long");
        assert!(matches!(error, RoomError::TooLong { .. }), "{error}");
        let hint = error.hint().expect("something can be done");
        assert!(hint.contains("shorter"), "{hint}");
        assert!(!folder.exists());
    }

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
