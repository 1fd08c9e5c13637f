//! Pods that really run, each in a place of its own, and those who talk to them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;

/// A place for pods: nobody else's runs and sockets are seen from there.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// A pod that is run by a process of its own. Dropped, it is killed with all its containers.
pub(crate) struct Pod {
    process: Child,
    lines: Option<Box<dyn Iterator<Item = String> + Send>>,
    drain: Option<JoinHandle<Vec<String>>>,
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
        told(&self.pillion(arguments).output().expect("pillion was built"))
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
        let mut process = command.spawn().expect("pillion was built");
        let out = BufReader::new(process.stdout.take().expect("it is piped"));
        let lines = out.lines().map_while(Result::ok);
        let mut pod = Pod {
            process,
            lines: Some(Box::new(lines)),
            drain: None,
        };
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
    /// Waits until something is told that contains this; nobody reads on after the last time.
    pub(crate) fn wait_for(&mut self, until: &str) {
        self.hear(until);
    }

    /// The same, with all that is told meanwhile.
    pub(crate) fn hear(&mut self, until: &str) -> Vec<String> {
        let lines = self.lines.as_mut().expect("it was not let go");
        let mut heard = Vec::new();
        for line in lines.by_ref() {
            let found = line.contains(until);
            heard.push(line);
            if found {
                return heard;
            }
        }
        panic!("the pod ended without {until}: {heard:#?}");
    }

    /// Lets it go on by itself.
    pub(crate) fn let_go(&mut self) {
        if let Some(lines) = self.lines.take() {
            self.drain = Some(std::thread::spawn(move || lines.collect()));
        }
    }

    /// Waits for its end. Says how it ended, and what it told since it was last listened to.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<String>) {
        self.let_go();
        let told = self.drain.take().map(JoinHandle::join);
        let told = told.expect("it was let go").expect("reading does not fail");
        (self.process.wait().expect("it is ours"), told)
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Pod {
    fn drop(&mut self) {
        // It may have ended, and been waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
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

/// Reads what a process says until it has said this.
pub(crate) fn hear(from: &mut impl std::io::Read, until: &str) -> String {
    let mut heard = String::new();
    let mut byte = [0];
    while !heard.contains(until) {
        let read = from.read(&mut byte).expect("it can be read");
        assert_eq!(read, 1, "it ended after {heard}");
        heard.push(char::from(byte[0]));
    }
    heard
}

/// Everything until the other side goes.
pub(crate) fn rest(from: &mut UnixStream) -> String {
    let mut rest = String::new();
    // Whoever was cut off in the middle of something gets an error.
    let _ = from.read_to_string(&mut rest);
    rest
}
