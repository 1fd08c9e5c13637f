//! The first command of the README, on a machine that has built nothing yet.

use super::table::{Bar, Measured, Row};
use crate::clock::Stopwatch;
use crate::workspace::Workspace;
use anyhow::bail;
use std::collections::BTreeSet;

/// Counts what is built, and builds it in a folder of its own.
pub(super) fn run(workspace: &Workspace) -> anyhow::Result<Vec<Row>> {
    let mut crates = Row::new("crates in the build", "", Bar::AtMost(110.0));
    crates.add("Pillion", Measured::Value(count(workspace)?));
    let folder = std::env::temp_dir().join(format!("pillion-cold-{}", std::process::id()));
    say!("    building everything in {}", folder.display());
    let watch = Stopwatch::start();
    let mut build = workspace.cargo(&["build", "--release", "--quiet"]);
    let ended = build.env("CARGO_TARGET_DIR", &folder).status();
    let elapsed = watch.elapsed();
    let _ = std::fs::remove_dir_all(&folder);
    if !ended?.success() {
        bail!("the build failed");
    }
    let mut time = Row::new("cold release build", "s", Bar::AtMost(180.0));
    time.add("Pillion", Measured::Value(elapsed.as_secs_f64()));
    Ok(vec![crates, time])
}

fn count(workspace: &Workspace) -> anyhow::Result<f64> {
    let arguments = ["tree", "--edges=normal,build", "--prefix=none", "--locked"];
    let output = workspace.cargo(&arguments).output()?;
    if !output.status.success() {
        bail!("cargo tree failed");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    let crates: BTreeSet<_> = lines.filter(|line| !line.is_empty()).collect();
    Ok(u32::try_from(crates.len()).map_or(f64::INFINITY, f64::from))
}
