//! `pillion trace`

use std::path::PathBuf;

/// Show what happened in a run, when and why
///
/// Shows the life of each container over time, who waited for whom, what the time until ready was
/// spent on (the critical path), and what was notable. As a page (`-o html`) it can be zoomed, and
/// every stretch of it tells why it came to be; the page is one file and needs no network.
///
/// RUN is a pod that was run here (`orders`, or `shop/orders` in a namespace), one of its runs by
/// number (`orders#3`), a timeline file, or `-` for a timeline on the standard input. Without it, the
/// latest run is shown.
///
/// Exit status: 0, 1 if a part of the timeline makes no sense and is left out, 2 if there is no such
/// run or it cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    /// The run to show: a pod, a pod and a number, a file, or `-`
    #[arg(value_name = "RUN", value_hint = clap::ValueHint::FilePath)]
    pub(crate) run: Option<String>,
    /// The form to show it in; by default what the file's name says, else text
    #[arg(long, short = 'o', value_name = "FORM")]
    pub(crate) form: Option<TraceFormat>,
    /// Write to this file; `-` is the standard output
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Tell the story below, one sentence a line
    #[arg(long)]
    pub(crate) story: bool,
    /// Tell every record, not only what a person wants to follow
    #[arg(long)]
    pub(crate) all: bool,
    /// Tell times by the calendar instead of since the start of the pod
    #[arg(long)]
    pub(crate) timestamps: bool,
}

/// The forms a timeline can have.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum TraceFormat {
    /// For a terminal
    Text,
    /// Every record, one a line
    Json,
    /// A picture
    Svg,
    /// A page to look around in
    Html,
}

const EXAMPLES: &str = "\
Examples:
  pillion trace                               the latest run
  pillion trace orders#3 --story              run 3 of the pod orders, told
  pillion trace -o html                       as a page, in a file that is named
  pillion trace orders --output orders.svg
  pillion simulate pod.yaml --json | pillion trace -
";
