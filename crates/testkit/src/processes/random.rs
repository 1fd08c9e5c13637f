//! Random pods of real processes, judged by their files and by what a witness saw of each process.
//!
//! ```text
//! seed ─▶ Draft ─▶ scenario ─▶ play ─▶ processes ─▶ witness ─▶ lives ─┐
//!                      └───────────────── pod, acts ──────────────────┴─▶ Case ─▶ laws ─▶ nothing, or sentences
//! ```
//!
//! Nothing is asked of the engine, nor of the runtime, but how the pod ended, which is itself judged. A moment is an interval
//! here: until when a process was surely there, since when it was surely gone. A law judges what is certain by the
//! promises and by these; whatever else it leaves alone.

mod case;
mod draft;
#[cfg(test)]
mod fixture;
mod graph;
mod holding;
mod laws;

use super::play_watched;
use super::scale::Scale;
use crate::differential::dice::Dice;
use case::Case;
use draft::Draft;
use pillion_simulator::Scenario;
use pillion_simulator::scenario::read::{Reading, read};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// A pod of a random file.
#[derive(Clone, Debug)]
pub struct RandomPod {
    /// Its file, which any driver of scenarios can play.
    pub file: String,
    scenario: Scenario,
    /// As JSON.
    pod: Box<str>,
}

/// Ten seconds of a file are played in one.
const SCALE: Scale = Scale(10);

/// So many drafts of one seed may be refused.
const TRIES: usize = 1_000;

// === impl RandomPod ===

impl RandomPod {
    /// The first draft of this seed that can be run.
    pub fn of_seed(seed: u64) -> io::Result<Self> {
        let mut dice = Dice::new(seed);
        let mut drafts = (0..TRIES).map(|_| Draft::random(&mut dice).to_string());
        let found = drafts.find_map(Self::of_file);
        found.ok_or_else(|| io::Error::other("every draft of this seed is refused"))
    }

    fn of_file(file: String) -> Option<Self> {
        let reading = reading(&file);
        let scenario = SCALE.scenario(&reading.scenario?);
        Some(Self {
            file,
            scenario,
            pod: reading.pod?,
        })
    }

    /// Plays it in that folder, and says which promises were broken, with everything that was seen.
    pub fn try_out(&self, actor: &Path, folder: &Path) -> io::Result<Result<(), String>> {
        let pod = Some(&*self.pod);
        let (record, lives) = play_watched(&self.scenario, pod, actor, folder)?;
        let case = Case::new(&self.scenario, &record, lives);
        let breaches = laws::breaches(&case);
        if breaches.is_empty() {
            return Ok(Ok(()));
        }
        let mut told = breaches.join("\n");
        // Writing to a string does not fail.
        let _ = write!(told, "\n\n{}\n{case}", self.file);
        Ok(Err(told))
    }
}

fn reading(file: &str) -> Reading {
    read("random.yaml", file.as_bytes(), &mut |_| {
        Err("it stands alone".into())
    })
}
