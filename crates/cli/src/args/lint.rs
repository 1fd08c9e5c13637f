//! `pillion lint`

use std::path::PathBuf;

/// Find every problem in pod files
///
/// Reads pods and the pod templates of all kinds of workloads, YAML or JSON, several in one file.
/// Each problem is shown with its place, a code and a way out; `pillion explain CODE` tells more
/// about it.
///
/// Exit status: 0 if there are no errors, 1 if there are, 2 if a file cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LintArgs {
    /// Files to read; `-` is the standard input
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Count warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Leave out notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print each problem as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  pillion lint pod.yaml
  pillion lint --strict deploy/*.yaml
  kubectl get deployment shop -o yaml | pillion lint -
  pillion lint --json pod.yaml | jq -r .code
";
