//! The story of a pod, told while it happens, and its last line.
//!
//! What happens in one moment is told together, in the words of every other story: `app starts:
//! migrate succeeded`. Sentences need a little of what was before, so the newest records are kept,
//! and of older ones the last of each kind: memory does not grow with the age of the pod.

use pillion_timeline::record::Seq;
use pillion_timeline::story::Told;
use pillion_timeline::trace::result;
use pillion_timeline::{Line, Record, Style, Timeline, Tone, What};
use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

/// Tells what happens.
#[derive(Clone, Debug)]
pub(crate) struct Teller {
    timeline: Timeline,
    /// The last record that was told.
    told: Seq,
    /// More records than these are too many.
    most: usize,
}

/// So many records are always there to look back at.
const KEPT: usize = 256;
/// More are not there for long.
const MOST: usize = 1024;

// === impl Teller ===

impl Teller {
    /// For the pod of an empty timeline.
    pub(crate) const fn new(timeline: Timeline) -> Self {
        Self {
            timeline,
            told: 0,
            most: MOST,
        }
    }

    /// Takes in what happened.
    pub(crate) fn note(&mut self, record: Record) {
        self.timeline.push(record);
    }

    /// What there is to tell since the last time. To be asked when a moment is over.
    pub(crate) fn tell(&mut self) -> Vec<Told> {
        let news = self.timeline.news(self.told);
        let last = self.timeline.records().last();
        self.told = last.map_or(self.told, |last| last.seq);
        self.forget();
        news
    }

    /// The record that a sentence tells.
    pub(crate) fn record(&self, told: &Told) -> Option<&Record> {
        self.timeline.record(told.seq)
    }

    /// `orders failed: app exited 3 (keystone) after 4.2 s · pillion trace`; nothing while it lives.
    pub(crate) fn result(&self, style: Style) -> Option<Line> {
        let line = result(&self.timeline)?;
        Some(line.and(Tone::Dim, format!(" {} pillion trace", style.dot())))
    }

    /// How many records there are to look back at.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.timeline.records().len()
    }

    fn forget(&mut self) {
        let records = self.timeline.records();
        if records.len() <= self.most {
            return;
        }
        let (old, new) = records.split_at(records.len() - KEPT);
        let mut kept: Vec<_> = new.to_vec();
        let mut kinds = Kinds::new();
        for record in old.iter().rev() {
            let kind = discriminant(&record.what);
            let known = kinds.entry(record.container.clone()).or_default();
            if !known.contains(&kind) {
                known.push(kind);
                kept.push(record.clone());
            }
        }
        let mut timeline = Timeline::new(self.timeline.header().clone());
        kept.sort_by_key(|record| record.seq);
        // In a large pod the last ones of each kind are many: forgetting must not become a habit.
        self.most = MOST.max(2 * kept.len());
        timeline.extend(kept);
        self.timeline = timeline;
    }
}

type Kinds = BTreeMap<Option<Box<str>>, Vec<Discriminant<What>>>;
