//! What `pillion` and a keeper say to each other.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What `pillion` wants of a keeper.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Order {
    /// Start the process. The first order, and the only one of its kind; comes with standard input, output and error.
    Launch(Launch),
    /// Run a command beside the process. Comes with standard output and error.
    Exec {
        /// How the answer will call it.
        id: u64,
        /// What to run.
        launch: Launch,
    },
    /// Kill a command that runs beside the process.
    EndExec {
        /// Which.
        id: u64,
    },
    /// Send the process a signal.
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
}

/// What a keeper tells.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Report {
    /// The process runs.
    Started {
        /// Under this number.
        pid: i32,
    },
    /// The process could not be started; the keeper is gone.
    StartFailed {
        /// The error's number, if the system has one.
        errno: Option<i32>,
        /// In words.
        message: String,
    },
    /// The process and all it had started are gone, and so is the keeper.
    Exited(Outcome),
    /// A command beside the process ended, or could not be run.
    ExecDone {
        /// Which.
        id: u64,
        /// How, or why it never ran.
        outcome: Result<Outcome, String>,
    },
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Outcome {
    /// By itself.
    Code(i32),
    /// By a signal.
    Signal(i32),
}
