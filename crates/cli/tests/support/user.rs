//! The same tests once more, as somebody who is not root.

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

/// Tries the tests that these arguments choose again.
pub(crate) fn try_again(arguments: &[&str]) {
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
    let folder = tempfile::tempdir().expect("there is room for it");
    chown(folder.path(), Some(65534), Some(65534)).expect("it is ours");

    let test = std::env::current_exe().expect("it runs");
    let mut command = Command::new("setpriv");
    command.args(BECOME).arg(test);
    command.args(arguments).arg("--test-threads=2");
    command
        .current_dir(folder.path())
        .env("HOME", folder.path());
    let output = command.env("TMPDIR", folder.path()).output();
    let output = output.expect("it was seen to run");

    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(!told.contains(" 0 passed"), "{told}");
}
