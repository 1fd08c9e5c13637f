//! Facts on disk: what a driver knew when it died.
//!
//! A file of JSON lines: a header with the version and the two clocks at its beginning, then one fact a line, each
//! written in one piece before the acts that follow from it. The last line may be torn, when the driver or the machine
//! died while it was written: then what it says never counted, and it is dropped.

use crate::clock;
use crate::pump;
use pillion_engine::{Fact, Tick};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    durable: Durable,
    line: Vec<u8>,
}

/// What a journal must survive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Durable {
    /// The end of the driver. What is written costs a few microseconds.
    Process,
    /// The end of the machine: every fact is on the disk before anything follows from it.
    Machine,
}

/// What the first line has in every version.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Form {
    pillion_journal: u32,
}

/// The first line.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Header {
    pillion_journal: u32,
    /// The engine's time when it was begun, and what the calendar said then.
    tick: Tick,
    since_1970: Duration,
}

/// What a journal holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reading {
    /// The facts, the oldest first.
    pub facts: Vec<Fact>,
    /// The engine's time when it was begun.
    pub tick: Tick,
    /// What the calendar said then.
    pub since_1970: Duration,
    /// The last line was not whole, and was dropped.
    pub torn: bool,
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It has no header.
    #[error("this is no journal")]
    NoJournal,
    /// It was written by a later version.
    #[error("the journal has version {version}, and this program reads {VERSION}")]
    Version {
        /// Of the file.
        version: u32,
    },
    /// A line in the middle makes no sense: the file was damaged.
    #[error("line {line} of the journal makes no sense")]
    Damaged {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// The form of what is written here.
const VERSION: u32 = 2;

// === impl Journal ===

impl Journal {
    /// Begins a journal. One that is there is replaced.
    pub fn create(path: &Path, durable: Durable) -> io::Result<Self> {
        let mut journal = Self {
            file: File::create(path)?,
            durable,
            line: Vec::new(),
        };
        journal.write(&Header {
            pillion_journal: VERSION,
            tick: clock::now(),
            since_1970: clock::since_1970(),
        })?;
        Ok(journal)
    }

    fn write(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)?;
        match self.durable {
            Durable::Process => Ok(()),
            Durable::Machine => self.file.sync_data(),
        }
    }
}

impl pump::Journal for Journal {
    fn keep(&mut self, fact: &Fact) -> io::Result<()> {
        self.write(fact)
    }
}

/// Reads what a journal holds.
pub fn read(text: &[u8]) -> Result<Reading, ReadError> {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let header = lines.next().ok_or(ReadError::NoJournal)?;
    // A later version may have more in it.
    let Form {
        pillion_journal: version,
    } = serde_json::from_slice(header).map_err(|_| ReadError::NoJournal)?;
    if version != VERSION {
        return Err(ReadError::Version { version });
    }
    let Header {
        tick, since_1970, ..
    } = serde_json::from_slice(header).map_err(|_| ReadError::NoJournal)?;
    let mut facts = Vec::new();
    let mut torn = false;
    for (number, line) in (2..).zip(lines) {
        if line.last() != Some(&b'\n') {
            torn = true;
            break;
        }
        let fact = serde_json::from_slice(line);
        let fact = fact.map_err(|source| ReadError::Damaged {
            line: number,
            source,
        })?;
        facts.push(fact);
    }
    Ok(Reading {
        facts,
        tick,
        since_1970,
        torn,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pump::Journal as _;
    use pillion_engine::{Engine, Event};
    use pillion_spec::{LowerOptions, load};

    /// A pod's life so far, in memory and on disk.
    fn written() -> (Vec<Fact>, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::create(&path, Durable::Process).unwrap();
        let yaml = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: \
                    [{name: app, requires: [db]}, {name: db, readinessProbe: {exec: {command: [x]}}}]}}";
        let loaded = load("a.yaml", yaml.as_bytes(), LowerOptions::WITHOUT_IMAGES);
        let pod = loaded.pods[0].lowered.pod.clone();
        let now = Tick::from_secs(1);
        let mut engine = Engine::new(pod, now).unwrap();
        engine.handle_event(now, Event::SandboxReady);
        let mut facts = Vec::new();
        while let Some(fact) = engine.poll_fact() {
            journal.keep(&fact).unwrap();
            facts.push(fact);
        }
        assert!(!facts.is_empty());
        (facts, std::fs::read(&path).unwrap())
    }

    #[test]
    fn what_is_written_is_read() {
        let (facts, text) = written();
        let reading = read(&text).unwrap();
        assert_eq!(reading.facts, facts);
        assert!(!reading.torn);
    }

    #[test]
    fn a_line_that_was_cut_anywhere_is_dropped() {
        let (facts, text) = written();
        let last = text[..text.len() - 1]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .unwrap();
        for end in last + 2..text.len() {
            let reading = read(&text[..end]).unwrap();
            assert_eq!(reading.facts, facts[..facts.len() - 1]);
            assert!(reading.torn);
        }
    }

    #[test]
    fn damage_in_the_middle_is_told_with_its_line() {
        let (_, text) = written();
        let mut damaged = text.clone();
        let second = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        damaged[second] = b'?';
        assert!(matches!(
            read(&damaged),
            Err(ReadError::Damaged { line: 2, .. })
        ));
    }

    #[test]
    fn other_files_and_later_versions_are_refused() {
        assert!(matches!(read(b""), Err(ReadError::NoJournal)));
        assert!(matches!(read(b"{}\n"), Err(ReadError::NoJournal)));
        let (_, text) = written();
        let text = String::from_utf8(text).unwrap();
        let later = text.replacen("\"pillion_journal\":2", "\"pillion_journal\":9", 1);
        assert!(matches!(
            read(later.as_bytes()),
            Err(ReadError::Version { version: 9 })
        ));
    }

    #[test]
    fn a_later_version_with_more_in_its_header_is_told_as_such() {
        let later = b"{\"pillion_journal\":3,\"boot\":\"x\"}\n";
        assert!(matches!(
            read(later),
            Err(ReadError::Version { version: 3 })
        ));
    }
}
