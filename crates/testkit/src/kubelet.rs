//! Scenarios played by a real kubelet, and judged by what its containers write and its API server shows.
//!
//! ```text
//! scenario ─▶ manifest ─▶ API server ─▶ kubelet ─▶ containerd ─▶ actors ─▶ lines, ends
//!                             │                                               │
//!              acts ─ Director ◀── status (one watch for all) ── judge ◀──────┘
//! ```
//!
//! The same files as in virtual time, the same judge, the same actors as with host processes. Pillion's engine judges nothing: it is
//! only asked how long a play may take. A file that a kubelet does not pass is wrong.

pub(crate) mod director;
mod events;
pub(crate) mod eyes;
pub(crate) mod footage;
mod interruption;
mod late;
mod limits;
mod manifest;
pub(crate) mod place;
mod status;
pub mod suite;

pub use eyes::PODS;
pub use manifest::LABEL;
pub(crate) use manifest::UNPULLABLE;

use crate::cluster::Cluster;
use crate::cluster::api::{Api, Patch};
use crate::cluster::image::ACTOR;
use crate::processes::network::LISTS;
use director::Director;
use eyes::{Eyes, Glimpse};
use footage::Footage;
use interruption::Interruptions;
use late::Late;
use pillion_engine::Tick;
use pillion_simulator::Scenario;
use pillion_simulator::record::Event;
use place::Place;
use serde_json::{Value, json};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
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
    pub(crate) fn play(&self, scenario: &Scenario, pod: &str) -> anyhow::Result<Footage> {
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

impl Place for Theatre<'_> {
    fn stage(&self) -> PathBuf {
        self.cluster.places().file("stage")
    }

    fn actor(&self) -> &str {
        ACTOR
    }

    /// A pod has a network of its own.
    fn address(&self, port: u16) -> io::Result<SocketAddr> {
        Ok((Ipv4Addr::UNSPECIFIED, port).into())
    }

    fn create(&self, name: &str, pod: &Value) -> anyhow::Result<()> {
        self.eyes.follow(name);
        self.api.create(PODS, pod).map(drop)
    }

    fn seen(&self, name: &str, from: usize) -> anyhow::Result<Vec<Glimpse>> {
        self.eyes.seen(name, from)
    }

    fn delete(&self, name: &str, grace: Option<u64>) -> anyhow::Result<()> {
        let options = grace.map_or(json!({}), |grace| json!({"gracePeriodSeconds": grace}));
        self.api.delete(&path(name), &options)
    }

    fn remove(&self, name: &str) -> anyhow::Result<()> {
        self.eyes.forget(name);
        self.delete(name, Some(1))
    }

    fn set_image(&self, pod: &Value, container: &str, image: &str) -> anyhow::Result<()> {
        let is_in = |list: &&str| {
            let mut containers = pod["spec"][*list].as_array().into_iter().flatten();
            containers.any(|one| one["name"] == container)
        };
        let list = LISTS.into_iter().find(is_in);
        let change = json!([{"name": container, "image": image}]);
        let change = json!({"spec": {list.unwrap_or("containers"): change}});
        let path = path(pod["metadata"]["name"].as_str().unwrap_or_default());
        let changed = self.api.patch(&path, Patch::Strategic, &change);
        changed.map(drop)
    }

    fn supply(&self, late: &mut Late, now: Tick, pod: &Value) -> anyhow::Result<()> {
        late.look(now, pod, &self.api)
    }

    fn events(&self, name: &str) -> anyhow::Result<Option<Vec<Event>>> {
        events::of(name, &self.api).map(Some)
    }

    fn interruptions(&self) -> Option<&Interruptions> {
        Some(&self.interruptions)
    }
}

fn path(pod: &str) -> String {
    format!("{PODS}/{pod}")
}
