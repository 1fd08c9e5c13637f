//! Where a pod is played: something that takes it as it is written, shows it as Kubernetes does, and takes it away.
//!
//! That is a cluster, or [`pillion run`](crate::program) in its place.

use super::eyes::Glimpse;
use super::interruption::Interruptions;
use super::late::Late;
use pillion_engine::Tick;
use pillion_simulator::record::Event;
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The place.
pub(crate) trait Place {
    /// The folder in which every pod has one for its actors, called like the pod.
    fn stage(&self) -> PathBuf;

    /// The actor program, as a container calls it.
    fn actor(&self) -> &str;

    /// Where a container serves a port of its pod.
    fn address(&self, port: u16) -> io::Result<SocketAddr>;

    /// Makes a pod of that name.
    fn create(&self, name: &str, pod: &Value) -> anyhow::Result<()>;

    /// What has been seen of it, beginning with that number.
    fn seen(&self, name: &str, from: usize) -> anyhow::Result<Vec<Glimpse>>;

    /// Tells it to go, within so many seconds, and does not wait.
    fn delete(&self, name: &str, grace: Option<u64>) -> anyhow::Result<()>;

    /// Nobody needs it any more, whether it has ended or not.
    fn remove(&self, name: &str) -> anyhow::Result<()>;

    /// Whether what runs a pod ends with it, as soon as nothing of it runs any more. A cluster goes on, and a pod that is deleted
    /// at once is gone there before its processes are.
    fn ends_with_pod(&self) -> bool {
        false
    }

    /// Gives a container of a pod another image.
    fn set_image(&self, pod: &Value, container: &str, image: &str) -> anyhow::Result<()>;

    /// Brings what containers were kept waiting for.
    fn supply(&self, _late: &mut Late, _now: Tick, _pod: &Value) -> anyhow::Result<()> {
        Ok(())
    }

    /// What Kubernetes events have told of a pod, where there are any.
    fn events(&self, _name: &str) -> anyhow::Result<Option<Vec<Event>>> {
        Ok(None)
    }

    /// Who restarts the node, where that can be done.
    fn interruptions(&self) -> Option<&Interruptions> {
        None
    }
}
