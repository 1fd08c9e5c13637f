//! Chores that compute for long run themselves again as a release build.

use crate::step;
use crate::workspace::Workspace;
use std::env;

/// Whether this is a dev build.
pub(crate) const fn is_needed() -> bool {
    cfg!(debug_assertions)
}

/// The same command once more, optimised.
pub(crate) fn again(workspace: &Workspace) -> anyhow::Result<()> {
    let run = ["run", "--quiet", "--release", "--package=xtask", "--"];
    step::run(workspace.cargo(&run).args(env::args_os().skip(1)))
}
