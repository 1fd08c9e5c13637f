//! One run of a container: its keeper, and what it writes.

use super::ask::Door;
use super::definition::Definition;
use super::last_words::LastWords;
use super::ready::line::LineWatch;
use super::ready::notify::NotifySocket;
use crate::guard::{Channel, ChannelError, Order, Outcome};
use crate::poller::{Poller, Token};
use crate::process::beside::Beside;
use crate::runtime::Stream;
use pillion_engine::{Attempt, Command, Exit};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

/// A process, as it is seen from here.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) attempt: Attempt,
    pub(super) command: Command,
    pub(super) definition: Rc<Definition>,
    pub(super) channel: Channel,
    /// Its number, once it runs.
    pub(super) pid: Option<i32>,
    /// That of its keeper, once it runs.
    pub(super) keeper: Option<i32>,
    pub(super) keeping: Keeping,
    pub(super) pipes: Pipes,
    pub(super) told_to_stop: bool,
    /// What runs beside it, by the numbers of the commands.
    pub(super) beside: BTreeMap<u64, Beside>,
    pub(super) notify: Option<NotifySocket>,
    pub(super) door: Door,
    pub(super) lines: Option<[LineWatch; 2]>,
    pub(super) last_words: LastWords,
    /// Where its descriptors stand in the table.
    pub(super) tokens: Vec<Token>,
}

/// What is known of a keeper.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Keeping {
    /// It can be talked to.
    Talks,
    /// It cannot any more, and what it kept may be there still.
    Lost,
    /// Nothing is left of what it kept.
    Gone,
}

/// Our ends of what a process reads and writes.
#[derive(Debug, Default)]
pub(super) struct Pipes {
    /// Kept open as long as the run, if it wants to read, or until somebody else has it.
    pub(super) input: Option<OwnedFd>,
    pub(super) stdout: Option<(OwnedFd, Token)>,
    pub(super) stderr: Option<(OwnedFd, Token)>,
    #[expect(dead_code, reason = "open is all that it is for")]
    pub(super) held: Option<OwnedFd>,
}

// === impl Run ===

impl Run {
    /// The program that it runs, and its arguments.
    pub(super) fn words(&self) -> &[String] {
        let recipe = &self.definition.recipe;
        match self.command {
            Command::Run => &recipe.command,
            Command::Undo => recipe.undo.as_deref().unwrap_or_default(),
        }
    }

    /// All variables of its process and of what runs beside it: those of the recipe, and those that only a run can know.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let notify = self.notify.as_ref().map(NotifySocket::path);
        let known = [
            ("PILLION_TERMINATION_LOG", Some(self.last_words.file())),
            ("NOTIFY_SOCKET", notify),
        ];
        let known = known.into_iter().filter_map(|(name, path)| {
            let value = path?.to_string_lossy().into_owned();
            Some((name.to_owned(), value))
        });
        let others = self.definition.other_volumes.iter().map(|(name, path)| {
            let value = path.to_string_lossy().into_owned();
            (name.clone(), value)
        });
        let recipe = self.definition.recipe.environment.iter();
        recipe.cloned().chain(others).chain(known).collect()
    }

    /// Tells the keeper to do something. If it is gone, that is noticed when it is listened to.
    pub(super) fn order(&self, order: &Order) {
        // What went wrong was seen to.
        let _ = self.send(order, &[]);
    }

    /// The same with descriptors. A keeper that takes no orders any more is killed: then others see to what it keeps, and it
    /// is listened to for the last time.
    pub(super) fn send(
        &self,
        order: &Order,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), ChannelError> {
        let sent = self.channel.send(order, descriptors);
        if let Err(ChannelError::Io(error)) = &sent
            && error.kind() == io::ErrorKind::TimedOut
        {
            self.signal_keeper(Signal::KILL);
        }
        sent
    }

    /// Kills the process and all it has started.
    pub(super) fn kill(&self) {
        self.order(&Order::Kill);
        self.wake();
    }

    /// Lets the keeper go on if somebody has stopped it.
    pub(super) fn wake(&self) {
        self.signal_keeper(Signal::CONT);
    }

    fn signal_keeper(&self, signal: Signal) {
        if let Some(keeper) = self.keeper.and_then(Pid::from_raw) {
            // It may be gone; then that is noticed when it is listened to.
            let _ = kill_process(keeper, signal);
        }
    }

    /// What was written, if anything; an error when nobody will write any more.
    pub(super) fn read(&mut self, stream: Stream, most: usize) -> Result<Option<Vec<u8>>, ()> {
        let Some((pipe, _)) = self.pipes.of(stream) else {
            return Err(());
        };
        let mut bytes = Vec::with_capacity(most);
        match rustix::io::read(pipe, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => Err(()),
            Ok(_) => {
                bytes.shrink_to_fit();
                Ok(Some(bytes))
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(_) => Err(()),
        }
    }

    /// Closes our end of a stream.
    pub(super) fn close(&mut self, stream: Stream, poller: &Poller) -> Option<Token> {
        let pipe = match stream {
            Stream::Stdout => &mut self.pipes.stdout,
            Stream::Stderr => &mut self.pipes.stderr,
        };
        let (pipe, token) = pipe.take()?;
        forget(poller, &pipe);
        Some(token)
    }

    /// Takes all that it can tell out of the table. To close it is not enough: whoever has joined a terminal has the same
    /// end of it, and would keep it there, to wake us for ever.
    pub(super) fn leave(&self, poller: &Poller) {
        forget(poller, &self.channel);
        forget(poller, &self.door);
        if let Some(notify) = &self.notify {
            forget(poller, notify);
        }
        let pipes = [&self.pipes.stdout, &self.pipes.stderr];
        for (pipe, _) in pipes.into_iter().flatten() {
            forget(poller, pipe);
        }
    }

    /// Whether the line that makes it ready is in there. Looked for until it is found.
    pub(super) fn finds_line(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let found = self.lines.as_mut().is_some_and(|[stdout, stderr]| {
            let watch = match stream {
                Stream::Stdout => stdout,
                Stream::Stderr => stderr,
            };
            watch.matches(bytes)
        });
        if found {
            self.lines = None;
        }
        found
    }
}

// === impl Pipes ===

impl Pipes {
    fn of(&self, stream: Stream) -> Option<&(OwnedFd, Token)> {
        match stream {
            Stream::Stdout => self.stdout.as_ref(),
            Stream::Stderr => self.stderr.as_ref(),
        }
    }
}

fn forget(poller: &Poller, descriptor: impl AsFd) {
    // It may not be there for now: a door that is closed is not.
    let _ = poller.remove(descriptor);
}

/// How a process ended, as the engine takes it.
pub(super) fn exit(outcome: Outcome, oom: bool) -> Exit {
    let exit = match outcome {
        Outcome::Code(code) => Exit::code(code),
        Outcome::Signal(signal) => Exit::signal(signal),
    };
    Exit { oom, ..exit }
}
