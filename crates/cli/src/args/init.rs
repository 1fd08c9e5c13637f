//! `pillion init`

use std::path::PathBuf;

/// Write a pod file to begin with
///
/// The file runs as it is, on any machine that has a shell, and explains itself in comments: a
/// proxy that is waited for, a migration that runs once, and an app with whose end the pod ends.
/// The examples are more files of this kind, each about one subject.
///
/// A file that exists is left alone, unless `--force` is given.
///
/// Exit status: 0 if the file was written, 2 if it was not.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// The file to write; `-` is the standard output
    #[arg(value_name = "FILE", default_value = "pod.yaml", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Write this example instead
    #[arg(long, value_name = "NAME")]
    pub(crate) example: Option<String>,
    /// List the examples
    #[arg(long, conflicts_with_all = ["file", "example", "force"])]
    pub(crate) list: bool,
    /// Write over a file that exists
    #[arg(long)]
    pub(crate) force: bool,
}

const EXAMPLES: &str = "\
Examples:
  pillion init
  pillion init --list
  pillion init --example orders orders.yaml
  pillion init - | pillion plan -
";
