//! A whole timeline: whose it is, and its records in order.

use crate::edge::{BarrierHead, Edge};
use crate::record::{Name, Record, Seq};
use crate::wall::Wall;
use pillion_engine::pod::{self, Pod};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// What happened in a pod's life, and why.
///
/// Records are kept in the order of their numbers, each number once, whatever order they came in.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Timeline {
    header: Header,
    records: Vec<Record>,
    /// How long somebody watched, if that is longer than something happened.
    watched: Duration,
}

/// Whose timeline it is.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The pod's name.
    #[serde(default)]
    pub pod: Box<str>,
    /// When the pod's life began, if there was a calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Wall>,
    /// Its containers, in the order of the pod; debugging containers that joined later are not there.
    #[serde(default)]
    pub containers: Vec<ContainerHead>,
    /// Its meeting points that somebody waits for, such as the ends of phases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<BarrierHead>,
    /// Whoever told it was killed: nothing more will come, and the last record is no end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
}

/// What readers want to know of a container.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerHead {
    /// Its name.
    pub name: Name,
    /// Whether it runs until stopped or to completion.
    #[serde(default)]
    pub kind: Kind,
    /// What it is to its pod.
    #[serde(default)]
    pub role: Role,
    /// Whether its end can end the pod.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keystone: bool,
    /// What its start waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Edge>,
}

/// Whether a container runs until stopped or to completion.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// Until stopped.
    #[default]
    Service,
    /// To completion.
    Oneshot,
}

/// What a container is to its pod.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Keeps it alive and decides its result.
    #[default]
    Main,
    /// Does neither.
    Sidecar,
    /// For debugging.
    Ephemeral,
}

// === impl Timeline ===

impl Timeline {
    /// An empty one.
    pub const fn new(header: Header) -> Self {
        Self {
            header,
            records: Vec::new(),
            watched: Duration::ZERO,
        }
    }

    /// Adds a record at its place. One whose number is there already is dropped.
    pub fn push(&mut self, record: Record) {
        match self.records.last() {
            Some(last) if last.seq >= record.seq => {
                if let Err(place) = self.place(record.seq) {
                    self.records.insert(place, record);
                }
            }
            Some(_) | None => self.records.push(record),
        }
    }

    /// Whose it is.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// All records, by number.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The record of that number.
    pub fn record(&self, seq: Seq) -> Option<&Record> {
        self.place(seq).ok().map(|place| &self.records[place])
    }

    /// The record that caused this one.
    pub fn because(&self, record: &Record) -> Option<&Record> {
        // A cause that is not earlier can only be damage, and following it might never end.
        let seq = record.because.filter(|seq| *seq < record.seq)?;
        self.record(seq)
    }

    /// The same, watched until then: that nothing happened any more is part of what was seen. It
    /// is not written to files.
    #[must_use]
    pub const fn watched_until(mut self, moment: Duration) -> Self {
        self.watched = moment;
        self
    }

    /// The same, told by somebody who was killed.
    #[must_use]
    pub const fn cut_off(mut self) -> Self {
        self.header.cut_off = true;
        self
    }

    /// The time of the latest record, or until when somebody watched.
    pub fn end(&self) -> Duration {
        let latest = self.records.iter().map(|record| record.at).max();
        latest.unwrap_or_default().max(self.watched)
    }

    /// All containers: those of the header, then others in the order in which they appear.
    pub fn containers(&self) -> Vec<&str> {
        let known = self
            .header
            .containers
            .iter()
            .map(|container| &*container.name);
        let seen = self
            .records
            .iter()
            .filter_map(|record| record.container.as_deref());
        let mut unique = BTreeSet::new();
        known
            .chain(seen)
            .filter(|name| unique.insert(*name))
            .collect()
    }

    fn place(&self, seq: Seq) -> Result<usize, usize> {
        self.records.binary_search_by_key(&seq, |record| record.seq)
    }
}

impl Extend<Record> for Timeline {
    fn extend<I: IntoIterator<Item = Record>>(&mut self, records: I) {
        for record in records {
            self.push(record);
        }
    }
}

// === impl Header ===

impl Header {
    /// The header of a pod that began its life then.
    pub fn new(pod: &Pod, started: Option<Wall>) -> Self {
        Self {
            pod: pod.name.clone(),
            started,
            containers: pod
                .containers
                .iter()
                .map(|container| ContainerHead::new(pod, container))
                .collect(),
            barriers: BarrierHead::all(pod),
            cut_off: false,
        }
    }

    /// What is known of that container.
    pub fn container(&self, name: &str) -> Option<&ContainerHead> {
        self.containers
            .iter()
            .find(|container| &*container.name == name)
    }
}

// === impl ContainerHead ===

impl ContainerHead {
    fn new(pod: &Pod, container: &pod::Container) -> Self {
        Self {
            name: container.name.clone(),
            kind: if container.is_oneshot() {
                Kind::Oneshot
            } else {
                Kind::Service
            },
            role: match container.role {
                pod::Role::Main => Role::Main,
                pod::Role::Sidecar => Role::Sidecar,
                pod::Role::Ephemeral => Role::Ephemeral,
            },
            keystone: container.keystone.is_some(),
            requires: Edge::all(pod, &container.requires),
        }
    }
}
