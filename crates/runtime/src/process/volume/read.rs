//! Reads what containers have left in volumes for others: files of variables.

use super::VolumePlan;
use super::place::PlaceError;
use crate::process::recipe::{EnvFile, EnvFiles};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

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
    let path = plan.path.join(&file.path);
    let read = inside(&plan.path, &path).and_then(|real| match real {
        Some(real) => open(&real)?.map(text).transpose(),
        None => Ok(None),
    });
    match read {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(PlaceError::new("read", &path, error)),
    }
}

/// The file itself, with all links followed, if it is in the volume.
fn inside(root: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    let root = root.canonicalize()?;
    let path = path.canonicalize()?;
    Ok(path.starts_with(root).then_some(path))
}

fn open(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
    let file = options.read(true).custom_flags(flags).open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

fn text(file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::volume::VolumeContent;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::fs;
    use std::os::unix::fs::symlink;

    /// What is read as the file `env` of a volume that was prepared like this.
    fn found(prepare: impl FnOnce(&Path)) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v");
        fs::create_dir(&path).unwrap();
        prepare(&path);
        let plan = VolumePlan {
            name: "v".into(),
            path,
            content: VolumeContent::Files(Vec::new()),
            group: None,
        };
        let file = EnvFile {
            volume: "v".into(),
            path: "env".into(),
        };
        let files = BTreeSet::from([file.clone()]);
        read(&files, &[plan]).unwrap().remove(&file).unwrap()
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
    fn nobody_waits_for_a_pipe() {
        let text = found(|volume| {
            let mode = Mode::RUSR | Mode::WUSR;
            mknodat(CWD, volume.join("env"), FileType::Fifo, mode, 0).unwrap();
        });
        assert_eq!(text, None);
    }
}
