//! Sees the pods of all plays as they change: one watch for all who play. What was seen of a pod is kept as long as it is
//! played.

use crate::cluster::api::{Api, Hush, Watch};
use anyhow::Context as _;
use pillion_engine::Tick;
use pillion_runtime::clock;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Follows pods.
pub(super) struct Eyes {
    seen: Arc<Mutex<Seen>>,
    hush: Option<Hush>,
    thread: Option<JoinHandle<()>>,
}

/// What has been seen.
#[derive(Default)]
struct Seen {
    /// Of each pod that is followed, by name.
    pods: BTreeMap<String, Vec<Glimpse>>,
    /// Why there is nothing more to see.
    blind: Option<String>,
}

/// A pod at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Glimpse {
    pub(crate) at: Tick,
    /// `None`: it is gone.
    pub(crate) pod: Option<Value>,
}

/// Where the pods of plays are.
pub const PODS: &str = "/api/v1/namespaces/default/pods";

// === impl Eyes ===

impl Eyes {
    /// Looks from now on.
    pub(super) fn open(api: &Api) -> anyhow::Result<Self> {
        let list = api.get(PODS)?;
        let version = list["metadata"]["resourceVersion"].as_str();
        let version = version.context("the list of pods has no version")?;
        let watch = api.watch(&format!(
            "{PODS}?watch=true&timeoutSeconds=86400&resourceVersion={version}"
        ))?;
        let hush = watch.hush()?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = seen.clone();
        let thread = thread::spawn(move || look(watch, &shared));
        Ok(Self {
            seen,
            hush: Some(hush),
            thread: Some(thread),
        })
    }

    /// Keeps from now on what is seen of a pod.
    pub(super) fn follow(&self, name: &str) {
        lock(&self.seen).pods.entry(name.to_owned()).or_default();
    }

    /// Nobody asks for that pod any more, though it may go on for a while.
    pub(super) fn forget(&self, name: &str) {
        lock(&self.seen).pods.remove(name);
    }

    /// What has been seen of a pod, beginning with that number.
    pub(super) fn seen(&self, name: &str, from: usize) -> anyhow::Result<Vec<Glimpse>> {
        let seen = lock(&self.seen);
        if let Some(why) = &seen.blind {
            anyhow::bail!("the pods cannot be seen any more: {why}");
        }
        let glimpses = seen.pods.get(name).map_or(&[][..], Vec::as_slice);
        Ok(glimpses.get(from..).unwrap_or_default().to_vec())
    }
}

impl Drop for Eyes {
    fn drop(&mut self) {
        drop(self.hush.take());
        if let Some(thread) = self.thread.take() {
            // It ends when its connection does.
            let _ = thread.join();
        }
    }
}

fn look(mut watch: Watch, seen: &Mutex<Seen>) {
    let why = loop {
        match watch.next_change() {
            Ok(Some(change)) => note(change, &mut lock(seen)),
            Ok(None) => break "the watch has ended".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    lock(seen).blind = Some(why);
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(mut change: Value, seen: &mut Seen) {
    let at = clock::now();
    let mut pod = change["object"].take();
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    let Some(glimpses) = seen.pods.get_mut(name) else {
        return;
    };
    // Who has written which field is most of a pod, and nobody reads it.
    if let Some(metadata) = pod["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    // The last state of a pod that goes comes with its going.
    let pod = Some(pod);
    glimpses.push(Glimpse { at, pod });
    if change["type"] == "DELETED" {
        glimpses.push(Glimpse { at, pod: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn following(name: &str) -> Seen {
        Seen {
            pods: [(name.to_owned(), Vec::new())].into(),
            blind: None,
        }
    }

    fn change(how: &str) -> Value {
        let metadata = json!({"name": "p1", "managedFields": [{"manager": "kubelet"}]});
        json!({"type": how, "object": {"metadata": metadata}})
    }

    #[test]
    fn a_pod_that_nobody_follows_leaves_nothing_behind() {
        let mut seen = following("p2");
        note(change("MODIFIED"), &mut seen);
        note(change("DELETED"), &mut seen);
        assert_eq!(seen.pods.keys().collect::<Vec<_>>(), ["p2"]);
        assert!(seen.pods["p2"].is_empty());
    }

    #[test]
    fn the_last_state_of_a_pod_comes_before_its_going() {
        let mut seen = following("p1");
        note(change("DELETED"), &mut seen);
        let pods: Vec<_> = seen.pods["p1"].iter().map(|glimpse| &glimpse.pod).collect();
        let last = json!({"metadata": {"name": "p1"}});
        assert_eq!(pods, [&Some(last), &None]);
    }
}
