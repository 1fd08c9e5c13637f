//! The program with one pod, from its start to its end.

use crate::kubelet::eyes::Glimpse;
use crate::processes::network::LISTS;
use anyhow::{Context as _, bail};
use pillion_engine::Tick;
use pillion_runtime::clock;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The program, and whoever talks to it.
#[derive(Debug)]
pub(super) struct Run {
    pillion: PathBuf,
    folder: PathBuf,
    name: String,
    /// As it was written last.
    pod: Value,
    program: Child,
    reader: Option<JoinHandle<()>>,
    /// It has told of something since the pod was looked at.
    told: Arc<AtomicBool>,
    looked: Tick,
    glimpses: Vec<Glimpse>,
    is_over: bool,
    /// What is asked of the program; each waits until that is done, or the pod is gone.
    asking: Vec<Child>,
}

/// Something may change without being told of.
const NOW_AND_THEN: Duration = Duration::from_secs(1);

// === impl Run ===

impl Run {
    /// Runs a pod.
    pub(super) fn begin(
        pillion: &Path,
        folder: &Path,
        name: &str,
        pod: &Value,
        max_backoff: Duration,
    ) -> anyhow::Result<Self> {
        let file = write(folder, pod)?;
        let mut command = Command::new(pillion);
        let max_backoff = format!("{}s", max_backoff.as_secs());
        let command = at(&mut command, folder)
            .args(["run", "--json", "--max-backoff", &max_backoff])
            .arg(file);
        let mut program = command
            .stdout(Stdio::piped())
            .stderr(File::create(errors(folder))?)
            .spawn()
            .with_context(|| format!("cannot run {}", pillion.display()))?;
        let told = Arc::new(AtomicBool::new(true));
        let output = program.stdout.take();
        let reader = output.map(|output| {
            let told = told.clone();
            thread::spawn(move || listen(output, &told))
        });
        Ok(Self {
            pillion: pillion.to_owned(),
            folder: folder.to_owned(),
            name: name.to_owned(),
            pod: pod.clone(),
            program,
            reader,
            told,
            looked: clock::now(),
            glimpses: Vec::new(),
            is_over: false,
            asking: Vec::new(),
        })
    }

    /// What has been seen of the pod, beginning with that number.
    pub(super) fn seen(&mut self, from: usize) -> anyhow::Result<Vec<Glimpse>> {
        self.look()?;
        Ok(self.glimpses.get(from..).unwrap_or_default().to_vec())
    }

    /// Tells the pod to stop.
    pub(super) fn stop(&mut self, grace: Option<u64>) -> anyhow::Result<()> {
        let mut stop = self.ask(&["stop", &self.name]);
        if let Some(grace) = grace {
            stop.arg("--grace").arg(format!("{grace}s"));
        }
        self.begin_to_ask(stop)
    }

    /// Gives a container another image. A pod that goes anyway may refuse that, as it may be gone; if it was to be done, the
    /// comparison tells.
    pub(super) fn set_image(&mut self, container: &str, image: &str) -> anyhow::Result<()> {
        for list in LISTS {
            let containers = self.pod["spec"][list].as_array_mut();
            for one in containers.into_iter().flatten() {
                if one["name"] == container {
                    one["image"] = image.into();
                }
            }
        }
        let file = write(&self.folder, &self.pod)?;
        let mut apply = self.ask(&["apply", "--json"]);
        apply.arg(file);
        self.begin_to_ask(apply)
    }

    fn begin_to_ask(&mut self, mut command: Command) -> anyhow::Result<()> {
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.asking.push(command.spawn()?);
        Ok(())
    }

    fn look(&mut self) -> anyhow::Result<()> {
        if self.is_over {
            return Ok(());
        }
        if let Some(status) = self.program.try_wait()? {
            self.is_over = true;
            // It was kept before the program ended.
            let Some(pod) = self.show()? else {
                let said = fs::read_to_string(errors(&self.folder)).unwrap_or_default();
                bail!("`pillion run` has ended ({status}): {said}");
            };
            self.note(pod);
            let at = clock::now();
            self.glimpses.push(Glimpse { at, pod: None });
            return Ok(());
        }
        let is_told = self.told.swap(false, Ordering::AcqRel);
        let now = clock::now();
        if is_told || now.since(self.looked) >= NOW_AND_THEN {
            self.looked = now;
            match self.show()? {
                Some(pod) => self.note(pod),
                // It does not listen yet, or any more.
                None => self.told.store(true, Ordering::Release),
            }
        }
        Ok(())
    }

    /// The pod as it is now, if somebody says.
    fn show(&self) -> anyhow::Result<Option<Value>> {
        let output = self.ask(&["get", &self.name, "-o", "json"]).output()?;
        if !output.status.success() {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&output.stdout)?))
    }

    fn note(&mut self, pod: Value) {
        let last = self.glimpses.last().and_then(|last| last.pod.as_ref());
        if last != Some(&pod) {
            let (at, pod) = (clock::now(), Some(pod));
            self.glimpses.push(Glimpse { at, pod });
        }
    }

    fn ask(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.pillion);
        at(&mut command, &self.folder).args(words);
        command
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // The first one stops the pod, the second one kills what is left; a program that is gone does not hear them.
        let pid = i32::try_from(self.program.id())
            .ok()
            .and_then(Pid::from_raw);
        if let (Some(pid), Ok(None)) = (pid, self.program.try_wait()) {
            for _ in 0..2 {
                let _ = kill_process(pid, Signal::QUIT);
            }
        }
        let _ = self.program.wait();
        for mut command in self.asking.drain(..) {
            let _ = command.wait();
        }
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// A place that nobody else knows: pods of the same name run side by side.
fn at<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    command
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("PILLION_RUNTIME_DIR", folder.join("run"))
        .stdin(Stdio::null())
}

/// Writes down a pod.
fn write(folder: &Path, pod: &Value) -> anyhow::Result<PathBuf> {
    let file = folder.join("pod.json");
    fs::write(&file, pod.to_string())?;
    Ok(file)
}

fn errors(folder: &Path) -> PathBuf {
    folder.join("errors")
}

/// Notes that something was told, as long as anything is.
fn listen(output: ChildStdout, told: &AtomicBool) {
    for line in BufReader::new(output).lines() {
        if line.is_err() {
            return;
        }
        told.store(true, Ordering::Release);
    }
}
