//! Reads what containers have left in volumes for others: files of variables.

use super::VolumePlan;
use super::place::PlaceError;
use crate::beneath;
use crate::process::recipe::{EnvFile, EnvFiles};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// More than any environment holds.
const LONGEST: u64 = 1 << 20;

/// Reads the files that a recipe asks for. Those that are not there are noted as such.
///
/// A container wrote them and may mean ill: what leads out of the volume is refused, only plain files are read, and
/// nothing here waits for somebody to write.
pub fn read(files: &BTreeSet<EnvFile>, volumes: &[VolumePlan]) -> Result<EnvFiles, PlaceError> {
    let mut found = EnvFiles::new();
    for file in files {
        let plan = volumes.iter().find(|plan| plan.name == file.volume);
        let text = plan.map(|plan| read_one(plan, file)).transpose()?.flatten();
        found.insert(file.clone(), text);
    }
    Ok(found)
}

fn read_one(plan: &VolumePlan, file: &EnvFile) -> Result<Option<String>, PlaceError> {
    let read = match open(&plan.path, Path::new(&file.path)) {
        Ok(file) => text(file),
        Err(Errno::NOENT | Errno::XDEV) => Ok(None),
        Err(error) => Err(error.into()),
    };
    read.map_err(|error| PlaceError::new("read", &plan.path.join(&file.path), error))
}

/// The path is walked and opened in one step: whoever writes to the volume may swap a folder on it for a link.
fn open(root: &Path, path: &Path) -> Result<File, Errno> {
    beneath::read(beneath::anywhere(root)?, path)
}

fn text(file: File) -> io::Result<Option<String>> {
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::volume::VolumeContent;
    use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    /// What is read as the file `env` of a volume that was prepared like this.
    fn found(prepare: impl FnOnce(&Path)) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v");
        fs::create_dir(&path).unwrap();
        prepare(&path);
        read_one(&volume(path), &file("env")).unwrap()
    }

    fn volume(path: PathBuf) -> VolumePlan {
        VolumePlan {
            name: "v".into(),
            path,
            content: VolumeContent::Files(Vec::new()),
            group: None,
        }
    }

    fn file(path: &str) -> EnvFile {
        EnvFile {
            volume: "v".into(),
            path: path.into(),
        }
    }

    #[test]
    fn a_file_is_read_also_through_a_link_in_the_volume() {
        let text = found(|volume| {
            fs::write(volume.join("real"), "A='1'").unwrap();
            symlink("real", volume.join("env")).unwrap();
        });
        assert_eq!(text.as_deref(), Some("A='1'"));
    }

    #[test]
    fn a_file_that_is_not_there_is_nothing() {
        assert_eq!(found(|_| ()), None);
    }

    #[test]
    fn what_lies_outside_is_not_read() {
        let text = found(|volume| {
            fs::write(volume.with_file_name("secret"), "A='1'").unwrap();
            symlink("../secret", volume.join("env")).unwrap();
        });
        assert_eq!(text, None);
    }

    #[test]
    fn nothing_outside_is_read_while_a_folder_and_a_link_are_swapped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v");
        fs::create_dir_all(path.join("here")).unwrap();
        fs::write(path.join("here/env"), "A='open'").unwrap();
        fs::create_dir(folder.path().join("secret")).unwrap();
        fs::write(folder.path().join("secret/env"), "A='secret'").unwrap();
        symlink("../secret", path.join("there")).unwrap();
        let (here, there) = (path.join("here"), path.join("there"));
        let plan = volume(path);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    renameat_with(CWD, &here, CWD, &there, RenameFlags::EXCHANGE).unwrap();
                }
            });
            // A swap in the middle of a walk can be refused.
            let mut texts = (0..2000).filter_map(|_| read_one(&plan, &file("here/env")).ok());
            let leaked = texts.any(|text| text.is_some_and(|text| text.contains("secret")));
            done.store(true, Ordering::Relaxed);
            assert!(!leaked, "a file outside of the volume was read");
        });
    }

    #[test]
    fn nobody_waits_for_a_pipe() {
        let text = found(|volume| {
            let mode = Mode::RUSR | Mode::WUSR;
            mknodat(CWD, volume.join("env"), FileType::Fifo, mode, 0).unwrap();
        });
        assert_eq!(text, None);
    }
}
