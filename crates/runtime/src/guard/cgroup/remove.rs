//! Removes groups, with the groups that a container has made in them and with whoever is still there.

use super::CgroupError;
use rustix::event::{PollFd, Timespec, poll};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::HashSet;
use std::ffi::{CStr, CString, OsStr};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The kernel counts a process that has ended for a moment longer.
const A_MOMENT: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 1_000_000,
};

/// After so many moments something else is wrong.
const MOST_MOMENTS: usize = 2_000;

/// Removes every group below this one whose name begins so.
pub(super) fn remove_below(path: &Path, prefix: &str) -> Result<(), CgroupError> {
    let Ok(entries) = fs::read_dir(path) else {
        // It is gone, or closed to us; then nothing in it is ours.
        return Ok(());
    };
    let folders = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for entry in folders {
        let (name, path) = (entry.file_name(), entry.path());
        if name.as_bytes().starts_with(prefix.as_bytes()) {
            File::open(path.parent().unwrap_or(&path))
                .and_then(|parent| remove_in(&parent, &name))
                .map_err(|source| CgroupError::Remove { path, source })?;
        } else {
            remove_below(&path, prefix)?;
        }
    }
    Ok(())
}

/// Removes a group, and whatever is in it.
pub(super) fn remove_in(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    let name = CString::new(name.as_bytes())?;
    remove(parent.as_fd(), &name)
}

fn remove(parent: impl AsFd, name: &CStr) -> io::Result<()> {
    let group = match open_folder(&parent, name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        group => group?,
    };
    for _ in 0..MOST_MOMENTS {
        match unlinkat(&parent, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::BUSY) => empty(&group)?,
            Err(error) => return Err(error.into()),
        }
        let nothing: &mut [PollFd<'_>] = &mut [];
        // Whatever it says, the time has passed.
        let _ = poll(nothing, Some(&A_MOMENT));
    }
    Err(Errno::BUSY.into())
}

/// Kills who is in a group, and removes the groups in it.
fn empty(group: &OwnedFd) -> io::Result<()> {
    kill_all(group)?;
    for entry in Dir::read_from(group)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type() == FileType::Directory && name != c"." && name != c".." {
            remove(group, name)?;
        }
    }
    Ok(())
}

fn kill_all(group: &OwnedFd) -> io::Result<()> {
    let handles = processes(group)?.into_iter().filter_map(|pid| {
        let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some((pid, handle))
    });
    let handles: Vec<_> = handles.collect();
    // Who is still there after the handle was made is who the handle is for.
    let still = processes(group)?;
    for (_, handle) in handles.iter().filter(|(pid, _)| still.contains(pid)) {
        // It may have ended by itself just now.
        let _ = pidfd_send_signal(handle, Signal::KILL);
    }
    Ok(())
}

fn processes(group: &OwnedFd) -> io::Result<HashSet<Pid>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut text = String::new();
    File::from(openat(group, "cgroup.procs", flags, Mode::empty())?).read_to_string(&mut text)?;
    let numbers = text.lines().filter_map(|line| line.parse().ok());
    Ok(numbers.filter_map(Pid::from_raw).collect())
}

fn open_folder(parent: impl AsFd, name: &CStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}
