//! What a process may use. On this machine's own control groups, of whichever version this user can change; what is
//! different in version 2 is shown on plain files, beside the code.

use super::kept::{Container, Kept, nobodys_guard, own_guard, unique};
use super::machine::{can_limit, is_root, skip};
use pillion_runtime::guard::cgroup::{self, Cgroup, CgroupLimits, Controller};
use pillion_runtime::guard::{Order, Outcome};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};

/// A group with a name of its own, if this user can limit that here. If not, it is refused with the reason.
fn group(controller: Controller, limits: CgroupLimits) -> Option<Cgroup> {
    let group = Cgroup {
        name: unique(),
        limits,
    };
    if can_limit(controller.name()) {
        return Some(group);
    }
    let (_, message, hint) = Container::shell("true")
        .limited(&group)
        .refused(&own_guard());
    assert!(message.contains("control group"), "{message}");
    assert_eq!(hint.as_deref(), Some("leave the limits out"));
    None
}

/// Every group on this machine with that name.
fn groups(name: &str) -> Vec<PathBuf> {
    fn search(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name() == name {
                    found.push(entry.path());
                }
                search(&entry.path(), name, found);
            }
        }
    }
    let mut found = Vec::new();
    search(Path::new("/sys/fs/cgroup"), name, &mut found);
    found
}

/// Would take all of the machine's memory, were it not for the second of two limits.
const GLUTTON: &str = "ulimit -v 2000000; tail /dev/zero";

fn memory(bytes: u64) -> CgroupLimits {
    CgroupLimits {
        memory: Some(bytes),
        ..CgroupLimits::default()
    }
}

fn pids(most: u64) -> CgroupLimits {
    CgroupLimits {
        pids: Some(most),
        ..CgroupLimits::default()
    }
}

#[test]
fn whoever_takes_too_much_memory_is_killed_and_told_apart() {
    let Some(group) = group(Controller::Memory, memory(32 << 20)) else {
        return;
    };
    let script = format!("exec sh -c '{GLUTTON}'");

    let (said, outcome, oom) = Container::shell(&script)
        .limited(&group)
        .start(&own_guard())
        .ends();

    assert!(oom, "{said}");
    assert_ne!(outcome, Outcome::Code(0));
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn a_kill_by_anybody_else_is_no_want_of_memory() {
    let Some(group) = group(Controller::Memory, memory(32 << 20)) else {
        return;
    };
    let guard = own_guard();
    let container = Container::shell("echo up; exec sleep 1000").limited(&group);
    let mut kept = container.start(&guard);
    kept.started();
    assert_eq!(kept.line(), "up");
    assert_ne!(groups(&group.name), Vec::<PathBuf>::new());

    kept.keeper.send(&Order::Kill, &[]).unwrap();

    let (_, outcome, oom) = kept.finish();
    assert_eq!((outcome, oom), (Outcome::Signal(9), false));
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn a_hook_counts_among_the_processes_of_its_container() {
    let Some(group) = group(Controller::Pids, pids(3)) else {
        return;
    };
    let guard = own_guard();
    let mut kept = Container::shell("echo up; exec sleep 1000")
        .limited(&group)
        .start(&guard);
    kept.started();
    assert_eq!(kept.line(), "up");

    let (said, outcome) =
        kept.exec("sleep 1000 > /dev/null 2>&1 & sleep 1000 > /dev/null 2>&1 & wait");

    assert!(said.to_lowercase().contains("fork"), "{said} {outcome:?}");
    kept.keeper.send(&Order::Kill, &[]).unwrap();
    kept.finish();
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn a_share_of_a_processor_is_set() {
    let limits = CgroupLimits {
        cpu_milli: Some(500),
        ..CgroupLimits::default()
    };
    let Some(group) = group(Controller::Cpu, limits) else {
        return;
    };
    let guard = own_guard();
    let mut kept = Container::shell("echo up; exec sleep 1000")
        .limited(&group)
        .start(&guard);
    kept.started();
    assert_eq!(kept.line(), "up");

    let set = groups(&group.name).into_iter().find_map(|path| {
        let one = fs::read_to_string(path.join("cpu.cfs_quota_us"));
        one.or_else(|_| fs::read_to_string(path.join("cpu.max")))
            .ok()
    });

    assert!(set.unwrap().starts_with("50000"));
    kept.keeper.send(&Order::Kill, &[]).unwrap();
    kept.finish();
}

/// A container whose keeper was killed, as it is found with its group.
fn abandoned(group: &Cgroup) -> (Kept, PathBuf) {
    let guard = own_guard();
    let mut kept = Container::shell("echo up; exec sleep 1000")
        .limited(group)
        .start(&guard);
    let process = Pid::from_raw(kept.started()).unwrap();
    assert_eq!(kept.line(), "up");
    kill_process(parent(process), Signal::KILL).unwrap();
    guard.finish().unwrap();
    let left = groups(&group.name).pop().unwrap();
    (kept, left)
}

fn parent(process: Pid) -> Pid {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid())).unwrap();
    let parent = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1);
    Pid::from_raw(parent.unwrap().parse().unwrap()).unwrap()
}

