//! Somebody who should read what a pod shows, and does not.

use super::pod::{LIMIT, Pod, Process};
use rustix::io::ioctl_fionread;
use rustix::process::Signal;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// More than any pipe holds.
const LINES: usize = 200_000;

/// How often it is looked at how full a pipe is, which nobody tells.
const STEP: Duration = Duration::from_millis(10);

fn loud() -> Pod {
    Pod::new(&format!(
        "
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
    - {{name: loud, command: [sh, -c, 'yes | head -n {LINES}']}}
"
    ))
}

/// Runs it until nothing more fits into the pipe.
fn stalled(pod: &Pod) -> (Child, ChildStdout) {
    let mut command = pod.command();
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let process = Process::of(child.id().cast_signed()).unwrap();
    let mut patience = LIMIT;
    while ioctl_fionread(&out).unwrap() < 60 << 10 {
        assert!(!process.ends_within(STEP), "it says nothing");
        patience = patience.checked_sub(STEP).expect("it says something");
    }
    (child, out)
}

#[test]
fn a_reader_that_does_not_read_keeps_nobody_from_the_rest() {
    let pod = loud();
    let (mut child, out) = stalled(&pod);
    let process = Process::of(child.id().cast_signed()).unwrap();

    let mut ps = Command::new(env!("CARGO_BIN_EXE_pillion"));
    pod.dress(&mut ps);
    let ps = ps.arg("ps").stdout(Stdio::piped()).spawn().unwrap();
    let seen = Process::of(ps.id().cast_signed()).unwrap();
    let answered = seen.ends_within(LIMIT);
    process.signal(Signal::TERM);
    let ended = process.ends_within(LIMIT);
    let _ = child.kill();
    let status = child.wait().unwrap();

    let told = String::from_utf8(ps.wait_with_output().unwrap().stdout).unwrap();
    assert!(answered && told.contains(&pod.name), "{told}");
    assert!(ended, "it waits for a reader");
    assert_eq!((status.code(), status.signal()), (Some(143), None));
    drop(out);
    pod.assert_nothing_is_left();
}

#[test]
fn a_reader_that_goes_on_misses_nothing() {
    let pod = loud();
    let (mut child, mut out) = stalled(&pod);

    let mut told = String::new();
    out.read_to_string(&mut told).unwrap();

    assert!(child.wait().unwrap().success());
    let lines = told.lines().filter(|line| line.ends_with('y')).count();
    assert_eq!(lines, LINES);
    pod.assert_nothing_is_left();
}

#[test]
fn a_container_is_started_though_nobody_reads() {
    let pod = Pod::new(&format!(
        "
  restartPolicy: Never
  containers:
    - {{name: loud, command: [sh, -c, 'yes | head -n {LINES}']}}
    - {{name: pause, oneshot: true, command: [sleep, '1']}}
    - {{name: late, requires: [pause], command: [sh, -c, 'echo here; : > started']}}
"
    ));
    let (mut child, mut out) = stalled(&pod);
    let process = Process::of(child.id().cast_signed()).unwrap();
    let mut patience = LIMIT;
    while !pod.path("started").exists() {
        assert!(!process.ends_within(STEP), "the pod has ended without it");
        patience = patience.checked_sub(STEP).expect("it is started");
    }

    let mut told = String::new();
    out.read_to_string(&mut told).unwrap();

    assert!(child.wait().unwrap().success());
    assert!(told.lines().any(|line| line == "late | here"), "{told}");
    pod.assert_nothing_is_left();
}
