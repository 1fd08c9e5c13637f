//! `cargo xtask bench run`: Pillion beside the bare loop and beside its peers, in one run.
//!
//! Everybody starts the same small program, which writes down when it began. Rounds are interleaved, so that all see
//! the same machine, and medians are told. Children, files and sockets are in a folder that goes at the end.

mod cold;
mod contender;
mod cost;
mod hop;
mod idle;
mod install;
mod peer;
mod pods;
mod table;
mod yard;

use crate::step::Steps;
use crate::workspace::Workspace;
use anyhow::bail;
use clap::ValueEnum;
use contender::Contender;
use pods::Shape;
use std::path::PathBuf;
use table::Row;
use yard::Yard;

/// What to measure, and beside whom.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this.
    #[arg(long, value_enum)]
    only: Vec<Subject>,
    /// Beside the bare loop alone: nothing is installed.
    #[arg(long)]
    without_peers: bool,
    /// How often chains are run.
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    /// Build everything anew as well, and count what is built.
    #[arg(long)]
    cold: bool,
}

/// Something to measure.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Subject {
    /// From what is waited for to who waits.
    Hop,
    /// From the start to the first container.
    Start,
    /// Processor time.
    Cost,
    /// Memory of idle services.
    Memory,
    /// Wake-ups of idle services.
    WakeUps,
}

/// Measures, and prints a table.
pub(super) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let wanted = |subject| args.only.is_empty() || args.only.contains(&subject);
    let subjects = Subject::value_variants().iter().copied();
    let subjects: Vec<_> = subjects.filter(|subject| wanted(*subject)).collect();
    let mut steps = Steps::new(2 + subjects.len() + usize::from(args.cold));
    let mut programs = None;
    steps.step("build", || {
        programs = Some(build(workspace)?);
        Ok(())
    })?;
    let (pillion, child) = programs.expect("the step has passed");
    let mut contenders = vec![Contender::Bare, Contender::Pillion(pillion)];
    steps.step("peers", || {
        if !args.without_peers {
            contenders.extend(install::all()?.into_iter().map(Contender::Peer));
        }
        let names: Vec<_> = contenders.iter().map(Contender::name).collect();
        say!("    beside each other: {}", names.join(", "));
        Ok(())
    })?;
    let mut yard = Yard::new(child)?;
    let mut rows = Vec::new();
    for subject in subjects {
        steps.step(subject.title(), || {
            let measured = subject.measure(&mut yard, &contenders, args.rounds)?;
            measured.iter().for_each(Row::print);
            rows.extend(measured);
            Ok(())
        })?;
    }
    if args.cold {
        steps.step("a cold build", || {
            let measured = cold::run(workspace)?;
            measured.iter().for_each(Row::print);
            rows.extend(measured);
            Ok(())
        })?;
    }
    say!("\n{}", table::markdown(&rows));
    let missed = rows.iter().filter(|row| !row.is_met()).count();
    if missed > 0 {
        bail!("{missed} of {} figures miss their bar", rows.len());
    }
    steps.finish();
    Ok(())
}

/// The program that is measured, and the child that everybody starts.
fn build(workspace: &Workspace) -> anyhow::Result<(PathBuf, PathBuf)> {
    let program = ["build", "--release", "--quiet", "--package=pillion"];
    crate::step::run(&mut workspace.cargo(&program))?;
    let child = ["build", "--release", "--quiet", "--package=xtask"];
    crate::step::run(workspace.cargo(&child).arg("--example=bench-child"))?;
    let own = std::env::current_exe()?;
    let folder = own.parent().unwrap_or(workspace.root());
    Ok((folder.join("pillion"), folder.join("examples/bench-child")))
}

// === impl Subject ===

impl Subject {
    const fn title(self) -> &'static str {
        match self {
            Self::Hop => "hops",
            Self::Start => "start to first instruction",
            Self::Cost => "processor time",
            Self::Memory => "memory of 3 idle services",
            Self::WakeUps => "wake-ups of 50 idle services",
        }
    }

    fn measure(
        self,
        yard: &mut Yard,
        contenders: &[Contender],
        rounds: u32,
    ) -> anyhow::Result<Vec<Row>> {
        match self {
            Self::Hop => [Shape::Oneshots, Shape::Notify, Shape::Probed]
                .into_iter()
                .map(|shape| Ok(hop::run(yard, contenders, shape, rounds)))
                .collect(),
            Self::Start => Ok(vec![hop::start(yard, contenders, rounds)?]),
            Self::Cost => [(Shape::AtOnce, 200), (Shape::Oneshots, 1_000)]
                .into_iter()
                .map(|pods| cost::run(yard, contenders, pods, rounds.div_ceil(3)))
                .collect(),
            Self::Memory => Ok(idle::memory(yard, contenders)),
            Self::WakeUps => Ok(vec![idle::wake_ups(yard, contenders)]),
        }
    }
}
