//! `cargo xtask test`: everything that must hold before a change is taken in, cheap things first.

use crate::check;
use crate::step::{Steps, run as run_command};
use crate::workspace::Workspace;
use anyhow::bail;
use std::process::Stdio;

pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<()> {
    let mut steps = Steps::new(6);
    let cargo = |arguments: &[&str]| run_command(&mut workspace.cargo(arguments));
    steps.step("tools", || tools(workspace))?;
    steps.step("format", || cargo(&["fmt", "--all", "--check"]))?;
    steps.step("rules of the project", || check::run(workspace))?;
    steps.step("lints", || {
        let warnings = ["--", "-D", "warnings"];
        cargo(
            &[
                &["clippy", "--workspace", "--all-targets", "--locked"][..],
                &warnings,
            ]
            .concat(),
        )
    })?;
    steps.step("documentation", || {
        let arguments = ["doc", "--workspace", "--no-deps", "--locked"];
        run_command(
            workspace
                .cargo(&arguments)
                .env("RUSTDOCFLAGS", "-D warnings"),
        )
    })?;
    steps.step("tests", || cargo(&["test", "--workspace", "--locked"]))?;
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
