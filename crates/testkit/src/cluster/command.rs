//! Runs the programs of the machine, and says what was wrong when one of them fails.

use anyhow::{Context as _, bail};
use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Runs a command to its end and returns what it wrote.
pub(super) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program(command)))?;
    read(command, &output)
}

/// Runs a command to its end, with something to read.
pub(super) fn feed(command: &mut Command, input: &str) -> anyhow::Result<String> {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.with_context(|| format!("cannot run {}", program(command)))?;
    if let Some(mut pipe) = child.stdin.take() {
        // Whether it reads or not, its end tells how it went.
        let _ = pipe.write_all(input.as_bytes());
    }
    let output = child.wait_with_output()?;
    read(command, &output)
}

/// Runs a command to its end.
pub(super) fn run(command: &mut Command) -> anyhow::Result<()> {
    output(command).map(drop)
}

/// A command with its arguments.
pub(super) fn command<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Whether there is such a program on the path.
pub(super) fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn read(command: &Command, output: &Output) -> anyhow::Result<String> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let words: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
        let words = words.join(" ");
        bail!(
            "`{} {words}` ended with {}: {}",
            program(command),
            output.status,
            said.trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
