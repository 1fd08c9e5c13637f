//! What becomes of a cluster when the command that has brought it up is interrupted: it goes first.
//!
//! ```text
//!   Ctrl-C, SIGTERM, SIGHUP, SIGQUIT ─▶ handler ─▶ a thread ─▶ exec ─▶ `cluster down` ─▶ 128 + the signal's number
//! ```
//!
//! The process becomes another program, so that no thread of it can start anything that nobody would take down. Until then
//! no signal is blocked: that would be inherited by every program that is started, those of the cluster among them.
//! Destructors do not run then, so what runs pods on this machine is started by
//! [`bound`](pillion_testkit::program::process::bound): it ends with the thread that has started it.

use anyhow::Context as _;
use pillion_runtime::signals::Caught;
use rustix::process::Signal;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// As long as this is there, the cluster goes with this command.
#[must_use = "a cluster is taken along as long as this is there"]
pub(crate) struct TakenAlong(());

/// The cluster that goes with this command. A chore has one at a time.
static OWN: Mutex<Option<String>> = Mutex::new(None);

/// This program, though it may have been built anew meanwhile.
pub(crate) const SELF: &str = "/proc/self/exe";

/// Within this, another signal is the same one.
const ECHO: Duration = Duration::from_millis(200);

/// What ends a command from outside.
const SIGNALS: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];

/// Takes the cluster of that name down if this command is interrupted from now on.
pub(crate) fn take_along(name: &str) -> anyhow::Result<TakenAlong> {
    listen()?;
    *own() = Some(name.to_owned());
    Ok(TakenAlong(()))
}

/// What a command that was ended by a signal ends with, as shells have it.
pub(crate) fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// Says something that nobody may be there to hear: the terminal may be what is gone.
pub(crate) fn mutter(what: &str) {
    let _ = writeln!(io::stderr(), "{what}");
}

fn own() -> MutexGuard<'static, Option<String>> {
    // A name is whole, whoever panics.
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Once in a process; nothing is caught before there is a cluster.
fn listen() -> anyhow::Result<()> {
    static LISTENS: OnceLock<()> = OnceLock::new();
    if LISTENS.set(()).is_err() {
        return Ok(());
    }
    let signals = SIGNALS.map(Signal::as_raw);
    let mut caught = Caught::new(&signals).context("cannot catch signals")?;
    thread::spawn(move || {
        if let Ok(signal) = caught.wait() {
            end(signal);
        }
    });
    Ok(())
}

/// Ends this command as that signal would, its cluster first.
pub(crate) fn end(signal: i32) -> ! {
    // Once: whoever comes second waits for the first to become another program.
    static ENDS: Mutex<()> = Mutex::new(());
    let _ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = own().take() {
        // `timeout` signals its child and then the group that the child is in: that is one interruption.
        thread::park_timeout(ECHO);
        mutter(&format!(
            "\ninterrupted: the cluster `{name}` is taken down first"
        ));
        let error = down(&name, signal).exec();
        mutter(&format!(
            "it cannot be taken down; `cargo xtask cluster down --name {name}` does it: {error}"
        ));
    }
    exit(exit_code(signal))
}

fn down(name: &str, signal: i32) -> Command {
    let mut down = Command::new(SELF);
    down.arg0("xtask")
        .args(["cluster", "down", "--name", name, "--interrupted-by"])
        .arg(signal.to_string());
    down
}

// === impl TakenAlong ===

impl Drop for TakenAlong {
    fn drop(&mut self) {
        own().take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn an_interrupted_command_becomes_one_that_there_is() {
        let down = down("test", Signal::TERM.as_raw());
        let words = down.get_args().map(|word| word.to_str().unwrap());
        let words = ["xtask"].into_iter().chain(words);
        assert!(crate::Args::try_parse_from(words).is_ok());
    }

    #[test]
    fn the_exit_code_tells_the_signal() {
        assert_eq!(exit_code(Signal::INT.as_raw()), 130);
        assert_eq!(exit_code(Signal::TERM.as_raw()), 143);
    }
}
