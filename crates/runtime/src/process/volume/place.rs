//! Makes volumes on this machine: the only part of the preparations that touches it.
//!
//! All volumes lie in a folder that only the user can enter, so a file of a Secret is not readable for others whatever
//! its own permissions are. Those are for the containers that see the volume mounted.

#[cfg(test)]
mod tests;

use super::{VolumeContent, VolumeFile, VolumePlan, host_path};
use crate::beneath;
use crate::guard::{Mount, MountKind};
use crate::process::recipe::MountRecipe;
use crate::removal::remove_tree;
use pillion_spec::volume::HostPathType;
use rustix::fs::{Gid, Mode};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

/// Why a volume could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// There is no room.
    #[error("cannot write {}: the disk is full", .path.display())]
    Full {
        /// What should have been written.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {} {}", .act, .path.display())]
    Io {
        /// What was tried.
        act: &'static str,
        /// On this.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Something must be on the machine and is not.
    #[error("the host path {} is not there; its type is `{wanted}`", .path.display())]
    Missing {
        /// The path.
        path: PathBuf,
        /// What should be there.
        wanted: HostPathType,
    },
    /// Something else is on the machine.
    #[error("the host path {} is {found}; its type is `{wanted}`", .path.display())]
    OfAnotherType {
        /// The path.
        path: PathBuf,
        /// What should be there.
        wanted: HostPathType,
        /// What is there.
        found: &'static str,
    },
    /// It would have to be made where nothing can be.
    #[error("the host path {} is not there, and cannot be made in {}", .path.display(), .folder.display())]
    NotMade {
        /// The path.
        path: PathBuf,
        /// What is there of it.
        folder: PathBuf,
    },
    /// A part of a volume is somewhere else.
    #[error("the part {} of volume `{volume}` is a link that leads out of the volume", .path.display())]
    LeadsOut {
        /// The volume.
        volume: String,
        /// The path of the part.
        path: PathBuf,
    },
}

// === impl PlaceError ===

impl PlaceError {
    /// What the user can do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Full { .. } => Some("make room, or set XDG_STATE_HOME to a folder that has some"),
            Self::Missing { wanted, .. } => Some(host_path::missing_help(*wanted)),
            Self::OfAnotherType { .. } => Some("correct the type, or leave it out"),
            Self::NotMade { .. } => Some("make it first, or choose a path that you can write to"),
            Self::Io { .. } | Self::LeadsOut { .. } => None,
        }
    }

    pub(super) fn new(act: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        if full.contains(&source.kind()) {
            Self::Full { path }
        } else {
            Self::Io { act, path, source }
        }
    }
}

/// Makes a volume where its plan says. One that is there stays, with all that containers have put into it.
pub fn place(plan: &VolumePlan) -> Result<(), PlaceError> {
    match &plan.content {
        VolumeContent::HostPath(wanted) => host_path::place(plan, *wanted),
        VolumeContent::Folder { .. } => {
            make_private_parent(&plan.path)?;
            if plan.path.is_dir() {
                return Ok(());
            }
            // Any user may write, as the kubelet has it: containers can run as anybody.
            make_folder(&plan.path, 0o777)?;
            hand_over(&plan.path, plan.group, 0o2770)
        }
        VolumeContent::Files(files) => {
            make_private_parent(&plan.path)?;
            place_files(plan, files)
        }
    }
}

/// Removes what [`place`] has made. What belongs to the machine stays.
pub fn remove(plan: &VolumePlan) -> Result<(), PlaceError> {
    if let VolumeContent::HostPath(_) = plan.content {
        return Ok(());
    }
    remove_tree(&plan.path).map_err(|error| PlaceError::new("remove", &plan.path, error))
}

/// Sees to it that what a mount shows is there: a part of a volume is made as a folder if it is missing. The volume must
/// have been placed.
pub fn prepare(mount: &MountRecipe) -> Result<(), PlaceError> {
    let Some(part) = &mount.sub_path else {
        return Ok(());
    };
    let failed = |path: &Path, error| {
        if error == Errno::XDEV {
            return PlaceError::LeadsOut {
                volume: mount.volume.clone(),
                path: part.clone(),
            };
        }
        PlaceError::new("find", &mount.root.join(path), io::Error::from(error))
    };
    let root = beneath::anywhere(&mount.root).map_err(|error| failed(Path::new(""), error))?;
    let like = rustix::fs::fstat(&root).map_or(0o755, |found| found.st_mode);
    let permissions = Mode::from_raw_mode(like & 0o7777);
    // Step by step, and never by a name that was looked at before: a link that a container puts here meanwhile must
    // not be followed out of the volume, least of all to make something there.
    let mut path = PathBuf::new();
    let mut above = None;
    for step in part {
        path.push(step);
        let found = match beneath::open(&root, &path) {
            Err(Errno::NOENT) => {
                let made = beneath::make(above.as_ref().unwrap_or(&root), step, permissions);
                made.map_err(|error| {
                    let path = mount.root.join(&path);
                    PlaceError::new("make the folder", &path, error.into())
                })?
            }
            found => found.map_err(|error| failed(&path, error))?,
        };
        above = Some(found);
    }
    Ok(())
}

