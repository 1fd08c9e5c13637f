//! What a run leaves behind: its timeline, its logs, and the pod as it was in the end.
//!
//! A disk that is full, or a folder that is taken away, must not end a pod: it is said once, and the pod goes on.

use super::logs::Logs;
use pillion_engine::Fact;
use pillion_runtime::journal::Journal;
use pillion_runtime::pump;
use pillion_runtime::runtime::Output;
use pillion_timeline::{Header, Record, Wall, json};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes down what happens.
#[derive(Debug)]
pub(super) struct Keeping {
    timeline: File,
    /// What is not in the timeline yet.
    pending: String,
    logs: Logs,
    /// Why something is missing, until it was said.
    trouble: Option<io::Error>,
    troubled: bool,
}

/// A journal that must not end a pod: a run that is killed begins anew, so that nothing hangs on it.
#[derive(Debug)]
pub(super) struct Kept {
    journal: Journal,
    trouble: Option<io::Error>,
}

// === impl Kept ===

impl Kept {
    pub(super) fn new(journal: Journal) -> Self {
        Self {
            journal,
            trouble: None,
        }
    }

    /// What went wrong.
    pub(super) fn trouble(self) -> Option<io::Error> {
        self.trouble
    }
}

impl pump::Journal for Kept {
    fn keep(&mut self, fact: &Fact) -> io::Result<()> {
        if self.trouble.is_none() {
            self.trouble = self.journal.keep(fact).err();
        }
        Ok(())
    }
}

// === impl Keeping ===

impl Keeping {
    /// Begins in the folder of a run.
    pub(super) fn begin(folder: &Path, header: &Header) -> io::Result<Self> {
        let mut timeline = File::create(folder.join("timeline"))?;
        timeline.write_all(json::header_line(header).as_bytes())?;
        let logs = Logs::new(folder.join("logs"));
        Ok(Self {
            timeline,
            pending: String::new(),
            logs,
            trouble: None,
            troubled: false,
        })
    }

    pub(super) fn told(&mut self, record: &Record) {
        self.pending.push_str(&json::record_line(record));
    }

    /// Writes what was told since the last time: things that happen together are written together.
    pub(super) fn settle(&mut self) {
        if !self.pending.is_empty() {
            let written = self.timeline.write_all(self.pending.as_bytes());
            self.pending.clear();
            self.note(written);
        }
    }

    pub(super) fn wrote(&mut self, container: &str, output: &Output, at: Wall) {
        let Output { stream, bytes, .. } = output;
        let written = self.logs.keep(container, *stream, at, bytes);
        self.note(written);
    }

    /// A run of a container will write no more.
    pub(super) fn hung_up(&mut self, container: &str, at: Wall) {
        let written = self.logs.end(container, at);
        self.note(written);
    }

    /// Keeps the pod as it was in the end, for whoever asks later: the whole of it, or nothing.
    pub(super) fn ended(&mut self, end: &Path, object: Result<Value, String>) {
        let draft = end.with_extension("draft");
        let written = object
            .map_err(io::Error::other)
            .and_then(|object| fs::write(&draft, object.to_string()))
            .and_then(|()| fs::rename(&draft, end));
        self.note(written);
    }

    /// Writes the rest. Says what went wrong, the first time that somebody asks.
    pub(super) fn finish(&mut self) -> Option<io::Error> {
        self.settle();
        self.trouble.take()
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && !std::mem::replace(&mut self.troubled, true)
        {
            self.trouble = Some(error);
        }
    }
}
