//! Other supervisors, and what they want to be told to do the same.

mod files;

use super::pods::Shape;
use super::yard::{Round, Yard};
use std::path::PathBuf;
use std::process::Command;

/// A supervisor that is there.
pub(super) struct Peer {
    pub(super) kind: Kind,
    /// Where its programs are.
    pub(super) programs: PathBuf,
}

/// Which.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    S6,
    Runit,
    Supervisord,
    Circus,
    Horust,
    Procman,
    Decompose,
}

// === impl Kind ===

impl Kind {
    pub(super) const ALL: [Self; 7] = [
        Self::S6,
        Self::Runit,
        Self::Supervisord,
        Self::Circus,
        Self::Horust,
        Self::Procman,
        Self::Decompose,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::S6 => "s6",
            Self::Runit => "runit",
            Self::Supervisord => "supervisord",
            Self::Circus => "circus",
            Self::Horust => "Horust",
            Self::Procman => "procman",
            Self::Decompose => "decompose",
        }
    }

    /// The program that is started.
    pub(super) const fn program(self) -> &'static str {
        match self {
            Self::S6 => "s6-svscan",
            Self::Runit => "runsvdir",
            Self::Supervisord => "supervisord",
            Self::Circus => "circusd",
            Self::Horust => "horust",
            Self::Procman => "procman",
            Self::Decompose => "decompose",
        }
    }

    /// Those that look again once a second, or once in a while.
    pub(super) const fn is_slow(self) -> bool {
        match self {
            Self::Horust | Self::Procman | Self::Decompose => true,
            Self::S6 | Self::Runit | Self::Supervisord | Self::Circus => false,
        }
    }
}

// === impl Peer ===

impl Peer {
    /// How it starts so many children in that shape; `None` if it has no way to do so.
    pub(super) fn command(
        &self,
        shape: Shape,
        count: u32,
        yard: &Yard,
        round: &Round,
    ) -> anyhow::Result<Option<Command>> {
        let Some(arguments) = files::write(self.kind, shape, count, yard, round)? else {
            return Ok(None);
        };
        let mut command = Command::new(self.programs.join(self.kind.program()));
        command.args(arguments);
        let usual = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{usual}", self.programs.display()));
        // Decompose keeps its sockets there.
        command.env("XDG_RUNTIME_DIR", &round.folder);
        command.env("XDG_STATE_HOME", &round.folder);
        Ok(Some(command))
    }
}
