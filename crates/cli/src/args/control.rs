//! The verbs for pods that run: `ps`, `logs`, `stop`, `restart`, `exec`, `get`.

use std::time::Duration;

/// Show the pods that run, or the containers of one
///
/// A pod is named as `orders`, or `shop/orders` in a namespace.
#[derive(Debug, clap::Args)]
#[command(after_help = PS)]
pub(crate) struct PsArgs {
    /// Show the containers of this pod
    #[arg(value_name = "POD")]
    pub(crate) pod: Option<String>,
    /// Go on showing it, until the pod is gone
    #[arg(long, short)]
    pub(crate) watch: bool,
    /// Print one line of JSON for each pod
    #[arg(long)]
    pub(crate) json: bool,
}

const PS: &str = "\
Examples:
  pillion ps                    the pods that run
  pillion ps orders             what its containers do, and what they wait for
  pillion ps orders -w          and go on showing it
  pillion ps --json | jq .name
";

/// Show what the containers of a pod have written
///
/// Also after the pod has ended: the logs of the latest runs are kept, the newest 10 to 20 MiB of each container. RUN
/// is a pod (`orders`, or `shop/orders` in a namespace), or one of its runs by number (`orders#3`); without it, the
/// latest run is shown.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are switches that people give or leave out"
)]
#[derive(Debug, clap::Args)]
#[command(after_help = LOGS)]
pub(crate) struct LogsArgs {
    /// The pod, or one of its runs
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Only these containers
    #[arg(value_name = "CONTAINER")]
    pub(crate) containers: Vec<String>,
    /// Go on showing what is written, until the pod is gone
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Show what containers wrote before they were last started again
    #[arg(long, short, conflicts_with = "follow")]
    pub(crate) previous: bool,
    /// Begin with the last lines, so many of each container
    #[arg(long, value_name = "LINES")]
    pub(crate) tail: Option<usize>,
    /// Tell times by the calendar instead of since the start of the pod
    #[arg(long)]
    pub(crate) timestamps: bool,
    /// Print the lines as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const LOGS: &str = "\
Examples:
  pillion logs                         the latest run
  pillion logs orders app -f           one container, and what it goes on to write
  pillion logs orders app --previous   why did it restart?
  pillion logs orders --tail 20
  pillion logs orders#3 --timestamps   an earlier run
";

/// Stop a pod in order, and wait until it is gone
///
/// Shows who is awaited. Asked again, the time can only get shorter.
#[derive(Debug, clap::Args)]
#[command(after_help = STOP)]
pub(crate) struct StopArgs {
    /// The pod; can be left out if only one runs
    #[arg(value_name = "POD")]
    pub(crate) pod: Option<String>,
    /// How long it may take, instead of the pod's own grace period: `5s`, `1m30s`
    #[arg(long, value_name = "TIME", value_parser = pillion_simulator::inline::time)]
    pub(crate) grace: Option<Duration>,
    /// Kill all containers at once
    #[arg(long, conflicts_with = "grace")]
    pub(crate) now: bool,
}

const STOP: &str = "\
Examples:
  pillion stop orders
  pillion stop orders --grace 5s
  pillion stop orders --now        without order
";

/// Restart a pod in order, or one container of it
///
/// The pod goes down and up again in the order of its graph; oneshots run again unless they say otherwise. What happens
/// to those who require a single container is what their `onRestart` says.
#[derive(Debug, clap::Args)]
#[command(after_help = RESTART)]
pub(crate) struct RestartArgs {
    /// The pod, or a container of it; can be left out if only one pod runs
    #[arg(value_name = "POD[/CONTAINER]")]
    pub(crate) target: Option<String>,
}

const RESTART: &str = "\
Examples:
  pillion restart orders
  pillion restart orders/proxy
  pillion restart shop/orders/proxy    in a namespace
";

/// Run a command where a container is
///
/// It has the container's variables, volumes and limits, and the standard input and output of this command; where these
/// are a terminal, it is in a terminal of its own, so that a shell has job control. Without a container, it runs in the
/// only main that is up.
///
/// Exit status: that of the command; 128 and the signal's number if a signal ended it; 126 if it could not be run, 127 if
/// it was not found; 2 if there is no such pod or container.
#[derive(Debug, clap::Args)]
#[command(after_help = EXEC)]
pub(crate) struct ExecArgs {
    /// The pod, or a container of it; can be left out if only one pod runs
    #[arg(value_name = "POD[/CONTAINER]")]
    pub(crate) target: Option<String>,
    /// Give the command a terminal, also where this command has none
    #[arg(long, short)]
    pub(crate) tty: bool,
    /// Pass the standard input on; that is done in any case
    #[arg(long, short = 'i')]
    pub(crate) stdin: bool,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const EXEC: &str = "\
Examples:
  pillion exec orders -- sh            with job control, in a terminal
  pillion exec orders/proxy -- env
  echo 'select 1' | pillion exec orders/db -- psql
";

/// Join a container: see what it writes, and write what it reads
///
/// Shows what the container writes from now on. What is typed, or comes through a pipe, is what it reads, if it has
/// `stdin: true`; with `stdinOnce: true` the end of that is the end of what it reads. If it has `tty: true` too, every key
/// goes to it; Ctrl-P Ctrl-Q detaches. Elsewhere Ctrl-C does. The container goes on.
///
/// Exit status: that of the container, if it ends meanwhile; 0 after detaching; 2 if there is no such pod or container.
#[derive(Debug, clap::Args)]
#[command(after_help = ATTACH)]
pub(crate) struct AttachArgs {
    /// The pod, or a container of it; can be left out if only one pod runs
    #[arg(value_name = "POD[/CONTAINER]")]
    pub(crate) target: Option<String>,
}

const ATTACH: &str = "\
Examples:
  pillion attach orders/console
  echo reload | pillion attach orders/app
";

/// Show a pod as Kubernetes would
///
/// The pod as its file has it, with the status that `kubectl get pod -o yaml` would show; after its end, the last one. RUN
/// is a pod (`orders`, or `shop/orders` in a namespace), or one of its runs by number (`orders#3`). Secrets are not part
/// of it.
#[derive(Debug, clap::Args)]
#[command(after_help = GET)]
pub(crate) struct GetArgs {
    /// The pod, or one of its runs; can be left out if only one runs, or for the latest run if none does
    #[arg(value_name = "RUN")]
    pub(crate) pod: Option<String>,
    /// The form
    #[arg(long, short, value_name = "FORM", default_value = "yaml")]
    pub(crate) output: GetFormat,
}

/// The forms of a pod.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum GetFormat {
    /// As `kubectl` prints it
    Yaml,
    /// For programs
    Json,
}

const GET: &str = "\
Examples:
  pillion get orders
  pillion get orders -o json | jq .status.phase
  pillion get orders#3                 how an earlier run ended
";