/// A mount as the stage of a process takes it. What it shows is there, unless somebody takes it away.
pub fn mount(recipe: &MountRecipe) -> Result<Mount, PlaceError> {
    prepare(recipe)?;
    Ok(Mount {
        kind: MountKind::Bind {
            source: recipe.root.clone(),
            part: recipe.sub_path.clone(),
            takes_mounts: recipe.own,
        },
        target: recipe.target.clone(),
        read_only: recipe.read_only,
    })
}

/// The folder of all volumes. The user's own, whatever the file mode mask is.
fn make_private_parent(path: &Path) -> Result<(), PlaceError> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(parent);
    made.map_err(|error| PlaceError::new("make the folder", parent, error))
}

fn make_folder(path: &Path, mode: u32) -> Result<(), PlaceError> {
    match fs::create_dir(path) {
        Ok(()) => set_mode(path, mode),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(PlaceError::new("make the folder", path, error)),
    }
}

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), PlaceError> {
    let set = fs::set_permissions(path, Permissions::from_mode(mode));
    set.map_err(|error| PlaceError::new("set the permissions of", path, error))
}

/// Gives something to the group of the volumes, and the group these permissions. Only root can; for anybody else it
/// stays as it is, and their containers run as themselves.
fn hand_over(path: &Path, group: Option<u32>, more: u32) -> Result<(), PlaceError> {
    let Some(group) = group else {
        return Ok(());
    };
    match rustix::fs::chown(path, None, Some(Gid::from_raw(group))) {
        Ok(()) => {
            let found = fs::metadata(path);
            let found = found.map_err(|error| PlaceError::new("look at", path, error))?;
            set_mode(path, found.mode() & 0o7777 | more)
        }
        Err(Errno::PERM) => Ok(()),
        Err(error) => Err(PlaceError::new("give away", path, error.into())),
    }
}

/// Each file is replaced as a whole, so that no reader sees half of it. What the plan does not have goes.
fn place_files(plan: &VolumePlan, files: &[VolumeFile]) -> Result<(), PlaceError> {
    let mut folders = BTreeSet::from([plan.path.clone()]);
    for file in files {
        let inner = file.path.ancestors().skip(1);
        folders.extend(inner.map(|folder| plan.path.join(folder)));
    }
    let kept = files
        .iter()
        .map(|file| plan.path.join(&file.path))
        .collect();
    remove_others(&plan.path, &kept)?;
    for folder in &folders {
        make_folder(folder, 0o755)?;
        hand_over(folder, plan.group, 0o2550)?;
    }
    // Beside the volume, where no container sees it.
    let new = plan.path.with_file_name(format!(".{}.new", plan.name));
    for file in files {
        let path = plan.path.join(&file.path);
        write(&new, file).map_err(|error| PlaceError::new("write", &path, error))?;
        set_mode(&new, file.mode)?;
        hand_over(&new, plan.group, 0o440)?;
        fs::rename(&new, &path).map_err(|error| PlaceError::new("write", &path, error))?;
    }
    Ok(())
}

fn write(path: &Path, file: &VolumeFile) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(true);
    options.mode(0o600).open(path)?.write_all(&file.content)
}

/// Removes files of an older plan. Folders stay, unless they are in the way: containers may have mounts in them.
fn remove_others(folder: &Path, files: &BTreeSet<PathBuf>) -> Result<(), PlaceError> {
    // A volume that is not there yet has nothing to remove.
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let removed = match (is_folder, files.contains(&path)) {
            (true, true) => remove_tree(&path),
            (true, false) => {
                remove_others(&path, files)?;
                continue;
            }
            (false, true) => continue,
            (false, false) => fs::remove_file(&path),
        };
        removed.map_err(|error| PlaceError::new("remove", &path, error))?;
    }
    Ok(())
}
