//! Chores that compute for long run themselves again as a release build.

use crate::step;
use crate::workspace::Workspace;
use anyhow::Context as _;
use std::env;
use std::os::unix::process::CommandExt as _;

/// Whether this is a dev build.
pub(crate) const fn is_needed() -> bool {
    cfg!(debug_assertions)
}

/// The same command once more, optimised. It takes the place of this one, so that whoever interrupts this interrupts it.
pub(crate) fn again(workspace: &Workspace) -> anyhow::Result<()> {
    let run = ["run", "--quiet", "--release", "--package=xtask", "--"];
    let mut cargo = workspace.cargo(&run);
    cargo.args(env::args_os().skip(1));
    step::announce(&cargo);
    // It returns only if it fails.
    Err(cargo.exec()).context("cannot run cargo")
}
