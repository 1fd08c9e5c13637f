//! The way to a path: every name on it that can come to mean something else.
//!
//! ```text
//! /etc/pod.yaml ─▶ current/pod.yaml ─▶ (current ─▶ 7) ─▶ /etc/7/pod.yaml
//! ^^^^^^^^^^^^^                         ^^^^^^^           ^^^^^^^^^^^^^^^ three names
//! ```

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where a path leads.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Way {
    /// Each link, and at last what is there, or the first that is missing. What is above each of them are real folders.
    names: BTreeSet<PathBuf>,
    /// There are more links than the kernel follows, so that it leads nowhere.
    pub(super) endless: bool,
}

/// A way that is being gone.
struct Walk {
    /// A real folder.
    folder: PathBuf,
    /// What is still to be gone, the next part last.
    ahead: Vec<OsString>,
    links: usize,
}

/// The kernel follows no more.
const MOST_LINKS: usize = 40;

// === impl Way ===

impl Way {
    /// The way to an absolute path, as it is now.
    pub(super) fn to(path: &Path) -> Self {
        let mut walk = Walk {
            folder: PathBuf::from("/"),
            ahead: Vec::new(),
            links: 0,
        };
        walk.turn_to(path);
        let names = std::iter::from_fn(|| walk.next_name()).collect();
        let endless = walk.links > MOST_LINKS;
        Self { names, endless }
    }

    /// Whether it may lead elsewhere when something happens to this.
    pub(super) fn leads_by(&self, path: &Path) -> bool {
        self.names.iter().any(|name| name.starts_with(path))
    }

    /// The folders that tell of what happens to it.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.names.iter().filter_map(|name| name.parent())
    }
}

// === impl Walk ===

impl Walk {
    /// Goes on to the next link, or to the end.
    fn next_name(&mut self) -> Option<PathBuf> {
        while let Some(part) = self.ahead.pop() {
            let here = if part == ".." {
                self.folder.parent().unwrap_or(&self.folder).to_owned()
            } else {
                self.folder.join(part)
            };
            if let Ok(target) = fs::read_link(&here) {
                self.follow(&target);
                return Some(here);
            }
            if self.ahead.is_empty() || !here.is_dir() {
                self.ahead.clear();
                return Some(here);
            }
            self.folder = here;
        }
        None
    }

    fn follow(&mut self, target: &Path) {
        self.links += 1;
        if self.links > MOST_LINKS {
            self.ahead.clear();
        } else {
            self.turn_to(target);
        }
    }

    fn turn_to(&mut self, path: &Path) {
        for part in path.components().rev() {
            match part {
                Component::RootDir => self.folder = PathBuf::from("/"),
                Component::Normal(_) | Component::ParentDir => {
                    self.ahead.push(part.as_os_str().to_owned());
                }
                Component::CurDir | Component::Prefix(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// A folder with `d/file`, and with these links.
    fn folder(links: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/file"), "").unwrap();
        for (target, link) in links {
            symlink(target, folder.path().join(link)).unwrap();
        }
        folder
    }

    /// The names on the way to a path in there.
    fn names(folder: &TempDir, path: &str) -> Vec<String> {
        let top = folder.path().canonicalize().unwrap();
        let way = Way::to(&top.join(path));
        let names = way.names.iter().map(|name| name.strip_prefix(&top));
        let names = names.map(|name| name.unwrap().display().to_string());
        names.collect()
    }

    #[test]
    fn a_way_has_every_link_and_its_end() {
        let folder = folder(&[("d", "current"), ("current/file", "file")]);
        assert_eq!(names(&folder, "d/file"), ["d/file"]);
        assert_eq!(names(&folder, "d"), ["d"]);
        assert_eq!(names(&folder, "file"), ["current", "d/file", "file"]);
        assert_eq!(names(&folder, "current"), ["current", "d"]);
    }

    #[test]
    fn up_from_a_link_is_up_from_where_it_leads() {
        let folder = folder(&[("../file", "d/up"), ("d/e/f", "deep")]);
        fs::create_dir_all(folder.path().join("d/e/f")).unwrap();
        assert_eq!(names(&folder, "d/up"), ["d/up", "file"]);
        assert_eq!(names(&folder, "deep/../x"), ["d/e/x", "deep"]);
        assert_eq!(names(&folder, "d/e/.."), ["d"]);
    }

    #[test]
    fn a_way_ends_at_the_first_that_is_missing() {
        let folder = folder(&[("nowhere/else/file", "link")]);
        assert_eq!(names(&folder, "d/a/b/c"), ["d/a"]);
        assert_eq!(names(&folder, "link"), ["link", "nowhere"]);
        assert_eq!(names(&folder, "d/file/below"), ["d/file"], "no folder");
    }

    #[test]
    fn a_way_of_more_links_than_the_kernel_follows_is_endless() {
        let around = folder(&[("two", "one"), ("one", "two")]);
        let path = around.path().join("one/file");
        assert!(Way::to(&path).endless);
        assert_eq!(names(&around, "one/file"), ["one", "two"]);

        let numbers: Vec<_> = (0..=40).map(|number| number.to_string()).collect();
        let mut links = vec![("d/file", "0")];
        links.extend(
            numbers
                .iter()
                .zip(&numbers[1..])
                .map(|(to, link)| (&**to, &**link)),
        );
        let chain = folder(&links);
        for (last, follows) in [("39", true), ("40", false)] {
            let path = chain.path().join(last);
            assert_eq!(!Way::to(&path).endless, follows, "{last}");
            assert_eq!(fs::metadata(&path).is_ok(), follows, "the kernel: {last}");
        }
    }
}
