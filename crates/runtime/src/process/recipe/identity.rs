//! Whom a container runs as.

use super::cook::Cook;
use super::error::Problem;
use super::kitchen::Host;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;

/// Users and groups. What is not given stays as it is with Pillion itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Identity {
    /// The user.
    pub user: Option<u32>,
    /// The first group.
    pub group: Option<u32>,
    /// More groups, that of the volumes among them.
    pub groups: Vec<u32>,
}

/// What a number in a security context stands for.
#[derive(Clone, Copy)]
enum Id {
    User,
    Group,
    GroupOfVolumes,
    MoreGroups,
}

// === impl Identity ===

impl Identity {
    pub(super) fn of(cook: &mut Cook<'_>) -> Self {
        let own = &cook.container.security_context;
        let pod = &cook.kitchen.pod.spec.security_context;
        let user = own.run_as_user.or(pod.run_as_user);
        let group = own.run_as_group.or(pod.run_as_group);
        let non_root = own.run_as_non_root.or(pod.run_as_non_root) == Some(true);
        let of_volumes = pod.fs_group.map(|group| (Id::GroupOfVolumes, group));
        let more = pod.supplemental_groups.iter();
        let more = more.map(|group| (Id::MoreGroups, *group));
        let groups = of_volumes.into_iter().chain(more);
        let host = cook.kitchen.host.user;
        if non_root {
            cook.note_own("securityContext", refuse_root(user, host));
        }
        let us = cook.kitchen.host;
        let mut note = |what: Id, id| {
            let id = checked(what.field(), id).and_then(|id| what.allowed(us, id));
            cook.note_own("securityContext", id)
        };
        Self {
            user: user.and_then(|id| note(Id::User, id)),
            group: group.and_then(|id| note(Id::Group, id)),
            groups: groups.filter_map(|(what, id)| note(what, id)).collect(),
        }
    }

    /// Makes a file of ours one that only this user can write to.
    pub(in crate::process) fn own(&self, path: &Path) -> io::Result<()> {
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
        match self.user {
            Some(user) if user != rustix::process::geteuid().as_raw() => {
                chown(path, Some(user), None)
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn refuse_root(user: Option<i64>, host: u32) -> Result<(), Problem> {
    match user {
        Some(0) => Err(Problem::RunsAsRoot),
        None if host == 0 => Err(Problem::InheritsRoot),
        Some(_) | None => Ok(()),
    }
}

// === impl Id ===

impl Id {
    const fn field(self) -> &'static str {
        match self {
            Self::User => "runAsUser",
            Self::Group => "runAsGroup",
            Self::GroupOfVolumes => "fsGroup",
            Self::MoreGroups => "supplementalGroups",
        }
    }

    /// The number, if this machine lets us have it.
    fn allowed(self, us: &Host, wanted: u32) -> Result<u32, Problem> {
        let is_ours = match self {
            Self::User => wanted == us.user,
            Self::Group => us.groups.first() == Some(&wanted),
            Self::GroupOfVolumes | Self::MoreGroups => us.groups.contains(&wanted),
        };
        let (field, own) = (self.field(), us.user);
        if own == 0 || is_ours {
            Ok(wanted)
        } else {
            Err(Problem::NeedsRoot { field, wanted, own })
        }
    }
}

/// An id as Kubernetes allows it.
pub(in crate::process) fn checked(field: &'static str, id: i64) -> Result<u32, Problem> {
    let allowed = i32::try_from(id).ok().and_then(|id| u32::try_from(id).ok());
    allowed.ok_or(Problem::BadId { field, id })
}
