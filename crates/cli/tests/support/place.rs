//! Pods that really run, each in a place of its own, and those who talk to them.

use super::started::{LIMIT, Started};
use rustix::process::Signal;
use std::io::{ErrorKind, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};

/// A place for pods: nobody else's runs and sockets are seen from there.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// A pod that is run by a process of its own. Dropped, it is killed with all its containers.
pub(crate) struct Pod {
    process: Started,
    lines: Receiver<String>,
}

// === impl Place ===

impl Place {
    pub(crate) fn new() -> Self {
        // Short, because the names of sockets are.
        let folder = tempfile::Builder::new()
            .prefix("pillion-")
            .tempdir_in("/tmp");
        let folder = folder.expect("there is room for it");
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A `pillion` that lives here.
    pub(crate) fn pillion(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
        command
            .args(arguments)
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("PILLION_RUNTIME_DIR", self.path().join("run"));
        command
    }

    /// What a command says, on both ways, and how it ends.
    pub(crate) fn says(&self, arguments: &[&str]) -> (String, String, Option<i32>) {
        told(&Started::output(&mut self.pillion(arguments)))
    }

    /// Writes the file of a pod with these containers, and whatever comes after them.
    pub(crate) fn file(&self, name: &str, containers: &str) -> String {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  terminationGracePeriodSeconds: 20\n{containers}"
        );
        let file = self.path().join(format!("{name}.yaml"));
        std::fs::write(&file, text).expect("it can be written");
        file.to_string_lossy().into_owned()
    }

    /// Runs a pod, and returns when something was told that contains this.
    pub(crate) fn run(&self, name: &str, containers: &str, until: &str) -> Pod {
        let file = self.file(name, containers);
        self.run_file(&file, &[], until)
    }

    /// The same, of a file that is there.
    pub(crate) fn run_file(&self, file: &str, options: &[&str], until: &str) -> Pod {
        self.run_in(Path::new("."), file, options, until)
    }

    /// The same, from another folder.
    pub(crate) fn run_in(&self, folder: &Path, file: &str, options: &[&str], until: &str) -> Pod {
        let mut command = self.pillion(&["run", "--json", file]);
        command.args(options).current_dir(folder);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut process = Started::of(command);
        let lines = process.lines();
        let mut pod = Pod { process, lines };
        pod.wait_for(until);
        pod
    }

    /// The sockets of a pod that runs here.
    pub(crate) fn room(&self, name: &str) -> PathBuf {
        self.path().join("run").join(format!("default.{name}"))
    }

    pub(crate) fn connect(&self, name: &str) -> UnixStream {
        UnixStream::connect(self.room(name).join("control")).expect("somebody listens")
    }
}

// === impl Pod ===

impl Pod {
    /// Waits until something is told that contains this.
    pub(crate) fn wait_for(&mut self, until: &str) {
        self.hear(until);
    }

    /// The same, with all that is told meanwhile.
    pub(crate) fn hear(&mut self, until: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(line) => heard.push(line),
                Err(error) => panic!("{error}: `{until}` is not in {heard:#?}"),
            }
            if heard.last().is_some_and(|line| line.contains(until)) {
                return heard;
            }
        }
    }

    /// Waits for its end. Says how it ended, and what it told since it was last listened to.
    pub(crate) fn end(self) -> (ExitStatus, Vec<String>) {
        let Self { process, lines } = self;
        let status = process.end().status;
        let mut told = Vec::new();
        loop {
            match lines.recv_timeout(LIMIT) {
                Ok(line) => told.push(line),
                Err(RecvTimeoutError::Disconnected) => return (status, told),
                Err(RecvTimeoutError::Timeout) => panic!("somebody keeps its output: {told:#?}"),
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }
}

pub(crate) fn told(output: &Output) -> (String, String, Option<i32>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        text(&output.stdout),
        text(&output.stderr),
        output.status.code(),
    )
}

/// Everything until the other side goes.
pub(crate) fn rest(from: &mut UnixStream) -> String {
    from.set_read_timeout(Some(LIMIT)).expect("it is not zero");
    let mut rest = String::new();
    match from.read_to_string(&mut rest) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("it stays after {rest}"),
        // Whoever was cut off in the middle of something gets an error.
        Ok(_) | Err(_) => rest,
    }
}
