//! The same as somebody who is not root.

use rustix::process::geteuid;
use std::os::unix::fs::chown;
use std::process::Command;

/// Becomes a user that has nothing.
const BECOME: [&str; 5] = [
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=-all",
    "--",
];

/// What is tried again, as far as it does not take long.
const AGAIN: [&str; 5] = [
    "kills::",
    "containers::",
    "shortage::",
    "--skip=a_flood",
    "--skip=at_any_moment",
];

#[test]
fn the_same_holds_for_a_user_who_is_not_root() {
    // Where the program lies in a folder of root's own, nobody else can try it.
    let reachable = || {
        let mut command = Command::new("setpriv");
        command.args(BECOME).arg(env!("CARGO_BIN_EXE_pillion"));
        let output = command.arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    if !geteuid().is_root() || !reachable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    chown(folder.path(), Some(65534), Some(65534)).unwrap();

    let mut command = Command::new("setpriv");
    command.args(BECOME).arg(std::env::current_exe().unwrap());
    command.args(AGAIN).arg("--test-threads=2");
    command
        .current_dir(folder.path())
        .env("HOME", folder.path());
    let output = command.env("TMPDIR", folder.path()).output().unwrap();

    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(!told.contains(" 0 passed"), "{told}");
}
