//! One program of a cluster: started in the background, known by its number and the time of its start, stopped by no
//! other sign.
//!
//! Numbers of processes are given again, so the number alone would one day name somebody else's process. A member is
//! written down in a file as soon as it runs, all at once, and a later command finds it there. One that cannot be written
//! down is not left running.

use super::network::inside;
use super::place::Places;
use super::wait::until;
use anyhow::{Context as _, bail};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A program that was started.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Member {
    pid: i32,
    /// In ticks of the kernel since the machine was started.
    born: u64,
}

/// How long a program may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(10);

// === impl Member ===

impl Member {
    /// Starts a program inside the cluster's namespace, with a log of its own.
    pub(super) fn start<S: AsRef<OsStr>>(
        places: &Places,
        name: &str,
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> anyhow::Result<Self> {
        let mut command = setsid(&inside(places, program));
        command.args(arguments).stdin(Stdio::null());
        let mut log = File::options();
        let log = log.create(true).append(true).open(log_file(places, name))?;
        command.stdout(log.try_clone()?).stderr(log);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        Self::keep(child, &member_file(places, name))
            .with_context(|| format!("cannot write down that {name} runs"))
    }

    /// Writes down that it runs, or ends it.
    fn keep(mut child: Child, file: &Path) -> anyhow::Result<Self> {
        Self::write_down(&child, file).inspect_err(|_| {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        })
    }

    fn write_down(child: &Child, file: &Path) -> anyhow::Result<Self> {
        let pid = i32::try_from(child.id()).context("a process number is too large")?;
        let born = stat(pid).map(|stat| stat.born);
        let born = born.context("it ended at once")?;
        let draft = file.with_extension("draft");
        let written = fs::write(&draft, format!("{pid} {born}"));
        written
            .and_then(|()| fs::rename(&draft, file))
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { pid, born })
    }

    /// The one that was started under that name.
    pub(super) fn find(places: &Places, name: &str) -> Option<Self> {
        let text = fs::read_to_string(member_file(places, name)).ok()?;
        let (pid, born) = text.split_once(' ')?;
        Some(Self {
            pid: pid.parse().ok()?,
            born: born.parse().ok()?,
        })
    }

    /// Its process number.
    pub(super) fn pid(self) -> i32 {
        self.pid
    }

    /// Whether it still runs. One that has ended and was not waited for does not.
    pub(super) fn is_alive(self) -> bool {
        if let Some(pid) = Pid::from_raw(self.pid) {
            // Ours to wait for if we started it, somebody else's otherwise.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        stat(self.pid).is_some_and(|stat| stat.born == self.born && !stat.is_ended)
    }

    /// Tells it to end, kills it if it does not, and waits until it has.
    pub(super) fn stop(self) -> anyhow::Result<()> {
        for signal in [Signal::TERM, Signal::KILL] {
            self.signal(signal);
            let gone = until("its end", PATIENCE, || Ok(!self.is_alive()));
            if gone.is_ok() {
                return Ok(());
            }
        }
        bail!("process {} cannot be ended", self.pid)
    }

    /// Sends a signal, to nobody else.
    pub(super) fn signal(self, signal: Signal) {
        if !self.is_alive() {
            return;
        }
        if let Some(pid) = Pid::from_raw(self.pid) {
            // It may have ended just now.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Strikes the name of one that was stopped off the list.
pub(super) fn forget(places: &Places, name: &str) -> anyhow::Result<()> {
    let file = member_file(places, name);
    fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))
}

/// The log of a program.
pub(super) fn log_file(places: &Places, name: &str) -> PathBuf {
    places.file(&format!("log/{name}"))
}

/// The end of a program's log, for people.
pub(super) fn last_words(places: &Places, name: &str) -> String {
    let text = fs::read(log_file(places, name)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

fn member_file(places: &Places, name: &str) -> PathBuf {
    places.file(&format!("members/{name}"))
}

/// In a session of its own: what ends our terminal does not end it.
fn setsid(command: &Command) -> Command {
    let mut setsid = Command::new("setsid");
    setsid.arg(command.get_program()).args(command.get_args());
    setsid
}

/// What the kernel says of a process.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Stat {
    pub(super) born: u64,
    is_ended: bool,
}

/// Of this one, if it is there.
pub(super) fn stat(pid: i32) -> Option<Stat> {
    read_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The second word is a name in parentheses, which can hold anything.
fn read_stat(text: &str) -> Option<Stat> {
    let (_, words) = text.rsplit_once(") ")?;
    let mut words = words.split(' ');
    let state = words.next()?;
    // The state is the third word of the line, the start the twenty-second.
    let born = words.nth(18)?.parse().ok()?;
    Some(Stat {
        born,
        is_ended: matches!(state, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_process_is_read_behind_any_name() {
        let line = "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 1";
        let stat = read_stat(line).unwrap();
        assert_eq!((stat.born, stat.is_ended), (4242, false));
        assert!(read_stat(&line.replace(" S ", " Z ")).unwrap().is_ended);
        assert_eq!(read_stat("7 (a"), None);
    }

    fn sleeper() -> Child {
        Command::new("sleep").arg("600").spawn().unwrap()
    }

    #[test]
    fn a_member_that_cannot_be_written_down_is_ended() {
        let child = sleeper();
        let pid = i32::try_from(child.id()).unwrap();
        let folder = tempfile::tempdir().unwrap();

        let kept = Member::keep(child, &folder.path().join("missing/etcd"));

        assert!(kept.is_err());
        assert_eq!(stat(pid), None);
    }

    #[test]
    fn a_member_is_written_down_all_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("etcd");

        let member = Member::keep(sleeper(), &file).unwrap();
        member.stop().unwrap();

        let Member { pid, born } = member;
        assert_eq!(fs::read_to_string(file).unwrap(), format!("{pid} {born}"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn another_process_of_the_same_number_is_not_the_member() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let born = stat(pid).unwrap().born;
        assert!(Member { pid, born }.is_alive());
        let later = born + 1;
        assert!(!Member { pid, born: later }.is_alive());
    }
}
