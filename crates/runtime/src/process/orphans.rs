//! What is left when somebody kills those who should see to it.
//!
//! A guard adopts what a keeper that was killed leaves behind. If the guard itself was killed, its keepers are adopted by this
//! process, and then what they leave behind is, too.

use super::{Processes, Source};
use crate::guard::tree;
use rustix::process::{Pid, getpid, set_child_subreaper};
use std::collections::BTreeSet;
use std::io;

/// Whom this process has to see to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Orphans {
    /// They come here, and all children of this process but the guard are theirs.
    adopts: bool,
    /// A guard was killed, so that there can be some.
    possible: bool,
    /// They are to be brought down as soon as everybody else is known.
    due: bool,
}

impl Processes {
    /// Has this process adopt what nobody else sees to any more, and kill it. Only for a process that starts nothing else.
    pub fn adopt(&mut self) -> io::Result<()> {
        set_child_subreaper(Some(getpid()))?;
        self.orphans.adopts = true;
        Ok(())
    }

    /// Notices when the guard is gone.
    pub(super) fn watch_guard(&mut self) -> io::Result<()> {
        let token = self.token(Source::Guard);
        match self.guard.socket() {
            Some(socket) => self.poller.add(socket, token),
            None => Ok(()),
        }
    }

    /// The guard may be gone: another one takes its place at once.
    pub(super) fn see_to_guard(&mut self) {
        // One that took the place of the guard that this was about may be there already.
        if self.guard.has_ended() {
            // Whoever starts a container next sees what is wrong.
            let _ = self.replace_guard();
        }
    }

    /// Starts another guard in place of one that was killed. Its keepers see to themselves.
    pub(super) fn replace_guard(&mut self) -> io::Result<()> {
        let replaced = self.guard.restart();
        self.orphans.possible = true;
        self.orphans.due = true;
        self.bring_down_orphans();
        replaced?;
        self.watch_guard()
    }

    /// A run is over: its keeper ends, or was killed.
    pub(super) fn keeper_has_gone(&mut self) {
        self.orphans.due |= self.orphans.possible;
        self.bring_down_orphans();
    }

    /// Kills what nobody else sees to, as soon as it can be told from keepers.
    pub(super) fn bring_down_orphans(&mut self) {
        let Orphans { adopts, due, .. } = self.orphans;
        if adopts && due && self.runs.values().all(|run| run.keeper.is_some()) {
            self.orphans.due = false;
            let mut others = self.keepers();
            others.extend(i32::try_from(self.guard.id()));
            tree::bring_down(|pid| others.contains(&pid.as_raw_pid()));
        }
    }

    /// Waits until nobody is left whom the guard has not waited for: it may have been killed a moment ago.
    pub(super) fn wait_for_keepers(orphans: Orphans, keepers: &BTreeSet<i32>) {
        if orphans.adopts {
            for keeper in keepers.iter().copied().filter_map(Pid::from_raw) {
                tree::end_of(keeper);
            }
            tree::bring_down(|_| false);
        }
    }

    pub(super) fn keepers(&self) -> BTreeSet<i32> {
        self.runs.values().filter_map(|run| run.keeper).collect()
    }
}
