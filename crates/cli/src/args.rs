//! Everything that can be typed. Help, man pages and completions are made from these types.

mod apply;
mod completions;
mod control;
mod convert;
mod explain;
mod init;
mod inside;
mod lint;
mod man;
mod plan;
mod run;
mod simulate;
mod trace;

pub(crate) use apply::ApplyArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use control::{
    AttachArgs, ExecArgs, GetArgs, GetFormat, LogsArgs, PsArgs, RestartArgs, StopArgs,
};
pub(crate) use convert::{ConvertArgs, SourceFormat};
pub(crate) use explain::ExplainArgs;
pub(crate) use init::InitArgs;
pub(crate) use inside::{AskArgs, Notice, NotifyArgs, StatusArgs};
pub(crate) use lint::LintArgs;
pub(crate) use man::ManArgs;
pub(crate) use plan::{PlanArgs, PlanFormat};
pub(crate) use run::RunArgs;
pub(crate) use simulate::SimulateArgs;
pub(crate) use trace::{TraceArgs, TraceFormat};

use clap::{ColorChoice, Parser, Subcommand, ValueEnum as _};
use std::ffi::OsString;

/// Run the containers of a pod as an ordered graph
///
/// Pillion knows what starts first, what waits for what, what happens when something dies and what
/// stops last. It reads pod files as Kubernetes has them, with a few fields more.
#[derive(Debug, Parser)]
#[command(name = "pillion", version, propagate_version = true, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How to show things, whatever is shown.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// When to use colours; `NO_COLOR` in the environment is honoured
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: ColorChoice,
    /// Draw with plain ASCII only
    #[arg(long, global = true)]
    pub(crate) ascii: bool,
}

/// The verbs, in the order in which people need them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Ps(PsArgs),
    Logs(LogsArgs),
    Stop(StopArgs),
    Restart(RestartArgs),
    Apply(ApplyArgs),
    Exec(ExecArgs),
    Attach(AttachArgs),
    Get(GetArgs),
    // For containers, who find them in the documents.
    #[command(hide = true)]
    Ask(AskArgs),
    #[command(hide = true)]
    Notify(NotifyArgs),
    #[command(hide = true)]
    Status(StatusArgs),
    Init(InitArgs),
    Plan(PlanArgs),
    Simulate(SimulateArgs),
    Trace(TraceArgs),
    Lint(LintArgs),
    Convert(ConvertArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

const EXAMPLES: &str = "\
Examples:
  pillion run pod.yaml           a pod on this machine, as host processes
  pillion ps                     the pods that run; also logs, stop, restart, exec, attach, get
  pillion apply pod.yaml         changes the pod that runs, container by container
  pillion init                   a pod file to begin with
  pillion plan pod.yaml          what starts and stops when, and why
  pillion simulate pod.yaml      its whole life, in virtual time
  pillion trace                  what happened in the latest run, and why
  pillion lint pod.yaml          every problem in a file, with a fix
  pillion explain L0102          what a problem means
";

/// The value of `--color`, found before the arguments are parsed; a wrong one is reported then.
pub(crate) fn color_given(arguments: impl Iterator<Item = OsString>) -> anstream::ColorChoice {
    let mut arguments = arguments.take_while(|argument| argument != "--");
    let mut given = ColorChoice::Auto;
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy().into_owned();
        let value = match argument.strip_prefix("--color") {
            Some("") => arguments
                .next()
                .map(|value| value.to_string_lossy().into_owned()),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        let choice = value.and_then(|value| ColorChoice::from_str(&value, false).ok());
        given = choice.unwrap_or(given);
    }
    match given {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definitions_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_teaches_by_example() {
        for verb in Cli::command().get_subcommands() {
            let help = verb
                .get_after_help()
                .unwrap_or_else(|| panic!("{}", verb.get_name()));
            assert!(
                help.to_string()
                    .contains(&format!("pillion {}", verb.get_name()))
            );
            assert!(verb.get_about().is_some());
        }
    }

    #[test]
    fn colour_is_found_wherever_it_is_given() {
        let given = |arguments: &[&str]| color_given(arguments.iter().map(OsString::from));
        assert_eq!(
            given(&["lint", "--color", "never", "x"]),
            anstream::ColorChoice::Never
        );
        assert_eq!(
            given(&["--color=always", "lint"]),
            anstream::ColorChoice::Always
        );
        assert_eq!(
            given(&["lint", "--", "--color=always"]),
            anstream::ColorChoice::Auto
        );
        assert_eq!(given(&["--color", "purple"]), anstream::ColorChoice::Auto);
        assert_eq!(given(&["--color"]), anstream::ColorChoice::Auto);
    }
}
