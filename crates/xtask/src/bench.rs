//! `cargo xtask bench`: figures beside their limits, medians of several rounds, release build.

mod engine;
mod file;
mod kubelet;
mod life;
mod run;
mod shape;
mod statistics;

use crate::release;
use crate::workspace::Workspace;
use anyhow::bail;
use clap::Subcommand;
use shape::Shape;

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Whole lives of pods in the engine, and reading a large file.
    Engine {
        /// Only pods of this shape.
        #[arg(long)]
        shape: Option<Shape>,
    },
    /// A chain of native sidecars under `pillion run` and under a real kubelet.
    Kubelet(kubelet::Args),
    /// `pillion run`, beside the bare loop and other supervisors.
    Run(run::Args),
}

/// A figure that must not be above (or below) its limit.
struct Figure {
    what: String,
    measured: f64,
    unit: &'static str,
    goal: Goal,
}

enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> anyhow::Result<()> {
    // Figures of a dev build say nothing.
    if release::is_needed() {
        return release::again(workspace);
    }
    let figures = match bench {
        Bench::Engine { shape } => {
            let mut figures = engine::run(*shape);
            figures.extend(file::run());
            figures
        }
        Bench::Kubelet(args) => return kubelet::run(workspace, args),
        Bench::Run(args) => return run::run(workspace, args),
    };
    judge(&figures)
}

fn judge(figures: &[Figure]) -> anyhow::Result<()> {
    say!(
        "\n{:<44} {:>14} {:>14}   ratio",
        "figure",
        "measured",
        "limit"
    );
    for figure in figures {
        figure.print();
    }
    let missed = figures.iter().filter(|figure| !figure.is_met()).count();
    if missed > 0 {
        bail!("{missed} of {} figures miss their limit", figures.len());
    }
    Ok(())
}

// === impl Figure ===

impl Figure {
    fn is_met(&self) -> bool {
        match self.goal {
            Goal::AtMost(limit) => self.measured <= limit,
            Goal::AtLeast(limit) => self.measured >= limit,
        }
    }

    fn print(&self) {
        let Self {
            what,
            measured,
            unit,
            goal,
        } = self;
        let (sign, limit) = match *goal {
            Goal::AtMost(limit) => ('≤', limit),
            Goal::AtLeast(limit) => ('≥', limit),
        };
        let verdict = if self.is_met() { "ok" } else { "MISSED" };
        let measured_text = format!("{measured:.2} {unit}");
        let limit_text = format!("{sign} {limit:.2} {unit}");
        let ratio = measured / limit;
        say!("{what:<44} {measured_text:>14} {limit_text:>14}   {ratio:>5.2}  {verdict}");
    }
}
