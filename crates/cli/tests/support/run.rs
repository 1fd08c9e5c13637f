//! Runs the real program, whatever the terminal of whoever runs the tests is like.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) fn pillion(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
    command
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null());
    for name in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "LC_ALL",
        "LC_CTYPE",
        "LANG",
    ] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    pillion(arguments).output().expect("pillion was built")
}

pub(crate) fn run_with(arguments: &[&str], input: &str) -> Output {
    feed(pillion(arguments), input)
}

/// Runs a command to its end with this on its standard input.
pub(crate) fn feed(mut command: Command, input: &str) -> Output {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("pillion was built");
    let mut stdin = child.stdin.take().expect("it is piped");
    match stdin.write_all(input.as_bytes()) {
        // It may refuse its arguments and end without reading.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
        Ok(()) | Err(_) => drop(stdin),
    }
    child.wait_with_output().expect("pillion ends")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
