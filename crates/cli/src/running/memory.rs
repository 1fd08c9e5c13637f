//! The folder for those volumes of a pod that are to be in memory, and what is not kept of what volumes should be.
//!
//! Several containers share a volume, and it outlives each of them. So it cannot be a mount of one of them, and nothing is
//! mounted on the machine itself: it is a folder where the machine has its memory mounted already.

use super::room;
use crate::hint::Hint;
use crate::state;
use pillion_runtime::process::volume::{VolumeContent, VolumePlan};
use pillion_runtime::removal::remove_tree;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The folder cannot be made, or is not ours.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemoryError {
    #[error("cannot make the folder {} for volumes in memory", .folder.display())]
    Make { folder: PathBuf, source: io::Error },
    #[error("cannot remove what an earlier run left in {}", .folder.display())]
    Remove { folder: PathBuf, source: io::Error },
    #[error("the folder {} for volumes in memory belongs to somebody else", .folder.display())]
    Foreign { folder: PathBuf },
}

/// Where every Linux has a file system in memory that all users can write to.
const SHARED_MEMORY: &str = "/dev/shm";

/// What the kernel calls file systems in memory.
const IN_MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];

/// Where the volumes of a pod are that are to be in memory; `None` if this machine has no such place.
pub(super) fn folder(run: &state::Run) -> Option<PathBuf> {
    let place = Path::new(SHARED_MEMORY);
    let about = rustix::fs::statfs(place).ok()?;
    rustix::fs::access(place, rustix::fs::Access::WRITE_OK).ok()?;
    #[expect(clippy::useless_conversion, reason = "not on every processor")]
    let kind = i64::from(about.f_type);
    IN_MEMORY
        .contains(&kind)
        .then(|| place.join(room::mark(run)))
}

/// Whether a volume is to be in memory.
pub(super) fn wants(volume: &VolumePlan) -> bool {
    match volume.content {
        VolumeContent::Folder { memory, .. } => memory,
        VolumeContent::HostPath(_) | VolumeContent::Files(_) => false,
    }
}

/// A sentence about volumes that are to be in memory and are not.
pub(super) fn missing(volumes: &[VolumePlan], folder: Option<&Path>) -> Option<String> {
    let volume = volumes.iter().find(|volume| wants(volume))?;
    folder.is_none().then(|| {
        let name = &volume.name;
        format!("the volume `{name}` is on the disk: no memory is mounted at {SHARED_MEMORY}")
    })
}

/// A sentence about volumes that may hold more than they should.
pub(super) fn unlimited(volumes: &[VolumePlan]) -> Option<String> {
    let is_limited = |volume: &&VolumePlan| match volume.content {
        VolumeContent::Folder { size_limit, .. } => size_limit.is_some(),
        VolumeContent::HostPath(_) | VolumeContent::Files(_) => false,
    };
    let name = &volumes.iter().find(is_limited)?.name;
    Some(format!(
        "the `sizeLimit` of the volume `{name}` is not kept: it can take all the room there is"
    ))
}

/// Removes what a run that was killed has left. To be called by whoever alone runs the pod.
pub(super) fn clean(folder: &Path) -> Result<(), MemoryError> {
    match fs::symlink_metadata(folder) {
        // What somebody else has put there is none of our business, as long as we need nothing there.
        Ok(found) if room::is_ours(&found) => {
            let folder = folder.to_owned();
            remove_tree(&folder).map_err(|source| MemoryError::Remove { folder, source })
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Makes it. Everybody can write beside it, so it must not be there yet.
pub(super) fn make(folder: &Path) -> Result<(), MemoryError> {
    let made = DirBuilder::new().mode(0o700).create(folder);
    let folder = folder.to_owned();
    match made {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(MemoryError::Foreign { folder })
        }
        Err(source) => Err(MemoryError::Make { folder, source }),
    }
}

// === impl MemoryError ===

impl Hint for MemoryError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Make { .. } => Some("leave `medium: Memory` out".to_owned()),
            Self::Remove { folder, .. } => Some(format!("remove {}", folder.display())),
            Self::Foreign { folder } => Some(format!(
                "have {} removed, or leave `medium: Memory` out",
                folder.display()
            )),
        }
    }
}
