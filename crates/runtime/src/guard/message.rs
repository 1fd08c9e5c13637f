//! What `pillion` and a keeper say to each other.

use super::stage::Stage;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What `pillion` wants of a keeper.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Order {
    /// Start the process. The first order, and the only one of its kind; comes with standard input, output and error,
    /// and then with the sockets that the launch names.
    Launch(Launch),
    /// Set a stage and start nothing, to see whether it can be. Instead of a launch, and the last order.
    Rehearse(Box<Stage>),
    /// Run a command beside the process, where the process is: its stage and its sockets are left out of account. Comes
    /// with standard output and error.
    Exec {
        /// How the answer will call it.
        id: u64,
        /// Standard input comes too, before the others; it is empty otherwise.
        #[serde(default)]
        input: bool,
        /// What to run.
        launch: Launch,
    },
    /// Kill a command that runs beside the process, and all that it has started and that has not left its group.
    EndExec {
        /// Which.
        id: u64,
    },
    /// Send a command that runs beside the process a signal, and all that it has started.
    SignalExec {
        /// Which.
        id: u64,
        /// The signal.
        signal: i32,
    },
    /// Send the process a signal, and nobody else.
    Signal(i32),
    /// Kill the process and all it has started.
    Kill,
}

/// A process to start.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Launch {
    /// The program and its arguments; never empty.
    pub command: Vec<String>,
    /// All of its environment.
    pub environment: Vec<(String, String)>,
    /// Where it begins; the keeper's own directory if left out.
    pub directory: Option<PathBuf>,
    /// Standard error is a terminal, and becomes the one that controls it.
    #[serde(default)]
    pub terminal: bool,
    /// The names of the listening sockets that it gets, as systemd hands them over: from descriptor 3 on, with
    /// `LISTEN_FDS`, `LISTEN_FDNAMES` and `LISTEN_PID`.
    #[serde(default)]
    pub sockets: Vec<String>,
    /// What is different around it; nothing if left out.
    #[serde(default)]
    pub stage: Option<Box<Stage>>,
}

/// What a keeper tells.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Report {
    /// The process runs.
    Started {
        /// Under this number.
        pid: i32,
        /// The number of the keeper.
        keeper: i32,
    },
    /// The process could not be started; the keeper is gone.
    StartFailed {
        /// Why the program could not be executed, as the system numbers it; `None` if it did not come so far.
        errno: Option<i32>,
        /// In words.
        message: String,
        /// What to do about it, if that is known.
        hint: Option<String>,
    },
    /// The stage can be set; the keeper is gone.
    Rehearsed,
    /// The process and all it had started are gone, and so is the keeper.
    Exited {
        /// How the process ended.
        outcome: Outcome,
        /// It did not end well, and its group had run out of memory.
        oom: bool,
    },
    /// A command beside the process ended, or could not be run.
    ExecDone {
        /// Which.
        id: u64,
        /// How, or why it never ran.
        outcome: Result<Outcome, NotStarted>,
        /// The process itself had ended before, and takes all that runs beside it along.
        #[serde(default)]
        late: bool,
    },
}

/// Why a process did not come to be.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct NotStarted {
    /// Why the program could not be executed, as the system numbers it; `None` if it did not come so far.
    pub errno: Option<i32>,
    /// In words.
    pub message: String,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Outcome {
    /// By itself.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

// === impl NotStarted ===

impl NotStarted {
    /// Whether the program is not there, as a shell would tell it.
    pub fn is_missing(&self) -> bool {
        self.errno == Some(rustix::io::Errno::NOENT.raw_os_error())
    }
}
