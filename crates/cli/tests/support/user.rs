//! The same tests once more, as somebody who is not root.

use super::machine::{is_root, skip};
use std::io::{self, Write as _};
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
    if !is_reachable() {
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

    // What was not tried is to be seen here as well.
    let _ = io::stderr().write_all(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(!told.contains(" 0 passed"), "{told}");
}

/// Whether somebody else can run the program. If not, it says why.
pub(crate) fn is_reachable() -> bool {
    if !is_root() {
        skip("nobody here can become somebody else");
        return false;
    }
    let mut command = Command::new("setpriv");
    command.args(BECOME).arg(env!("CARGO_BIN_EXE_pillion"));
    let output = command.arg("--version").output();
    let runs = output.is_ok_and(|output| output.status.success());
    if !runs {
        skip("the program is in a folder of root's own");
    }
    runs
}
