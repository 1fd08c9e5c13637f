//! `cargo xtask test`: everything that must hold before a change is taken in, cheap things first.

use crate::interruption::TakenAlong;
use crate::step::{self, Step, run as run_command};
use crate::workspace::Workspace;
use crate::{check, cluster, conformance, differential};
use anyhow::{Context as _, bail, ensure};
use pillion_testkit::cluster::Cluster;
use pillion_testkit::cluster::traces::Traces;
use std::cell::RefCell;
use std::path::PathBuf;
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

/// What is played on, and the actor that plays. The cluster goes first.
struct Stage {
    cluster: Cluster,
    actor: PathBuf,
    _along: TakenAlong,
}

/// Scenarios that take a kubelet longer than this are left to `cargo xtask conformance`.
const LONGEST: u64 = 45;

/// The random pods that are always compared; all but one of them have processes on both sides.
const PODS: u64 = 16;
const SEED: u64 = 346;

/// So many of them go the same way to their ends, whatever else the machine does.
const WHOLE: usize = 5;

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let ci = std::env::var("CI").ok();
    let with_cluster = is_wanted(Part::Cluster, &args.without, ci.as_deref())?;
    let stage = RefCell::new(None);
    let mut steps = vec![
        Step::new("tools", || tools(workspace, with_cluster)),
        Step::new("format", || format(workspace)),
        Step::new("rules of the project", || check::run(workspace)),
        Step::new("lints", || {
            let clippy = ["clippy", "--workspace", "--all-targets", "--locked"];
            run_command(workspace.cargo(&clippy).args(["--", "-D", "warnings"]))
        }),
        Step::new("documentation", || {
            let doc = ["doc", "--workspace", "--no-deps", "--locked"];
            run_command(workspace.cargo(&doc).env("RUSTDOCFLAGS", "-D warnings"))
        }),
        Step::new("tests", || {
            run_command(&mut workspace.cargo(&["test", "--workspace", "--locked"]))
        }),
        Step::new("conformance", || {
            conformance::run(workspace, &conformance::Args::engine())
        }),
    ];
    if with_cluster {
        steps.extend(on_cluster(workspace, &stage));
    }
    step::all(steps)
}

/// Whether a part belongs to this run.
fn is_wanted(part: Part, without: &[Part], ci: Option<&str>) -> anyhow::Result<bool> {
    let is_ci = !matches!(ci, None | Some("" | "0" | "false"));
    ensure!(
        !is_ci || without.is_empty(),
        "CI is set, and in CI nothing is left out: unset it, or take `--without` away"
    );
    Ok(!without.contains(&part))
}

/// All that needs a real kubelet, on one cluster, which goes again whatever becomes of it.
fn on_cluster<'a>(workspace: &'a Workspace, stage: &'a RefCell<Option<Stage>>) -> [Step<'a>; 4] {
    let on = |work: fn(&Workspace, &Stage) -> anyhow::Result<()>| {
        move || {
            let stage = stage.borrow();
            work(workspace, stage.as_ref().context("there is no cluster")?)
        }
    };
    [
        Step::new("a cluster", || {
            *stage.borrow_mut() = Some(Stage::set(workspace)?);
            Ok(())
        }),
        Step::new(
            "scenarios on the kubelet",
            on(|workspace, stage| conformance::on_kubelet(workspace, &stage.cluster, LONGEST)),
        ),
        Step::new(
            "random pods on the kubelet and here",
            on(|workspace, Stage { cluster, actor, .. }| {
                let pods = differential::Args::fixed(SEED, PODS);
                let outcome = differential::compare(workspace, cluster, actor, &pods)?;
                differential::tell(&outcome)?;
                let whole = outcome.to_the_end;
                // Plays that part early are compared in little; what excuses hide is another test's business.
                ensure!(
                    whole >= WHOLE,
                    "{whole} of {PODS} pods were compared to their ends, and at least {WHOLE} should be"
                );
                Ok(())
            }),
        ),
        Step::new("nothing is left of the cluster", || {
            stage.take().map_or(Ok(()), Stage::strike)
        }),
    ]
}

// === impl Stage ===

impl Stage {
    fn set(workspace: &Workspace) -> anyhow::Result<Self> {
        let actor = cluster::actor(workspace)?;
        let (cluster, along) = cluster::up_for_tests(&actor)?;
        Ok(Self {
            cluster,
            actor,
            _along: along,
        })
    }

    /// Takes it down and looks whether it is gone.
    fn strike(self) -> anyhow::Result<()> {
        let traces = Traces::of(&self.cluster);
        self.cluster.down()?;
        let left = traces.left();
        ensure!(
            left.is_empty(),
            "the cluster is down, and this is left of it: {}",
            left.join(", ")
        );
        Ok(())
    }
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
        let wanted = |without: &[Part], ci| is_wanted(Part::Cluster, without, ci);
        for ci in ["true", "1", "yes"] {
            assert!(wanted(&[Part::Cluster], Some(ci)).is_err(), "{ci}");
            assert!(wanted(&[], Some(ci)).unwrap(), "{ci}");
        }
        for ci in [None, Some(""), Some("0"), Some("false")] {
            assert!(!wanted(&[Part::Cluster], ci).unwrap(), "{ci:?}");
            assert!(wanted(&[], ci).unwrap(), "{ci:?}");
        }
    }
}
