//! What is asked of the program by a command of its own. Whatever it says is kept in files: nobody has to read it meanwhile.

use super::process::Process;
use anyhow::{Context as _, bail};
use serde_json::{Deserializer, Value};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// Somebody asks.
#[derive(Debug)]
pub(super) struct Errand {
    title: String,
    process: Process,
    shown: PathBuf,
    said: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) title: String,
    pub(super) status: ExitStatus,
    /// On the standard output.
    pub(super) shown: Vec<u8>,
    /// On the standard error.
    pub(super) said: String,
}

/// A file is refused under this name.
const NOT_APPLIED: &str = "not-applied";

const RESTARTED: &str = "the pod is being restarted";

/// Why a pod does not do what it is asked for without any fault: it ends, has ended, or begins anew.
const BY_ITSELF: [&str; 3] = ["the pod is ending", "ended before all was done", RESTARTED];

// === impl Errand ===

impl Errand {
    /// Begins; what it says goes into files that are called like this one, with an ending each.
    pub(super) fn begin(
        mut command: Command,
        title: &str,
        files: &Path,
        patience: Duration,
    ) -> anyhow::Result<Self> {
        let (shown, said) = (files.with_extension("out"), files.with_extension("errors"));
        command
            .stdout(File::create(&shown)?)
            .stderr(File::create(&said)?);
        Ok(Self {
            title: title.to_owned(),
            process: Process::start(&mut command, patience)?,
            shown,
            said,
        })
    }

    /// What came of it, if it is over.
    pub(super) fn ended(&mut self) -> anyhow::Result<Option<Answer>> {
        let status = self.process.ended()?;
        status.map(|status| self.answer(status)).transpose()
    }

    /// Waits until it is over, and kills what takes longer.
    pub(super) fn wait(&mut self, limit: Duration) -> anyhow::Result<Answer> {
        if let Some(status) = self.process.wait(limit)? {
            return self.answer(status);
        }
        self.process.kill();
        let (title, limit) = (&self.title, limit.as_secs());
        let said = last_words(&self.said);
        bail!("`pillion {title}` does not end within {limit} s{said}")
    }

    fn answer(&self, status: ExitStatus) -> anyhow::Result<Answer> {
        let reading = || format!("cannot read what `pillion {}` has said", self.title);
        Ok(Answer {
            title: self.title.clone(),
            status,
            shown: fs::read(&self.shown).with_context(reading)?,
            said: fs::read_to_string(&self.said).with_context(reading)?,
        })
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        self.process.kill();
    }
}

// === impl Answer ===

impl Answer {
    /// Something was not done, and not because the pod has ended meanwhile, or is about to.
    pub(super) fn is_refusal(&self) -> bool {
        let mut reasons = self.reasons().into_iter();
        reasons.any(|reason| !BY_ITSELF.iter().any(|words| reason.contains(words)))
    }

    /// It is a refusal in the words of a pod that has compared the file with what runs.
    pub(super) fn is_refusal_of_file(&self) -> bool {
        self.is_refusal() && self.values().any(|value| value.get(NOT_APPLIED).is_some())
    }

    /// It is not done, because the pod is being restarted, and can be asked for again.
    pub(super) fn is_too_soon(&self) -> bool {
        let reasons = self.reasons();
        let restarted = reasons.iter().any(|reason| reason.contains(RESTARTED));
        restarted && !self.is_refusal()
    }

    /// Why something was not done. A container that was exchanged and put back was what was asked for: what is seen of it is
    /// judged as everything else.
    fn reasons(&self) -> Vec<String> {
        if self.status.success() {
            return Vec::new();
        }
        let mut answers = self.values().filter_map(|value| reasons_in(&value));
        answers.next().unwrap_or_else(|| vec![self.said.clone()])
    }

    /// What it has shown, as long as that can be read.
    fn values(&self) -> impl Iterator<Item = Value> {
        let values = Deserializer::from_slice(&self.shown).into_iter();
        values.map_while(Result::ok)
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        let Self {
            title,
            status,
            shown,
            said,
        } = self;
        let shown = String::from_utf8_lossy(shown);
        let words = format!("{shown}{said}");
        format!("`pillion {title}` has ended ({status}): {}", words.trim())
    }
}

