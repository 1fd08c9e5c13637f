//! Files and folders that change.
//!
//! ```text
//! missing ─▶ there ─▶ changed, any number of times ─▶ gone, which is missing again
//! ```
//!
//! What the kernel is asked to tell of are always folders: the one that holds a file, so that a file that is written
//! beside the old one and renamed is seen; those that hold the links on the way to it, so that one that is swapped is
//! seen; a folder with all below it; and the nearest folder above what is missing. Nothing is polled. A file counts when
//! whoever wrote it has closed it.

mod noise;
#[cfg(test)]
mod tests;
mod way;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use way::Way;

/// Everything that is watched.
#[derive(Debug)]
pub struct Watcher {
    inotify: OwnedFd,
    roots: BTreeMap<PathBuf, Root>,
    /// What the kernel tells of, by its number: one folder can have several names.
    folders: BTreeMap<i32, BTreeSet<PathBuf>>,
    most: usize,
    trouble: Option<WatchError>,
}

/// Something happened to a path that is watched, or below it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Change {
    /// What is watched.
    pub root: PathBuf,
    /// What has changed: the same, or something in it.
    pub path: PathBuf,
    /// Whether what is watched is not there any more. It is waited for.
    pub gone: bool,
}

/// Something cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Nothing can be.
    #[error("cannot watch files")]
    Begin(#[source] io::Error),
    /// There are too many.
    #[error("only {0} folders are watched, and there are more")]
    TooMany(usize),
    /// The kernel takes no more of them.
    #[error("not all folders are watched: the kernel lets a user have no more watches")]
    KernelLimit,
    /// A folder cannot be read, say, or links lead around in a circle.
    #[error("cannot watch {}", .path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A path that is watched.
#[derive(Clone, Debug)]
struct Root {
    state: State,
    way: Way,
}

/// What it was like when it was last looked at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    Missing,
    /// Its device and number.
    Folder(u64, u64),
    /// The same, when it was written, and its size.
    File(u64, u64, i64, u64),
}

/// So many folders take about two megabytes of ours and eight of the kernel's.
const MOST: usize = 8192;

/// What the kernel is asked to tell.
const FLAGS: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// A folder, whatever else is told of it, is itself no more where it was.
const SELF: ReadFlags = ReadFlags::DELETE_SELF
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::UNMOUNT);

// === impl Watcher ===

