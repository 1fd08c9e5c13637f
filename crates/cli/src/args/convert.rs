//! `pillion convert`

use std::path::PathBuf;

/// Turn a compose file or a Procfile into a pod file
///
/// Of a compose file the services become containers, with their commands, environment, health
/// checks, restarts, volumes and times to stop; `depends_on` becomes `requires`. Variables are
/// replaced as compose does it, by the environment and a `.env` beside the file. Of a Procfile each
/// line becomes a container, and when one ends the pod ends, as foreman does it.
///
/// What was decided stands in comments of the new file. What a pod cannot say is told with its
/// place, and never left out in silence; only labels, `init` and what begins with `x-` say nothing
/// to a pod.
///
/// Exit status: 0 if the file was converted, with warnings or without, 2 if it was not.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The file to read; `-` is the standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// What the file is, if its name and content do not tell
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<SourceFormat>,
    /// Write the pod into this file instead of printing it
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Write over a file that exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// The formats that can be converted.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum SourceFormat {
    /// Services of docker compose, or of another tool that follows its specification
    Compose,
    /// Names and commands, one a line
    Procfile,
}

const EXAMPLES: &str = "\
Examples:
  pillion convert compose.yaml
  pillion convert compose.yaml -o pod.yaml
  pillion convert Procfile | pillion plan -
  docker compose config | pillion convert --from compose -
";
