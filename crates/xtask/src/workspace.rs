//! Where the project's files are, and cargo run among them.

use anyhow::{Context, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The project's folder.
pub(crate) struct Workspace {
    root: PathBuf,
}

// === impl Workspace ===

impl Workspace {
    /// The workspace that this program was built from.
    pub(crate) fn find() -> Self {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own
            .ancestors()
            .nth(2)
            .expect("a chore lives in crates/xtask");
        Self { root: root.into() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo puts what it builds.
    pub(crate) fn target(&self) -> PathBuf {
        let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        self.root.join(named.unwrap_or_else(|| "target".into()))
    }

    /// Cargo, in the project's folder, as the user runs it.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// What cargo knows of the workspace and everything it depends on, on Linux.
    pub(crate) fn metadata(&self) -> anyhow::Result<Value> {
        let platform = "--filter-platform=x86_64-unknown-linux-gnu";
        let arguments = ["metadata", "--format-version=1", "--locked", platform];
        let mut command = self.cargo(&arguments);
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.context("cannot run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata ended with {}", output.status);
        }
        serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")
    }

    /// The files under a folder whose names end so, sorted; none if there is no such folder.
    pub(crate) fn files(&self, folder: &str, suffix: &str) -> anyhow::Result<Vec<PathBuf>> {
        let folder = self.root.join(folder);
        let mut found = Vec::new();
        if folder.is_dir() {
            collect(&folder, suffix, &mut found)?;
        }
        found.sort();
        Ok(found)
    }

    /// A path as people write it: from the project's folder.
    pub(crate) fn relative<'p>(&self, path: &'p Path) -> &'p str {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.to_str().unwrap_or("(a name that is not UTF-8)")
    }
}

/// Reads a file of the project, or says which one it could not read.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn collect(folder: &Path, suffix: &str, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let listing = || format!("cannot list {}", folder.display());
    for entry in fs::read_dir(folder).with_context(listing)? {
        let path = entry.with_context(listing)?.path();
        if path.is_dir() {
            if !path.ends_with("target") {
                collect(&path, suffix, found)?;
            }
        } else if path.to_str().is_some_and(|name| name.ends_with(suffix)) {
            found.push(path);
        }
    }
    Ok(())
}
