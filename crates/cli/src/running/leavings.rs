//! What a run makes on this machine and nobody needs after it: sockets, volumes, control groups.
//!
//! It is taken away at the end, and also when a run cannot begin after all.

use super::memory::{self, MemoryError};
use crate::hint::Hint;
use anyhow::Result;
use pillion_runtime::guard::cgroup;
use pillion_runtime::process::volume::place::PlaceError;
use pillion_runtime::process::volume::{VolumePlan, place};
use pillion_runtime::removal::remove_tree;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is to be taken away. Dropped, it is.
#[derive(Debug)]
pub(super) struct Leavings {
    /// The last to go comes first.
    folders: Vec<PathBuf>,
    volumes: Vec<VolumePlan>,
    /// How the names of control groups begin.
    groups: Vec<String>,
}

/// A volume cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotPlaced {
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error(transparent)]
    Volume(#[from] PlaceError),
}

// === impl Leavings ===

impl Leavings {
    /// The folder for sockets, and that for volumes.
    pub(super) fn new(room: PathBuf, volumes: PathBuf) -> Self {
        Self {
            folders: vec![room, volumes],
            volumes: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// The volumes that are there.
    pub(super) fn volumes(&self) -> &[VolumePlan] {
        &self.volumes
    }

    /// Takes away volumes that are nowhere there. What cannot be taken away now is at the end.
    pub(super) fn keep_volumes(&mut self, paths: &BTreeSet<PathBuf>) {
        self.volumes
            .retain(|volume| paths.contains(&volume.path) || place::remove(volume).is_err());
    }

    /// Makes a volume, unless it is there; those in memory are in this folder, if there is one.
    pub(super) fn place(
        &mut self,
        volume: &VolumePlan,
        memory: Option<&Path>,
    ) -> Result<(), NotPlaced> {
        if self.volumes.contains(volume) {
            return Ok(());
        }
        if let Some(folder) = memory.filter(|_| memory::wants(volume))
            && !self.folders.iter().any(|one| one == folder)
        {
            memory::make(folder)?;
            self.folders.push(folder.to_owned());
        }
        place::place(volume)?;
        self.volumes.push(volume.clone());
        Ok(())
    }

    /// Control groups whose names begin so. Who keeps a container removes its group, unless somebody kills them.
    pub(super) fn group(&mut self, prefix: &str) {
        if !self.groups.iter().any(|group| group == prefix) {
            self.groups.push(prefix.to_owned());
        }
    }

    /// Takes everything away. What cannot be does not keep the rest from it.
    pub(super) fn remove(&mut self) -> Result<()> {
        let mut removed = Ok(());
        for prefix in self.groups.drain(..) {
            removed = removed.and(cgroup::clean(&prefix).map_err(Into::into));
        }
        for volume in self.volumes.drain(..).rev() {
            removed = removed.and(place::remove(&volume).map_err(Into::into));
        }
        for folder in self.folders.drain(..).rev() {
            removed = removed.and(remove_tree(&folder).map_err(Into::into));
        }
        removed
    }
}

impl Drop for Leavings {
    fn drop(&mut self) {
        // Something else went wrong before, which is told.
        let _ = self.remove();
    }
}

// === impl NotPlaced ===

impl Hint for NotPlaced {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Memory(error) => error.hint(),
            Self::Volume(error) => error.help().map(str::to_owned),
        }
    }
}
