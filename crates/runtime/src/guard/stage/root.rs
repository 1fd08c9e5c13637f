//! A root of the keeper's own, in which anything can be mounted anywhere without making a mount point on the host.
//!
//! ```text
//!  /            a tmpfs of our own
//!  /usr, /etc   bound from the host, each with all that is mounted below it
//!  /opt         the host has no /opt/app, and something is to be found there:
//!  /opt/other     a tmpfs again, with the host's entries of /opt bound one by one,
//!  /opt/app       and what is to be found
//! ```
//!
//! What is written into a directory that was rebuilt so (`/` and `/opt` here, not what is bound into them) stays in this root
//! and goes with it, as in a container.

mod place;

use super::{Mount, MountKind, StageError};
use crate::beneath;
use crate::sys::make_read_only;
use place::PrivateRoot;
use rustix::fs::{Mode, symlink};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    unmount,
};
use rustix::process::pivot_root;
use std::ffi::CString;
use std::fs::{self, DirEntry, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};

/// Where the host's root is while ours is built.
const HOST: &str = "/.pillion-host";

/// Directories that every system has. Ours is mounted there for a moment, and nobody else sees it.
const FOOTHOLDS: [&str; 2] = ["/tmp", "/proc"];

/// Gives this process, which is in a mount namespace of its own, a private root with these mounts.
pub(super) fn change(mounts: &[Mount]) -> Result<(), StageError> {
    // What they are called now is not what they will be called in between, and need not be the same then.
    let sources = mounts.iter().map(source);
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    begin()?;
    bind_entries(Path::new(HOST), Path::new("/"))?;
    let mut root = PrivateRoot::default();
    let mut ordered: Vec<_> = mounts.iter().zip(&sources).collect();
    // A mount below another one must come after it.
    ordered.sort_by_key(|(mount, _)| mount.target.components().count());
    for (mount, source) in ordered {
        let source = source.as_ref().map(handle_path);
        let is_directory = source.as_ref().is_none_or(|source| source.is_dir());
        let target = root.place(mount, is_directory)?;
        put(mount, source.as_deref(), &target)?;
    }
    finish(&here)
}

/// What is mounted, if that is something of the host.
fn source(mount: &Mount) -> Result<Option<OwnedFd>, StageError> {
    let MountKind::Bind { source, part, .. } = &mount.kind else {
        return Ok(None);
    };
    let opened = beneath::anywhere(source).and_then(|whole| match part {
        Some(part) => beneath::open(whole, part),
        None => Ok(whole),
    });
    let path = part
        .as_ref()
        .map_or_else(|| source.clone(), |part| source.join(part));
    opened.map(Some).map_err(|error| match error {
        Errno::XDEV => StageError::LeadsOut { path },
        error => StageError::Source {
            source_path: path,
            target: mount.target.clone(),
            source: error.into(),
        },
    })
}

/// A path that leads to what was opened, whatever it is called.
fn handle_path(handle: &impl AsRawFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

/// Makes an empty root of our own the root, with the host's in it.
fn begin() -> Result<(), StageError> {
    let foothold = FOOTHOLDS
        .into_iter()
        .map(Path::new)
        .find(|path| path.is_dir());
    let foothold = foothold.unwrap_or(Path::new("/proc"));
    // What the host mounts and unmounts is still seen here; what is mounted here is not seen there.
    let apart = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", apart).map_err(failed("set apart", "/"))?;
    make_tmpfs(foothold, 0o755, None).map_err(failed("make a root at", foothold))?;
    let host = foothold.join(HOST.trim_start_matches('/'));
    make_directory(&host).map_err(failed("make", &host))?;
    pivot_root(foothold, &host).map_err(failed("change the root to", foothold))?;
    std::env::set_current_dir("/").map_err(failed("go to", "/"))
}

/// Lets go of the host's root, and goes back to where we were.
fn finish(here: &Path) -> Result<(), StageError> {
    unmount(HOST, UnmountFlags::DETACH).map_err(failed("leave the host's root at", HOST))?;
    fs::remove_dir(HOST).map_err(failed("remove", HOST))?;
    // It may be covered now; the root is there in any case.
    let _ = std::env::set_current_dir(here);
    Ok(())
}

/// Mounts one of them where there is room for it.
fn put(mount: &Mount, source: Option<&Path>, target: &Path) -> Result<(), StageError> {
    let put = match (&mount.kind, source) {
        (MountKind::Bind { .. }, Some(source)) => {
            mount_bind_recursive(source, target).map_err(io::Error::from)
        }
        (MountKind::Tmpfs { size }, _) => make_tmpfs(target, 0o777, *size),
        (MountKind::Bind { .. }, None) => Err(io::ErrorKind::NotFound.into()),
    };
    put.map_err(failed("mount something at", target))?;
    if mount.read_only {
        make_read_only(target).map_err(failed("let nobody write to", target))?;
    }
    Ok(())
}

/// Covers a directory with an empty one of ours that holds the same entries and can take more.
fn rebuild(directory: &Path) -> Result<(), StageError> {
    let rebuilding = failed("rebuild", directory);
    let (was, about) = File::open(directory)
        .and_then(|was| was.metadata().map(|about| (was, about)))
        .map_err(rebuilding)?;
    make_tmpfs(directory, about.permissions().mode() & 0o7777, None)
        .map_err(failed("rebuild", directory))?;
    // In a user namespace there may be no such owner; then it is ours.
    let _ = lchown(directory, Some(about.uid()), Some(about.gid()));
    bind_entries(&handle_path(&was), directory)
}

/// Binds every entry of a directory into another one, under the same name.
fn bind_entries(from: &Path, into: &Path) -> Result<(), StageError> {
    for entry in fs::read_dir(from).map_err(failed("read", into))? {
        let entry = entry.map_err(failed("read", into))?;
        let target = into.join(entry.file_name());
        match bind_entry(&entry, &target) {
            // It was removed a moment ago.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            bound => bound.map_err(failed("keep", &target))?,
        }
    }
    Ok(())
}

fn bind_entry(entry: &DirEntry, target: &Path) -> io::Result<()> {
    let kind = entry.file_type()?;
    if kind.is_symlink() {
        return Ok(symlink(fs::read_link(entry.path())?, target)?);
    }
    if kind.is_dir() {
        make_directory(target)?;
    } else {
        File::create_new(target)?;
    }
    Ok(mount_bind_recursive(entry.path(), target)?)
}

fn make_directory(path: &Path) -> io::Result<()> {
    let mode = Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH;
    fs::DirBuilder::new().mode(mode.bits()).create(path)
}

fn make_tmpfs(target: &Path, mode: u32, size: Option<u64>) -> io::Result<()> {
    let size = size.map(|size| format!(",size={size}")).unwrap_or_default();
    let options = CString::new(format!("mode={mode:o}{size}"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", target, "tmpfs", flags, &*options)?)
}

/// What was being done to what.
fn failed<E: Into<io::Error>>(
    what: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(E) -> StageError {
    let path = path.into();
    move |error| StageError::Root {
        what,
        path,
        source: error.into(),
    }
}