impl Watcher {
    /// One that watches nothing yet.
    pub fn new() -> Result<Self, WatchError> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK);
        let inotify = inotify.map_err(|error| WatchError::Begin(error.into()))?;
        Ok(Self {
            inotify,
            roots: BTreeMap::new(),
            folders: BTreeMap::new(),
            most: MOST,
            trouble: None,
        })
    }

    /// Watches a path, whether there is something or not. It is to be absolute. Says whether there is.
    pub fn add(&mut self, path: &Path) -> bool {
        self.arm(path) != State::Missing
    }

    /// Watches only these from now on.
    pub fn retain(&mut self, wanted: impl Fn(&Path) -> bool) {
        self.roots.retain(|path, _| wanted(path));
        self.prune();
    }

    /// What has happened since the last time, or the first of it if that is much. To be called as long as there is something
    /// to read.
    pub fn read(&mut self) -> BTreeSet<Change> {
        let mut changes = BTreeSet::new();
        for (number, flags, name) in self.take_events() {
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.look_everywhere(&mut changes);
            }
            let folders = self.folders.get(&number).cloned().unwrap_or_default();
            for folder in folders {
                match &name {
                    Some(name) => {
                        let path = folder.join(OsStr::from_bytes(name));
                        self.happened(&path, flags, &mut changes);
                    }
                    None if flags.intersects(SELF) => self.moved(number, &folder, &mut changes),
                    None => {}
                }
            }
            if flags.contains(ReadFlags::IGNORED) {
                self.folders.remove(&number);
            }
        }
        changes
    }

    /// What could not be watched, once.
    pub fn take_trouble(&mut self) -> Option<WatchError> {
        self.trouble.take()
    }

    fn take_events(&self) -> Vec<(i32, ReadFlags, Option<Vec<u8>>)> {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut events = Vec::new();
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| name.to_bytes().to_vec());
            events.push((event.wd(), event.events(), name));
            // What was read is taken in; the rest comes with the next call.
            if reader.is_buffer_empty() {
                break;
            }
        }
        events
    }

    fn happened(&mut self, path: &Path, flags: ReadFlags, changes: &mut BTreeSet<Change>) {
        let roots: Vec<_> = self.roots.keys().cloned().collect();
        for root in roots {
            let known = self.roots.get(&root);
            if root.starts_with(path) || known.is_some_and(|known| known.way.leads_by(path)) {
                if !is_begun(path, flags) {
                    self.look(&root, changes);
                }
            } else if let Ok(below) = path.strip_prefix(&root)
                && !noise::is_noise(below)
            {
                self.happened_below(&root, path, flags, changes);
            }
        }
    }

    fn happened_below(
        &mut self,
        root: &Path,
        path: &Path,
        flags: ReadFlags,
        changes: &mut BTreeSet<Change>,
    ) {
        let found = if flags.contains(ReadFlags::ISDIR) {
            if flags.intersects(ReadFlags::MOVED_FROM) {
                self.forget(path);
                Some(path.to_owned())
            } else if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
                // What was put there before it was watched has been told by nobody.
                self.walk(path)
            } else {
                None
            }
        } else {
            (!is_begun(path, flags)).then(|| path.to_owned())
        };
        changes.extend(found.map(|path| Change {
            root: root.to_owned(),
            path,
            gone: false,
        }));
    }

    /// A folder is not where it was: all that it holds may be gone.
    fn moved(&mut self, number: i32, folder: &Path, changes: &mut BTreeSet<Change>) {
        let roots = self.roots.iter();
        let roots =
            roots.filter(|(path, root)| path.starts_with(folder) || root.way.leads_by(folder));
        let roots: Vec<_> = roots.map(|(path, _)| path.clone()).collect();
        if !roots.is_empty()
            && let Some(names) = self.folders.get_mut(&number)
        {
            names.remove(folder);
        }
        for root in roots {
            self.look_anew(&root, changes);
        }
    }

    /// More has happened than the kernel kept: anything may have changed.
    fn look_everywhere(&mut self, changes: &mut BTreeSet<Change>) {
        let roots: Vec<_> = self.roots.keys().cloned().collect();
        for root in roots {
            self.look_anew(&root, changes);
        }
    }

    /// Looks whether a path is as it was.
    fn look(&mut self, root: &Path, changes: &mut BTreeSet<Change>) {
        let same = self.roots.get(root).is_some_and(|known| {
            // Of what is missing, the folders above may have gone and come.
            known.state != State::Missing
                && known.state == State::of(root)
                && known.way == Way::to(root)
        });
        if !same {
            self.look_anew(root, changes);
        }
    }

    /// Goes the way to a path again, which may lead elsewhere now, and looks what is there.
    fn look_anew(&mut self, root: &Path, changes: &mut BTreeSet<Change>) {
        let before = self.roots.get(root).map(|root| root.state);
        // Another folder of the same name is another one.
        self.forget(root);
        let now = self.arm(root);
        // What happened in a folder meanwhile has been told by nobody.
        if before != Some(now) || matches!(now, State::Folder(..)) {
            changes.insert(Change::of(root, now == State::Missing));
        }
        self.prune();
    }

    /// Sees to it that the next thing that happens to a path is told. Says what there is.
    fn arm(&mut self, root: &Path) -> State {
        let way = self.watch_way(root);
        let state = State::of(root);
        if let State::Folder(..) = state {
            self.walk(root);
        }
        self.roots.insert(root.to_owned(), Root { state, way });
        state
    }

    /// Watches the folders that tell of what happens on the way to a path.
    fn watch_way(&mut self, root: &Path) -> Way {
        let mut way = Way::to(root);
        loop {
            for folder in way.folders() {
                self.watch(folder);
            }
            // It may have come to lead elsewhere before its folders were watched.
            let now = Way::to(root);
            if now == way {
                break;
            }
            way = now;
        }
        if way.endless {
            self.trouble = Some(WatchError::of(root, Errno::LOOP));
        }
        way
    }

    /// Watches a folder and all below it. Says what it found there first.
    fn walk(&mut self, top: &Path) -> Option<PathBuf> {
        let mut found = None;
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            if self.watch(&folder).is_none() {
                continue;
            }
            // If it cannot be read, it could not be watched either; or it has just gone.
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| !noise::is_noise_name(&entry.file_name())) {
                let path = entry.path();
                if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    found.get_or_insert(path);
                } else if !noise::is_cache(&path) {
                    folders.push(path);
                }
            }
        }
        found
    }

    /// Says its number if it is watched now.
    fn watch(&mut self, folder: &Path) -> Option<i32> {
        match inotify::add_watch(&self.inotify, folder, FLAGS) {
            Ok(number)
                if self.folders.len() >= self.most && !self.folders.contains_key(&number) =>
            {
                self.trouble = Some(WatchError::TooMany(self.most));
                let _ = inotify::remove_watch(&self.inotify, number);
                None
            }
            Ok(number) => {
                let names = self.folders.entry(number).or_default();
                names.insert(folder.to_owned());
                Some(number)
            }
            // Gone, or something else, in this moment.
            Err(Errno::NOENT | Errno::NOTDIR) => None,
            Err(error) => {
                self.trouble = Some(WatchError::of(folder, error));
                None
            }
        }
    }

    /// Does not watch a folder under this name, and nothing below it, except where the way to a path leads by.
    fn forget(&mut self, top: &Path) {
        let mut still = BTreeSet::new();
        for folder in self.folders_of_ways() {
            if folder.starts_with(top)
                && let Some(number) = self.watch(&folder)
            {
                still.insert((number, folder));
            }
        }
        self.keep_folders(|number, folder| {
            !folder.starts_with(top) || still.contains(&(number, folder.to_owned()))
        });
    }

    /// Lets go of what nobody asks for any more.
    fn prune(&mut self) {
        let needed = self.folders_of_ways();
        let roots: Vec<_> = self.roots.keys().cloned().collect();
        self.keep_folders(|_, folder| {
            needed.contains(folder) || roots.iter().any(|root| folder.starts_with(root))
        });
    }

    fn folders_of_ways(&self) -> BTreeSet<PathBuf> {
        let folders = self.roots.values().flat_map(|root| root.way.folders());
        folders.map(Path::to_owned).collect()
    }

    fn keep_folders(&mut self, wanted: impl Fn(i32, &Path) -> bool) {
        let inotify = &self.inotify;
        self.folders.retain(|number, names| {
            names.retain(|name| wanted(*number, name));
            if names.is_empty() {
                // The kernel may have let go of it already.
                let _ = inotify::remove_watch(inotify, *number);
            }
            !names.is_empty()
        });
    }
}

