//! `pillion plan`

use std::path::PathBuf;

/// Show what a pod will do: the order of starts and stops
///
/// Draws the graph of each pod in a file, and lists in which waves its containers start and stop,
/// what each waits for, how long stopping may take and who may be cut short, and what the scheduler
/// counts for it. Nothing is started.
///
/// Exit status: 0 if the pods can be run, 1 if there are errors, 2 if the file cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArgs {
    /// The file to read; `-` is the standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Only the pod of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) pod: Option<String>,
    /// The form of the plan; Mermaid and DOT show the graph only
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: PlanFormat,
}

/// The forms a plan can have.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum PlanFormat {
    /// For people
    Text,
    /// A flowchart that many web pages can show
    Mermaid,
    /// For Graphviz
    Dot,
    /// One line for each pod
    Json,
}

const EXAMPLES: &str = "\
Examples:
  pillion plan pod.yaml
  pillion plan --pod orders all.yaml
  pillion plan -o mermaid pod.yaml >> README.md
  pillion plan -o dot pod.yaml | dot -Tsvg > pod.svg
  pillion plan -o json pod.yaml | jq .stop.worstCaseSeconds
";
