//! For how long things were so at a time: what was seen often, and shortly, need not have been seen at all.

use std::collections::BTreeMap;
use std::time::Duration;

/// The longest time of each.
#[derive(Clone, Debug)]
pub(in super::super) struct Spells<K> {
    longest: BTreeMap<K, Duration>,
    /// What is so just now, and since how long.
    now: BTreeMap<K, Duration>,
}

// === impl Spells ===

impl<K: Copy + Ord> Spells<K> {
    /// These are so for that time, or for so much longer, and nothing else is.
    pub(super) fn note(&mut self, all: impl IntoIterator<Item = K>, time: Duration) {
        let before = std::mem::take(&mut self.now);
        for one in all {
            let time = time + before.get(&one).copied().unwrap_or_default();
            self.now.insert(one, time);
            let longest = self.longest.entry(one).or_default();
            *longest = time.max(*longest);
        }
    }

    /// How long each was so, at most at a time.
    pub(in super::super) fn longest(&self) -> &BTreeMap<K, Duration> {
        &self.longest
    }
}

impl<K> Default for Spells<K> {
    fn default() -> Self {
        Self {
            longest: BTreeMap::new(),
            now: BTreeMap::new(),
        }
    }
}
