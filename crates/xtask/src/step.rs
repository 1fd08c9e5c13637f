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

/// A step of a chore that knows all of them beforehand.
pub(crate) struct Step<'a> {
    title: &'static str,
    work: Box<dyn FnOnce() -> anyhow::Result<()> + 'a>,
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
        say!("\n==> {number}/{total} {title}");
        let watch = Stopwatch::start();
        work().with_context(|| format!("step {number}/{total}, {title}"))?;
        say!("    done in {}", seconds(watch.elapsed()));
        Ok(())
    }

    /// Says that everything was done.
    pub(crate) fn finish(self) {
        let Self { total, watch, .. } = self;
        say!("\nall {total} steps passed in {}", seconds(watch.elapsed()));
    }
}

// === impl Step ===

impl<'a> Step<'a> {
    pub(crate) fn new(title: &'static str, work: impl FnOnce() -> anyhow::Result<()> + 'a) -> Self {
        let work = Box::new(work);
        Self { title, work }
    }
}

/// Does one step after the other.
pub(crate) fn all(all: Vec<Step<'_>>) -> anyhow::Result<()> {
    let mut steps = Steps::new(all.len());
    for Step { title, work } in all {
        steps.step(title, work)?;
    }
    steps.finish();
    Ok(())
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
    say!("    $ {}", words(command));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_first_step_that_fails_is_the_last_and_is_counted() {
        let done = Cell::new(0);
        let good = || {
            done.set(done.get() + 1);
            Ok(())
        };
        let steps = vec![
            Step::new("one", good),
            Step::new("two", || bail!("no")),
            Step::new("three", good),
        ];

        let error = all(steps).unwrap_err();

        assert_eq!(format!("{error:#}"), "step 2/3, two: no");
        assert_eq!(done.get(), 1);
    }
}
