//! Opens what is below a folder, and nothing else: whoever may write there can put a link there at any moment.

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fchmod, mkdirat, openat, openat2};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// What can be looked at and mounted, and not be read or written.
const HANDLE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// What can be read. A pipe that nobody writes to is not waited for.
const READ: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// The kernel asks for another attempt if somebody moves folders meanwhile. Nobody does so for ever by mistake.
const MOST_ATTEMPTS: usize = 64;

/// What is at a path, wherever links lead.
pub(crate) fn anywhere(path: &Path) -> Result<OwnedFd, Errno> {
    openat(CWD, path, HANDLE, Mode::empty())
}

/// What is at a path below a folder. Links are followed as long as they do not lead out of it; then it is
/// [`Errno::XDEV`].
pub(crate) fn open(folder: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    open_as(folder, path, HANDLE)
}

/// As [`open`], and what is there can be read.
pub(crate) fn read(folder: impl AsFd, path: &Path) -> Result<File, Errno> {
    open_as(folder, path, READ).map(File::from)
}

fn open_as(folder: impl AsFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut opened = Err(Errno::AGAIN);
    for _ in 0..MOST_ATTEMPTS {
        opened = openat2(&folder, path, flags, Mode::empty(), resolve);
        if opened.as_ref().err() != Some(&Errno::AGAIN) {
            break;
        }
    }
    opened
}

/// Makes a folder in one, with these permissions whatever the file mode mask is.
pub(crate) fn make(folder: impl AsFd, name: &OsStr, permissions: Mode) -> Result<OwnedFd, Errno> {
    mkdirat(&folder, name, Mode::RWXU)?;
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = openat(&folder, name, flags, Mode::empty())?;
    fchmod(&made, permissions)?;
    Ok(made)
}
