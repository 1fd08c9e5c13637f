//! `cargo xtask test`: everything that must hold before a change is taken in, cheap things first.

use crate::step::{Steps, run as run_command};
use crate::workspace::Workspace;
use crate::{check, cluster, conformance, differential};
use anyhow::{Context as _, bail, ensure};
use pillion_testkit::cluster::traces::Traces;
use std::process::{Command, Stdio};

/// What to leave out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Leave this out on a machine that does not have what it needs. In CI (`CI=true`) nothing is left out.
    #[arg(long, value_name = "PART")]
    without: Vec<Part>,
}

/// What can be left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
enum Part {
    /// All that is played on a real kubelet.
    Cluster,
}

/// Scenarios that take a kubelet longer than this are left to `cargo xtask conformance`.
const LONGEST: u64 = 45;

/// The random pods that are always compared.
const PODS: u64 = 16;
const SEED: u64 = 1;

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let with_cluster = !args.without.contains(&Part::Cluster);
    let is_ci = std::env::var("CI").is_ok_and(|value| is_yes(&value));
    if is_ci && !with_cluster {
        bail!("CI is set, and in CI nothing is left out: unset it, or take `--without` away");
    }
    let mut steps = Steps::new(if with_cluster { 11 } else { 7 });
    steps.step("tools", || tools(workspace, with_cluster))?;
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
        conformance::run(workspace, &conformance::Args::engine())
    })?;
    if with_cluster {
        on_cluster(workspace, &mut steps)?;
    }
    steps.finish();
    Ok(())
}

/// All that needs a real kubelet, on one cluster, which goes again whatever becomes of it.
fn on_cluster(workspace: &Workspace, steps: &mut Steps) -> anyhow::Result<()> {
    let actor = cluster::actor(workspace)?;
    let mut cluster = None;
    steps.step("a cluster", || {
        cluster = Some(cluster::up_for_tests(&actor)?);
        Ok(())
    })?;
    let Some((cluster, _along)) = cluster else {
        return Ok(());
    };
    let played = steps
        .step("scenarios on the kubelet", || {
            conformance::on_kubelet(workspace, &cluster, LONGEST)
        })
        .and_then(|()| {
            steps.step("random pods on the kubelet and here", || {
                differential::compare(&cluster, &actor, &differential::Args::fixed(SEED, PODS))
            })
        });
    let traces = Traces::of(&cluster);
    let down = cluster.down();
    played.and(down)?;
    steps.step("nothing is left of the cluster", || nothing_left(&traces))
}

fn nothing_left(traces: &Traces) -> anyhow::Result<()> {
    let left = traces.left();
    ensure!(
        left.is_empty(),
        "the cluster is down, and this is left of it: {}",
        left.join(", ")
    );
    Ok(())
}

fn is_yes(value: &str) -> bool {
    !matches!(value, "" | "0" | "false")
}

/// Rustfmt and clippy are parts of a toolchain that a machine need not have.
fn tools(workspace: &Workspace, with_cluster: bool) -> anyhow::Result<()> {
    if with_cluster {
        cluster::check().context(
            "no kubelet can be run here (`--without cluster` leaves out what needs one)",
        )?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_out_where_ci_is_set() {
        for value in ["true", "1", "yes"] {
            assert!(is_yes(value), "{value}");
        }
        for value in ["", "0", "false"] {
            assert!(!is_yes(value), "{value}");
        }
    }
}
