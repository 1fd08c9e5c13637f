//! Nobody reads, nobody can be told, or there is no room: the exit status stays what it is, and
//! nothing panics.

use std::io;
use std::process::{Command, ExitStatus, Stdio};

/// Runs of every command, good and bad, each with its exit code.
const RUNS: &[(&[&str], i32)] = &[
    (&["plan", ORDERS], 0),
    (&["plan", "-o", "mermaid", ORDERS], 0),
    (&["plan", "-o", "json", ORDERS], 0),
    (&["lint", ORDERS], 0),
    (&["lint", BROKEN], 1),
    (&["plan", BROKEN], 1),
    (&["lint", "/nonexistent/pod.yaml"], 2),
    (&["simulate", ORDERS], 0),
    (&["simulate", ORDERS, "--json"], 0),
    (&["explain"], 0),
    (&["explain", "L9999"], 2),
    (&["completions", "zsh"], 0),
    (&["man"], 0),
    (&["--help"], 0),
    (&["frobnicate"], 2),
];
const ORDERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/orders.yaml");
const BROKEN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../spec/tests/findings/L0202-never-holds.yaml"
);

fn pillion(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The end of a pipe whose other end is gone.
fn closed() -> Stdio {
    let (reader, writer) = io::pipe().expect("there are pipes");
    drop(reader);
    writer.into()
}

/// Asks a shell to close some of the standard files before the command begins.
fn without(files: &str, arguments: &[&str]) -> ExitStatus {
    let script = format!("exec \"$0\" \"$@\" {files}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_pillion")]);
    shell.args(arguments).stdin(Stdio::null());
    shell.stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().expect("there is a shell")
}

#[test]
fn a_reader_that_went_away_changes_no_exit_code() {
    for (arguments, code) in RUNS {
        let status = pillion(arguments).stdout(closed()).status().unwrap();
        assert_eq!(status.code(), Some(*code), "{arguments:?}");
    }
}

#[test]
fn complaints_that_nobody_reads_change_no_exit_code() {
    for (arguments, code) in RUNS {
        let mut command = pillion(arguments);
        let status = command.stdout(closed()).stderr(closed()).status().unwrap();
        assert_eq!(status.code(), Some(*code), "{arguments:?}");
    }
}

#[test]
fn closed_standard_files_change_no_exit_code() {
    for (arguments, code) in RUNS {
        for files in ["2>&-", ">&-", ">&- 2>&- <&-"] {
            let status = without(files, arguments);
            assert_eq!(status.code(), Some(*code), "{arguments:?} {files}");
        }
    }
}

#[test]
fn a_full_disk_is_a_failure_and_no_panic() {
    for (arguments, _) in RUNS {
        let status = without("2>/dev/full", arguments);
        assert!(matches!(status.code(), Some(0..=2)), "{arguments:?}");
    }
    assert_eq!(without(">/dev/full", &["plan", ORDERS]).code(), Some(2));
}
