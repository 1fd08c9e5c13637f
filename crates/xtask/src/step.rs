//! A chore in steps: each is announced, timed, and the first one that fails ends it.

use crate::clock::Stopwatch;
use anyhow::{Context, bail};
use std::process::Command;
use std::time::Duration;

/// Steps that were announced with their number.
pub(crate) struct Steps {
    total: usize,
    done: usize,
    watch: Stopwatch,
}

// === impl Steps ===

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        let watch = Stopwatch::start();
        Self {
            total,
            done: 0,
            watch,
        }
    }

    /// Does one step.
    pub(crate) fn step(
        &mut self,
        title: &str,
        work: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.done += 1;
        let (number, total) = (self.done, self.total);
        println!("\n==> {number}/{total} {title}");
        let watch = Stopwatch::start();
        work().with_context(|| format!("step {number}/{total}, {title}"))?;
        println!("    done in {}", seconds(watch.elapsed()));
        Ok(())
    }

    /// Says that everything was done.
    pub(crate) fn finish(self) {
        let Self { total, watch, .. } = self;
        println!("\nall {total} steps passed in {}", seconds(watch.elapsed()));
    }
}

/// Runs a command to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let text = words(command);
    announce(command);
    let status = command
        .status()
        .with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` ended with {status}");
    }
    Ok(())
}

/// Says what is about to be run.
pub(crate) fn announce(command: &Command) {
    println!("    $ {}", words(command));
}

/// The command as one would type it.
fn words(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let value = value?.to_string_lossy();
        Some(format!("{}='{value}'", name.to_string_lossy()))
    });
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or_default().to_string_lossy();
    let arguments = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned());
    let words: Vec<_> = variables
        .chain([program.into_owned()])
        .chain(arguments)
        .collect();
    words.join(" ")
}

/// A time as people read it.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}
