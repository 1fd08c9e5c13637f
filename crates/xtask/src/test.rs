//! `cargo xtask test`: everything that must hold before a change is taken in, cheap things first.

use crate::check;
use crate::conformance::{self, Args};
use crate::step::{Steps, run as run_command};
use crate::workspace::Workspace;
use anyhow::bail;
use std::process::{Command, Stdio};

pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<()> {
    let mut steps = Steps::new(7);
    steps.step("tools", || tools(workspace))?;
    steps.step("format", || format(workspace))?;
    steps.step("rules of the project", || check::run(workspace))?;
    steps.step("lints", || {
        let clippy = ["clippy", "--workspace", "--all-targets", "--locked"];
        run_command(workspace.cargo(&clippy).args(["--", "-D", "warnings"]))
    })?;
    steps.step("documentation", || {
        let doc = ["doc", "--workspace", "--no-deps", "--locked"];
        run_command(workspace.cargo(&doc).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    steps.step("tests", || {
        run_command(&mut workspace.cargo(&["test", "--workspace", "--locked"]))
    })?;
    steps.step("conformance", || {
        conformance::run(workspace, &Args::engine())
    })?;
    steps.finish();
    Ok(())
}

/// Rustfmt and clippy are parts of a toolchain that a machine need not have.
fn tools(workspace: &Workspace) -> anyhow::Result<()> {
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let mut command = workspace.cargo(&[tool, "--version"]);
        let there = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !there.is_ok_and(|status| status.success()) {
            bail!("cargo {tool} is not there; get it with `rustup component add {component}`");
        }
    }
    run_command(&mut workspace.cargo(&["--version"]))
}

/// The fuzz targets are a workspace of their own, which cargo would have to resolve: rustfmt alone will do.
fn format(workspace: &Workspace) -> anyhow::Result<()> {
    run_command(&mut workspace.cargo(&["fmt", "--all", "--check"]))?;
    let targets = workspace.files("fuzz/fuzz_targets", ".rs")?;
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--check", "--edition=2024"]);
    rustfmt.args(targets.iter().map(|path| workspace.relative(path)));
    run_command(rustfmt.current_dir(workspace.root()))
}
