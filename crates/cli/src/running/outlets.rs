//! Both ends that a run is shown at, and what is done while nobody reads there: containers that write are kept waiting, and
//! everything else goes on.

use crate::live::sink::Sink;
use pillion_runtime::poller::{Poller, Token};
use pillion_runtime::process::Processes;
use pillion_runtime::signals::Signals;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::rc::Rc;

/// Standard output and standard error.
#[derive(Debug)]
pub(super) struct Outlets {
    pub(super) out: Sink,
    pub(super) err: Sink,
    poller: Rc<Poller>,
    /// Which of them nobody reads: it is watched when something can be written there.
    held: [bool; 2],
}

/// What containers write when they end is kept up to here, however many of them end. All of it is in the logs.
const MOST: usize = 4 << 20;

/// Somebody who has asked for the end gets it, and who reads nothing for so long will read nothing more.
const PATIENCE: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// These do not mean that it should end.
const IN_PASSING: [i32; 2] = [libc::SIGWINCH, libc::SIGTSTP];

// === impl Outlets ===

impl Outlets {
    pub(super) fn new(poller: Rc<Poller>) -> io::Result<Self> {
        let out = Sink::new(io::stdout(), None)?;
        let err = Sink::new(io::stderr(), Some(&out))?;
        Ok(Self {
            out,
            err,
            poller,
            held: [false; 2],
        })
    }

    /// Nobody takes what is written.
    pub(super) fn is_stalled(&self) -> bool {
        self.stalled().contains(&true)
    }

    /// So much waits that nothing more should be shown.
    pub(super) fn is_full(&self) -> bool {
        self.out.waiting() >= MOST
    }

    /// Whether [`hold`](Self::hold) would do something.
    pub(super) fn is_due(&self) -> bool {
        self.held != self.stalled()
    }

    /// Keeps containers waiting, or no longer.
    pub(super) fn hold(&mut self, runtime: &mut Processes) {
        let stalled = self.stalled();
        let before = std::mem::replace(&mut self.held, stalled);
        if before.contains(&true) != stalled.contains(&true) {
            runtime.hold_output(self.is_stalled());
        }
        for (index, sink) in self.sinks().into_iter().enumerate() {
            // Whatever waits can be watched: a file on a disk never does.
            let _ = match (before[index], stalled[index]) {
                (false, true) => self.poller.add_writing(sink, Token::Writable),
                (true, false) => self.poller.remove(sink),
                (true, true) | (false, false) => Ok(()),
            };
        }
    }

    /// Writes what waits.
    pub(super) fn pour(&self) -> io::Result<()> {
        let poured = self.out.pour();
        poured.and(self.err.pour())
    }

    /// Writes the rest after the end of the pod. Says whether nothing waits any more.
    pub(super) fn finish(&self, signals: &Signals, asked: bool) -> bool {
        loop {
            // What nobody will ever read does not wait any more.
            let _ = self.pour();
            let stalled = self.sinks().into_iter().filter(|sink| sink.waiting() > 0);
            let mut events = vec![PollFd::new(signals, PollFlags::IN)];
            events.extend(stalled.map(|sink| PollFd::new(sink, PollFlags::OUT)));
            if events.len() == 1 {
                return true;
            }
            if poll(&mut events, asked.then_some(&PATIENCE)) == Ok(0) {
                return false;
            }
            let said = signals.read();
            if said.iter().any(|signal| !IN_PASSING.contains(signal)) {
                return false;
            }
        }
    }

    fn stalled(&self) -> [bool; 2] {
        self.sinks().map(|sink| sink.waiting() > 0)
    }

    fn sinks(&self) -> [&Sink; 2] {
        [&self.out, &self.err]
    }
}
