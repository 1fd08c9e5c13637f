//! What is different around a container's process than around `pillion` itself: what it finds at some paths, who it is,
//! what it may use, and whether there is a network.
//!
//! ```text
//!  Stage ── what is wanted, as data
//!    │ set by the keeper, before it starts anything
//!  Scene ── the keeper is in the namespaces already; each process joins the group and becomes its user
//! ```
//!
//! The keeper itself is on the stage, so that hooks and probes find what the process finds. Nothing of it is seen from
//! outside, and nothing of it outlives the keeper: namespaces go with their last process, and the keeper removes the group.

mod error;
mod identity;
mod namespace;
mod root;

pub use error::StageError;

use super::cgroup::{Cgroup, Group};
use identity::Identity;
use rustix::thread::{UnshareFlags, set_no_new_privs};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// What is wanted around a process. The default is nothing.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Stage {
    /// What is found at other paths than on the host, in this order.
    #[serde(default)]
    pub mounts: Vec<Mount>,
    /// Who the process is; who `pillion` is if left out.
    #[serde(default)]
    pub user: Option<u32>,
    /// Its first group; that of `pillion` if left out.
    #[serde(default)]
    pub group: Option<u32>,
    /// Its other groups.
    #[serde(default)]
    pub groups: Vec<u32>,
    /// There is no network but the machine's own loopback, and that is a private one.
    #[serde(default)]
    pub no_network: bool,
    /// No program that it executes gives it rights that it did not have (`sudo`, file capabilities).
    #[serde(default)]
    pub no_new_privileges: bool,
    /// What it may use at most.
    #[serde(default)]
    pub cgroup: Option<Cgroup>,
}

/// Something that is found at a path. The path need not exist on the host, and is never made there.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Mount {
    /// What is found there.
    pub kind: MountKind,
    /// Where: an absolute path, which may go through symbolic links of the host.
    pub target: PathBuf,
    /// Neither this nor anything mounted below it can be written.
    #[serde(default)]
    pub read_only: bool,
}

/// What is found at a path.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum MountKind {
    /// A file or a directory of the host, with all that is mounted below it.
    Bind {
        /// Where it is on the host.
        source: PathBuf,
        /// Of that only what is at this path below it. A link there that leads out of it, at the moment of the mount, is
        /// refused.
        #[serde(default)]
        part: Option<PathBuf>,
        /// It is the pod's own, so that other mounts may leave an empty directory in it where they need one. What belongs
        /// to somebody else is rebuilt in memory instead, and what is written beside such a mount is then kept nowhere.
        #[serde(default)]
        takes_mounts: bool,
    },
    /// An empty directory in memory, of this run alone.
    Tmpfs {
        /// The most bytes that it holds; half of the machine's memory if left out.
        size: Option<u64>,
    },
}

/// A stage that is set: what is left to do for each process that enters.
#[derive(Debug, Default)]
pub(super) struct Scene {
    identity: Option<Identity>,
    group: Option<Group>,
}

// === impl Stage ===

impl Stage {
    /// Puts this process on the stage, for good.
    pub(super) fn set(&self) -> Result<Scene, StageError> {
        let identity = Identity::of(self)?;
        // Before the namespaces: it is the user of the host who may make a group.
        let group = self.cgroup.as_ref().map(Group::make).transpose()?;
        let mut namespaces = UnshareFlags::empty();
        namespaces.set(UnshareFlags::NEWNS, !self.mounts.is_empty());
        namespaces.set(UnshareFlags::NEWNET, self.no_network);
        if !namespaces.is_empty() {
            namespace::enter(namespaces)?;
        }
        if self.no_network {
            namespace::raise_loopback()?;
        }
        if !self.mounts.is_empty() {
            root::change(&self.mounts)?;
        }
        if self.no_new_privileges {
            // Whatever the keeper starts inherits it. To become its user takes no execution, and is not touched.
            set_no_new_privs(true).map_err(|error| StageError::Privileges {
                source: error.into(),
            })?;
        }
        Ok(Scene { identity, group })
    }
}

// === impl Scene ===

impl Scene {
    /// Whether there is nothing to do for a process that enters.
    pub(super) fn is_plain(&self) -> bool {
        self.identity.is_none() && self.group.is_none()
    }

    /// Puts the calling process, and all that it will start, under the limits.
    pub(super) fn join_group(&self) -> io::Result<()> {
        self.group.as_ref().map_or(Ok(()), Group::join)
    }

    /// Makes the calling process its user's, for good.
    pub(super) fn change_identity(&self) -> io::Result<()> {
        self.identity.as_ref().map_or(Ok(()), Identity::take_on)
    }

    /// Strikes what outlives processes, once there are none. Says whether they had run out of memory.
    pub(super) fn strike(self) -> bool {
        self.group
            .is_some_and(|group| group.out_of_memory_kills() > 0)
    }
}
