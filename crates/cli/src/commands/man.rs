//! `pillion man`: the man pages, made from the same definitions as the help.

use crate::args::{Cli, ManArgs};
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_mangen::Man;
use std::fs;

/// Print the main page, or write all pages into a folder.
pub(crate) fn man(args: &ManArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let ManArgs { folder } = args;
    let command = Cli::command();
    match folder {
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            printer.bytes(&page)?;
        }
        Some(folder) => {
            let writing = || format!("cannot write man pages to {}", folder.display());
            fs::create_dir_all(folder).with_context(writing)?;
            clap_mangen::generate_to(command, folder).with_context(writing)?;
        }
    }
    Ok(ExitStatus::Success)
}
