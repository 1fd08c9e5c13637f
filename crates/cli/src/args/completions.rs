//! `pillion completions`

use clap_complete::Shell;

/// Print completions for a shell
///
/// The script completes verbs, options and file names. Where it belongs depends on the shell; the
/// examples below are the usual places.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  pillion completions bash > ~/.local/share/bash-completion/completions/pillion
  pillion completions zsh > ~/.zfunc/_pillion
  pillion completions fish > ~/.config/fish/completions/pillion.fish
";
