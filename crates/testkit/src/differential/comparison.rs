//! What came of laying two plays of one pod side by side.

use super::compare::{Compared, Parting, compare};
use super::shrink::{Kinds, kind};
use super::terms::Terms;
use pillion_simulator::line::Part;
use pillion_simulator::{Record, Scenario};
use std::fmt::Write as _;

/// Two plays of one pod.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub(super) found: Vec<String>,
    pub(super) seen: String,
    /// What was found in general; nothing if the pod could not be played.
    pub(super) kinds: Kinds,
    pub(super) reach: Reach,
    /// Our program could not play it.
    pub(super) is_our_failure: bool,
}

/// How far two plays could be compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// There were not two plays.
    None,
    /// They went the same way only so far.
    Until(Parting),
    ToTheEnd,
}

// === impl Comparison ===

impl Comparison {
    pub(super) fn of(scenario: &Scenario, kubelet: &Record, ours: &Record) -> Self {
        let Compared { found, parting } = compare(&Terms::of(scenario), kubelet, ours);
        let mut seen = String::new();
        if !found.is_empty() {
            for (place, record) in [("kubelet", kubelet), ("here", ours)] {
                for line in record.log.lines() {
                    // Probes are made all the time.
                    if !matches!(
                        line.who.part,
                        Part::Startup | Part::Readiness | Part::Liveness
                    ) {
                        let (at, who, word) = (line.at, &line.who, line.word);
                        // Writing to a string does not fail.
                        let _ = writeln!(seen, "  {place:<8} {at:>9}  {}", who.says(word));
                    }
                }
            }
        }
        Self {
            reach: parting.map_or(Reach::ToTheEnd, Reach::Until),
            ..Self::new(found, seen)
        }
    }

    pub(super) fn new(found: Vec<String>, seen: String) -> Self {
        let kinds = found.iter().map(|sentence| kind(sentence)).collect();
        Self {
            found,
            seen,
            kinds,
            reach: Reach::None,
            is_our_failure: false,
        }
    }

    /// It cannot be played there.
    pub(super) fn failed(place: &str, why: &anyhow::Error) -> Self {
        let found = format!("it cannot be played {place}: {why:#}");
        Self {
            kinds: Kinds::new(),
            ..Self::new(vec![found], String::new())
        }
    }
}
