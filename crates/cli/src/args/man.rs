//! `pillion man`

use std::path::PathBuf;

/// Write the man pages
///
/// With a folder, one page per verb is written into it: `pillion.1`, `pillion-lint.1` and so on.
/// Without, the main page is printed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Where to write the pages; made if it does not exist
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  pillion man | man -l -
  pillion man ~/.local/share/man/man1
";
