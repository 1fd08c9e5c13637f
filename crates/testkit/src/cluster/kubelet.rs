//! The kubelet of a cluster, which is stopped and started again with other settings, or as if its node had gone.

use super::files::{self, Kubelet, NODE_NAME};
use super::member::Member;
use super::{Cluster, arguments, stop, wait};
use anyhow::Context as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How the kubelet is set up now, and how it was when the cluster was brought up.
const NOW: &str = "kubelet.json";
const AT_FIRST: &str = "kubelet-at-first.json";

/// How often the kubelet is started before that counts as a failure, and how long it is left alone in between.
const ATTEMPTS: usize = 4;
const SETTLE: Duration = Duration::from_secs(1);

// === impl Cluster ===

impl Cluster {
    /// Stops the kubelet; containers run on.
    pub fn stop_kubelet(&self) -> anyhow::Result<()> {
        stop(&self.places, "kubelet")
    }

    /// Starts the kubelet, and waits until it answers for its node.
    pub fn start_kubelet(&self, kubelet: Kubelet) -> anyhow::Result<()> {
        let places = &self.places;
        fs::write(places.file(NOW), files::kubelet(places, kubelet))?;
        self.start_kubelet_as_told()
    }

    /// The same for the first time.
    pub(super) fn set_up_kubelet(&self, kubelet: Kubelet) -> anyhow::Result<()> {
        let places = &self.places;
        fs::write(places.file(AT_FIRST), files::kubelet(places, kubelet))?;
        self.start_kubelet(kubelet)
    }

    /// Lets the kubelet be as it was when the cluster was brought up.
    pub fn restore_kubelet(&self) -> anyhow::Result<()> {
        let places = &self.places;
        let is_alive = Member::find(places, "kubelet").is_some_and(Member::is_alive);
        let was_changed = restore(&places.file(AT_FIRST), &places.file(NOW))?;
        if is_alive && !was_changed {
            return Ok(());
        }
        self.stop_kubelet()?;
        self.start_kubelet_as_told()
    }

    fn start_kubelet_as_told(&self) -> anyhow::Result<()> {
        let places = &self.places;
        for _ in 1..ATTEMPTS {
            // A containerd that was started just now may answer before it knows its containers, and a kubelet that
            // hears that ends.
            if self.try_kubelet().is_ok() {
                return Ok(());
            }
            stop(places, "kubelet")?;
            wait::pause(SETTLE);
        }
        self.try_kubelet()
    }

    fn try_kubelet(&self) -> anyhow::Result<()> {
        let places = &self.places;
        let program = places.program("kubelet");
        self.begin("kubelet", &program, &arguments::kubelet(places))?;
        let health = format!("/api/v1/nodes/{NODE_NAME}/proxy/healthz");
        self.wait("kubelet", || Ok(self.api().is_well(&health)))
    }
}

/// Makes a file what it was at first, and says whether it was anything else.
fn restore(at_first: &Path, now: &Path) -> anyhow::Result<bool> {
    let reading = |path: &Path| {
        let text = fs::read(path);
        text.with_context(|| format!("cannot read {}", path.display()))
    };
    let (first, last) = (reading(at_first)?, reading(now)?);
    if first != last {
        fs::write(now, &first).with_context(|| format!("cannot write {}", now.display()))?;
    }
    Ok(first != last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_at_first_is_set_again() {
        let folder = tempfile::tempdir().unwrap();
        let [first, now] = ["first", "now"].map(|name| folder.path().join(name));
        fs::write(&first, "at most 5 s").unwrap();
        fs::write(&now, "at most 1 s").unwrap();

        assert!(restore(&first, &now).unwrap());

        assert_eq!(fs::read_to_string(&now).unwrap(), "at most 5 s");
        assert!(!restore(&first, &now).unwrap());
    }
}
