//! What a command that was killed leaves behind.
//!
//! A command beside a container's process may have started something that left its session: a signal to the session does not
//! reach it, and nobody but the command knows it. Once the command is dead, the keeper adopts it like all that the container
//! itself leaves, and could not tell it apart any more. So it is noted before the kill, and goes when it is adopted.

use super::tree;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;

/// Those that go as soon as they are children of this process, and when each of them began.
#[derive(Debug, Default)]
pub(super) struct Doomed {
    beginnings: HashMap<Pid, u64>,
}

// === impl Doomed ===

impl Doomed {
    /// Notes all that a process has started, before it is killed.
    pub(super) fn note(&mut self, process: Pid) {
        let below = tree::descendants(process).into_iter();
        let below = below.filter_map(|pid| Some((pid, tree::beginning(pid)?)));
        self.beginnings.extend(below);
    }

    /// Kills those that have become children. What they have started themselves follows when they have ended.
    pub(super) fn kill(&mut self) {
        if self.beginnings.is_empty() {
            return;
        }
        // Whoever was waited for by somebody else has left a number that another one may get.
        self.beginnings
            .retain(|pid, beginning| tree::beginning(*pid) == Some(*beginning));
        for child in tree::children() {
            if self.beginnings.contains_key(&child) {
                self.note(child);
                // It may have ended by itself; then nobody gets it.
                let _ = kill_process(child, Signal::KILL);
            }
        }
    }
}
