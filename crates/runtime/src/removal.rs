//! Takes away folders that containers have filled.
//!
//! A user who is not root cannot remove what is in a folder that nobody may write to, though it is the user's own: caches
//! of modules are left like that. So whatever is in the way is opened first.

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fstat, openat};
use rustix::io::Errno;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;

/// Removes a folder with all that is in it; that it is not there is as good.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    let removed = match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // If that does not do, the second attempt says why.
            let _ = enter(CWD, folder).and_then(|inner| open_below(&inner));
            fs::remove_dir_all(folder)
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Lets its owner do everything with all folders in this one.
fn open_below(folder: &OwnedFd) -> Result<(), Errno> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let itself = [c".", c".."].contains(&name);
        let may_be_folder = matches!(entry.file_type(), FileType::Directory | FileType::Unknown);
        if may_be_folder && !itself {
            // It may be no folder, or somebody else's; that does not keep the others from it.
            let _ = enter(folder, name).and_then(|inner| open_below(&inner));
        }
    }
    Ok(())
}

/// Opens a folder that nobody may open, and never what a link leads to.
fn enter(parent: impl AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
    let mode = Mode::from_raw_mode(fstat(&handle)?.st_mode);
    if !mode.contains(Mode::RWXU) {
        // Such a handle lets nobody change anything, but it has a name that does.
        let itself = format!("/proc/self/fd/{}", handle.as_raw_fd());
        chmodat(CWD, itself, mode | Mode::RWXU, AtFlags::empty())?;
    }
    openat(&handle, c".", flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn close(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn closed_folders_are_opened_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [tree, other] = ["tree", "other"].map(|name| folder.path().join(name));
        fs::create_dir_all(tree.join("closed/more")).unwrap();
        fs::create_dir(&other).unwrap();
        symlink(&other, tree.join("link")).unwrap();
        for (path, mode) in [
            (tree.join("closed/more"), 0),
            (tree.join("closed"), 0o555),
            (other.clone(), 0o500),
        ] {
            close(&path, mode);
        }

        open_below(&enter(CWD, &tree).unwrap()).unwrap();

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tree.join("closed")), 0o755);
        assert_eq!(mode(&tree.join("closed/more")), 0o700);
        assert_eq!(mode(&other), 0o500);
        remove_tree(&tree).unwrap();
        assert!(!tree.exists());
        remove_tree(&tree).unwrap();
    }
}
