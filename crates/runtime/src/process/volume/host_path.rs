//! Volumes that are a part of the machine: what must be there, what is made, and what is refused before anything starts.

use super::place::{PlaceError, set_mode};
use super::{VolumeContent, VolumePlan};
use crate::causes::with_causes;
use crate::process::recipe::RecipeError;
use crate::process::recipe::error::{Problem, Subject};
use pillion_spec::pod::Pod;
use pillion_spec::volume::HostPathType;
use rustix::fs::{Access, access};
use std::fs::{self, DirBuilder, File, FileType};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _};
use std::path::Path;

/// Tells which host paths of a pod cannot be had, with nothing made yet.
pub fn missing_host_paths(pod: &Pod, volumes: &[VolumePlan]) -> Vec<RecipeError> {
    let refused = volumes.iter().filter_map(|plan| {
        let VolumeContent::HostPath(wanted) = plan.content else {
            return None;
        };
        let error = check(&plan.path, wanted, volumes).err()?;
        let mut all = pod.spec.volumes.iter();
        let index = all.position(|volume| volume.name == plan.name)?;
        Some(RecipeError {
            subject: Subject::Volume(plan.name.clone()),
            field: format!("spec.volumes[{index}]"),
            problem: Problem::Refused {
                message: format!("cannot be had: {}", with_causes(&error)),
                hint: error.help().map(str::to_owned),
            },
        })
    });
    refused.collect()
}

/// Whether a path is in a folder that one of these volumes makes on the machine.
pub(in crate::process) fn will_be_made(path: &Path, volumes: &[VolumePlan]) -> bool {
    volumes.iter().any(|plan| {
        let makes = match plan.content {
            VolumeContent::HostPath(wanted) => makes_folder(wanted),
            VolumeContent::Folder { .. } | VolumeContent::Files(_) => false,
        };
        makes && path != plan.path && path.starts_with(&plan.path)
    })
}

fn check(path: &Path, wanted: HostPathType, volumes: &[VolumePlan]) -> Result<(), PlaceError> {
    if is_there(path, wanted)? || will_be_made(path, volumes) {
        return Ok(());
    }
    let is_file = wanted == HostPathType::FileOrCreate;
    if !is_file && !makes_folder(wanted) {
        return Err(missing(path, wanted));
    }
    // Folders are made all the way down, for a file there is none made.
    let mut above = path.ancestors().skip(1);
    let above = if is_file {
        above.next()
    } else {
        above.find(|folder| folder.exists())
    };
    match above {
        Some(folder) if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err() => {
            Err(PlaceError::NotMade {
                path: path.to_owned(),
                folder: folder.to_owned(),
            })
        }
        Some(_) | None => Ok(()),
    }
}

const fn makes_folder(wanted: HostPathType) -> bool {
    matches!(
        wanted,
        HostPathType::Unset | HostPathType::DirectoryOrCreate
    )
}

/// Makes it, unless it is there.
pub(super) fn place(plan: &VolumePlan, wanted: HostPathType) -> Result<(), PlaceError> {
    if is_there(&plan.path, wanted)? {
        return Ok(());
    }
    make(&plan.path, wanted)
}

/// Whether something is there, which then is as it should be.
fn is_there(path: &Path, wanted: HostPathType) -> Result<bool, PlaceError> {
    let found = match fs::metadata(path) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(PlaceError::new("look at", path, error)),
    };
    let fits = match wanted {
        HostPathType::Unset => true,
        HostPathType::DirectoryOrCreate | HostPathType::Directory => found.is_dir(),
        HostPathType::FileOrCreate | HostPathType::File => found.is_file(),
        HostPathType::Socket => found.is_socket(),
        HostPathType::CharDevice => found.is_char_device(),
        HostPathType::BlockDevice => found.is_block_device(),
    };
    if fits {
        return Ok(true);
    }
    Err(PlaceError::OfAnotherType {
        path: path.to_owned(),
        wanted,
        found: type_name(found),
    })
}

/// Without a type nothing is checked, and what is missing is made as container runtimes make it.
fn make(path: &Path, wanted: HostPathType) -> Result<(), PlaceError> {
    match wanted {
        HostPathType::Unset | HostPathType::DirectoryOrCreate => {
            let made = DirBuilder::new().recursive(true).mode(0o755).create(path);
            made.map_err(|error| PlaceError::new("make the folder", path, error))
        }
        HostPathType::FileOrCreate => {
            let made = File::create_new(path);
            made.map_err(|error| PlaceError::new("make the file", path, error))?;
            set_mode(path, 0o644)
        }
        HostPathType::Directory
        | HostPathType::File
        | HostPathType::Socket
        | HostPathType::CharDevice
        | HostPathType::BlockDevice => Err(missing(path, wanted)),
    }
}

fn missing(path: &Path, wanted: HostPathType) -> PlaceError {
    PlaceError::Missing {
        path: path.to_owned(),
        wanted,
    }
}

fn type_name(found: FileType) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else if found.is_file() {
        "a file"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_char_device() {
        "a character device"
    } else if found.is_block_device() {
        "a block device"
    } else {
        "a pipe"
    }
}

/// What to do about one that is not there.
pub(super) const fn missing_help(wanted: HostPathType) -> &'static str {
    match wanted {
        HostPathType::Directory | HostPathType::DirectoryOrCreate => {
            "make it, or write `DirectoryOrCreate` as its type"
        }
        HostPathType::File | HostPathType::FileOrCreate => {
            "make it, or write `FileOrCreate` as its type"
        }
        HostPathType::Socket => "start the program that listens there",
        HostPathType::Unset | HostPathType::CharDevice | HostPathType::BlockDevice => {
            "see that the path is right on this machine"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(path: &Path, wanted: HostPathType) -> VolumePlan {
        VolumePlan {
            name: "v".into(),
            path: path.to_owned(),
            content: VolumeContent::HostPath(wanted),
            group: None,
        }
    }

    #[test]
    fn what_can_be_made_is_not_refused_and_not_made_yet() {
        let folder = tempfile::tempdir().unwrap();
        let (a, file) = (folder.path().join("a"), folder.path().join("a/b/file"));
        let deep = HostPathType::DirectoryOrCreate;
        check(&a.join("b"), deep, &[]).unwrap();

        // No folder is made for a file, but another volume may.
        let alone = check(&file, HostPathType::FileOrCreate, &[]);
        assert!(matches!(alone, Err(PlaceError::NotMade { .. })));
        let volumes = [plan(&a.join("b"), deep)];
        check(&file, HostPathType::FileOrCreate, &volumes).unwrap();
        let itself = check(&a, HostPathType::Directory, &[plan(&a, deep)]);
        assert!(matches!(itself, Err(PlaceError::Missing { .. })));
        assert!(!a.exists());
    }
}
