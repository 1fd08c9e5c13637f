//! `pillion completions`: a script for the shell.

use crate::args::{Cli, CompletionsArgs};
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::Result;
use clap::CommandFactory as _;

/// Print completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let CompletionsArgs { shell } = *args;
    // Into memory first: the generator panics if its writer fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pillion", &mut script);
    printer.bytes(&script)?;
    Ok(ExitStatus::Success)
}
