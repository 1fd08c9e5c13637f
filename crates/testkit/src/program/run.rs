//! The program with one pod, from its start to its end.

use super::errand::{Answer, Errand, last_words};
use super::process::{Process, bound};
use crate::kubelet::director::has_ended;
use crate::kubelet::eyes::Glimpse;
use crate::processes::network::LISTS;
use anyhow::{Context as _, anyhow, bail};
use pillion_engine::Tick;
use pillion_runtime::clock;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The program, and whoever talks to it.
#[derive(Debug)]
pub(super) struct Run {
    pillion: PathBuf,
    folder: PathBuf,
    name: String,
    /// As it was written last.
    pod: Value,
    program: Process,
    /// How long it may take to answer, or to end.
    patience: Duration,
    /// It has told of something since the pod was looked at.
    told: Arc<AtomicBool>,
    looked: Tick,
    /// It has not answered since then.
    silent: Option<Tick>,
    glimpses: Vec<Glimpse>,
    is_over: bool,
    /// What is asked of the program; each waits until that is done, or the pod is gone.
    asking: Vec<Errand>,
    /// So many errands there were.
    errands: u32,
    /// What it would not do, and when, as long as the pod may be gone for all that is known.
    refusal: Option<(Tick, Answer)>,
    /// A pod that is gone may still be seen for so long.
    afterglow: Duration,
    is_told_to_stop: bool,
    /// Since when it is to be asked again for what came too soon.
    again: Option<Tick>,
}

/// Something may change without being told of.
const NOW_AND_THEN: Duration = Duration::from_secs(1);

/// What came too soon is asked for again then.
const A_WHILE: Duration = Duration::from_millis(500);

/// A pod that is gone may still be seen for so long.
const AFTERGLOW: Duration = Duration::from_secs(5);

/// How it ends after a panic, and when it has failed by itself.
const OWN_CODES: [i32; 2] = [101, 125];

// === impl Run ===

