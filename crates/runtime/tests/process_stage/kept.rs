//! Containers under a keeper, for tests: who guards them, what they find, and what they say.

use super::machine::is_root;
use pillion_runtime::guard::cgroup::Cgroup;
use pillion_runtime::guard::{
    Channel, Guard, Launch, Mount, MountKind, Order, Outcome, Report, Stage,
};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A name that no other test has, on the host and in this process.
pub(crate) fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("pillion-test-{}-{count}", std::process::id())
}

/// A folder of the host that anybody can write to. Removed when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(std::env::temp_dir().join(unique()));
        folder.make("");
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn make(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        path
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        path
    }

    /// A file that can be executed.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let draft = self.write(&format!("{name}.draft"), text);
        copy_program(&draft, &self.0.join(name));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A guard that is who we are.
pub(crate) fn own_guard() -> Guard {
    Guard::start(program(), &[]).unwrap()
}

/// Guards for everybody who can be tried: who we are, and nobody in particular where we can become them. The folder
/// holds a program that they can reach.
pub(crate) fn every_guard() -> Vec<(Guard, Folder)> {
    let mut guards = vec![(own_guard(), Folder::new())];
    if is_root() {
        guards.push(nobodys_guard());
    }
    guards
}

/// A guard that is not root.
pub(crate) fn nobodys_guard() -> (Guard, Folder) {
    let folder = Folder::new();
    if !is_root() {
        return (own_guard(), folder);
    }
    let copy = folder.path().join("guard");
    copy_program(&program(), &copy);
    let copy = copy.to_str().unwrap();
    let become_nobody = [
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        copy,
    ];
    let guard = Guard::start("/usr/bin/setpriv", &become_nobody).unwrap();
    (guard, folder)
}

/// Copies by another process: a file that any fork of this one has open for writing cannot be executed.
fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-p").arg(from).arg(to).status();
    assert!(copied.unwrap().success());
}

pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = folder.join("examples/guard");
    assert!(
        program.exists(),
        "it is missing: `cargo build -p pillion-runtime --examples` makes it"
    );
    program
}

/// What to start, and on which stage.
#[derive(Clone, Default)]
pub(crate) struct Container {
    pub(crate) launch: Launch,
    pub(crate) stage: Stage,
}

impl Container {
    pub(crate) fn shell(script: &str) -> Self {
        Self {
            launch: shell(script),
            stage: Stage::default(),
        }
    }

    pub(crate) fn bind(mut self, source: &Path, target: &str) -> Self {
        let kind = MountKind::Bind {
            source: source.to_owned(),
            part: None,
            takes_mounts: false,
        };
        self.stage.mounts.push(Mount {
            kind,
            target: target.into(),
            read_only: false,
        });
        self
    }

    /// Shows only a part of the last one.
    pub(crate) fn part(mut self, path: &str) -> Self {
        let last = self.stage.mounts.last_mut().map(|mount| &mut mount.kind);
        if let Some(MountKind::Bind { part, .. }) = last {
            *part = Some(path.into());
        }
        self
    }

    /// Lets other mounts leave their mount points in the last one.
    pub(crate) fn taking_mounts(mut self) -> Self {
        let last = self.stage.mounts.last_mut().map(|mount| &mut mount.kind);
        if let Some(MountKind::Bind { takes_mounts, .. }) = last {
            *takes_mounts = true;
        }
        self
    }

    /// Lets nobody write to the last mount.
    pub(crate) fn read_only(mut self) -> Self {
        self.stage.mounts.last_mut().unwrap().read_only = true;
        self
    }

    pub(crate) fn tmpfs(mut self, size: u64, target: &str) -> Self {
        self.stage.mounts.push(Mount {
            kind: MountKind::Tmpfs { size: Some(size) },
            target: target.into(),
            read_only: false,
        });
        self
    }

    pub(crate) fn limited(mut self, cgroup: &Cgroup) -> Self {
        self.stage.cgroup = Some(cgroup.clone());
        self
    }

    pub(crate) fn start(self, guard: &Guard) -> Kept {
        self.start_with(guard, &[])
    }

    /// Starts it with these sockets.
    pub(crate) fn start_with(self, guard: &Guard, sockets: &[BorrowedFd<'_>]) -> Kept {
        let Self { mut launch, stage } = self;
        launch.stage = Some(Box::new(stage));
        let keeper = guard.keeper().unwrap();
        let (output, input) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let null = OwnedFd::from(File::open("/dev/null").unwrap());
        let mut descriptors = vec![null.as_fd(), input.as_fd(), input.as_fd()];
        descriptors.extend(sockets);
        keeper.send(&Order::Launch(launch), &descriptors).unwrap();
        Kept {
            keeper,
            output: File::from(output),
        }
    }

    /// What it says in the end, when it ends well.
    pub(crate) fn says(self, guard: &Guard) -> String {
        let (said, outcome, _) = self.start(guard).ends();
        assert_eq!(outcome, Outcome::Code(0), "{said}");
        said
    }

    /// Why it cannot be started, and what to do about it.
    pub(crate) fn refused(self, guard: &Guard) -> (Option<i32>, String, Option<String>) {
        let report = self.start(guard).keeper.receive().unwrap();
        let Report::StartFailed {
            errno,
            message,
            hint,
        } = report
        else {
            panic!("{report:?}");
        };
        (errno, message, hint)
    }
}

pub(crate) fn shell(script: &str) -> Launch {
    let path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".to_owned();
    Launch {
        command: ["sh", "-c", script].map(String::from).to_vec(),
        environment: vec![("PATH".into(), path)],
        ..Launch::default()
    }
}

/// A container that was started, or is about to be.
pub(crate) struct Kept {
    pub(crate) keeper: Channel,
    pub(crate) output: File,
}

impl Kept {
    pub(crate) fn started(&mut self) -> i32 {
        let report = self.keeper.receive().unwrap();
        let Report::Started { pid, .. } = report else {
            panic!("{report:?}");
        };
        pid
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while self.output.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    /// All that it said, how it ended, and whether for want of memory.
    pub(crate) fn ends(mut self) -> (String, Outcome, bool) {
        self.started();
        self.finish()
    }

    /// The same of one that is known to have been started.
    pub(crate) fn finish(mut self) -> (String, Outcome, bool) {
        let report = self.keeper.receive().unwrap();
        let Report::Exited { outcome, oom } = report else {
            panic!("{report:?}");
        };
        let mut said = String::new();
        self.output.read_to_string(&mut said).unwrap();
        (said, outcome, oom)
    }

    /// Runs a script beside it, and tells what that says and how it ends.
    pub(crate) fn exec(&mut self, script: &str) -> (String, Outcome) {
        let (output, input) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let order = Order::Exec {
            id: 1,
            input: false,
            launch: shell(script),
        };
        self.keeper
            .send(&order, &[input.as_fd(), input.as_fd()])
            .unwrap();
        drop(input);
        let report = self.keeper.receive().unwrap();
        let Report::ExecDone {
            outcome: Ok(outcome),
            ..
        } = report
        else {
            panic!("{report:?}");
        };
        let mut said = String::new();
        File::from(output).read_to_string(&mut said).unwrap();
        (said, outcome)
    }
}
