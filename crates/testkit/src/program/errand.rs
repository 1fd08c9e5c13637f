//! What is asked of the program by a command of its own. Whatever it says is kept in files: nobody has to read it meanwhile.

use super::process::Process;
use anyhow::{Context as _, bail};
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
    /// Nothing was done, and not because the pod is ending by itself.
    pub(super) fn is_refusal(&self) -> bool {
        let is_begun = self.says("\"plan\"") || self.says("the pod is ending");
        !self.status.success() && !is_begun
    }

    /// Nothing was done yet, because the pod is being restarted.
    pub(super) fn is_too_soon(&self) -> bool {
        self.is_refusal() && self.says("ask again when it runs")
    }

    fn says(&self, words: &str) -> bool {
        self.said.contains(words) || String::from_utf8_lossy(&self.shown).contains(words)
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

    fn answer(code: i32, shown: &str, said: &str) -> Answer {
        Answer {
            title: "apply".to_owned(),
            status: ExitStatus::from_raw(code << 8),
            shown: shown.into(),
            said: said.to_owned(),
        }
    }

    #[test]
    fn what_was_begun_or_comes_too_late_is_not_refused() {
        assert!(!answer(0, r#"{"plan":{}}"#, "").is_refusal());
        assert!(!answer(1, r#"{"plan":{}}"#, "ended before all was done").is_refusal());
        let ending = r#"{"not-applied":[{"message":"the pod is ending"}]}"#;
        assert!(!answer(1, ending, "").is_refusal());
        let other = r#"{"not-applied":[{"message":"it has another shape"}]}"#;
        assert!(answer(1, other, "").is_refusal());
        assert!(answer(2, "", "error: another file is being applied").is_refusal());
        let restarting = "the pod is being restarted: ask again when it runs";
        let restarting = format!(r#"{{"not-applied":[{{"message":"{restarting}"}}]}}"#);
        assert!(answer(1, &restarting, "").is_too_soon());
        assert!(!answer(1, other, "").is_too_soon());
    }

    #[test]
    fn one_that_takes_too_long_is_told_with_what_it_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo waiting >&2; exec sleep 600"]);
        let patience = Duration::from_millis(200);
        let mut errand =
            Errand::begin(command, "stop", &folder.path().join("stop"), patience).unwrap();
        let error = errand.wait(patience).unwrap_err().to_string();
        assert!(error.starts_with("`pillion stop` does not end"), "{error}");
    }
}
