//! A file that appears.
//!
//! The folder that will hold it is watched, or the nearest one above that exists. A file that was there before counts
//! when it is written or replaced: what it was like is remembered.

use pillion_engine::{Attempt, ContainerId};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// All files that are waited for.
#[derive(Debug)]
pub(in crate::process) struct FileWatches {
    inotify: OwnedFd,
    files: Vec<FileWatch>,
    /// What the kernel tells of, by its numbers.
    folders: BTreeSet<i32>,
}

#[derive(Debug)]
struct FileWatch {
    container: ContainerId,
    attempt: Attempt,
    path: PathBuf,
    /// The folder that tells of it.
    folder: i32,
    /// What it was like when the run began.
    before: Option<Stamp>,
}

/// What changes when a file is written or replaced.
type Stamp = (u64, u64, i64, i64, u64);

// === impl FileWatches ===

impl FileWatches {
    pub(in crate::process) fn new() -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        Ok(Self {
            inotify,
            files: Vec::new(),
            folders: BTreeSet::new(),
        })
    }

    /// Waits for a file, for a run that has not begun yet.
    pub(in crate::process) fn add(
        &mut self,
        container: ContainerId,
        attempt: Attempt,
        path: PathBuf,
    ) -> io::Result<()> {
        let before = stamp(&path);
        let folder = self.watch(&path)?;
        self.files.push(FileWatch {
            container,
            attempt,
            path,
            folder,
            before,
        });
        self.prune();
        Ok(())
    }

    /// Does not wait any more.
    pub(in crate::process) fn forget(&mut self, container: ContainerId, attempt: Attempt) {
        self.files
            .retain(|file| (file.container, file.attempt) != (container, attempt));
        self.prune();
    }

    /// Whose files have appeared. Each is told once.
    pub(in crate::process) fn appeared(&mut self) -> Vec<(ContainerId, Attempt)> {
        self.drain();
        let (there, missing) = std::mem::take(&mut self.files)
            .into_iter()
            .partition(|file| {
                let now = stamp(&file.path);
                now.is_some() && now != file.before
            });
        self.files = missing;
        for index in 0..self.files.len() {
            let path = self.files[index].path.clone();
            // A folder on the way may have been made, or taken away. Without a watch the file is never seen; the
            // container's start timeout, or a person, ends that wait.
            if let Ok(folder) = self.watch(&path) {
                self.files[index].folder = folder;
            }
        }
        self.prune();
        let there: Vec<FileWatch> = there;
        let runs = there.into_iter().map(|file| (file.container, file.attempt));
        runs.collect()
    }

    /// Watches the deepest folder on the way that exists, and says which that is.
    fn watch(&mut self, path: &Path) -> io::Result<i32> {
        let flags = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF;
        let mut watched: Option<(PathBuf, i32)> = None;
        loop {
            let mut folders = path.ancestors().skip(1);
            let folder = folders.find(|folder| folder.is_dir());
            let folder = folder.unwrap_or_else(|| Path::new("/"));
            if let Some((before, number)) = &watched
                && before == folder
            {
                return Ok(*number);
            }
            match inotify::add_watch(&self.inotify, folder, flags) {
                Ok(number) => {
                    self.folders.insert(number);
                    watched = Some((folder.to_owned(), number));
                }
                // Gone in this moment.
                Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Lets go of folders that tell of no file any more: whatever else happens there would wake us for nothing.
    fn prune(&mut self) {
        let needed: BTreeSet<_> = self.files.iter().map(|file| file.folder).collect();
        for folder in self.folders.difference(&needed) {
            // The kernel lets go by itself of a folder that is removed.
            let _ = inotify::remove_watch(&self.inotify, *folder);
        }
        self.folders = needed;
    }

    /// Forgets what was told, as far as it has come: the files themselves are looked at. Whoever writes there without end
    /// does not keep others from their turn.
    fn drain(&self) {
        let mut buffer = [0; 16 << 10];
        // If nothing has come, there is nothing to forget.
        let _ = rustix::io::read(&self.inotify, &mut buffer);
    }
}

impl AsFd for FileWatches {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((
        metadata.dev(),
        metadata.ino(),
        metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec(),
        metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec(),
        metadata.size(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: (ContainerId, Attempt) = (ContainerId(0), 1);

    #[test]
    fn a_file_counts_when_it_appears_in_a_folder_that_was_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/ready");
        let mut watches = FileWatches::new().unwrap();
        watches.add(APP.0, APP.1, path.clone()).unwrap();
        assert_eq!(watches.appeared(), []);

        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(watches.appeared(), []);
        fs::write(&path, "").unwrap();
        assert_eq!(watches.appeared(), [APP]);
        assert_eq!(watches.appeared(), []);
    }

    #[test]
    fn a_folder_that_nobody_waits_for_tells_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, other) = (folder.path().join("a"), folder.path().join("other"));
        fs::create_dir(&inner).unwrap();
        let mut watches = FileWatches::new().unwrap();
        watches.add(APP.0, APP.1, inner.join("ready")).unwrap();
        watches.add(ContainerId(1), 1, other).unwrap();

        fs::write(inner.join("ready"), "").unwrap();
        assert_eq!(watches.appeared(), [APP]);
        // That the folder was let go of is told once.
        watches.drain();
        fs::write(inner.join("noise"), "").unwrap();
        assert!(!watches.has_something());
        fs::write(folder.path().join("noise"), "").unwrap();
        assert!(watches.has_something());

        watches.forget(ContainerId(1), 1);
        watches.drain();
        fs::write(folder.path().join("more noise"), "").unwrap();
        assert!(!watches.has_something());
    }

    #[test]
    fn a_folder_in_which_much_happens_is_left_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let mut watches = FileWatches::new().unwrap();
        let path = folder.path().join("ready");
        watches.add(APP.0, APP.1, path.clone()).unwrap();
        for number in 0..1000 {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        fs::write(path, "").unwrap();

        assert_eq!(watches.appeared(), [APP]);
        assert!(watches.has_something());
        while watches.has_something() {
            assert_eq!(watches.appeared(), []);
        }
    }

    impl FileWatches {
        fn has_something(&self) -> bool {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            let at_once = Timespec::default();
            let mut events = [PollFd::new(&self.inotify, PollFlags::IN)];
            poll(&mut events, Some(&at_once)).unwrap() == 1
        }
    }

    #[test]
    fn a_file_of_an_earlier_run_counts_when_it_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ready");
        fs::write(&path, "old").unwrap();
        let mut watches = FileWatches::new().unwrap();
        watches.add(APP.0, APP.1, path.clone()).unwrap();
        assert_eq!(watches.appeared(), []);

        fs::write(&path, "newer").unwrap();
        assert_eq!(watches.appeared(), [APP]);
    }
}
