//! `cargo xtask fuzz`: libFuzzer on the targets in `fuzz/`.
//!
//! It needs a nightly toolchain and cargo-fuzz, which an ordinary machine need not have: the tests
//! run the same targets over the corpus and seeded random input on stable.

use crate::step;
use crate::workspace::Workspace;
use anyhow::bail;
use std::process::{Command, Stdio};

/// What to fuzz, and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The target; all of them, one after the other, if left out.
    target: Option<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

const TARGETS: [&str; 2] = ["pod_file", "events"];

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let Args { target, seconds } = args;
    let targets: Vec<_> = match target {
        Some(target) if TARGETS.contains(&target.as_str()) => vec![target.as_str()],
        Some(target) => bail!("there is no target `{target}`, only {}", TARGETS.join(", ")),
        None => TARGETS.to_vec(),
    };
    look_for_tools()?;
    for target in targets {
        say!("\n==> {target}, {seconds} s");
        let limit = format!("-max_total_time={seconds}");
        let arguments = ["+nightly", "fuzz", "run", target, "--", &limit];
        step::run(
            Command::new("cargo")
                .args(arguments)
                .current_dir(workspace.root()),
        )?;
    }
    Ok(())
}

fn look_for_tools() -> anyhow::Result<()> {
    let answers = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        let command = command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !answers(&["+nightly", "--version"]) {
        bail!("a nightly toolchain is needed; get it with `rustup toolchain install nightly`");
    }
    if !answers(&["+nightly", "fuzz", "--version"]) {
        bail!("cargo-fuzz is needed; get it with `cargo install cargo-fuzz`");
    }
    Ok(())
}