impl AsFd for Watcher {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

/// A file that somebody has only begun to write: it counts when it is closed.
fn is_begun(path: &Path, flags: ReadFlags) -> bool {
    let empty = |metadata: Metadata| metadata.is_file() && metadata.len() == 0;
    flags.contains(ReadFlags::CREATE) && fs::symlink_metadata(path).is_ok_and(empty)
}

// === impl Change ===

impl Change {
    fn of(root: &Path, gone: bool) -> Self {
        Self {
            root: root.to_owned(),
            path: root.to_owned(),
            gone,
        }
    }
}

// === impl WatchError ===

impl WatchError {
    fn of(folder: &Path, error: Errno) -> Self {
        match error {
            Errno::NOSPC => Self::KernelLimit,
            _ => Self::Folder {
                path: folder.to_owned(),
                source: error.into(),
            },
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Begin(error) => (error.raw_os_error() == Some(Errno::MFILE.raw_os_error()))
                .then_some(
                    "raise `fs.inotify.max_user_instances`, or end other programs that watch files",
                ),
            Self::TooMany(_) => Some("name smaller folders in `pillion.dev/watch`"),
            Self::KernelLimit => Some(
                "name smaller folders in `pillion.dev/watch`, or raise `fs.inotify.max_user_watches`",
            ),
            Self::Folder { .. } => None,
        }
    }
}

// === impl State ===

impl State {
    fn of(path: &Path) -> Self {
        let Ok(metadata) = fs::metadata(path) else {
            return Self::Missing;
        };
        let (device, number) = (metadata.dev(), metadata.ino());
        if metadata.is_dir() {
            return Self::Folder(device, number);
        }
        let written = metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec();
        Self::File(device, number, written, metadata.len())
    }
}
