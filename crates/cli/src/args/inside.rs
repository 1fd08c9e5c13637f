//! The verbs that containers use: `ask`, `notify`, `status`.

use crate::control::message::Asked;

/// Ask for something, from inside a container
///
/// Every container of a pod that Pillion runs finds the program in `$PILLION`, so this works from any shell.
#[derive(Debug, clap::Args)]
#[command(after_help = ASK)]
pub(crate) struct AskArgs {
    /// What should happen
    #[arg(value_name = "WHAT")]
    pub(crate) what: Asked,
    /// Why, for people: it stands in the timeline
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        value_parser = reason
    )]
    pub(crate) reason: String,
}

/// More would not be read by anybody, and not be taken by the pod.
const LONGEST_REASON: usize = 2000;

fn reason(text: &str) -> Result<String, String> {
    if text.len() > LONGEST_REASON {
        return Err(format!(
            "it has {} bytes, and may have {LONGEST_REASON}",
            text.len()
        ));
    }
    Ok(text.to_owned())
}

const ASK: &str = "\
Examples:
  \"$PILLION\" ask restart-pod --reason 'new certificates'
  \"$PILLION\" ask fail-pod
  pillion ask complete-pod
";

/// Tell that this container is ready, from inside it
///
/// For containers that say `readyOn: notify`. Programs that know systemd's protocol can write to `NOTIFY_SOCKET` instead.
#[derive(Debug, clap::Args)]
#[command(after_help = NOTIFY)]
pub(crate) struct NotifyArgs {
    /// What to tell
    #[arg(value_name = "WHAT")]
    pub(crate) what: Notice,
}

/// What a container can tell.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum Notice {
    /// It can be used
    Ready,
    /// It cannot be used, for now
    NotReady,
}

const NOTIFY: &str = "\
Examples:
  \"$PILLION\" notify ready
  pillion notify not-ready
";

/// Tell how the pod stands, from inside a container
///
/// Prints `running`, `restarting` or `stopping`; the last two with the time that is left until everything is killed.
#[derive(Debug, clap::Args)]
#[command(after_help = STATUS)]
pub(crate) struct StatusArgs {
    /// Print a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const STATUS: &str = "\
Examples:
  \"$PILLION\" status            running
  pillion status --json         {\"state\":\"stopping\",\"milliseconds_left\":27000}
";
