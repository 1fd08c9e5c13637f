//! The paths that containers are restarted for.
//!
//! A relative one is where the same words in the container's `command` would be: in its `workingDir`, else where
//! `pillion` was started.

use super::{Followed, absolute};
use pillion_runtime::watch::Change;
use pillion_spec::pod::Pod;
use pillion_timeline::text::tame;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Watched(BTreeMap<PathBuf, Watch>);

/// One of them.
#[derive(Debug)]
struct Watch {
    /// As it is written.
    name: String,
    containers: BTreeSet<String>,
}

// === impl Watched ===

impl Watched {
    pub(super) fn new(
        pod: &Pod,
        paths: &BTreeMap<String, Vec<String>>,
        followed: &Followed,
    ) -> Self {
        let mut all: BTreeMap<PathBuf, Watch> = BTreeMap::new();
        for (_, _, container) in pod.spec.all_containers() {
            let folder = Path::new(container.working_dir.as_deref().unwrap_or_default());
            let folder = absolute(folder, &followed.folder);
            for name in paths.get(&container.name).into_iter().flatten() {
                let watch = all.entry(absolute(Path::new(name), &folder));
                let watch = watch.or_insert_with(|| Watch {
                    name: tame(name.trim_end_matches('/')),
                    containers: BTreeSet::new(),
                });
                watch.containers.insert(container.name.clone());
            }
        }
        Self(all)
    }

    pub(super) fn contains(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Whether a container is restarted for anything.
    pub(super) fn has(&self, container: &str) -> bool {
        let mut all = self.0.values();
        all.any(|watch| watch.containers.contains(container))
    }

    /// Where they are, and as they are written.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Path, &str)> {
        let all = self.0.iter();
        all.map(|(path, watch)| (path.as_path(), watch.name.as_str()))
    }

    /// Who is restarted for a path.
    pub(super) fn containers_of(&self, root: &Path) -> impl Iterator<Item = &str> {
        let watch = self.0.get(root).into_iter();
        watch.flat_map(|watch| watch.containers.iter().map(String::as_str))
    }

    /// What people call it that has changed: as they have written it, and what is below.
    pub(super) fn name_of(&self, change: &Change) -> String {
        let Some(watch) = self.0.get(&change.root) else {
            return String::new();
        };
        let below = change.path.strip_prefix(&change.root);
        let below = below.ok().filter(|below| !below.as_os_str().is_empty());
        match (below, watch.name.as_str()) {
            (None, name) => name.to_owned(),
            (Some(below), ".") => tame(&below.to_string_lossy()),
            (Some(below), name) => format!("{name}/{}", tame(&below.to_string_lossy())),
        }
    }
}
