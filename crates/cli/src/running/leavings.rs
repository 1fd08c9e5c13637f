//! What a run makes on this machine and nobody needs after it: sockets, volumes, control groups.
//!
//! It is taken away at the end, and also when a run cannot begin after all.

use super::room;
use anyhow::Result;
use pillion_runtime::guard::cgroup;
use pillion_runtime::process::volume::{VolumePlan, place};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is to be taken away. Dropped, it is.
#[derive(Debug)]
pub(super) struct Leavings {
    /// The last to go comes first.
    folders: Vec<PathBuf>,
    volumes: Vec<VolumePlan>,
    /// How the names of control groups begin.
    groups: Vec<String>,
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

    /// A volume that was made.
    pub(super) fn volume(&mut self, volume: VolumePlan) {
        self.volumes.push(volume);
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
            removed = removed.and(room::remove(&folder).map_err(Into::into));
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
