//! Everything the engine can ask its driver for.

use crate::event::Attempt;
use crate::pod::{ContainerId, HookKind, ProbeKind};
use crate::tick::Tick;
use std::time::Duration;

/// Something the driver should do now.
///
/// Actions on one container are carried out in the order in which they were handed out. None of
/// them needs to have ended before the next one is taken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Action {
    /// Get the image. Answer: `Pulled` or `PullFailed`.
    Pull {
        /// Whose image.
        container: ContainerId,
        /// For which run.
        attempt: Attempt,
        /// Which definition of the container: 0 is the first, each replacement adds one.
        version: u32,
    },
    /// Nobody waits for that image any more: no answer to that pull may follow.
    CancelPull {
        /// Whose image.
        container: ContainerId,
        /// For which run.
        attempt: Attempt,
    },
    /// Create the container and start its process. Answer: `Started`, `StartFailed` or `Exited`.
    Start {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// Which definition of the container.
        version: u32,
        /// The container's own command, or the one that reverses it.
        command: Command,
    },
    /// Run a hook. Answer: `HookDone`. A hook that is not wanted any more (its container is told to stop, or is gone) dies with its container.
    RunHook {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// Which hook.
        hook: HookKind,
        /// When nobody waits for it any longer.
        deadline: Option<Tick>,
    },
    /// Make one attempt of a probe. Answer: `Probed`; a failure after `timeout`.
    Probe {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// Which probe.
        probe: ProbeKind,
        /// How long the attempt may take.
        timeout: Duration,
    },
    /// Send the stop signal now, and kill at `deadline`. Asked again, the deadline is never later. Answer: `Exited`.
    Stop {
        /// Whose.
        container: ContainerId,
        /// Which run.
        attempt: Attempt,
        /// When to kill; a deadline that has passed means at once.
        deadline: Tick,
    },
}

/// Which command of a container to run.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Command {
    /// Its own.
    Run,
    /// The one that reverses a oneshot.
    Undo,
}

// === impl Action ===

impl Action {
    /// Which container it is about, and which run of it.
    pub const fn container(&self) -> (ContainerId, Attempt) {
        match *self {
            Self::Pull {
                container, attempt, ..
            }
            | Self::CancelPull { container, attempt }
            | Self::Start {
                container, attempt, ..
            }
            | Self::RunHook {
                container, attempt, ..
            }
            | Self::Probe {
                container, attempt, ..
            }
            | Self::Stop {
                container, attempt, ..
            } => (container, attempt),
        }
    }
}
