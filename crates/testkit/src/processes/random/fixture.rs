//! Cases written by hand, for tests of laws: containers as a file has them, and what was seen of processes.
//!
//! ```text
//! a: 0 Starting, 1 Started, 4 Exiting 0; a/postStart: 0 Starting, 2 seen; b: 3 Starting, 9 seen, stays
//! ```
//!
//! Times are seconds. A process was surely there until the last moment that is named, and then gone unless it `stays`.

use super::case::Case;
use super::graph::Graph;
use super::reading;
use crate::processes::witness::{Life, Said, Seen};
use pillion_engine::status::Phase;
use pillion_engine::{PodResult, Tick};
use pillion_simulator::Scenario;

/// A hook after the start.
pub(super) const HOOK: &str = "lifecycle: {postStart: {exec: {command: [actor]}}}";

/// A probe.
pub(super) const PROBE: &str = "{exec: {command: [actor]}}";

/// A pod that restarts nobody, with a grace period of 30 seconds.
pub(super) fn case(containers: &str, lives: &str) -> Case {
    case_of(containers, "", lives)
}

/// The same, with what its containers do.
pub(super) fn case_of(containers: &str, actors: &str, lives: &str) -> Case {
    let graph = Graph::new(&scenario(containers, actors));
    let lives = lives.split(';').map(str::trim);
    let lives = lives.filter(|life| !life.is_empty()).map(life);
    Case::of_lives(graph, lives.collect())
}

fn scenario(containers: &str, actors: &str) -> Scenario {
    let pod = format!("pod: {{spec: {{restartPolicy: Never, containers: {containers}}}}}");
    let file = format!("{pod}\nactors: {{{actors}}}");
    let reading = reading(&file);
    let wrong = reading.describe();
    reading.scenario.unwrap_or_else(|| panic!("{wrong}"))
}

fn life(text: &str) -> Life {
    let (who, rest) = text.split_once(": ").unwrap();
    let items: Vec<_> = rest.split(", ").collect();
    let stays = items.contains(&"stays");
    let items = items.iter().filter_map(|item| item.split_once(' '));
    let items: Vec<_> = items.map(|(at, what)| (seconds(at), what)).collect();
    let (first, last) = (items[0].0, items.last().unwrap().0);
    let lines = items.iter().filter_map(|(at, what)| said(*at, what));
    Life {
        who: who.parse().unwrap(),
        lines: lines.collect(),
        seen: Some(Seen { first, last }),
        gone: (!stays).then_some(last),
    }
}

fn said(at: Tick, what: &str) -> Option<Said> {
    let (word, code) = what.split_once(' ').unwrap_or((what, ""));
    let (word, code) = (word.parse().ok()?, code.parse().ok());
    Some(Said { at, word, code })
}

fn seconds(text: &str) -> Tick {
    Tick::from_secs(text.parse().unwrap())
}

// === impl Case ===

impl Case {
    pub(super) fn deleted(mut self, at: u64) -> Self {
        self.deleted = Some(Tick::from_secs(at));
        self
    }

    pub(super) fn killed(mut self, name: &str, at: u64) -> Self {
        let victim = self.graph.named(name).unwrap();
        self.killed = Some((victim, Tick::from_secs(at)));
        self
    }

    pub(super) fn succeeded(self, code: i32) -> Self {
        self.ended(Phase::Succeeded, code)
    }

    pub(super) fn failed(self, code: i32) -> Self {
        self.ended(Phase::Failed, code)
    }

    fn ended(mut self, phase: Phase, code: i32) -> Self {
        self.result = Some(PodResult {
            phase,
            decider: None,
            code,
            reason: None,
        });
        self
    }
}