#[test]
fn what_a_keeper_that_was_killed_leaves_is_cleaned_by_its_name() {
    let Some(group) = group(Controller::Pids, pids(10)) else {
        return;
    };
    let (_kept, left) = abandoned(&group);
    // Somebody is still there, in a group that they have made.
    let inner = left.join("inner");
    fs::create_dir(&inner).unwrap();
    let mut somebody = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .unwrap();
    fs::write(inner.join("cgroup.procs"), somebody.id().to_string()).unwrap();

    // Nobody else waits for them, so that they would be counted for ever.
    let waiting = std::thread::spawn(move || somebody.wait().unwrap());
    cgroup::clean(&group.name).unwrap();

    let ended = waiting.join().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&ended),
        Some(9)
    );
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn what_is_left_of_a_group_is_no_hindrance_to_the_next() {
    let Some(group) = group(Controller::Pids, pids(10)) else {
        return;
    };
    abandoned(&group);

    let said = Container::shell("echo again")
        .limited(&group)
        .says(&own_guard());

    assert_eq!(said, "again\n");
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn a_failed_start_leaves_no_group() {
    let Some(group) = group(Controller::Memory, memory(32 << 20)) else {
        return;
    };
    let mut container = Container::shell("").limited(&group);
    container.launch.command = vec!["/does/not/exist".to_owned()];
    let guard = own_guard();

    let (errno, ..) = container.refused(&guard);
    guard.finish().unwrap();

    assert_eq!(errno, Some(2));
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn all_of_a_stage_goes_together() {
    let Some(group) = group(Controller::Memory, memory(64 << 20)) else {
        return;
    };
    let volume = super::kept::Folder::new();
    let target = format!("/{}", unique());
    let script = format!("touch {target}/file; exec tail /dev/zero");
    let mut container = Container::shell(&script)
        .bind(volume.path(), &target)
        .limited(&group);
    container.stage.no_network = true;
    // Without /sys the keeper still finds its group.
    let container = container.tmpfs(4096, "/sys");

    let (said, outcome, oom) = container.start(&own_guard()).ends();

    assert_eq!((outcome, oom), (Outcome::Signal(9), true), "{said}");
    assert!(volume.path().join("file").exists());
    assert_eq!(groups(&group.name), Vec::<PathBuf>::new());
}

#[test]
fn whoever_cannot_change_the_groups_is_told_so() {
    let (guard, _program) = nobodys_guard();
    if !is_root() && can_limit(Controller::Pids.name()) {
        return skip("this user has groups of their own; there is nobody here who has none");
    }
    let group = Cgroup {
        name: unique(),
        limits: pids(10),
    };

    let (_, message, hint) = Container::shell("true").limited(&group).refused(&guard);

    assert!(message.contains("control groups"), "{message}");
    assert_eq!(hint.as_deref(), Some("leave the limits out"));
}
