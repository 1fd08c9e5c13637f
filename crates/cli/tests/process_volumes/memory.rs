//! Volumes that are to be in memory.

use super::machine::{is_root, skip};
use super::pod::{Ended, Pod, Running};
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::Command;

/// One container writes, another one reads, both without mounts, which not every user may have.
const SHARED: &str = "
  restartPolicy: Never
  volumes: [{name: cache, emptyDir: {medium: Memory}}]
  containers:
    - name: write
      oneshot: true
      command: [sh, -c, 'echo kept > \"$PILLION_VOLUME_CACHE/file\"']
    - name: read
      requires: [write]
      command: [sh, -c, 'echo \"$(stat -f -c %T \"$PILLION_VOLUME_CACHE\") $(cat \"$PILLION_VOLUME_CACHE/file\")\"']
";

const STAYS: &str = "
  restartPolicy: Never
  volumes: [{name: cache, emptyDir: {medium: Memory}}]
  containers:
    - name: app
      command: [sh, -c, 'echo x > \"$PILLION_VOLUME_CACHE/file\"; echo up; exec sleep 1000']
";

/// What is in memory for a pod.
fn in_memory(pod: &Pod) -> Vec<PathBuf> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_of_pod = |path: &PathBuf| path.to_string_lossy().contains(&pod.name);
    paths.filter(is_of_pod).collect()
}

/// Whether this machine has memory mounted, as nearly every one has. If not, it says so.
fn has_memory() -> bool {
    let mut stat = Command::new("stat");
    let about = stat.args(["-f", "-c", "%T", "/dev/shm"]).output();
    let has = about.is_ok_and(|about| about.stdout == b"tmpfs\n");
    if !has {
        skip("no memory is mounted at /dev/shm");
    }
    has
}

#[test]
fn they_are_in_memory_and_shared_and_outlive_their_containers() {
    if !has_memory() {
        return;
    }
    let pod = Pod::new(SHARED);

    let ended = pod.run();

    assert!(ended.said("tmpfs kept"), "{ended:?}");
    assert!(!ended.notes.contains("warning"), "{ended:?}");
    assert_eq!(in_memory(&pod), [] as [PathBuf; 0]);
    pod.assert_nothing_is_left();
}

#[test]
fn what_a_run_that_was_killed_left_goes_with_the_next_one() {
    if !has_memory() {
        return;
    }
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("up");
    run.signal(Signal::KILL);
    run.end();
    pod.wait_until_nobody_is_left();
    let [left] = &in_memory(&pod)[..] else {
        panic!("one folder is left: {:?}", in_memory(&pod));
    };
    assert!(left.join("cache/file").exists());
    // Also if nothing is in memory any more.
    pod.write("  {restartPolicy: Never, containers: [{name: app, command: ['true']}]}");

    let ended = pod.run();

    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(in_memory(&pod), [] as [PathBuf; 0]);
}

#[test]
fn the_same_pod_can_be_run_twice_where_its_state_is_elsewhere() {
    if !has_memory() {
        return;
    }
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("up");
    let mut other = pod.command();
    other.env("XDG_STATE_HOME", pod.path("elsewhere"));
    other.env("PILLION_RUNTIME_DIR", pod.path("other"));
    let other = Running::start(other);
    other.hear("up");

    assert_eq!(in_memory(&pod).len(), 2);

    other.signal(Signal::TERM);
    other.end();
    assert_eq!(in_memory(&pod).len(), 1);
    run.signal(Signal::TERM);
    run.end();
    assert_eq!(in_memory(&pod), [] as [PathBuf; 0]);
}

#[test]
fn a_folder_of_somebody_else_is_not_used() {
    if !has_memory() {
        return;
    }
    if !is_root() {
        return skip("only root can do that");
    }
    let pod = Pod::new(STAYS);
    let run = pod.start();
    run.hear("up");
    let folder = in_memory(&pod).remove(0);
    run.signal(Signal::TERM);
    run.end();
    fs::create_dir(&folder).unwrap();
    chown(&folder, Some(65534), Some(65534)).unwrap();

    let ended = pod.run();

    fs::remove_dir(&folder).unwrap();
    assert_eq!(ended.code, 125, "{ended:?}");
    assert!(
        ended.notes.contains("belongs to somebody else"),
        "{ended:?}"
    );
    assert!(
        ended.notes.contains("help: have /dev/shm/pillion-0-"),
        "{ended:?}"
    );
}

/// Runs a pod where nothing is in memory.
fn run_without_memory(pod: &Pod) -> Ended {
    fs::create_dir(pod.path("disk")).unwrap();
    let mut command = Command::new("unshare");
    pod.dress(&mut command);
    let script = "mount --bind disk /dev/shm && exec \"$0\" run pod.yaml";
    let pillion = env!("CARGO_BIN_EXE_pillion");
    command.args(["-rm", "sh", "-c", script, pillion]);
    Running::start(command).end()
}

#[test]
fn without_memory_they_are_on_the_disk_and_one_warning_says_so() {
    let pod = Pod::new(SHARED);
    // Who is root only in a namespace of its own has no place for its sockets.
    if !has_memory() {
        return;
    }
    if !is_root() {
        return skip("only root can do that");
    }

    let ended = run_without_memory(&pod);

    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.said(" kept"), "{ended:?}");
    assert!(!ended.said("tmpfs"), "{ended:?}");
    let warning = "warning: the volume `cache` is on the disk: no memory is mounted at /dev/shm\n";
    assert!(ended.notes.starts_with(warning), "{ended:?}");
}

#[test]
fn a_limit_that_is_not_kept_is_told_once() {
    let limited = "[{name: a, emptyDir: {sizeLimit: 1Mi}}, {name: b, emptyDir: {sizeLimit: 1Mi}}]";
    let pod = Pod::new(&format!(
        "  volumes: {limited}\n  restartPolicy: Never\n  containers: [{{name: app, command: ['true']}}]\n"
    ));

    let ended = pod.run();

    let warning = "warning: the `sizeLimit` of the volume `a` is not kept";
    assert!(ended.notes.starts_with(warning), "{ended:?}");
    assert_eq!(ended.notes.matches("warning").count(), 1, "{ended:?}");
}
