//! Where the parts of a cluster are: programs in a cache that outlives it, all else in folders that go with it.

use super::recipe;
use anyhow::Context as _;
use std::env;
use std::path::{Path, PathBuf};

/// The places of one cluster. Two of different names can be up at the same time.
#[derive(Clone, Debug)]
pub struct Places {
    name: String,
    cache: PathBuf,
    folder: PathBuf,
}

/// Everything of a running cluster is below this, in a folder of its name.
const FOLDER: &str = "/var/lib/pillion/cluster";

// === impl Places ===

impl Places {
    /// The places of the cluster of that name.
    pub fn of(name: &str) -> anyhow::Result<Self> {
        let cache = cache_home().context(
            "neither `XDG_CACHE_HOME` nor `HOME` is set, and programs are kept below one of them: set it",
        )?;
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        anyhow::ensure!(
            !name.is_empty() && name.len() <= 12 && name.chars().all(good),
            "`{name}` cannot be the name of a cluster: up to 12 small letters and digits can"
        );
        Ok(Self {
            name: name.to_owned(),
            cache: cache.join("pillion/cluster"),
            folder: Path::new(FOLDER).join(name),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where programs are kept between clusters.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// The programs of Kubernetes.
    pub fn programs(&self) -> PathBuf {
        self.cache.join(recipe::key())
    }

    /// One of them.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs().join(name)
    }

    /// The folder that goes with the cluster.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file or folder in it.
    pub fn file(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// The same as text.
    pub(super) fn text(&self, path: &str) -> String {
        self.file(path).to_string_lossy().into_owned()
    }

    /// Who holds it changes the cluster.
    pub(super) fn lock(&self) -> PathBuf {
        self.folder.with_extension("lock")
    }

    /// What is left of its folder while that is removed.
    pub(super) fn gone(&self) -> PathBuf {
        self.folder.with_extension("gone")
    }

    /// The network namespace.
    pub fn namespace(&self) -> String {
        format!("pillion-{}", self.name)
    }

    /// The file that stands for the network namespace.
    pub fn namespace_file(&self) -> PathBuf {
        Path::new("/run/netns").join(self.namespace())
    }

    /// The control group that all pods are in.
    pub(super) fn group(&self) -> String {
        format!("pillion-{}", self.name)
    }
}

fn cache_home() -> Option<PathBuf> {
    let absolute = |name| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_part_of_a_path_is_refused() {
        for name in ["", "../x", "Test", "much-too-long", "abcdefghijklm"] {
            assert!(Places::of(name).is_err(), "{name}");
        }
    }

    #[test]
    fn clusters_of_different_names_share_only_the_programs() {
        let (one, two) = (Places::of("one").unwrap(), Places::of("two").unwrap());
        assert_eq!(one.programs(), two.programs());
        assert_ne!(one.folder(), two.folder());
        assert_ne!(one.namespace(), two.namespace());
        assert_ne!(one.lock(), two.lock());
    }
}
