//! Somebody who sits at a terminal and types.

use pillion_runtime::terminal::{Size, Terminal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid};
use rustix::termios::{LocalModes, tcgetattr};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// A terminal with a command in it.
pub(crate) struct Seat {
    terminal: Terminal,
    child: Child,
    /// What nobody was told yet. A read may end in the middle of a character.
    seen: Vec<u8>,
}

/// Whatever takes longer than this hangs, also on a machine with much to do.
const LIMIT: Duration = Duration::from_mins(2);

// === impl Seat ===

impl Seat {
    /// Runs a command in a terminal that it controls.
    pub(crate) fn run(command: &Command) -> Self {
        Self::run_in(command, 100)
    }

    /// The same in one that is so wide.
    pub(crate) fn run_in(command: &Command, columns: u16) -> Self {
        let size = Size { columns, rows: 30 };
        let terminal = Terminal::open(size).expect("there is one more");
        let copy = || -> OwnedFd { terminal.inner.try_clone().expect("it can be") };
        let mut inner = Command::new("setsid");
        inner
            .arg("--ctty")
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear()
            .env("TERM", "vt100")
            .env("NO_COLOR", "1")
            .stdin(copy())
            .stdout(copy())
            .stderr(copy());
        for (name, value) in command.get_envs() {
            inner.env(name, value.expect("nothing is taken away"));
        }
        let child = inner.spawn().expect("setsid is there");
        Self {
            terminal,
            child,
            seen: Vec::new(),
        }
    }

    pub(crate) fn types(&self, keys: &str) {
        let written = write(&self.terminal.outer, keys.as_bytes());
        assert_eq!(written, Ok(keys.len()));
    }

    /// Waits until this is seen; tells all that was seen before and nobody was told.
    pub(crate) fn sees(&mut self, wanted: &str) -> String {
        loop {
            let mut windows = self.seen.windows(wanted.len());
            if let Some(at) = windows.position(|window| window == wanted.as_bytes()) {
                let rest = self.seen.split_off(at + wanted.len());
                let seen = std::mem::replace(&mut self.seen, rest);
                return String::from_utf8_lossy(&seen).into_owned();
            }
            let mut bytes = [0; 4096];
            match read(&self.terminal.outer, &mut bytes) {
                Ok(count) => self.seen.extend_from_slice(&bytes[..count]),
                Err(Errno::AGAIN) => self.wait(wanted),
                Err(error) => panic!("{error}: `{wanted}` is not in {:?}", self.text()),
            }
        }
    }

    /// Says something to a program that repeats what it reads, so that it is certain who has the terminal.
    pub(crate) fn converses(&mut self) {
        self.types("anybody there?\r");
        // What is typed is seen once, and what is repeated.
        self.sees("anybody there?\r\n");
        self.sees("anybody there?\r\n");
    }

    fn wait(&self, wanted: &str) {
        let limit = Timespec::try_from(LIMIT).expect("it is short");
        let mut events = [PollFd::new(&self.terminal.outer, PollFlags::IN)];
        let came = poll(&mut events, Some(&limit));
        assert_eq!(came, Ok(1), "`{wanted}` is not in {:?}", self.text());
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let size = Size { columns, rows };
        size.apply_to(&self.terminal.outer).expect("it is ours");
    }

    /// Whether the terminal does itself what keys mean.
    pub(crate) fn is_usual(&self) -> bool {
        let modes = tcgetattr(&self.terminal.inner).expect("it is a terminal");
        let usual = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        modes.local_modes.contains(usual)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the command is stopped: it has the terminal no more, and has not ended.
    pub(crate) fn is_left(&self) {
        let child = self.child.id().try_into().ok().and_then(Pid::from_raw);
        let (told, stopped) = channel();
        // If it ends instead, nobody is told that it was stopped.
        thread::spawn(move || told.send(waitpid(child, WaitOptions::UNTRACED)));
        let status = stopped.recv_timeout(LIMIT).expect("it is stopped");
        let status = status.expect("it is ours");
        assert!(status.is_some_and(|(_, status)| status.stopped()));
    }

    /// Waits for the end of the command.
    pub(crate) fn end(mut self) -> (ExitStatus, Self) {
        let child = self.child.id().try_into().ok().and_then(Pid::from_raw);
        let child = child.expect("it has a number");
        let child = pidfd_open(child, PidfdFlags::empty()).expect("nobody has waited for it");
        let limit = Timespec::try_from(LIMIT).expect("it is short");
        let ended = poll(&mut [PollFd::new(&child, PollFlags::IN)], Some(&limit));
        assert_eq!(ended, Ok(1), "it goes on after {:?}", self.text());
        (self.child.wait().expect("it is ours"), self)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // It may have ended, and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
