//! A container's group: made before anything is started, removed when nothing is left.

use super::hierarchy::{self, Hierarchy, Version};
use super::{Cgroup, CgroupError, Controller, remove};
use rustix::fs::{Mode, OFlags, open, openat};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

/// A group of this machine. Dropped, it is removed.
#[derive(Debug)]
pub(in crate::guard) struct Group {
    name: String,
    parts: Vec<Part>,
}

/// The group in one of the hierarchies. Descriptors instead of paths: what is mounted may change.
#[derive(Debug)]
struct Part {
    version: Version,
    parent: OwnedFd,
    folder: OwnedFd,
    processes: File,
    has_memory: bool,
}

/// The shortest time that the kernel takes for a share of a period.
const SHORTEST_QUOTA_MICROS: u64 = 1_000;

const PERIOD_MICROS: u64 = 100_000;

// === impl Group ===

impl Group {
    /// Makes a group with these limits.
    pub(in crate::guard) fn make(wanted: &Cgroup) -> Result<Self, CgroupError> {
        Self::make_in(Path::new("/"), wanted)
    }

    /// The same in a tree that may stand in for the file system.
    pub(super) fn make_in(root: &Path, wanted: &Cgroup) -> Result<Self, CgroupError> {
        let Cgroup { name, limits } = wanted;
        if !is_one_component(name) {
            return Err(CgroupError::Name { name: name.clone() });
        }
        let mut missing = limits.controllers();
        let mut group = Self {
            name: name.clone(),
            parts: Vec::new(),
        };
        for hierarchy in hierarchy::writable(root)? {
            let here = hierarchy.controllers();
            let here: BTreeMap<_, _> = here.filter_map(|one| missing.remove_entry(&one)).collect();
            if !here.is_empty() {
                group.parts.push(Part::make(&hierarchy, name, &here)?);
            }
        }
        match missing.keys().next() {
            None => Ok(group),
            Some(controller) => Err(CgroupError::Missing {
                controller: controller.name(),
            }),
        }
    }

    /// Puts the calling process in.
    pub(in crate::guard) fn join(&self) -> io::Result<()> {
        for part in &self.parts {
            // Zero stands for whoever writes it.
            rustix::io::write(&part.processes, b"0")?;
        }
        Ok(())
    }

    /// How often the kernel has killed a process of this group for want of memory.
    pub(in crate::guard) fn out_of_memory_kills(&self) -> u64 {
        let memory = self.parts.iter().filter(|part| part.has_memory);
        memory.map(Part::out_of_memory_kills).sum()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for part in &self.parts {
            // What is left is found by its name later.
            let _ = remove::remove_in(&part.parent, self.name.as_ref());
        }
    }
}

fn is_one_component(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let first = components.next();
    matches!(first, Some(Component::Normal(one)) if one == name) && components.next().is_none()
}

// === impl Part ===

impl Part {
    fn make(
        hierarchy: &Hierarchy,
        name: &str,
        here: &BTreeMap<Controller, u64>,
    ) -> Result<Self, CgroupError> {
        let path = hierarchy.parent.join(name);
        hierarchy.pass_on(here)?;
        let part = Self::make_folder(hierarchy, &path, here.contains_key(&Controller::Memory))
            .map_err(|source| CgroupError::Make {
                path: path.clone(),
                source,
            })?;
        for (controller, limit) in here {
            if let Err(error) = set(&path, hierarchy.version, *controller, *limit) {
                // A part that is not whole is not removed by anybody else.
                let _ = remove::remove_in(&part.parent, name.as_ref());
                return Err(error);
            }
        }
        Ok(part)
    }

    fn make_folder(hierarchy: &Hierarchy, path: &Path, has_memory: bool) -> io::Result<Self> {
        let parent = folder(&hierarchy.parent)?;
        match fs::create_dir(path) {
            // Somebody was killed before they could remove it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove::remove_in(&parent, path.file_name().unwrap_or_default())?;
                fs::create_dir(path)?;
            }
            made => made?,
        }
        Ok(Self {
            version: hierarchy.version,
            parent,
            folder: folder(path)?,
            processes: writable(&path.join("cgroup.procs"))?,
            has_memory,
        })
    }

    fn out_of_memory_kills(&self) -> u64 {
        let events = match self.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let mut text = String::new();
        let read = openat(&self.folder, events, flags, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|file| File::from(file).read_to_string(&mut text));
        // A kernel that does not count has killed nobody that we know of.
        let _ = read;
        let counts = text.lines().filter_map(|line| line.split_once(' '));
        let mut kills = counts.filter(|(name, _)| *name == "oom_kill");
        kills
            .next()
            .and_then(|(_, count)| count.trim().parse().ok())
            .unwrap_or(0)
    }
}

fn folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?)
}

fn writable(path: &Path) -> io::Result<File> {
    // Where plain files stand in for the kernel's, this one is not there yet.
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// Sets the limit of one controller.
fn set(
    group: &Path,
    version: Version,
    controller: Controller,
    limit: u64,
) -> Result<(), CgroupError> {
    let must = |file: &str, value: String| {
        let path = group.join(file);
        fs::write(&path, &value).map_err(|source| CgroupError::Limit {
            path,
            value,
            source,
        })
    };
    // Not every kernel has these, and the limit holds without them.
    let may = |file: &str, value: String| fs::write(group.join(file), value).unwrap_or(());
    match (controller, version) {
        (Controller::Cpu, Version::One) => {
            must("cpu.cfs_period_us", PERIOD_MICROS.to_string())?;
            must("cpu.cfs_quota_us", quota(limit).to_string())
        }
        (Controller::Cpu, Version::Two) => {
            must("cpu.max", format!("{} {PERIOD_MICROS}", quota(limit)))
        }
        (Controller::Memory, Version::One) => {
            must("memory.limit_in_bytes", limit.to_string())?;
            may("memory.memsw.limit_in_bytes", limit.to_string());
            Ok(())
        }
        (Controller::Memory, Version::Two) => {
            must("memory.max", limit.to_string())?;
            may("memory.swap.max", "0".to_owned());
            // A container that lost one process to want of memory is better off as a whole.
            may("memory.oom.group", "1".to_owned());
            Ok(())
        }
        (Controller::Pids, Version::One | Version::Two) => must("pids.max", limit.to_string()),
    }
}

/// How much of each period its processes may run.
fn quota(cpu_milli: u64) -> u64 {
    let micros = cpu_milli.saturating_mul(PERIOD_MICROS / 1_000);
    micros.max(SHORTEST_QUOTA_MICROS)
}

#[cfg(test)]
mod tests;
