//! Looks for whatever a cluster has left behind on the machine, by other means than those by which it was removed.
//!
//! What a cluster is known by only while it is up is remembered then. A network namespace without a name lives on as long as
//! a process is in it or a file stands for it, and the devices in it live as long as it does.

use super::place::Places;
use super::processes::{self, Network, Process};
use super::remains::{entries_left, groups_left, mounts_below};
use super::{Cluster, MEMBERS};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What to look for when a cluster is down.
#[derive(Clone, Debug)]
pub struct Traces {
    places: Places,
    network: Option<Network>,
    /// Devices of the machine that were there beside it.
    devices: BTreeSet<String>,
}

/// The names of devices that a cluster has, all of them in its own network.
const DEVICES: [&str; 3] = ["cni0", "uplink", "uplink-end"];

// === impl Traces ===

impl Traces {
    /// Of a cluster that is up.
    pub fn of(cluster: &Cluster) -> Self {
        let places = cluster.places().clone();
        Self {
            network: Network::at(&places.namespace_file()),
            places,
            devices: devices(),
        }
    }

    /// What is left of it, each thing by its name; nothing if all is well.
    pub fn left(&self) -> Vec<String> {
        let places = &self.places;
        let mut left: Vec<_> = processes::all()
            .filter(|process| self.is_of(process))
            .map(|process| process.describe())
            .collect();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let mut mounts = mounts_below(&mounts, places.folder());
        let mut files = vec![places.folder().to_owned(), places.namespace_file()];
        files.retain(|file| file.exists());
        files.extend(entries_left(places));
        mounts.retain(|mount| !files.contains(mount));
        left.extend(named("the mount", &mounts));
        left.extend(named("the control group", &groups_left(places)));
        left.extend(named("the file", &files));
        let info = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        if self.network.is_some_and(|network| network.is_in(&info)) {
            left.push("a file that stands for its network namespace".to_owned());
        }
        let new = devices()
            .into_iter()
            .filter(|device| DEVICES.contains(&device.as_str()) && !self.devices.contains(device));
        left.extend(new.map(|device| format!("the network device {device}")));
        left
    }

    /// Whether a process is a program of the cluster, or anything at all in its network.
    fn is_of(&self, process: &Process) -> bool {
        let program = process.program();
        // One of them is another program's name and what it does.
        let mut names = MEMBERS.iter().flat_map(|name| name.split("-proxy"));
        let is_member =
            program.starts_with(b"containerd-shim") || names.any(|name| name.as_bytes() == program);
        let is_inside = self.network.is_some() && process.network() == self.network;
        is_inside || is_member && process.names(self.places.folder())
    }
}

fn named<P: AsRef<Path>>(what: &str, paths: &[P]) -> Vec<String> {
    let names = paths.iter().map(|path| path.as_ref().display());
    names.map(|name| format!("{what} {name}")).collect()
}

/// The network devices of the machine, as this process sees them.
fn devices() -> BTreeSet<String> {
    let entries = fs::read_dir("/sys/class/net").into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::processes::tests::process;
    use super::*;

    fn traces(network: Option<Network>) -> Traces {
        Traces {
            places: Places::of("neverup").unwrap(),
            network,
            devices: devices(),
        }
    }

    #[test]
    fn nothing_is_left_of_a_cluster_that_never_was() {
        assert_eq!(traces(None).left(), [""; 0]);
    }

    #[test]
    fn programs_that_know_the_folder_are_left() {
        let traces = traces(None);
        let folder = traces.places.text("");
        let of = |program: &str| traces.is_of(&process(&[program, &format!("--at={folder}file")]));
        for program in [
            "/cache/etcd",
            "/cache/kubectl",
            "/usr/bin/containerd",
            "/usr/bin/containerd-shim-runc-v2",
        ] {
            assert!(of(program), "{program}");
        }
        assert!(!of("/usr/bin/tail"));
        assert!(!traces.is_of(&process(&["/cache/etcd", "--data-dir=/elsewhere"])));
    }

    #[test]
    fn whatever_is_in_the_network_is_left() {
        let own = process(&["/usr/bin/tail"]);
        assert!(traces(own.network()).is_of(&own));
        let left = traces(own.network()).left();
        let this = format!("the process {} ", own.pid);
        assert!(left.iter().any(|one| one.starts_with(&this)), "{left:?}");
    }
}
