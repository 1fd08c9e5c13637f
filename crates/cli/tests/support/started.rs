//! A command that a test has started. What it says is waited for, but not for ever, and it does not outlive the test.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{BufRead as _, BufReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A process that was started. Dropped, it is killed.
pub(crate) struct Started {
    child: Option<Child>,
    handle: OwnedFd,
}

/// Whatever takes longer than this hangs, also on a machine with much to do.
pub(crate) const LIMIT: Duration = Duration::from_mins(2);

// === impl Started ===

impl Started {
    pub(crate) fn of(command: &mut Command) -> Self {
        let child = command.spawn().expect("it was built");
        let handle = pidfd_open(pid(child.id()), PidfdFlags::empty());
        Self {
            child: Some(child),
            handle: handle.expect("nobody has waited for it"),
        }
    }

    /// Runs a command to its end.
    pub(crate) fn output(command: &mut Command) -> Output {
        Self::of(command.stdout(Stdio::piped()).stderr(Stdio::piped())).end()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().expect("it is there").id()
    }

    /// What it reads from. Dropped, that is all there is.
    pub(crate) fn input(&mut self) -> ChildStdin {
        let child = self.child.as_mut().expect("it is there");
        child.stdin.take().expect("it is piped")
    }

    /// Its output until it contains this.
    pub(crate) fn hear(&mut self, until: &str) -> String {
        let child = self.child.as_mut().expect("it is there");
        hear(child.stdout.as_mut().expect("it is piped"), until)
    }

    /// Its errors until they contain this.
    pub(crate) fn hear_errors(&mut self, until: &str) -> String {
        let child = self.child.as_mut().expect("it is there");
        hear(child.stderr.as_mut().expect("it is piped"), until)
    }

    /// All lines of its output, whether anybody takes them or not.
    pub(crate) fn lines(&mut self) -> Receiver<String> {
        let child = self.child.as_mut().expect("it is there");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let (heard, lines) = channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // If the test is over, nobody listens.
                let _ = heard.send(line);
            }
        });
        lines
    }

    pub(crate) fn signal(&self, signal: Signal) {
        pidfd_send_signal(&self.handle, signal).expect("it runs");
    }

    /// Waits for its end, and for what it has not said yet.
    pub(crate) fn end(mut self) -> Output {
        let child = self.child.take().expect("it is there");
        let (ended, end) = channel();
        thread::spawn(move || ended.send(child.wait_with_output()));
        match end.recv_timeout(LIMIT) {
            Ok(output) => output.expect("it is ours"),
            Err(error) => {
                // It may have ended, and something else may have its output.
                let _ = pidfd_send_signal(&self.handle, Signal::KILL);
                panic!("{error}: it does not end");
            }
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Reads what somebody says until they have said this.
pub(crate) fn hear(from: &mut (impl Read + AsFd), until: &str) -> String {
    let mut heard = String::new();
    let mut byte = [0];
    while !heard.contains(until) {
        assert!(has_something(from), "`{until}` is not in {heard}");
        let read = from.read(&mut byte).expect("it can be read");
        assert_eq!(read, 1, "it ended after {heard}");
        heard.push(char::from(byte[0]));
    }
    heard
}

/// Waits until a descriptor can be read; says whether that came in time.
pub(crate) fn has_something(descriptor: &impl AsFd) -> bool {
    let limit = Timespec::try_from(LIMIT).expect("it is short");
    let mut events = [PollFd::new(descriptor, PollFlags::IN)];
    poll(&mut events, Some(&limit)) == Ok(1)
}

pub(crate) fn pid(number: u32) -> Pid {
    let number = i32::try_from(number).expect("numbers of processes are small");
    Pid::from_raw(number).expect("it is not 0")
}
