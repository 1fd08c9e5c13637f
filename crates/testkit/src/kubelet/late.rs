//! What containers cannot be created without, and what is made too late for their first try: a `ConfigMap` that a variable is
//! read from.

use super::status::all_statuses;
use crate::cluster::api::Api;
use pillion_engine::Tick;
use pillion_engine::event::StartFailure;
use pillion_simulator::actor::{CreateScript, Script};
use serde_json::{Value, json};
use std::time::Duration;

/// The `ConfigMap` of one pod.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Late {
    /// Nobody has missed it yet.
    #[default]
    Missing,
    /// Somebody has, since then.
    Missed(Tick),
    /// There is nothing more to do.
    Made,
}

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// The one key that it has.
const KEY: &str = "late";

/// As long as a container that could not be created is not tried again here.
const BACK_OFF: Duration = Duration::from_secs(10);

const REASON: StartFailure = StartFailure::CreateContainerConfigError;

/// Whether a container can be kept from being created as its script says.
pub(super) fn is_late(script: &Script) -> bool {
    let CreateScript { fails, reason } = script.create;
    fails == 1 && reason == REASON
}

/// A variable that keeps a container of that pod from being created until its value is there.
pub(super) fn variable(pod: &str) -> Value {
    json!([{"name": "LATE", "valueFrom": {"configMapKeyRef": {"name": pod, "key": KEY}}}])
}

// === impl Late ===

impl Late {
    /// Makes what a container of this pod has missed for long enough. It goes with the pod.
    pub(super) fn look(&mut self, now: Tick, pod: &Value, api: &Api) -> anyhow::Result<()> {
        match *self {
            Self::Missing if all_statuses(pod).any(misses) => *self = Self::Missed(now),
            Self::Missed(since) if now.since(since) >= BACK_OFF => {
                let (name, uid) = (&pod["metadata"]["name"], &pod["metadata"]["uid"]);
                let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid});
                let metadata = json!({"name": name, "ownerReferences": [owner]});
                let config = json!({"metadata": metadata, "data": {KEY: "here"}});
                api.create(CONFIG_MAPS, &config)?;
                *self = Self::Made;
            }
            Self::Missing | Self::Missed(_) | Self::Made => {}
        }
        Ok(())
    }
}

fn misses(status: &Value) -> bool {
    status["state"]["waiting"]["reason"] == REASON.as_str()
}
