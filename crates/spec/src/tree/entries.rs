//! The entries of a map while it is read: in order, each key once.

use super::{Entry, NodeId};
use crate::source::Span;
use std::collections::{BTreeSet, HashMap};

/// Entries in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Entries {
    all: Vec<Entry>,
    /// The entries that only stand in a map merged into this one.
    merged: BTreeSet<usize>,
    /// Where each key is; kept only for maps too large to search.
    index: Option<HashMap<String, usize>>,
}

/// Up to here searching is faster than hashing.
const SEARCHED: usize = 24;

// === impl Entries ===

impl Entries {
    /// Adds an entry, over one that was merged in. If the map itself already has the key, nothing
    /// changes and that entry is returned.
    pub(super) fn insert(&mut self, key: String, key_span: Span, value: NodeId) -> Option<&Entry> {
        let entry = Entry {
            key,
            key_span,
            value,
        };
        match self.position(&entry.key) {
            Some(at) if self.merged.remove(&at) => self.all[at] = entry,
            Some(at) => return Some(&self.all[at]),
            None => self.append(entry),
        }
        None
    }

    /// Adds the entries of another map, over those that are there. A key that the map gave itself
    /// stays its own: given again it is still a duplicate.
    pub(super) fn merge(&mut self, merged: Vec<Entry>) {
        for entry in merged {
            if let Some(at) = self.position(&entry.key) {
                self.all[at] = entry;
            } else {
                self.merged.insert(self.all.len());
                self.append(entry);
            }
        }
    }

    pub(super) fn last(&self) -> Option<&Entry> {
        self.all.last()
    }

    pub(super) fn into_vec(self) -> Vec<Entry> {
        self.all
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.all.iter().position(|entry| entry.key == key),
        }
    }

    fn append(&mut self, entry: Entry) {
        if let Some(index) = &mut self.index {
            index.insert(entry.key.clone(), self.all.len());
        }
        self.all.push(entry);
        if self.index.is_none() && self.all.len() > SEARCHED {
            let keys = self.all.iter().enumerate();
            self.index = Some(keys.map(|(at, entry)| (entry.key.clone(), at)).collect());
        }
    }
}
