//! Scenarios played by a real kubelet, and judged by what its containers write and its API server shows.
//!
//! ```text
//! scenario ─▶ manifest ─▶ API server ─▶ kubelet ─▶ containerd ─▶ actors ─▶ lines, ends
//!                             │                                               │
//!              acts ─ Director ◀── status (one watch for all) ── judge ◀──────┘
//! ```
//!
//! The same files as in virtual time, the same judge, the same actors as with host processes; nothing of Pillion's
//! engine is asked. A file that a kubelet does not pass is wrong.

mod director;
mod eyes;
mod interruption;
mod late;
mod limits;
mod manifest;
mod status;
pub mod suite;

pub use eyes::PODS;
pub use manifest::LABEL;
pub(crate) use manifest::UNPULLABLE;

use crate::cluster::Cluster;
use crate::cluster::api::Api;
use director::Director;
use eyes::Eyes;
use interruption::Interruptions;
use pillion_simulator::{Record, Scenario};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Plays single scenarios on a cluster.
pub struct Player<'c>(Theatre<'c>);

/// What all plays on one cluster share.
struct Theatre<'c> {
    cluster: &'c Cluster,
    api: Api,
    eyes: Eyes,
    interruptions: Interruptions,
}

// === impl Player ===

impl<'c> Player<'c> {
    /// On this cluster.
    pub fn open(cluster: &'c Cluster) -> anyhow::Result<Self> {
        Theatre::open(cluster).map(Self)
    }

    /// Plays a scenario that does not restart the node; `pod` is its pod as JSON.
    pub fn play(&self, scenario: &Scenario, pod: &str) -> anyhow::Result<Record> {
        let pod = serde_json::from_str(pod)?;
        Director::begin(&self.0, scenario, &pod, pod_name())?.play()
    }
}

/// A name that no other play on the cluster has.
fn pod_name() -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("p{}-{number}", std::process::id())
}

/// Removes all pods that have the label. Whoever plays has the cluster alone: what is there is of a play that was killed.
pub fn clear(api: &Api) -> anyhow::Result<()> {
    let (key, value) = LABEL;
    let remains = format!("{PODS}?labelSelector={key}%3D{value}");
    api.delete(&remains, &json!({"gracePeriodSeconds": 1}))
}

// === impl Theatre ===

impl<'c> Theatre<'c> {
    fn open(cluster: &'c Cluster) -> anyhow::Result<Self> {
        let api = cluster.api();
        clear(&api)?;
        Ok(Self {
            cluster,
            eyes: Eyes::open(&api)?,
            api,
            interruptions: Interruptions::default(),
        })
    }
}
