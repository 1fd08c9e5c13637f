//! A user who may not have as many processes as the pod wants.

use super::machine::{is_root, skip};
use super::pod::{Ended, Pod, Running};
use std::os::unix::fs::chown;
use std::process::Command;

/// Nobody else is this user, whose processes are counted.
const USER: u32 = 61_234;

/// Runs a pod of four as a user who may have so many processes; root may have any number.
fn run(most: u32) -> (Pod, Ended) {
    let containers = (1..=4).map(|number| {
        format!("    - {{name: c{number}, command: [sh, -c, 'echo ran; exec sleep 1000']}}\n")
    });
    let containers: String = containers.collect();
    let pod = Pod::new(&format!(
        "\n  restartPolicy: Never\n  terminationGracePeriodSeconds: 1\n  containers:\n{containers}"
    ));
    for path in [pod.path("."), pod.path("runtime"), pod.file()] {
        chown(path, Some(USER), Some(USER)).unwrap();
    }
    let own = pod.command();
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={USER}"))
        .arg(format!("--regid={USER}"))
        .args(["--clear-groups", "prlimit"])
        .arg(format!("--nproc={most}"))
        .arg(own.get_program())
        .args(own.get_args())
        .args(["--delete", "500ms"]);
    pod.dress(&mut command);
    let ended = Running::start(command).end();
    (pod, ended)
}

#[test]
fn what_there_is_no_process_for_has_not_run() {
    if !is_root() {
        return skip("only root becomes a user of whom nobody else has processes");
    }
    let mut crowded = 0;
    for most in 3..=9 {
        let (pod, ended) = run(most);
        assert!(!ended.notes.contains("ContainerStatusUnknown"), "{ended:?}");
        assert!(!ended.notes.contains("conversation"), "{ended:?}");
        crowded += ended.notes.matches("cannot make a process: ").count();
        pod.assert_nothing_is_left();
    }
    assert!(crowded > 0, "there was room for everybody");
}
