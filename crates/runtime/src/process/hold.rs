//! Leaves what containers write where it is while nobody takes it further: their pipes become full, and they wait.

use super::Processes;
use super::run::Run;
use crate::poller::Poller;

impl Processes {
    /// From now on, or not any more. What a container still had to say is taken at its end all the same.
    pub fn hold_output(&mut self, hold: bool) {
        self.held = hold;
        for run in self.runs.values() {
            run.hold(&self.poller, hold);
        }
    }
}

impl Run {
    pub(super) fn hold(&self, poller: &Poller, hold: bool) {
        for (pipe, token) in [&self.pipes.stdout, &self.pipes.stderr]
            .into_iter()
            .flatten()
        {
            // What is not in the table, or is there already, is as it should be.
            let _ = if hold {
                poller.remove(pipe)
            } else {
                poller.add(pipe, *token)
            };
        }
    }
}
