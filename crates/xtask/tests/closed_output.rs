//! Whoever has seen enough of a chore closes its output.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

#[test]
fn a_chore_that_nobody_listens_to_ends_quietly() {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);

    let ended = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("check")
        .stdin(Stdio::null())
        .stdout(writer)
        .output()
        .unwrap();

    // As shells tell of a program that SIGPIPE has ended.
    assert_eq!(ended.status.into_raw(), 141 << 8);
    let complaints = String::from_utf8_lossy(&ended.stderr);
    assert!(!complaints.contains("panicked"), "{complaints}");
}
