//! Namespaces: what the keeper and all that it starts have for themselves.

use super::StageError;
use crate::sys;
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;
use std::fs;
use std::io;

/// Leaves the host's namespaces of these kinds for new ones.
///
/// Root may do so as it is. Anybody else may do so in a user namespace, in which they are who they were.
pub(super) fn enter(kinds: UnshareFlags) -> Result<(), StageError> {
    let refused = match sys::unshare(kinds) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => enter_as_user(kinds).err(),
        Err(error) => Some(error),
    };
    match refused {
        None => Ok(()),
        Some(source) => Err(StageError::Namespace {
            cause: cause(&source),
            for_mounts: kinds.contains(UnshareFlags::NEWNS),
            source,
        }),
    }
}

/// Gives a new network namespace the one interface that it has.
pub(super) fn raise_loopback() -> Result<(), StageError> {
    sys::raise_loopback().map_err(|source| StageError::Loopback { source })
}

fn enter_as_user(kinds: UnshareFlags) -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    sys::unshare(kinds | UnshareFlags::NEWUSER)?;
    // Nobody but root may give up groups, as some files are closed to their members only.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// The setting that forbids it, if one does.
fn cause(error: &io::Error) -> &'static str {
    let says = |setting: &str, value: &str| {
        fs::read_to_string(format!("/proc/sys/{setting}")).is_ok_and(|is| is.trim() == value)
    };
    if says("kernel/unprivileged_userns_clone", "0") {
        "the setting kernel.unprivileged_userns_clone is 0"
    } else if says("user/max_user_namespaces", "0") {
        "the setting user.max_user_namespaces is 0"
    } else if says("kernel/apparmor_restrict_unprivileged_userns", "1") {
        "the setting kernel.apparmor_restrict_unprivileged_userns is 1"
    } else if error.kind() == io::ErrorKind::StorageFull {
        "there are as many namespaces as the settings below user. allow"
    } else {
        "this user may make none here"
    }
}
