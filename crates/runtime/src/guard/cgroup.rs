//! Limits: what a container's processes may use together, through the kernel's control groups.
//!
//! A container gets one group, next to or below that of `pillion`, in every hierarchy that has a controller it needs: in the
//! one of version 2, or in one for each controller of version 1, or in both on systems that mix them. Where nobody lets us
//! make a group, [`available`] says why, before anything is started.

mod error;
mod group;
mod hierarchy;
mod remove;

pub use error::CgroupError;
pub(super) use group::Group;

use hierarchy::Hierarchy;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A group to make, and its limits.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Cgroup {
    /// What it is called: one component of a path, that no other group on this machine has.
    pub name: String,
    /// What its processes may use.
    pub limits: CgroupLimits,
}

/// What the processes of a group may use together.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct CgroupLimits {
    /// Thousandths of a processor, in every 100 ms.
    #[serde(default)]
    pub cpu_milli: Option<u64>,
    /// Bytes of memory. There is no swap beyond them.
    #[serde(default)]
    pub memory: Option<u64>,
    /// Processes and threads.
    #[serde(default)]
    pub pids: Option<u64>,
}

/// What can be limited.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Controller {
    /// Processor time.
    Cpu,
    /// Memory.
    Memory,
    /// The number of processes.
    Pids,
}

/// What can be limited by this user on this machine; never nothing.
pub fn available() -> Result<BTreeSet<Controller>, CgroupError> {
    let hierarchies = hierarchy::writable(Path::new("/"))?;
    Ok(hierarchies
        .iter()
        .flat_map(Hierarchy::controllers)
        .collect())
}

/// Removes every group whose name begins so, wherever on this machine it was made, and kills what is left in it. For what a
/// keeper that was killed left behind.
pub fn clean(prefix: &str) -> Result<(), CgroupError> {
    for mount in hierarchy::mount_points(Path::new("/")) {
        remove::remove_below(&mount, prefix)?;
    }
    Ok(())
}

// === impl CgroupLimits ===

impl CgroupLimits {
    /// What has to be limited, and to how much.
    pub fn controllers(&self) -> BTreeMap<Controller, u64> {
        let Self {
            cpu_milli,
            memory,
            pids,
        } = *self;
        let limits = [
            (Controller::Cpu, cpu_milli),
            (Controller::Memory, memory),
            (Controller::Pids, pids),
        ];
        let wanted = limits.into_iter();
        wanted
            .filter_map(|(controller, limit)| Some((controller, limit?)))
            .collect()
    }

    /// These limits as far as they can be kept.
    #[must_use]
    pub fn only(&self, available: &BTreeSet<Controller>) -> Self {
        let keep =
            |controller, limit: Option<u64>| limit.filter(|_| available.contains(&controller));
        Self {
            cpu_milli: keep(Controller::Cpu, self.cpu_milli),
            memory: keep(Controller::Memory, self.memory),
            pids: keep(Controller::Pids, self.pids),
        }
    }
}

// === impl Controller ===

impl Controller {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Memory, Self::Pids];

    /// What the kernel calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Pids => "pids",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
