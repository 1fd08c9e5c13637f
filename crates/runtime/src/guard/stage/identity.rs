//! The user and the groups of a container's processes.

use super::{Stage, StageError};
use rustix::process::{Gid, Uid, getegid, geteuid, getgroups};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::io;

/// Somebody else than who `pillion` is.
#[derive(Debug)]
pub(super) struct Identity {
    user: Uid,
    group: Gid,
    groups: Vec<Gid>,
}

/// What the system takes for "leave it as it is", and so is nobody's number.
const NOBODY: u32 = u32::MAX;

// === impl Identity ===

impl Identity {
    /// Who the stage asks for; `None` if that is who we are already.
    pub(super) fn of(stage: &Stage) -> Result<Option<Self>, StageError> {
        let groups = stage.groups.iter().copied();
        let mut numbers = stage.user.into_iter().chain(stage.group).chain(groups);
        if numbers.any(|number| number == NOBODY) {
            return Err(StageError::Nobody { number: NOBODY });
        }
        let wanted = Self {
            user: stage.user.map_or_else(geteuid, Uid::from_raw),
            group: stage.group.map_or_else(getegid, Gid::from_raw),
            groups: stage.groups.iter().copied().map(Gid::from_raw).collect(),
        };
        if wanted.is_ours() {
            return Ok(None);
        }
        if geteuid().is_root() {
            return Ok(Some(wanted));
        }
        Err(StageError::Identity {
            wanted: wanted.to_string(),
            own: geteuid().as_raw(),
        })
    }

    fn is_ours(&self) -> bool {
        let own = getgroups().unwrap_or_default();
        let is_own = |group: &Gid| *group == getegid() || own.contains(group);
        self.user == geteuid() && self.group == getegid() && self.groups.iter().all(is_own)
    }

    /// Makes the calling process, which has one thread, that user's.
    pub(super) fn take_on(&self) -> io::Result<()> {
        // The user goes last: whoever is not root may change nothing any more.
        set_thread_groups(&self.groups)?;
        set_thread_res_gid(self.group, self.group, self.group)?;
        set_thread_res_uid(self.user, self.user, self.user)?;
        Ok(())
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "user {}, group {}", self.user, self.group)?;
        for group in &self.groups {
            write!(out, ", group {group}")?;
        }
        Ok(())
    }
}
