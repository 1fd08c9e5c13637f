//! `pillion simulate`

use pillion_simulator::act::Act;
use pillion_simulator::inline;
use std::path::PathBuf;

/// Play the life of a pod in virtual time
///
/// Nothing is started and nothing takes time: the engine decides about a simulated machine, and the
/// timeline of what would happen is printed. Without more, everything comes up, works for a while
/// and is stopped in order. The options ask what would happen if something went wrong.
///
/// A scenario says more: what each container does, what is done to the pod, and what must be seen.
/// It is given beside a pod file, or brings its own pod.
///
/// Exit status: 0, 1 if the file has errors or an expectation fails, 2 if a file cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("what").args(["file", "scenario"]).required(true).multiple(true)))]
pub(crate) struct SimulateArgs {
    /// The pod file; `-` is the standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// The pod of this name, if the file has several
    #[arg(long, value_name = "NAME", requires = "file")]
    pub(crate) pod: Option<String>,
    /// A scenario to play
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) scenario: Option<PathBuf>,
    /// Tell every record, not only what a person wants to follow
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the timeline as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
    // The last, because its heading holds for all that follow.
    #[command(flatten)]
    pub(crate) acts: ActArgs,
}

/// What is done to the pod, and when.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What if")]
pub(crate) struct ActArgs {
    /// Delete the pod: `10s`, or `10s/5s` to give it 5 s
    #[arg(long, value_name = "TIME", value_parser = inline::delete)]
    delete: Vec<Act>,
    /// Kill a container: `proxy@3s`, or `proxy=15@3s` for another signal
    #[arg(long, value_name = "NAME@TIME", value_parser = inline::kill)]
    kill: Vec<Act>,
    /// Let a container exit: `app@5s`, or `app=1@5s` for another code than 0
    #[arg(long, value_name = "NAME=CODE@TIME", value_parser = inline::exit)]
    exit: Vec<Act>,
    /// Let a probe answer `ok`, `fail` or `hang` from then on: `app/readiness=fail@4s`
    #[arg(long, value_name = "NAME/PROBE=ANSWER@TIME", value_parser = inline::probe)]
    probe: Vec<Act>,
    /// Ask for `restart-pod`, `restart-all`, `fail-pod` or `complete-pod`: `restart-pod@5s`; with a
    /// name a container asks, also for `ignore`: `cache=ignore@5s`
    #[arg(long, value_name = "WHAT@TIME", value_parser = inline::ask)]
    ask: Vec<Act>,
}

const EXAMPLES: &str = "\
Examples:
  pillion simulate pod.yaml
  pillion simulate pod.yaml --kill proxy@3s          what if the proxy dies?
  pillion simulate pod.yaml --delete 8s --kill proxy@8s
  pillion simulate pod.yaml --exit app=1@5s --json > timeline.jsonl
  pillion simulate pod.yaml --scenario slow-start.yaml
  pillion simulate --scenario scenarios/stories/orders.yaml
";

// === impl ActArgs ===

impl ActArgs {
    /// All acts, in no particular order.
    pub(crate) fn into_acts(self) -> Vec<Act> {
        let Self {
            delete,
            kill,
            exit,
            probe,
            ask,
        } = self;
        [delete, kill, exit, probe, ask]
            .into_iter()
            .flatten()
            .collect()
    }
}
