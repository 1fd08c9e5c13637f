//! A program as a process that ends with whoever has started it: with the value that stands for it, and, if nobody is left to drop
//! that, with the thread that has started it. Nobody waits for it for ever.

use anyhow::{Context as _, bail};
use pillion_runtime::clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::Duration;

/// A process, as long as this is there.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// How long it may take to end when it is told to.
    patience: Duration,
}

/// `pillion` takes it for the end of a pod at once, without any grace.
const END: &str = "QUIT";

/// The program, to be started with [`Process::start`]. A thread that ends, or a process that becomes another program, ends what it
/// has started: destructors do not.
pub fn bound(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", END]).arg(program);
    command
}

// === impl Process ===

impl Process {
    /// Starts it, by a thread that lives as long as it is to run.
    pub fn start(command: &mut Command, patience: Duration) -> anyhow::Result<Self> {
        let child = command
            .spawn()
            .with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
        Ok(Self { child, patience })
    }

    /// What it writes, for the first who asks.
    pub fn output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Waits for its end, at most so long.
    pub fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        if let Some(status) = self.ended()? {
            return Ok(Some(status));
        }
        let end = pidfd_open(self.pid(), PidfdFlags::empty())?;
        let began = clock::now();
        loop {
            let left = limit.saturating_sub(clock::now().since(began));
            if let Some(status) = self.ended()? {
                return Ok(Some(status));
            }
            if left.is_zero() {
                return Ok(None);
            }
            match poll(
                &mut [PollFd::new(&end, PollFlags::IN)],
                Timespec::try_from(left).ok().as_ref(),
            ) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends it a signal. One that has ended does not hear it.
    pub fn signal(&mut self, signal: Signal) {
        if let Ok(None) = self.ended() {
            // It is ours, so its number is nobody else's before it was waited for.
            let _ = kill_process(self.pid(), signal);
        }
    }

    /// Ends it, with its pod. One that does not end is killed, and that is an error.
    pub fn end(&mut self) -> anyhow::Result<()> {
        // It kills all that runs at once.
        self.signal(Signal::QUIT);
        if self.wait(self.patience)?.is_some() {
            return Ok(());
        }
        self.kill();
        bail!("it does not end within {} s", self.patience.as_secs())
    }

    /// Ends it, whatever it is about to do.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whoever wants to know why has asked for it.
        if self.end().is_err() {
            self.kill();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    use std::thread;

    const LONG: Duration = Duration::from_secs(30);
    const SHORT: Duration = Duration::from_millis(100);

    /// A shell that has said a line. Whoever runs the tests may ignore the signal, and a shell cannot change that.
    fn shell(script: &str, patience: Duration) -> Process {
        let mut command = bound(Path::new("env"));
        command.args(["--default-signal=QUIT", "sh", "-c", script]);
        command.stdout(Stdio::piped());
        let mut process = Process::start(&mut command, patience).unwrap();
        let mut output = BufReader::new(process.output().unwrap());
        output.read_line(&mut String::new()).unwrap();
        process
    }

    #[test]
    fn a_process_ends_with_the_thread_that_has_started_it() {
        let started = thread::spawn(|| shell("echo; exec sleep 600", LONG));
        let mut process = started.join().unwrap();
        assert!(process.wait(LONG).unwrap().is_some());
    }

    #[test]
    fn a_process_that_does_not_end_is_killed_and_told() {
        let mut process = shell("trap '' QUIT; echo; exec sleep 600", SHORT);
        let error = process.end().unwrap_err().to_string();
        assert!(error.contains("does not end within"), "{error}");
        assert!(process.ended().unwrap().is_some());
    }

    #[test]
    fn nobody_waits_longer_than_was_said() {
        let mut process = shell("echo; exec sleep 600", LONG);
        assert_eq!(process.wait(SHORT).unwrap(), None);
        assert!(process.end().is_ok());
    }
}
