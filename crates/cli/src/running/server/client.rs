//! Somebody who talks to the pod.

use crate::control::bytes::Bytes;
use crate::control::message::Answer;
use pillion_engine::{Attempt, ContainerId, Tick};
use pillion_runtime::guard::ChannelError;
use pillion_runtime::lines::Lines;
use pillion_runtime::poller::{Poller, Token};
use pillion_spec::source::MAX_SIZE;
use serde::Serialize;
use std::io;

/// One conversation.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) lines: Lines,
    pub(super) who: Who,
    pub(super) doing: Doing,
    /// When it is let go, if nothing comes of it.
    pub(super) until: Option<Tick>,
    /// It has missed something, because it had not read what was told before.
    pub(super) behind: bool,
    /// So many bytes of a container's output were not told, for the same reason.
    missed: u64,
    writing: bool,
}

/// Who it is, by the door they came through.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Who {
    /// Somebody at another terminal.
    Person,
    /// A process of this container.
    Container(ContainerId),
}

/// How far a conversation has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Doing {
    /// Nothing was asked yet.
    Asking,
    /// Told how the pod stands, whenever that changes.
    Watching,
    /// The same, until a file that they brought was applied.
    Applying,
    /// There until the pod is gone.
    Waiting,
    /// This command runs for them.
    Running(u64),
    /// Told what this run of a container writes.
    Attached(ContainerId, Attempt),
    /// All was said.
    Leaving,
}

/// Whoever has not read so much of a container's output will not hear of the rest.
const MOST_UNREAD: usize = 4 << 20;

// === impl Client ===

impl Client {
    pub(super) const fn new(lines: Lines, who: Who, until: Tick) -> Self {
        Self {
            lines,
            who,
            doing: Doing::Asking,
            until: Some(until),
            behind: false,
            missed: 0,
            writing: false,
        }
    }

    /// Tells something, if what was told before has been read.
    pub(super) fn tell(&mut self, message: &impl Serialize) -> Result<(), ChannelError> {
        self.behind = self.lines.has_pending();
        if self.behind {
            return Ok(());
        }
        self.lines.queue(message)?;
        self.lines.flush()
    }

    /// Shows what a container wrote, unless too much of it waits to be read already.
    pub(super) fn show(&mut self, stderr: bool, bytes: &[u8]) -> Result<(), ChannelError> {
        if self.lines.pending() > MOST_UNREAD {
            self.missed += bytes.len() as u64;
            return Ok(());
        }
        self.tell_missed()?;
        self.lines.queue(&Answer::Output {
            stderr,
            bytes: Bytes(bytes.to_vec()),
        })?;
        self.lines.flush()
    }

    fn tell_missed(&mut self) -> Result<(), ChannelError> {
        match std::mem::take(&mut self.missed) {
            0 => Ok(()),
            missed => self.lines.queue(&Answer::Missed(missed)),
        }
    }

    /// Says the last word, to be read until then.
    pub(super) fn answer(&mut self, answer: &Answer, until: Tick) -> Result<(), ChannelError> {
        self.doing = Doing::Leaving;
        self.until = Some(until);
        self.tell_missed()?;
        self.lines.queue(answer)?;
        self.lines.flush()
    }

    /// Goes on for as long as it takes.
    pub(super) fn stay(&mut self, doing: Doing) {
        self.doing = doing;
        self.until = None;
    }

    /// Wants to be woken when there is room for what is still to be written.
    pub(super) fn watch_writing(
        &mut self,
        poller: &Poller,
        token: Token,
        writing: bool,
    ) -> io::Result<()> {
        if self.writing != writing {
            poller.watch_writing(&self.lines, token, writing)?;
            self.writing = writing;
        }
        Ok(())
    }
}

// === impl Doing ===

impl Doing {
    /// Whether they are told how the pod stands.
    pub(super) const fn watches(self) -> bool {
        match self {
            Self::Watching | Self::Applying => true,
            Self::Asking
            | Self::Waiting
            | Self::Running(_)
            | Self::Attached(..)
            | Self::Leaving => false,
        }
    }
}

// === impl Who ===

impl Who {
    /// The files of people are long, as a string of JSON even longer; containers have little to say.
    pub(super) const fn longest_line(self) -> usize {
        match self {
            Self::Person => 3 * MAX_SIZE,
            Self::Container(_) => 4 << 10,
        }
    }
}
