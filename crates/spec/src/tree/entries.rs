//! The entries of a map while it is read: in order, each key once.

use super::{Entry, NodeId};
use crate::source::Span;
use std::collections::HashMap;

/// Entries in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Entries {
    entries: Vec<Entry>,
    /// For each entry, whether it stands in the map itself rather than in one merged into it.
    own: Vec<bool>,
    /// Where each key is; kept only for maps too large to search.
    index: Option<HashMap<Box<str>, usize>>,
}

/// Up to here searching is faster than hashing.
const SEARCHED: usize = 24;

// === impl Entries ===

impl Entries {
    /// Adds an entry, over one that was merged in. If the map itself already has the key, nothing
    /// changes and that entry is returned.
    pub(super) fn insert(
        &mut self,
        key: Box<str>,
        key_span: Span,
        value: NodeId,
    ) -> Option<&Entry> {
        let entry = Entry {
            key,
            key_span,
            value,
        };
        match self.position(&entry.key) {
            Some(at) if self.own[at] => return Some(&self.entries[at]),
            Some(at) => self.replace(at, entry, true),
            None => self.append(entry, true),
        }
        None
    }

    /// Adds the entries of another map, over those that are there.
    pub(super) fn merge(&mut self, merged: Box<[Entry]>) {
        for entry in merged {
            match self.position(&entry.key) {
                Some(at) => self.replace(at, entry, false),
                None => self.append(entry, false),
            }
        }
    }

    pub(super) fn last(&self) -> Option<&Entry> {
        self.entries.last()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = NodeId> {
        self.entries.iter().map(|entry| entry.value)
    }

    pub(super) fn into_boxed(self) -> Box<[Entry]> {
        self.entries.into()
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|entry| &*entry.key == key),
        }
    }

    fn replace(&mut self, at: usize, entry: Entry, own: bool) {
        // A key that the map gave before a merge stays the map's: given a third time it is still
        // a duplicate.
        self.own[at] |= own;
        self.entries[at] = entry;
    }

    fn append(&mut self, entry: Entry, own: bool) {
        if let Some(index) = &mut self.index {
            index.insert(entry.key.clone(), self.entries.len());
        }
        self.entries.push(entry);
        self.own.push(own);
        if self.index.is_none() && self.entries.len() > SEARCHED {
            let keys = self.entries.iter().enumerate();
            self.index = Some(keys.map(|(at, entry)| (entry.key.clone(), at)).collect());
        }
    }
}
