//! Where contenders run: a folder of their own, the child that all of them start, and what the children wrote.

use anyhow::{Context as _, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, StatVfsMountFlags, mknodat};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, set_child_subreaper, wait};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder to run in.
pub(super) struct Yard {
    folder: PathBuf,
    child: PathBuf,
    rounds: u32,
}

/// One run of one contender: its own folder, and what its children say.
pub(super) struct Round {
    pub(super) folder: PathBuf,
    pub(super) stamps: PathBuf,
    last: File,
}

/// What a child has written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// Its first instruction, in nanoseconds since the machine was started.
    pub(super) began: i64,
    /// When it was done, or ready.
    pub(super) done: i64,
}

/// A contender runs, with all that it has started. Dropped, all of it is killed.
pub(super) struct Running;

/// Nobody takes longer, unless it hangs.
const PATIENCE: Timespec = Timespec {
    tv_sec: 60,
    tv_nsec: 0,
};

// === impl Yard ===

impl Yard {
    /// A new folder, in memory if there is some.
    pub(super) fn new(child: PathBuf) -> anyhow::Result<Self> {
        // What contenders leave behind comes to us, and is killed.
        set_child_subreaper(Some(rustix::process::getpid()))?;
        let base = in_memory().unwrap_or_else(std::env::temp_dir);
        let folder = base.join(format!("pillion-bench-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let rounds = 0;
        Ok(Self {
            folder,
            child,
            rounds,
        })
    }

    /// The program that all contenders start.
    pub(super) fn child(&self) -> &str {
        self.child.to_str().unwrap_or("child")
    }

    /// Room for one more run.
    pub(super) fn round(&mut self) -> anyhow::Result<Round> {
        self.rounds += 1;
        let folder = self.folder.join(self.rounds.to_string());
        fs::create_dir_all(&folder)?;
        let stamps = folder.join("stamps");
        let pipe = folder.join("stamps.last");
        mknodat(
            CWD,
            &pipe,
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            rustix::fs::Dev::default(),
        )?;
        // Open for both, so that nobody waits for anybody to open it.
        let last = File::options().read(true).write(true).open(pipe)?;
        Ok(Round {
            folder,
            stamps,
            last,
        })
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        // Whoever cleans the temporary folder will find it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

// === impl Round ===

impl Round {
    pub(super) fn stamps(&self) -> &str {
        self.stamps.to_str().unwrap_or("stamps")
    }

    /// A file of this run.
    pub(super) fn write(&self, path: impl AsRef<Path>, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// Starts a contender. What it says goes to a file.
    pub(super) fn start(&self, command: &mut Command) -> anyhow::Result<Running> {
        let said = File::create(self.folder.join("said"))?;
        command
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said);
        // It is waited for with all others that are left.
        command
            .spawn()
            .with_context(|| format!("cannot run {}", command.get_program().display()))?;
        Ok(Running)
    }

    /// Waits until so many of those that are called the last have come.
    pub(super) fn wait_for(&mut self, mut count: usize) -> anyhow::Result<()> {
        while count > 0 {
            let mut events = [PollFd::new(&self.last, PollFlags::IN)];
            if poll(&mut events, Some(&PATIENCE))? == 0 {
                let said = fs::read_to_string(self.folder.join("said")).unwrap_or_default();
                let last = said.trim().lines().last().unwrap_or("nothing");
                bail!("{count} children have not come; the last it said: {last}");
            }
            count -= self.last.read(&mut vec![0; count])?;
        }
        Ok(())
    }

    /// What the children have written, in the order in which they began.
    pub(super) fn read(&self) -> anyhow::Result<Vec<Stamp>> {
        let text = fs::read_to_string(&self.stamps)?;
        let stamps = text.lines().map(|line| {
            let mut numbers = line.split(' ').skip(1).map(str::parse);
            match (numbers.next(), numbers.next()) {
                (Some(Ok(began)), Some(Ok(done))) => Ok(Stamp { began, done }),
                _ => bail!("a child wrote `{line}`"),
            }
        });
        let mut stamps: Vec<_> = stamps.collect::<Result<_, _>>()?;
        stamps.sort_by_key(|stamp: &Stamp| stamp.began);
        Ok(stamps)
    }
}

// === impl Running ===

impl Drop for Running {
    fn drop(&mut self) {
        // Only our own children are killed, and what they leave behind becomes our child in turn.
        let own = std::process::id();
        loop {
            let children = fs::read_to_string(format!("/proc/self/task/{own}/children"));
            let children = children.unwrap_or_default();
            for child in children.split_whitespace() {
                let pid = child.parse().ok().and_then(Pid::from_raw);
                // It may have ended by itself.
                let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
            }
            match wait(WaitOptions::empty()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

/// A place in memory where programs can be run. On ext4 a new file costs the more, the more files were removed in the last
/// minutes, and rounds remove many: the start of the last round would take three times as long as that of the first.
fn in_memory() -> Option<PathBuf> {
    let folder = PathBuf::from("/dev/shm");
    let there = rustix::fs::statvfs(&folder).ok()?;
    (!there.f_flag.contains(StatVfsMountFlags::NOEXEC)).then_some(folder)
}

/// Nanoseconds since the machine was started.
pub(super) fn now() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
