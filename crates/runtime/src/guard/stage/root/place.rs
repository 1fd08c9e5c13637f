//! Finds, and if there is none makes, the place of a mount in the private root.

use super::{Mount, MountKind, StageError, failed, make_directory, rebuild};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};

/// What is ours in the private root.
#[derive(Debug, Default)]
pub(super) struct PrivateRoot {
    /// The directories that were rebuilt or made, besides the root itself.
    rebuilt: BTreeSet<PathBuf>,
    /// What was mounted so far, and whether mount points may be made in it.
    mounted: BTreeMap<PathBuf, bool>,
}

/// As many as the kernel would follow.
const MOST_LINKS: usize = 40;

/// A way that is still to go, from a directory of the private root.
struct Walk {
    at: PathBuf,
    ahead: VecDeque<OsString>,
    links: usize,
}

// === impl PrivateRoot ===

impl PrivateRoot {
    /// Where to mount it: a path without symbolic links, with a directory or a file at its end.
    pub(super) fn place(
        &mut self,
        mount: &Mount,
        is_directory: bool,
    ) -> Result<PathBuf, StageError> {
        let wrong = |why| StageError::Target {
            target: mount.target.clone(),
            why,
        };
        if !mount.target.is_absolute() {
            return Err(wrong("the path does not begin with a slash"));
        }
        let mut walk = Walk::new(&mount.target);
        while let Some(name) = walk.ahead.pop_front() {
            if name == ".." {
                walk.at.pop();
                continue;
            }
            let next = walk.at.join(&name);
            match fs::symlink_metadata(&next) {
                Ok(about) if about.is_symlink() => walk.follow(&next).map_err(wrong)?,
                Ok(about) if about.is_dir() || walk.ahead.is_empty() => walk.at = next,
                Ok(_) => return Err(wrong("a file is in the way")),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    self.make(&walk.at, &next, is_directory || !walk.ahead.is_empty())?;
                    walk.at = next;
                }
                Err(error) => return Err(failed("look at", next)(error)),
            }
        }
        fits(&walk.at, is_directory).map_err(wrong)?;
        let takes_more = match &mount.kind {
            MountKind::Bind { takes_mounts, .. } => *takes_mounts,
            MountKind::Tmpfs { .. } => true,
        };
        let takes_more = takes_more && !mount.read_only;
        // Whatever we made there is about to be covered.
        self.rebuilt.retain(|path| !path.starts_with(&walk.at));
        self.mounted.insert(walk.at.clone(), takes_more);
        Ok(walk.at)
    }

    /// Makes something that is not there in a directory that is.
    fn make(&mut self, parent: &Path, path: &Path, is_directory: bool) -> Result<(), StageError> {
        if !self.takes_mounts(parent) {
            rebuild(parent)?;
            self.rebuilt.insert(parent.to_owned());
        }
        if is_directory {
            make_directory(path).map_err(failed("make", path))?;
        } else {
            File::create_new(path).map_err(failed("make", path))?;
        }
        self.rebuilt.insert(path.to_owned());
        Ok(())
    }

    /// Whether mount points may be made in this directory: in ours, and in volumes that say so.
    fn takes_mounts(&self, directory: &Path) -> bool {
        if directory == Path::new("/") || self.rebuilt.contains(directory) {
            return true;
        }
        let mut above = directory.ancestors();
        let volume = above.find_map(|path| self.mounted.get(path));
        volume.copied().unwrap_or(false)
    }
}

/// Why something cannot be mounted there.
fn fits(path: &Path, is_directory: bool) -> Result<(), &'static str> {
    if path == Path::new("/") {
        return Err("that would hide everything else");
    }
    if path.starts_with("/proc") {
        return Err("the system itself is there");
    }
    match (path.is_dir(), is_directory) {
        (true, false) => Err("there is a directory, and this is a file"),
        (false, true) => Err("there is a file, and this is a directory"),
        (true, true) | (false, false) => Ok(()),
    }
}

// === impl Walk ===

impl Walk {
    fn new(target: &Path) -> Self {
        let mut walk = Self {
            at: PathBuf::from("/"),
            ahead: VecDeque::new(),
            links: 0,
        };
        walk.go_first(target);
        walk
    }

    /// Goes where a symbolic link leads before it goes on.
    fn follow(&mut self, link: &Path) -> Result<(), &'static str> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err("too many symbolic links");
        }
        let to = fs::read_link(link).map_err(|_| "a symbolic link cannot be read")?;
        if to.is_absolute() {
            self.at = PathBuf::from("/");
        }
        self.go_first(&to);
        Ok(())
    }

    fn go_first(&mut self, path: &Path) {
        for component in path.components().rev() {
            match component {
                Component::Normal(name) => self.ahead.push_front(name.to_owned()),
                Component::ParentDir => self.ahead.push_front("..".into()),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
    }
}
