//! Changes that come one after the other, and are looked at together.

use pillion_engine::Tick;
use pillion_runtime::watch::Change;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What has changed since the last time that it was quiet.
#[derive(Debug)]
pub(super) struct Burst {
    first: Tick,
    pub(super) last: Tick,
    /// What has changed, by what is watched; the latter by the same name if it is the one that has.
    names: BTreeMap<PathBuf, BTreeSet<String>>,
    more: bool,
    gone: BTreeMap<PathBuf, String>,
}

/// Quiet for so long, whoever wrote is done: long enough for an editor that renames, too short to be noticed.
const QUIET: Duration = Duration::from_millis(100);

/// Whoever writes all the time is not waited for longer than this.
const LONGEST: Duration = Duration::from_secs(2);

/// More names than these are not told.
const MOST: usize = 1000;

// === impl Burst ===

impl Burst {
    pub(super) const fn new(now: Tick) -> Self {
        Self {
            first: now,
            last: now,
            names: BTreeMap::new(),
            more: false,
            gone: BTreeMap::new(),
        }
    }

    /// The burst that is going on, or a new one; it lasts until now at least.
    pub(super) fn add(burst: &mut Option<Self>, now: Tick) -> &mut Self {
        let burst = burst.get_or_insert_with(|| Self::new(now));
        burst.last = now;
        burst
    }

    /// Something that people call so has changed.
    pub(super) fn note(&mut self, change: &Change, name: String) {
        if change.gone {
            self.gone.insert(change.root.clone(), name);
            return;
        }
        let names = self.names.entry(change.root.clone()).or_default();
        if names.len() < MOST {
            names.insert(name);
        } else {
            self.more = true;
        }
    }

    /// When it is to be looked at.
    pub(super) fn due(&self) -> Tick {
        (self.last + QUIET).min(self.first + LONGEST)
    }

    pub(super) fn has_gone(&self) -> bool {
        !self.gone.is_empty()
    }

    /// What is still gone.
    pub(super) fn gone(&self) -> impl Iterator<Item = &str> {
        let gone = self.gone.iter().filter(|(path, _)| !path.exists());
        gone.map(|(_, name)| name.as_str())
    }

    /// `src/main.py changed`, if something has. Nobody is restarted for what went with all the rest.
    pub(super) fn reason(&self) -> Option<String> {
        let there = |root: &PathBuf| !self.gone.contains_key(root) || root.exists();
        let names = self.names.iter().filter(|(root, _)| there(root));
        // A folder that came with something in it is told by what is in it.
        let names = names.flat_map(|(_, names)| {
            names
                .iter()
                .skip(usize::from(names.len() > 1 && is_above(names)))
        });
        let names: BTreeSet<_> = names.collect();
        let first = names.first()?;
        Some(match names.len() {
            1 => format!("{first} changed"),
            _ if self.more => format!("{first} and more than {MOST} others changed"),
            2 => format!("{first} and 1 other changed"),
            all => format!("{first} and {} others changed", all - 1),
        })
    }
}

/// Whether the first of these names is that of a folder that holds the second.
fn is_above(names: &BTreeSet<String>) -> bool {
    let mut names = names.iter();
    let (first, second) = (names.next(), names.next());
    let below = |(first, second): (&String, &String)| Path::new(second).starts_with(first);
    first.zip(second).is_some_and(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Tick {
        Tick::ZERO + Duration::from_millis(millis)
    }

    fn changed(gone: bool) -> Change {
        Change {
            root: "/nowhere/src".into(),
            path: "/nowhere/src/main".into(),
            gone,
        }
    }

    #[test]
    fn a_burst_is_over_when_it_is_quiet_and_never_lasts_long() {
        let mut burst = None;
        Burst::add(&mut burst, at(10));
        assert_eq!(burst.as_ref().unwrap().due(), at(110));
        Burst::add(&mut burst, at(90));
        assert_eq!(burst.as_ref().unwrap().due(), at(190));
        for more in (100..5000).step_by(50) {
            Burst::add(&mut burst, at(more));
        }
        assert_eq!(burst.unwrap().due(), at(2010));
    }

    #[test]
    fn the_reason_names_one_and_counts_the_others() {
        let mut burst = Burst::new(at(0));
        assert_eq!(burst.reason(), None);
        burst.note(&changed(false), "src".into());
        assert_eq!(burst.reason().unwrap(), "src changed");
        for (name, reason) in [
            ("src/main", "src/main changed"),
            ("src/main", "src/main changed"),
            ("src/lib", "src/lib and 1 other changed"),
            ("src/zip", "src/lib and 2 others changed"),
        ] {
            burst.note(&changed(false), name.into());
            assert_eq!(burst.reason().unwrap(), reason);
        }
        burst.note(&changed(true), "src".into());
        assert_eq!(burst.gone().collect::<Vec<_>>(), ["src"]);
        assert_eq!(burst.reason(), None, "all of it is gone");
    }
}
