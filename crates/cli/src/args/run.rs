//! `pillion run`

use pillion_simulator::act::Act;
use pillion_simulator::inline;
use std::path::PathBuf;
use std::time::Duration;

/// Run a pod on this machine, as host processes
///
/// Every container is a process of yours with its command, its variables and its volumes: no root,
/// no daemon, no images. They are started in the order of their graph, and stopped in the reverse
/// order when the pod ends. Ctrl-C stops in order, a second one kills.
///
/// Exit status: that of the container which decided the result, or of the first main that failed;
/// 128 and the signal's number if a signal ended it; 130 after Ctrl-C, 143 after SIGTERM; 125 if
/// it runs already, cannot be run here, or Pillion itself failed; 1 if the file has errors, 2 if it
/// cannot be read.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are switches that people give or leave out"
)]
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// The pod file; `-` is the standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The pod of this name, if the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) pod: Option<String>,
    /// Apply the file again when it changes, and restart a container when a path changes that
    /// `pillion.dev/watch` names for it
    #[arg(long, short)]
    pub(crate) watch: bool,
    /// Print the timeline and the logs as lines of JSON
    #[arg(long, conflicts_with_all = ["quiet", "only_logs"])]
    pub(crate) json: bool,
    /// Show only the logs, and the result if it is a failure
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Show only the logs of this container; can be given several times
    #[arg(long, value_name = "CONTAINER")]
    pub(crate) only_logs: Vec<String>,
    /// Tell times by the calendar instead of since the start of the pod
    #[arg(long)]
    pub(crate) timestamps: bool,
    /// A container that crashes again and again is started again after at most so long, from 1s to 5m; as kubelets do, that
    /// is after 10s at first, and 5m in the end
    #[arg(long, value_name = "TIME", value_parser = max_backoff)]
    pub(crate) max_backoff: Option<Duration>,
    // The last, because its heading holds for all that follow.
    #[command(flatten)]
    pub(crate) faults: FaultArgs,
}

/// What is done to the pod while it runs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What if")]
pub(crate) struct FaultArgs {
    /// Stop the pod: `10s`, or `10s/5s` to give it 5 s
    #[arg(long, value_name = "TIME", value_parser = inline::delete)]
    delete: Vec<Act>,
    /// Kill a container: `proxy@3s`, or `proxy=15@3s` for another signal
    #[arg(long, value_name = "NAME@TIME", value_parser = inline::kill)]
    kill: Vec<Act>,
    /// Ask for `restart-pod`, `restart-all`, `fail-pod` or `complete-pod`: `restart-pod@5s`; with a
    /// name a container asks, also for `ignore`: `cache=ignore@5s`
    #[arg(long, value_name = "WHAT@TIME", value_parser = inline::ask)]
    ask: Vec<Act>,
}

const EXAMPLES: &str = "\
Examples:
  pillion run pod.yaml
  pillion run pod.yaml --watch               follow the file while it is edited
  pillion run pod.yaml --kill proxy@3s       what if the proxy dies?
  pillion run pod.yaml --only-logs app | grep error
  pillion run pod.yaml --max-backoff 1s      do not keep me waiting for a crash loop
  pillion run pod.yaml --json > run.jsonl
";

/// What a kubelet takes for the same thing.
fn max_backoff(text: &str) -> Result<Duration, String> {
    let time = inline::time(text).map_err(|wrong| wrong.to_string())?;
    let range = Duration::from_secs(1)..=Duration::from_mins(5);
    range
        .contains(&time)
        .then_some(time)
        .ok_or_else(|| "it can be from 1s to 5m, as on a node".to_owned())
}

// === impl FaultArgs ===

impl FaultArgs {
    /// All acts, in no particular order.
    pub(crate) fn into_acts(self) -> Vec<Act> {
        let Self { delete, kill, ask } = self;
        [delete, kill, ask].into_iter().flatten().collect()
    }
}
