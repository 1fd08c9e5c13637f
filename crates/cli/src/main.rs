//! The `pillion` command: what a person types, and what they see.
//!
//! [`args`] says what can be typed, [`commands`] does it, one file per verb; everything that is
//! shown goes through the [`printer`], and every command ends in an [`exit`] status.

mod args;
mod commands;
mod control;
mod convert;
mod exit;
mod graph;
mod hint;
mod input;
mod live;
mod new_file;
mod pods;
mod printer;
mod running;
mod state;
mod terminal;
mod wrap;

use anyhow::Result;
use args::Cli;
use clap::Parser as _;
use exit::ExitStatus;
use printer::Printer;
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: the guard must stay small, and have one thread.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|verb| verb == "guard")
    {
        return guard();
    }
    // Help is shown while arguments are parsed, and follows `--color` too.
    args::color_given(std::env::args_os().skip(1)).write_global();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match run(cli) {
        Ok(status) => status.into(),
        Err(error) => {
            hint::report(&error);
            ExitStatus::Unusable.into()
        }
    }
}

/// What a run starts beside itself, and nobody else: it talks to its parent over its standard input.
fn guard() -> ExitCode {
    match pillion_runtime::guard::serve() {
        Ok(()) => ExitStatus::Success.into(),
        Err(_) => ExitStatus::Code(exit::OWN_FAILURE).into(),
    }
}

fn run(cli: Cli) -> Result<ExitStatus> {
    let Cli { output, command } = cli;
    commands::run(command, &mut Printer::new(output))
}

/// Shows help, the version, or what is wrong with the arguments.
fn refuse(error: &clap::Error) -> ExitCode {
    // Nobody is there to read it: nothing more can be done.
    let _ = error.print();
    if error.use_stderr() {
        ExitStatus::Unusable.into()
    } else {
        ExitStatus::Success.into()
    }
}
