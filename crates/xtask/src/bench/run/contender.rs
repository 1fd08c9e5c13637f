//! Those who are measured: the bare loop, Pillion, and its peers, each started with a file of its own kind.

use super::peer::Peer;
use super::pods::Shape;
use super::yard::{Round, Yard};
use std::path::PathBuf;
use std::process::Command;

/// One of them.
pub(super) enum Contender {
    /// `std::process::Command` in a loop.
    Bare,
    /// This project, and where its program is.
    Pillion(PathBuf),
    /// Another supervisor.
    Peer(Peer),
}

// === impl Contender ===

impl Contender {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Pillion(_) => "Pillion",
            Self::Peer(peer) => peer.kind.name(),
        }
    }

    /// How to start so many children in that shape; `None` if it cannot do that.
    pub(super) fn command(
        &self,
        shape: Shape,
        count: u32,
        yard: &Yard,
        round: &Round,
    ) -> anyhow::Result<Option<Command>> {
        match self {
            Self::Bare => Ok(bare(shape, count, yard, round)),
            Self::Pillion(program) => {
                let pod = round.write("pod.yaml", &shape.pod(count, yard, round))?;
                let mut command = Command::new(program);
                command
                    .args(["run", "--quiet"])
                    .arg(pod)
                    .env("XDG_STATE_HOME", &round.folder)
                    // The run before was killed, and what it left would be looked through first.
                    .env("PILLION_RUNTIME_DIR", round.folder.join("run"));
                Ok(Some(command))
            }
            Self::Peer(peer) => peer.command(shape, count, yard, round),
        }
    }

    /// Whether one step of it takes so long that a short chain must do.
    pub(super) fn is_slow(&self) -> bool {
        matches!(self, Self::Peer(peer) if peer.kind.is_slow())
    }
}

fn bare(shape: Shape, count: u32, yard: &Yard, round: &Round) -> Option<Command> {
    let verb = match shape {
        Shape::Oneshots => "chain",
        Shape::Notify => "notify",
        Shape::AtOnce => "at-once",
        Shape::Probed | Shape::Idle => return None,
    };
    let mut command = Command::new(yard.child());
    command.args([verb, &count.to_string(), round.stamps()]);
    Some(command)
}
