//! What is left alive of a run when somebody has killed all at once who would have seen to its end.
//!
//! Nobody knows the numbers of such processes, and their parent is whoever adopts orphans on this machine. But whatever a
//! container starts has a socket of its pod in its environment, also what has forked twice and made a session of its own. So
//! the next run of the pod finds them by that, and brings them down before it starts anything. Who has cleared its
//! environment, or has changed its root, is only found in the control group of its container, if that had limits.

use super::room::Taken;
use pillion_engine::Tick;
use pillion_runtime::clock;
use pillion_runtime::guard::cgroup;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A process of a run that is over. Its handle is never that of another one that gets its number later.
struct Survivor {
    pid: i32,
    handle: OwnedFd,
}

/// The variable that leads to them.
const SOCKET: &[u8] = b"PILLION_SOCKET=";

/// Whoever is killed ends within this, unless the kernel itself waits for something.
const PATIENCE: Duration = Duration::from_secs(5);

/// Kills all that is left of a run that had this room, and groups whose names begin so. Says what could not be brought down.
pub(super) fn bring_down(room: &Taken, group: &str) -> Vec<String> {
    let mut told = Vec::new();
    let left = kill_all(room);
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(i32::to_string).collect();
        let left = left.join(", ");
        told.push(format!(
            "processes of an earlier run that was killed are still there: {left}"
        ));
    }
    if let Err(error) = cgroup::clean(group) {
        let error = anyhow::Error::from(error);
        told.push(format!(
            "cannot clean up after an earlier run that was killed: {error:#}"
        ));
    }
    told
}

/// Until nobody is found: they may start others before they are killed. Says who is left.
fn kill_all(room: &Taken) -> Vec<i32> {
    let deadline = clock::now() + PATIENCE;
    let spared = line_of_descent();
    loop {
        let mut found = survivors(room);
        found.retain(|survivor| !spared.contains(&survivor.pid));
        if found.is_empty() || clock::now() >= deadline {
            return found.iter().map(|survivor| survivor.pid).collect();
        }
        for survivor in &found {
            survivor.kill();
        }
        for survivor in &found {
            survivor.wait(deadline);
        }
    }
}

/// This process, and those who have started it: somebody may run the pod again from a shell that is left of it.
fn line_of_descent() -> BTreeSet<i32> {
    let own = rustix::process::getpid().as_raw_pid();
    let line = std::iter::successors(Some(own), |pid| parent(*pid));
    line.take_while(|pid| *pid > 0).collect()
}

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn survivors(room: &Taken) -> Vec<Survivor> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|pid| Survivor::find(pid, room))
        .collect()
}

// === impl Survivor ===

impl Survivor {
    /// The process of that number, if it has a socket of this room.
    fn find(pid: i32, room: &Taken) -> Option<Self> {
        // Opened before it is looked at: if it ends and leaves its number to another one meanwhile, the handle reaches nobody.
        let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        let survivor = Self { pid, handle };
        survivor.is_of(room).then_some(survivor)
    }

    fn is_of(&self, room: &Taken) -> bool {
        // What cannot be read is of somebody else, or has ended.
        let environment = fs::read(self.about("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        let socket = variables.find_map(|variable| variable.strip_prefix(SOCKET));
        let socket = socket.map(|socket| Path::new(OsStr::from_bytes(socket)));
        socket.is_some_and(|socket| socket.starts_with(room.folder())) && self.sees(room)
    }

    /// Whether the path of the room is this very room for it, and not that of a pod in an image that has the same path.
    fn sees(&self, room: &Taken) -> bool {
        let path = room.folder().strip_prefix("/").unwrap_or(room.folder());
        match fs::metadata(self.about("root").join(path)) {
            Ok(seen) => room.is(&seen),
            // One of its volumes may be in front of it. Images have numbers of their own for processes; containers of ours do not.
            Err(_) => {
                fs::read_link(self.about("ns/pid")).ok() == fs::read_link("/proc/self/ns/pid").ok()
            }
        }
    }

    fn about(&self, what: &str) -> PathBuf {
        Path::new("/proc").join(self.pid.to_string()).join(what)
    }

    fn kill(&self) {
        // It may have ended by itself. Who cannot be killed is told of at the end.
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }

    fn wait(&self, deadline: Tick) {
        let left = deadline.since(clock::now());
        let left = Timespec::try_from(left).unwrap_or_default();
        let mut events = [PollFd::new(&self.handle, PollFlags::IN)];
        // If it was interrupted, the next look tells.
        let _ = poll(&mut events, Some(&left));
    }
}