impl Run {
    /// Runs a pod.
    pub(super) fn begin(
        pillion: &Path,
        folder: &Path,
        name: &str,
        pod: &Value,
        max_backoff: Duration,
        patience: Duration,
    ) -> anyhow::Result<Self> {
        write(folder, pod)?;
        let mut command = bound(pillion);
        let max_backoff = format!("{}s", max_backoff.as_secs());
        let command = at(&mut command, folder)
            .args(["run", "--json", "--max-backoff", &max_backoff])
            .arg(file(folder))
            .stdout(Stdio::piped())
            .stderr(File::create(errors(folder))?);
        let mut program = Process::start(command, patience)?;
        let told = Arc::new(AtomicBool::new(true));
        if let Some(output) = program.output() {
            let told = told.clone();
            // It ends with the last one who could write, whom nobody may live to see.
            thread::spawn(move || listen(output, &told));
        }
        Ok(Self {
            pillion: pillion.to_owned(),
            folder: folder.to_owned(),
            name: name.to_owned(),
            pod: pod.clone(),
            program,
            patience,
            told,
            looked: clock::now(),
            silent: None,
            glimpses: Vec::new(),
            is_over: false,
            asking: Vec::new(),
            errands: 0,
            refusal: None,
            afterglow: AFTERGLOW,
            again: None,
            is_told_to_stop: false,
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
        self.is_told_to_stop = true;
        self.begin_to_ask(stop, "stop")
    }

    /// Gives a container another image. A pod that goes anyway may refuse that, as it may be gone.
    pub(super) fn set_image(&mut self, container: &str, image: &str) -> anyhow::Result<()> {
        for list in LISTS {
            let containers = self.pod["spec"][list].as_array_mut();
            for one in containers.into_iter().flatten() {
                if one["name"] == container {
                    one["image"] = image.into();
                }
            }
        }
        write(&self.folder, &self.pod)?;
        self.apply()
    }

    fn apply(&mut self) -> anyhow::Result<()> {
        let mut apply = self.ask(&["apply", "--json"]);
        apply.arg(file(&self.folder));
        self.begin_to_ask(apply, "apply")
    }

    /// Ends the pod, whatever it is about to do, and all that talk to it.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        let heard = self.hear_out();
        let goes_on = self.goes_on();
        let ended = self.program.end();
        ended.map_err(|error| self.describe(&format!("`pillion run` goes on: {error}")))?;
        heard?;
        for mut errand in std::mem::take(&mut self.asking) {
            let answer = errand.wait(self.patience)?;
            // All else may have become of it because the pod was ended here.
            if goes_on && answer.is_refusal_of_file() {
                bail!("the pod went on, and {}", answer.describe());
            }
        }
        Ok(())
    }

    /// Hears what was answered until now, and looks whether the pod goes on for all that it has refused.
    fn hear_out(&mut self) -> anyhow::Result<()> {
        self.again = None;
        if self.goes_on() {
            self.hear()?;
        }
        while self.refusal.is_some() && self.goes_on() {
            self.program.wait(A_WHILE)?;
            self.look()?;
        }
        Ok(())
    }

    fn begin_to_ask(&mut self, command: Command, title: &str) -> anyhow::Result<()> {
        self.errands += 1;
        let files = self.folder.join(format!("{title}-{}", self.errands));
        let errand = Errand::begin(command, title, &files, self.patience)?;
        self.asking.push(errand);
        Ok(())
    }

    fn look(&mut self) -> anyhow::Result<()> {
        if self.is_over {
            return Ok(());
        }
        if let Some(status) = self.program.ended()? {
            self.is_over = true;
            // It was kept before the program ended.
            let shown = self.show()?;
            let pod = shown.map_err(|answer| {
                let answer = answer.describe();
                self.describe(&format!("`pillion run` has ended ({status}), and {answer}"))
            })?;
            if failed(status, &pod["status"]) {
                return Err(self.describe(&format!("`pillion run` has failed ({status})")));
            }
            self.note(pod);
            let at = clock::now();
            self.glimpses.push(Glimpse { at, pod: None });
            return Ok(());
        }
        self.hear()?;
        let is_told = self.told.swap(false, Ordering::AcqRel);
        let now = clock::now();
        if is_told || now.since(self.looked) >= NOW_AND_THEN {
            self.looked = now;
            match self.show()? {
                Ok(pod) => {
                    self.silent = None;
                    self.note(pod);
                }
                Err(answer) => self.bear(now, &answer)?,
            }
        }
        Ok(())
    }

    /// It does not listen yet, or any more; but not for ever.
    fn bear(&mut self, now: Tick, answer: &Answer) -> anyhow::Result<()> {
        self.told.store(true, Ordering::Release);
        let silent = *self.silent.get_or_insert(now);
        if now.since(silent) < self.patience {
            return Ok(());
        }
        let (limit, answer) = (self.patience.as_secs(), answer.describe());
        Err(self.describe(&format!(
            "`pillion run` goes on and has not answered for {limit} s: {answer}"
        )))
    }

    /// Hears what came of what was asked. Who is refused something by a pod that goes on has found a fault.
    fn hear(&mut self) -> anyhow::Result<()> {
        let now = clock::now();
        for mut errand in std::mem::take(&mut self.asking) {
            match errand.ended()? {
                None => self.asking.push(errand),
                // A cluster takes a change at any time.
                Some(answer) if answer.is_too_soon() => self.again = Some(now),
                // What was under way when the pod was told to stop is given up.
                Some(answer) if answer.is_refusal() && !self.is_told_to_stop => {
                    self.refusal.get_or_insert((now, answer));
                }
                Some(_) => {}
            }
        }
        if self.again.is_some_and(|since| now.since(since) > A_WHILE) {
            self.again = None;
            self.apply()?;
        }
        let is_certain = |since: Tick| now.since(since) > self.afterglow;
        let refusal = self.refusal.take_if(|(since, _)| is_certain(*since));
        if let Some((_, answer)) = refusal
            && self.goes_on()
            && !self.says_that_it_ends()?
            // Nobody answers for a pod that is just gone, and then the program ends.
            && self.program.wait(A_WHILE)?.is_none()
        {
            bail!("the pod goes on, and {}", answer.describe());
        }
        Ok(())
    }

    /// It has not ended, for all that was seen.
    fn goes_on(&self) -> bool {
        !self.is_over && !self.glimpses.last().is_some_and(has_ended)
    }

    /// Whether the pod ends or begins anew. That cannot always be seen, and it gives up what it was asked for because of it; but
    /// it tells whoever asks for something now.
    fn says_that_it_ends(&self) -> anyhow::Result<bool> {
        let mut apply = self.ask(&["apply", "--dry-run", "--json"]);
        apply.arg(file(&self.folder));
        let files = self.folder.join("dry-run");
        let answer = Errand::begin(apply, "apply", &files, self.patience)?.wait(self.patience)?;
        Ok(!answer.status.success() && !answer.is_refusal())
    }

    /// The pod as it is now, or what was said instead.
    fn show(&self) -> anyhow::Result<Result<Value, Answer>> {
        let get = self.ask(&["get", &self.name, "-o", "json"]);
        let mut errand = Errand::begin(get, "get", &self.folder.join("get"), self.patience)?;
        let answer = errand.wait(self.patience);
        let answer = answer.map_err(|error| self.describe(&format!("{error:#}")))?;
        if !answer.status.success() {
            return Ok(Err(answer));
        }
        let pod = serde_json::from_slice(&answer.shown);
        Ok(Ok(pod.context("`pillion get` has not shown a pod")?))
    }

    /// What is wrong, with what the program says of it.
    fn describe(&self, what: &str) -> anyhow::Error {
        anyhow!("{what}{}", last_words(&errors(&self.folder)))
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

/// A place that nobody else knows: pods of the same name run side by side.
fn at<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    command
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("PILLION_RUNTIME_DIR", folder.join("run"))
        .stdin(Stdio::null())
}

/// Writes down a pod.
fn write(folder: &Path, pod: &Value) -> anyhow::Result<()> {
    Ok(fs::write(file(folder), pod.to_string())?)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("pod.json")
}

fn errors(folder: &Path) -> PathBuf {
    folder.join("errors")
}

/// Whether the program has died or failed by itself, though it has kept the end of its pod. It ends like the container that has
/// decided, so a code of its own may also be that of a container.
fn failed(status: ExitStatus, of_pod: &Value) -> bool {
    let is_own = |code: i32| OWN_CODES.contains(&code) && !has_exit_code(of_pod, code);
    status.code().is_none_or(is_own)
}

/// Whether any container has ended with that code, wherever its status says so.
fn has_exit_code(status: &Value, code: i32) -> bool {
    match status {
        Value::Object(fields) => {
            let is_it = fields.get("exitCode").is_some_and(|found| *found == code);
            is_it || fields.values().any(|below| has_exit_code(below, code))
        }
        Value::Array(all) => all.iter().any(|below| has_exit_code(below, code)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
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

#[cfg(test)]
mod tests;
