//! Lets somebody join a container: write what it reads, and be in front of its terminal.

use super::Processes;
use pillion_engine::{Attempt, ContainerId};
use std::io;
use std::os::fd::OwnedFd;

/// What somebody gets who joins a container.
#[derive(Debug)]
pub struct Attached {
    /// The run that they have joined.
    pub attempt: Attempt,
    /// It has a terminal, whose outer end is where one writes.
    pub terminal: bool,
    /// Where they write what it reads. Nothing waits there.
    pub input: Option<OwnedFd>,
}

impl Processes {
    /// Joins the run of a container, if there is one.
    ///
    /// With `stdinOnce` the first who comes gets the only way to write: when they close it, the container has read all.
    pub fn attach(&mut self, container: ContainerId) -> io::Result<Option<Attached>> {
        let Some(run) = self.runs.get_mut(&container) else {
            return Ok(None);
        };
        let recipe = &run.definition.recipe;
        let input = if recipe.stdin_once {
            run.pipes.input.take()
        } else {
            let input = run.pipes.input.as_ref();
            input.map(OwnedFd::try_clone).transpose()?
        };
        Ok(Some(Attached {
            attempt: run.attempt,
            terminal: recipe.tty,
            input,
        }))
    }
}
