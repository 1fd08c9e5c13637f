//! Two plays of one pod as they were seen: compared, kept in a file, and compared again by other rules.

use super::comparison::Comparison;
use super::watched;
use crate::kubelet::footage::Footage;
use anyhow::{Context as _, anyhow};
use pillion_engine::status::ContainerState;
use pillion_simulator::scenario::read::{self, Reading};
use pillion_simulator::{self as simulator, Record, Scenario};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The plays of a pod.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The pod and what becomes of it, as the text of a scenario.
    pub(super) text: String,
    pub(super) kubelet: Footage,
    /// Nothing: host processes cannot play it. What the engine decides is the same in virtual time.
    pub(super) ours: Option<Footage>,
}

// === impl Pair ===

impl Pair {
    /// What differs.
    pub(super) fn compare(&self) -> Comparison {
        let reading = scenario(&self.text);
        let Some(scenario) = &reading.scenario else {
            return Comparison::failed("anywhere", &anyhow!(reading.describe()));
        };
        let kubelet = self.kubelet.record();
        match &self.ours {
            Some(ours) => Comparison::of(scenario, &kubelet, &ours.record()),
            None => match in_virtual_time(scenario) {
                Ok(ours) => Comparison::of(scenario, &without_last_words(kubelet), &ours),
                Err(why) => Comparison::failed("here", &why),
            },
        }
    }

    /// Writes both down, in a file that is called like the pod and the number of the play.
    pub(super) fn keep(&self, folder: &Path, seed: u64) -> anyhow::Result<()> {
        let kept = json!({
            "scenario": self.text,
            "kubelet": self.kubelet.to_json(),
            "here": self.ours.as_ref().map(Footage::to_json),
        });
        let path = free(folder, seed);
        let written = fs::write(&path, kept.to_string());
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads what was kept.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let reading = || format!("cannot read {}", path.display());
        let text = fs::read(path).with_context(reading)?;
        let kept: Value = serde_json::from_slice(&text).with_context(reading)?;
        let ours = Some(&kept["here"]).filter(|ours| !ours.is_null());
        let scenario = kept["scenario"].as_str();
        let scenario = scenario
            .context("it holds no scenario")
            .with_context(reading)?;
        Ok(Self {
            text: scenario.to_owned(),
            kubelet: Footage::from_json(&kept["kubelet"]).with_context(reading)?,
            ours: ours
                .map(Footage::from_json)
                .transpose()
                .with_context(reading)?,
        })
    }
}

/// The pod that a text describes.
pub(super) fn scenario(text: &str) -> Reading {
    read::read("random", text.as_bytes(), &mut |_| Err(String::new()))
}

/// The files of all plays that were kept in a folder, each with the number of its pod, in order.
pub(super) fn kept(folder: &Path) -> anyhow::Result<Vec<(u64, PathBuf)>> {
    let reading = || format!("cannot read the folder {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(reading)? {
        let path = entry.with_context(reading)?.path();
        let is_kept = path.extension().is_some_and(|ending| ending == KEPT);
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let seed = stem.and_then(|stem| stem.split('-').next()?.parse().ok());
        files.extend(seed.filter(|_| is_kept).map(|seed| (seed, path)));
    }
    files.sort();
    Ok(files)
}

/// The file of the next play of a pod, which nobody else plays meanwhile.
fn free(folder: &Path, seed: u64) -> PathBuf {
    let mut number = 1;
    loop {
        let path = folder.join(format!("{seed}-{number}.{KEPT}"));
        if !path.exists() {
            return path;
        }
        number += 1;
    }
}

const KEPT: &str = "json";

fn in_virtual_time(scenario: &Scenario) -> anyhow::Result<Record> {
    let played = simulator::play(&watched(scenario)).map_err(|why| anyhow!("{why:?}"))?;
    Ok(played.record)
}

/// The same play without what the actors leave behind: in virtual time nobody writes anything.
fn without_last_words(mut record: Record) -> Record {
    let statuses = record.statuses.iter_mut();
    for container in statuses.flat_map(|sample| &mut sample.status.containers) {
        let state = match &mut container.state {
            ContainerState::Terminated(end) => Some(end),
            ContainerState::Waiting { .. } | ContainerState::Running { .. } => None,
        };
        for end in state.into_iter().chain(&mut container.last) {
            let left = end.message.as_deref();
            if left.is_some_and(|left| left.starts_with(&*container.name)) {
                end.message = None;
            }
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::super::dice::Dice;
    use super::super::draft::Draft;
    use super::super::{Disagreement, compare_kept};
    use super::*;

    /// Both have seen nothing.
    fn pair(ours: bool) -> Pair {
        let footage =
            json!({"lines": [], "glimpses": [], "moments": {}, "until": 60_000_000_000_u64});
        let footage = || Footage::from_json(&footage).unwrap();
        Pair {
            text: Draft::random(&mut Dice::new(7)).to_string(),
            kubelet: footage(),
            ours: ours.then(footage),
        }
    }

    #[test]
    fn every_play_of_a_pod_is_kept_and_found_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for seed in [30, 7, 30] {
            pair(true).keep(folder, seed).unwrap();
        }
        fs::write(folder.join("notes.txt"), "").unwrap();
        let kept = kept(folder).unwrap();
        let names = kept.iter().map(|(seed, path)| (*seed, path.file_name()));
        let wanted = [(7, "7-1.json"), (30, "30-1.json"), (30, "30-2.json")];
        let wanted = wanted.map(|(seed, name)| (seed, Some(name.as_ref())));
        assert_eq!(names.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn what_was_kept_is_compared_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        pair(true).keep(folder.path(), 1).unwrap();
        pair(false).keep(folder.path(), 2).unwrap();
        let found = |seed: u64| {
            let path = folder.path().join(format!("{seed}-1.json"));
            Pair::read(&path).unwrap().compare().found
        };
        assert_eq!(found(1), Vec::<String>::new());
        // In virtual time something happens.
        assert_ne!(found(2), Vec::<String>::new());
    }

    #[test]
    fn plays_of_one_pod_are_one_pod() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        // In virtual time something happens, and on the kubelet nothing did.
        for (seed, agrees) in [(1, false), (1, true), (2, false), (2, false), (3, true)] {
            pair(agrees).keep(folder, seed).unwrap();
        }
        let outcome = compare_kept(folder).unwrap();
        let seeds = |all: &[Disagreement]| all.iter().map(|one| one.seed).collect::<Vec<_>>();
        assert_eq!(outcome.pods, 3);
        assert_eq!(
            (seeds(&outcome.once), seeds(&outcome.differing)),
            (vec![1], vec![2])
        );
    }

    #[test]
    fn nothing_that_was_kept_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = compare_kept(folder.path()).unwrap_err();
        let wanted = format!("no plays are kept in {}", folder.path().display());
        assert_eq!(error.to_string(), wanted);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1-1.json");
        for text in ["", "{}", "[1]", r#"{"kubelet": {"until": "late"}}"#] {
            fs::write(&path, text).unwrap();
            let error = Pair::read(&path).unwrap_err();
            assert_eq!(error.to_string(), format!("cannot read {}", path.display()));
        }
        let missing = folder.path().join("missing");
        let error = kept(&missing).unwrap_err();
        let wanted = format!("cannot read the folder {}", missing.display());
        assert_eq!(error.to_string(), wanted);
    }
}
