//! What this machine lets a test do, found out without what is tested: if that fails, it must not look like a machine that
//! cannot do it.

use rustix::process::geteuid;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Says that a test has tried nothing, and why, to whoever reads what the tests say: not even one that passes keeps it back.
pub(crate) fn skip(why: &str) {
    let current = thread::current();
    let name = current.name().unwrap_or("a test");
    // Nobody may be reading.
    let _ = writeln!(io::stderr(), "not tried: {name}: {why}");
}

pub(crate) fn is_root() -> bool {
    geteuid().is_root()
}

/// Whether a process can have mounts of its own. If not, it says so.
pub(crate) fn can_mount() -> bool {
    let words = ["mount", "-t", "tmpfs", "none", "/mnt"];
    let can = unshares("--mount", &words);
    if !can {
        skip("nothing can be mounted here");
    }
    can
}

/// Whether a process can have a network of its own. If not, it says so.
pub(crate) fn can_leave_the_network() -> bool {
    let can = unshares("--net", &["true"]);
    if !can {
        skip("there are no networks of one's own here");
    }
    can
}

/// Whether a control group can be made that limits this (`cpu`, `memory`, `pids`). If not, it says so.
pub(crate) fn can_limit(controller: &str) -> bool {
    let group = format!("pillion-machine-{}", std::process::id());
    let name = format!("{group}-{:?}", thread::current().id());
    let mut parents = parents(controller).into_iter();
    let can = parents.any(|parent| {
        let group = parent.join(&name);
        fs::create_dir(&group).is_ok() && fs::remove_dir(&group).is_ok()
    });
    if !can {
        skip(&format!("no control group for {controller} can be made"));
    }
    can
}

/// Runs a command in namespaces of its own, as root there, whoever is root here.
fn unshares(kind: &str, words: &[&str]) -> bool {
    let mut command = Command::new("unshare");
    command.arg(kind);
    if !is_root() {
        command.arg("--map-root-user");
    }
    let tried = command.args(words).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// Where a group of ours could be: where this process is, or beside that.
fn parents(controller: &str) -> Vec<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let root = Path::new("/sys/fs/cgroup");
    let (mount, is_older) = match root.join(controller) {
        mount if mount.is_dir() => (mount, true),
        _ => (root.to_owned(), false),
    };
    let is_its = |names: &str| {
        let wanted = if is_older { controller } else { "" };
        names.split(',').any(|name| name == wanted)
    };
    // Lines are `number:controllers:path`.
    let own = groups.lines().find_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (names, path) = line.split_once(':')?;
        is_its(names).then(|| mount.join(path.trim_start_matches('/')))
    });
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let mut parents: Vec<_> = own.into_iter().chain(beside).collect();
    let has_controller = |group: &Path| {
        let list = fs::read_to_string(group.join("cgroup.controllers")).unwrap_or_default();
        list.split_whitespace().any(|name| name == controller)
    };
    parents.retain(|group| group.starts_with(&mount) && (is_older || has_controller(group)));
    parents
}
