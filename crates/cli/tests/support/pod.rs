//! A pod of the real program in a folder of its own, and what can be seen of it from outside.
//!
//! Everything that is waited for has a limit far beyond what it takes, so that what hangs fails.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// A pod that can be run, and where it keeps things.
pub(crate) struct Pod {
    pub(crate) name: String,
    folder: TempDir,
}

/// A pod that `pillion run` runs. Dropped, it is killed.
pub(crate) struct Running {
    process: Process,
    child: Child,
    lines: Receiver<String>,
    notes: Option<thread::JoinHandle<String>>,
}

/// How a run ended, and what was heard since it was last listened to.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The code, or 128 and the number of the signal.
    pub(crate) code: i32,
    pub(crate) lines: Vec<String>,
    pub(crate) notes: String,
}

/// A process that cannot be taken for another one that gets its number later.
pub(crate) struct Process {
    pub(crate) pid: i32,
    handle: OwnedFd,
}

/// Whatever takes longer than this hangs, also on a machine with much to do.
pub(crate) const LIMIT: Duration = Duration::from_mins(2);

// === impl Pod ===

impl Pod {
    /// A pod of this specification, under a name that no other has.
    pub(crate) fn new(spec: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // None is a part of another: what is left of a pod is found by its name.
        let name = format!("fault-{}-{count:04}", std::process::id());
        let folder = tempfile::tempdir().unwrap();
        let pod = Self { name, folder };
        pod.write(spec);
        fs::create_dir(pod.path("runtime")).unwrap();
        pod
    }

    /// Writes another specification into its file.
    pub(crate) fn write(&self, spec: &str) {
        let name = &self.name;
        let header = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n");
        fs::write(self.file(), header + spec).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.path("pod.yaml")
    }

    /// The folder of the pod's first run.
    pub(crate) fn first_run(&self) -> PathBuf {
        let pods = self.path("state").join("pillion/default");
        pods.join(&self.name).join("runs/1")
    }

    /// `pillion run` of this pod.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
        self.dress(&mut command);
        command.arg("run").arg(self.file());
        command
    }

    /// Lets a command find this pod's folders, and no others.
    pub(crate) fn dress(&self, command: &mut Command) {
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("XDG_STATE_HOME", self.path("state"))
            .env("PILLION_RUNTIME_DIR", self.path("runtime"))
            .stdin(Stdio::null());
    }

    pub(crate) fn start(&self) -> Running {
        Running::start(self.command())
    }

    /// Runs it to its end.
    pub(crate) fn run(&self) -> Ended {
        self.start().end()
    }

    /// Waits until there is no process of the pod any more.
    pub(crate) fn wait_until_nobody_is_left(&self) {
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            for process in left {
                let told = format!("{} of {} is left", process.pid, self.name);
                assert!(process.ends_within(LIMIT), "{told}");
            }
        }
    }

    /// Nothing is left on this machine but what the run tells.
    pub(crate) fn assert_nothing_is_left(&self) {
        let left: Vec<_> = self.processes().iter().map(|one| one.pid).collect();
        assert_eq!(left, [] as [i32; 0], "processes of {}", self.name);
        let groups = groups(Path::new("/sys/fs/cgroup"), &self.name);
        assert_eq!(groups, [] as [PathBuf; 0]);
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(&self.name), "{mounts}");
        assert!(!self.room().exists(), "{} is left", self.room().display());
        assert!(!self.first_run().join("volumes").exists());
        let memory = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
        for entry in memory {
            let name = entry.file_name();
            let is_ours = name.to_string_lossy().contains(&self.name);
            assert!(!is_ours, "{} is left", entry.path().display());
        }
    }

    /// Who belongs to a run of it: containers have its name in their environment, and whoever guards them is in its
    /// folder.
    fn processes(&self) -> Vec<Process> {
        let folder = self.folder.path();
        let marker = format!("PILLION_POD={}", self.name);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let ours = pids.filter(|pid| {
            let at = fs::read_link(format!("/proc/{pid}/cwd"));
            at.is_ok_and(|at| at.starts_with(folder)) || has_variable(*pid, &marker)
        });
        ours.filter_map(Process::of).collect()
    }

    fn room(&self) -> PathBuf {
        self.path("runtime").join(format!("default.{}", self.name))
    }
}

// === impl Running ===

impl Running {
    /// Runs a pod by this command.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (heard, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in out.split(b'\n').map_while(Result::ok) {
                // If the test is over, nobody listens.
                let _ = heard.send(String::from_utf8_lossy(&line).into_owned());
            }
        });
        let mut err = child.stderr.take().unwrap();
        let notes = thread::spawn(move || {
            let mut notes = Vec::new();
            let _ = err.read_to_end(&mut notes);
            String::from_utf8_lossy(&notes).into_owned()
        });
        Self {
            process: Process::of(child.id().cast_signed()).unwrap(),
            child,
            lines,
            notes: Some(notes),
        }
    }

    /// Listens until a line contains this.
    pub(crate) fn hear(&self, wanted: &str) -> String {
        let mut heard = Vec::new();
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(line) if line.contains(wanted) => return line,
                Ok(line) => heard.push(line),
                Err(error) => panic!("{error}: `{wanted}` is not in {heard:#?}"),
            }
        }
    }

    /// The next line; none if there will be no more.
    pub(crate) fn next_line(&self) -> Option<String> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("pillion hangs"),
        }
    }

    pub(crate) fn pid(&self) -> i32 {
        self.process.pid
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// The process that starts all others, once it is there.
    pub(crate) fn guard(&self) -> Process {
        let guard = children(self.pid()).into_iter().next();
        Process::of(guard.unwrap()).unwrap()
    }

    /// Those who keep containers.
    pub(crate) fn keepers(&self) -> Vec<Process> {
        let keepers = children(self.guard().pid).into_iter();
        keepers.filter_map(Process::of).collect()
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        let ended = self.process.ends_within(LIMIT);
        assert!(
            ended,
            "pillion hangs: {:#?}",
            self.lines.try_iter().collect::<Vec<_>>()
        );
        let status = self.child.wait().unwrap();
        let notes = self.notes.take().unwrap().join().unwrap();
        Ended {
            code: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap()),
            lines: self.lines.iter().collect(),
            notes,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After its end these do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// === impl Ended ===

impl Ended {
    pub(crate) fn said(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }
}

// === impl Process ===

impl Process {
    /// The process of that number, if there is one.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        Some(Self { pid, handle })
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // It may have ended by itself.
        let _ = pidfd_send_signal(&self.handle, signal);
    }

    /// Waits for its end; says whether it came in time.
    pub(crate) fn ends_within(&self, time: Duration) -> bool {
        let time = Timespec::try_from(time).unwrap();
        let mut events = [PollFd::new(&self.handle, PollFlags::IN)];
        poll(&mut events, Some(&time)).unwrap() == 1
    }

    pub(crate) fn assert_ends(&self) {
        assert!(self.ends_within(LIMIT), "{} lives", self.pid);
    }
}

/// Whether a process has this in its environment.
fn has_variable(pid: i32, variable: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    variables.any(|one| one == variable.as_bytes())
}

fn children(pid: i32) -> Vec<i32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// Control groups with this in their name.
fn groups(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .flat_map(|entry| {
            let mut found = groups(&entry.path(), name);
            if entry.file_name().to_string_lossy().contains(name) {
                found.push(entry.path());
            }
            found
        })
        .collect()
}
