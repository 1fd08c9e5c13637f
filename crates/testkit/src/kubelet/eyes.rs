//! Sees every pod of the cluster as it changes: one watch for all who play.

use crate::cluster::api::{Api, Hush, Watch};
use anyhow::Context as _;
use pillion_engine::Tick;
use pillion_runtime::clock;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Follows all pods.
pub(super) struct Eyes {
    seen: Arc<Mutex<Seen>>,
    hush: Option<Hush>,
    thread: Option<JoinHandle<()>>,
}

/// What has been seen of each pod, by name.
#[derive(Default)]
struct Seen {
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

    /// What has been seen of a pod, beginning with that number.
    pub(super) fn seen(&self, name: &str, from: usize) -> anyhow::Result<Vec<Glimpse>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
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
            Ok(Some(change)) => note(&change, seen),
            Ok(None) => break "the watch has ended".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    seen.lock().unwrap_or_else(PoisonError::into_inner).blind = Some(why);
}

fn note(change: &Value, seen: &Mutex<Seen>) {
    let at = clock::now();
    let pod = &change["object"];
    let Some(name) = pod["metadata"]["name"].as_str() else {
        return;
    };
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let glimpses = seen.pods.entry(name.to_owned()).or_default();
    // The last state of a pod that goes comes with its going.
    let pod = Some(pod.clone());
    glimpses.push(Glimpse { at, pod });
    if change["type"] == "DELETED" {
        glimpses.push(Glimpse { at, pod: None });
    }
}
