//! `cargo xtask model`: every interleaving of small pods, judged by the laws, as a release build.

use crate::clock::Stopwatch;
use crate::release;
use crate::step::seconds;
use crate::terminal;
use crate::workspace::Workspace;
use anyhow::anyhow;
use pillion_testkit::sweep::{Depth, Progress, sweep};
use std::io::{IsTerminal, Write, stdout};

/// How far to go.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Let more happen in one life, and look at many more states: hours.
    #[arg(long)]
    deep: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    // A dev build takes several times as long.
    if release::is_needed() {
        return release::again(workspace);
    }
    let depth = if args.deep { Depth::Deep } else { Depth::Tests };
    let watch = Stopwatch::start();
    let is_terminal = stdout().is_terminal();
    let all = sweep(depth, |progress| show(&watch, is_terminal, progress));
    let all = all.map_err(|broken| anyhow!("{broken}"))?;
    say!("in all: {all}, in {}", seconds(watch.elapsed()));
    Ok(())
}

fn show(watch: &Stopwatch, is_terminal: bool, progress: Progress<'_>) {
    let elapsed = seconds(watch.elapsed());
    match progress {
        Progress::Line(line) => {
            say!(
                "{}{elapsed:>12}  {line}",
                if is_terminal { CLEAR } else { "" }
            );
        }
        Progress::Pods {
            family,
            trouble,
            done,
            of,
        } if is_terminal => {
            terminal::write(format_args!(
                "{CLEAR}{elapsed:>12}  {family}, {trouble}: {done} of {of} pods"
            ));
            // A line that is not seen in time is no reason to stop.
            let _ = stdout().flush();
        }
        Progress::Pods { .. } => {}
    }
}

/// Back to the beginning of the line, which is emptied.
const CLEAR: &str = "\r\x1b[K";
