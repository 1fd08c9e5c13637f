//! `pillion apply`

use std::path::PathBuf;
use std::time::Duration;

/// Change a pod that runs, container by container
///
/// The file is compared with what runs. Containers that are different are replaced in place, those that others require
/// first; all others keep running. If a new container is not ready in time, or ends before, the old one is put back, and
/// the containers after it are not touched. Without a probe or `readyOn` it is ready as soon as it runs.
///
/// What cannot be changed while a pod runs is told before anything is touched: containers that come or go, what a
/// container waits for, its kind and role, and the settings of the pod as a whole.
///
/// It goes on in the pod if this command is interrupted.
///
/// Exit status: 0 if all is as the file has it; 1 if the file has errors, cannot be taken by the pod that runs, or
/// something was put back; 2 if it cannot be read or no such pod runs; 125 if Pillion itself failed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApplyArgs {
    /// The pod file; `-` is the standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The pod of this name, if the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) pod: Option<String>,
    /// Only say what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also where a container that says `onRestart: stop` is stopped for good by it
    #[arg(long)]
    pub(crate) force: bool,
    /// How long a new container may take to become ready, instead of its `startTimeoutSeconds` or 5 min: `30s`
    #[arg(long, value_name = "TIME", value_parser = pillion_simulator::inline::time)]
    pub(crate) timeout: Option<Duration>,
    /// Print what changes, how it goes and what comes of it as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  pillion apply pod.yaml
  pillion apply pod.yaml --dry-run       what would change?
  pillion apply pod.yaml --timeout 10s   the old one is put back if the new one is not ready by then
";