/// The reasons in an answer of `pillion apply --json` that is its last one.
fn reasons_in(answer: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().unwrap_or("no reason").to_owned();
    if let Some(problems) = answer[NOT_APPLIED].as_array() {
        let messages = problems.iter().map(|problem| text(&problem["message"]));
        return Some(messages.collect());
    }
    let done = answer["applied"]["containers"].as_array()?;
    let undone = done.iter().filter(|one| {
        // The others have not begun for the reason of one before them.
        one["outcome"] == "given-up"
            || one["outcome"] == "not-begun" && !text(&one["reason"]).ends_with("was not replaced")
    });
    Some(undone.map(|one| text(&one["reason"])).collect())
}

/// What a program has left in a file, behind what is said of it.
pub(super) fn last_words(file: &Path) -> String {
    let said = fs::read(file).unwrap_or_default();
    match String::from_utf8_lossy(&said).trim() {
        "" => String::new(),
        said => format!("; it said:\n{said}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;
    use std::thread;

    fn answer(code: i32, shown: &str, said: &str) -> Answer {
        Answer {
            title: "apply".to_owned(),
            status: ExitStatus::from_raw(code << 8),
            shown: shown.into(),
            said: said.to_owned(),
        }
    }

    const PLAN: &str = r#"{"plan":{"changes":[{"container":"main","fields":["image"],"how":"replace"}],"unchanged":[]}}"#;

    fn not_applied(message: &str) -> Answer {
        let problem = format!(r#"{{"container":"main","message":"{message}"}}"#);
        answer(1, &format!(r#"{{"not-applied":[{problem}]}}"#), "")
    }

    fn applied(outcome: &str, reason: &str) -> Answer {
        let done = format!(
            r#"{{"container":"main","outcome":"{outcome}","reason":"{reason}","milliseconds":12}}"#
        );
        let report = format!(r#"{{"applied":{{"containers":[{done}],"milliseconds":12}}}}"#);
        answer(1, &format!("{PLAN}\n{report}\n"), "")
    }

    #[test]
    fn what_a_pod_that_goes_on_has_not_done_is_refused() {
        assert!(not_applied("it has another shape").is_refusal());
        assert!(not_applied("it has another shape").is_refusal_of_file());
        assert!(applied("given-up", "the old one stays").is_refusal());
        assert!(applied("not-begun", "it is being replaced already").is_refusal());
        let busy = answer(2, "", "error: another file is being applied");
        assert!(busy.is_refusal() && !busy.is_refusal_of_file());
        assert!(answer(125, PLAN, "error: cannot hear the pod").is_refusal());
        let ending = r#"{"message":"the pod is ending"}"#;
        let both = format!(r#"{{"not-applied":[{ending},{{"message":"no such container"}}]}}"#);
        assert!(answer(1, &both, "").is_refusal());
    }

    #[test]
    fn what_was_done_or_comes_too_late_is_not_refused() {
        assert!(!answer(0, PLAN, "").is_refusal());
        assert!(!applied("put-back", "the new one exited 3").is_refusal());
        assert!(!applied("given-up", "the pod is ending").is_refusal());
        assert!(!not_applied("the pod is ending").is_refusal());
        let gone = answer(1, PLAN, "default/pod ended before all was done\n");
        assert!(!gone.is_refusal());
        assert!(!gone.is_too_soon());
    }

    #[test]
    fn what_a_pod_has_not_done_while_it_is_restarted_comes_too_soon() {
        let restarted = "the pod is being restarted: ask again when it runs";
        assert!(not_applied(restarted).is_too_soon());
        assert!(!not_applied(restarted).is_refusal());
        assert!(applied("given-up", "the pod is being restarted").is_too_soon());
        assert!(!not_applied("it has another shape").is_too_soon());
    }

    #[test]
    fn one_that_takes_too_long_is_told_with_what_it_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo waiting >&2; exec sleep 600"]);
        let patience = Duration::from_millis(200);
        let mut errand =
            Errand::begin(command, "stop", &folder.path().join("stop"), patience).unwrap();
        while last_words(&errand.said).is_empty() {
            thread::yield_now();
        }
        let error = errand.wait(patience).unwrap_err().to_string();
        assert_eq!(
            error,
            "`pillion stop` does not end within 0 s; it said:\nwaiting"
        );
    }
}
