//! Where a timeline comes from: a run that is kept, a file, or the standard input.

use super::NotShown;
use crate::input::ReadError;
use crate::state::{NoSuchRun, Run, StateFolder, Wanted};
use anyhow::Result;
use pillion_timeline::json::{self, Reading};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Something that holds a timeline.
pub(super) enum Source {
    /// A run of a pod, here.
    Run(Run),
    /// A file.
    File(PathBuf),
    /// The standard input.
    Stdin,
}

/// More is no timeline that anybody could look at.
pub(super) const LARGEST: u64 = 256 << 20;

// === impl Source ===

impl Source {
    /// What somebody means by a word; without one, the latest run.
    pub(super) fn find(run: Option<&str>) -> Result<Self, NoSuchRun> {
        let Some(word) = run else {
            return StateFolder::locate()?.latest().map(Self::Run);
        };
        let path = Path::new(word);
        if word == "-" {
            return Ok(Self::Stdin);
        }
        if path.join("timeline").is_file() {
            return Ok(Self::File(path.join("timeline")));
        }
        match Wanted::parse(word) {
            // A folder may well be named like the pod that is developed in it.
            Some(wanted) if !path.is_file() && !looks_like_a_file(path) => {
                StateFolder::locate()?.find(wanted).map(Self::Run)
            }
            Some(_) | None => Ok(Self::File(path.to_owned())),
        }
    }

    /// How to speak of it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Run(run) => run.title(),
            Self::File(path) => path.display().to_string(),
            Self::Stdin => "<stdin>".to_owned(),
        }
    }

    /// Whether nobody goes on telling. To be asked before it is read.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Run(run) => !run.is_alive(),
            // It may come from anywhere.
            Self::File(_) | Self::Stdin => false,
        }
    }

    /// Reads all of it that makes sense.
    pub(super) fn read(&self) -> Result<Reading> {
        let bytes = self.bytes()?;
        let name = self.name();
        if bytes.len() as u64 > LARGEST {
            return Err(NotShown::TooLarge { name }.into());
        }
        let text = String::from_utf8_lossy(&bytes);
        let reading = json::read(&text).map_err(|source| NotShown::NoTimeline { name, source })?;
        Ok(reading)
    }

    fn bytes(&self) -> Result<Vec<u8>, ReadError> {
        let open = |path: PathBuf| {
            let read = File::open(&path).and_then(read_some);
            read.map_err(|source| ReadError::new(path, source))
        };
        match self {
            Self::Run(run) => open(run.timeline()),
            Self::File(path) => open(path.clone()),
            Self::Stdin => {
                read_some(io::stdin().lock()).map_err(|source| ReadError::new("-".into(), source))
            }
        }
    }
}

/// Names of pods can have dots, but do not end like this.
fn looks_like_a_file(path: &Path) -> bool {
    let ends = ["jsonl", "json", "ndjson", "log", "txt", "yaml", "yml"];
    path.extension()
        .is_some_and(|end| ends.iter().any(|known| end == *known))
}

fn read_some(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
