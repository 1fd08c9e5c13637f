//! The lock of a pod: whoever runs it holds it, and it goes with its process, whatever ends that.
//!
//! As long as that process can be talked to, the file says who it is and where its sockets are. So the pod is found from a
//! session that would look for them elsewhere, and missed if somebody takes them away.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The lock on a pod, until this is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

/// Who has it, and where to talk to them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Holder {
    pub(crate) process: i32,
    /// The folder.
    pub(crate) sockets: PathBuf,
}

/// The file of a pod that whoever runs it has locked.
const NAME: &str = "lock";

/// Whether somebody runs the pod of this folder.
pub(super) fn is_taken(pod: &Path) -> bool {
    match File::open(pod.join(NAME)) {
        Ok(file) => is_held(&file),
        // Where nobody can tell, nothing is said.
        Err(_) => true,
    }
}

/// Who of this user runs the pod of this folder, and can be talked to, or could.
pub(super) fn holder(pod: &Path) -> Option<Holder> {
    let file = File::open(pod.join(NAME)).ok()?;
    let owner = file.metadata().ok()?.uid();
    if owner != rustix::process::geteuid().as_raw() || !is_held(&file) {
        return None;
    }
    let text = io::read_to_string(&file).ok()?;
    let (process, sockets) = text.strip_suffix('\n')?.split_once(' ')?;
    Some(Holder {
        process: process.parse().ok()?,
        sockets: PathBuf::from(sockets),
    })
}

/// It is given back at once, and several can ask at a time.
fn is_held(file: &File) -> bool {
    match file.try_lock_shared() {
        Ok(()) => false,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
    }
}

// === impl Lock ===

impl Lock {
    /// Takes it, unless a run has it.
    pub(super) fn take(pod: &Path) -> Result<Self, TryLockError> {
        let mut options = File::options();
        let options = options.create(true).truncate(false).write(true);
        let file = options.open(pod.join(NAME)).map_err(TryLockError::Error)?;
        loop {
            match file.try_lock() {
                // Who asks whether a run has it shares it for a moment, and is waited for.
                Err(TryLockError::WouldBlock) => {
                    file.try_lock_shared()?;
                    file.unlock().map_err(TryLockError::Error)?;
                }
                taken => {
                    taken?;
                    break;
                }
            }
        }
        let lock = Self { file };
        // Of one that was killed.
        lock.withdraw();
        Ok(lock)
    }

    /// Says where this process can be talked to. A disk that is full ends no pod: then it is found by its sockets alone.
    pub(super) fn announce(&self, sockets: &Path) {
        let mut text = format!("{} ", std::process::id()).into_bytes();
        text.extend(sockets.as_os_str().as_bytes());
        text.push(b'\n');
        let _ = self.file.write_all_at(&text, 0);
    }

    /// Says that there is no talking any more.
    pub(super) fn withdraw(&self) {
        // What stands there is as good as what it was.
        let _ = self.file.set_len(0);
    }
}
