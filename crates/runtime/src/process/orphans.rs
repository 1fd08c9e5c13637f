//! What is left when somebody kills those who should see to it.
//!
//! A guard adopts what a keeper that was killed leaves behind, and tells when nothing is left of it; only then the run is over, so
//! that no two runs of a container are there at once. If the guard itself was killed, its keepers are adopted by this
//! process, and then what they leave behind is, too.

use super::run::{Keeping, Run};
use super::{Processes, Source};
use crate::guard::tree;
use pillion_engine::{ContainerId, Exit};
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

    /// A keeper tells nothing any more. Its run is over when nothing is left of what it kept.
    pub(super) fn lost(&mut self, container: ContainerId) {
        let Some(run) = self.runs.get_mut(&container) else {
            return;
        };
        if run.keeping == Keeping::Gone {
            return self.exited(container, Exit::unknown());
        }
        run.keeping = Keeping::Lost;
        // If it lives nevertheless, it sees that it is alone; and a socket that is closed would wake us for ever.
        run.channel.close();
        let _ = self.poller.remove(&run.channel);
        if self.guard.tells_of(run.channel.number) {
            // Somebody may have stopped it.
            self.guard.wake();
        } else {
            self.orphans.due = true;
            self.bring_down_orphans();
        }
    }

    /// Nothing is left of what this keeper kept.
    fn keeper_is_gone(&mut self, number: u64) {
        let mut runs = self.runs.iter_mut();
        let run = runs.find(|(_, run)| run.channel.number == number);
        if let Some((&container, run)) = run {
            run.keeping = Keeping::Gone;
            // It may have told how its process ended.
            self.hear(container);
        }
    }

    /// A keeper is gone, or the guard may be: then another one takes its place at once.
    pub(super) fn see_to_guard(&mut self) {
        for number in self.guard.gone() {
            self.keeper_is_gone(number);
        }
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
        let is_known = |run: &Run| run.keeper.is_some() || run.keeping != Keeping::Talks;
        if !due || adopts && !self.runs.values().all(is_known) {
            return;
        }
        self.orphans.due = false;
        if adopts {
            let mut others = self.keepers();
            others.extend(i32::try_from(self.guard.id()));
            tree::bring_down(|pid| others.contains(&pid.as_raw_pid()));
        }
        // Nobody else would tell of these.
        let is_over =
            |run: &Run| run.keeping == Keeping::Lost && !self.guard.tells_of(run.channel.number);
        let runs = self.runs.iter().filter(|(_, run)| is_over(run));
        let over: Vec<_> = runs.map(|(container, _)| *container).collect();
        for container in over {
            self.exited(container, Exit::unknown());
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

    /// The keepers that see to what they keep.
    pub(super) fn keepers(&self) -> BTreeSet<i32> {
        let runs = self.runs.values();
        let runs = runs.filter(|run| run.keeping == Keeping::Talks);
        runs.filter_map(|run| run.keeper).collect()
    }
}
