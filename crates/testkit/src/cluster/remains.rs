//! What a cluster can leave behind outside its folder, and how it is removed: processes, mounts, control groups, and
//! entries in folders that containerd and the kubelet do not let anybody move.

use super::command::{command, run};
use super::network;
use super::place::Places;
use super::processes::{self, Network, Process};
use super::wait::until;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long killed processes may take to be gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// The kubelet and containerd write here, whatever they are told.
const CONTAINER_LOGS: &str = "/var/log/containers";
const NETWORK_RESULTS: &str = "/var/lib/cni/results";

/// Makes the control group that all pods will be in.
pub(super) fn make_groups(places: &Places) -> anyhow::Result<()> {
    for group in groups(places) {
        fs::create_dir_all(group)?;
    }
    Ok(())
}

/// Kills every process in the control groups of the cluster: that is where all containers are, and nobody else.
pub(super) fn kill_containers(places: &Places) -> anyhow::Result<()> {
    until("the end of all containers", PATIENCE, || {
        let members: Vec<_> = groups(places)
            .iter()
            .flat_map(|group| processes_in(group))
            .collect();
        for pid in &members {
            // It may have ended just now.
            let _ = kill_process(*pid, Signal::KILL);
        }
        Ok(members.is_empty())
    })
    .map(drop)
}

/// Kills what containerd has left beside the containers: processes that serve its socket.
pub(super) fn kill_shims(places: &Places) -> anyhow::Result<()> {
    let socket = places.text("containerd.sock");
    until("the end of containerd's helpers", PATIENCE, || {
        let shims: Vec<_> = shims(&socket).collect();
        for pid in &shims {
            let _ = kill_process(*pid, Signal::KILL);
        }
        Ok(shims.is_empty())
    })
    .map(drop)
}

/// Kills the programs of the cluster that nobody has written down, because whoever started them was killed at that moment:
/// those in its network, or on their way there, that were told where its files are. Some are `spared`, and so are
/// containerd's helpers, whose turn comes when their containers are gone.
pub(super) fn kill_strays(places: &Places, spared: &[i32]) -> anyhow::Result<()> {
    until(
        "the end of programs that are not written down",
        PATIENCE,
        || {
            let network = Network::at(&places.namespace_file());
            let strays: Vec<_> = processes::all()
                .filter(|one| is_stray(one, places, network) && !is_shim(one))
                .filter(|one| !spared.contains(&one.pid.as_raw_pid()))
                .collect();
            for stray in &strays {
                let _ = kill_process(stray.pid, Signal::KILL);
            }
            Ok(strays.is_empty())
        },
    )
    .map(drop)
}

fn is_stray(process: &Process, places: &Places, network: Option<Network>) -> bool {
    let is_inside = network.is_some() && process.network() == network;
    let enters = process.has(&network::entrance(places).to_string_lossy());
    (is_inside || enters) && process.names(places.folder())
}

/// Sockets of helpers that were killed. Each is named in the folder of its container.
pub(super) fn remove_sockets(places: &Places) {
    let folder = places.file("containerd/state/io.containerd.runtime.v2.task/k8s.io");
    for entry in entries(&folder) {
        let address = fs::read_to_string(entry.join("address")).unwrap_or_default();
        if let Some(socket) = address.trim().strip_prefix("unix://") {
            // It is gone if its helper could still remove it.
            let _ = fs::remove_file(socket);
        }
    }
}

/// Unmounts everything below the cluster's folder, inner mounts first.
pub(super) fn unmount(places: &Places) -> anyhow::Result<()> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    for point in mounts_below(&mounts, places.folder()).into_iter().rev() {
        run(command("umount", ["--lazy"]).arg(point))?;
    }
    Ok(())
}

/// Removes the control groups, inner ones first.
pub(super) fn remove_groups(places: &Places) -> anyhow::Result<()> {
    let groups = groups(places);
    // The kernel counts a process that was killed as one of the group until it has been waited for.
    until("the control groups to be empty", PATIENCE, || {
        for group in &groups {
            remove_tree(group);
        }
        Ok(!groups.iter().any(|group| group.exists()))
    })
    .map(drop)
}

/// The control groups that are there.
pub(super) fn groups_left(places: &Places) -> Vec<PathBuf> {
    let groups = groups(places).into_iter();
    groups.filter(|group| group.exists()).collect()
}

/// Entries of this cluster in folders of the machine.
pub(super) fn entries_left(places: &Places) -> Vec<PathBuf> {
    let is_ours = |link: &PathBuf| {
        fs::read_link(link).is_ok_and(|target| target.starts_with(places.folder()))
    };
    let links = entries(Path::new(CONTAINER_LOGS)).filter(is_ours);
    let results: Vec<_> = entries(Path::new(NETWORK_RESULTS)).collect();
    let results = results_of(&places.namespace(), &results);
    links.chain(results.into_iter().cloned()).collect()
}

/// Removes them, and the folders if nothing else is in them.
pub(super) fn remove_entries(places: &Places) {
    for entry in entries_left(places) {
        let _ = fs::remove_file(entry);
    }
    let folders = [
        CONTAINER_LOGS,
        NETWORK_RESULTS,
        "/var/lib/cni",
        "/run/containerd/s",
        "/run/containerd",
    ];
    for folder in folders {
        // Only what is empty can be removed this way.
        let _ = fs::remove_dir(folder);
    }
}

/// Kills all processes of the pod with that uid, its sandbox among them.
pub(super) fn kill_pod(places: &Places, uid: &str) -> anyhow::Result<()> {
    let name = format!("pod{uid}");
    until("the end of a pod", PATIENCE, || {
        let mut groups = Vec::new();
        for group in self::groups(places) {
            find_groups(&group, &name, &mut groups);
        }
        let members: Vec<_> = groups
            .iter()
            .flat_map(|group| processes_in(group))
            .collect();
        for pid in &members {
            let _ = kill_process(*pid, Signal::KILL);
        }
        Ok(members.is_empty())
    })
    .map(drop)
}

fn find_groups(group: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in entries(group).filter(|entry| entry.is_dir()) {
        if entry.ends_with(name) {
            found.push(entry);
        } else {
            find_groups(&entry, name, found);
        }
    }
}

/// The files that the network's plugins have kept for the pods of one network. The loopback device of a pod has one as
/// well, with nothing of the network's name in its own.
fn results_of<'r>(network: &str, results: &'r [PathBuf]) -> Vec<&'r PathBuf> {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let prefix = format!("{network}-");
    let pods = results.iter().filter_map(|path| {
        let name = name(path);
        let (pod, _) = name.strip_prefix(&prefix)?.rsplit_once('-')?;
        Some(pod.to_owned())
    });
    let pods: Vec<_> = pods.collect();
    let is_of = |path: &&PathBuf| pods.iter().any(|pod| name(path).contains(pod.as_str()));
    results.iter().filter(is_of).collect()
}

/// The groups of the cluster, one in each hierarchy.
fn groups(places: &Places) -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let roots = hierarchies(&mounts).into_iter();
    roots.map(|root| root.join(places.group())).collect()
}

fn hierarchies(mounts: &str) -> Vec<PathBuf> {
    let points = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        matches!(kind, "cgroup" | "cgroup2").then(|| PathBuf::from(point))
    });
    points.collect()
}

/// In the order in which they were mounted.
pub(super) fn mounts_below(mounts: &str, folder: &Path) -> Vec<PathBuf> {
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    let points = points.map(PathBuf::from);
    points.filter(|point| point.starts_with(folder)).collect()
}

/// The processes in a group and in those below it.
fn processes_in(group: &Path) -> Vec<Pid> {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    let own = text
        .lines()
        .filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
    let mut all: Vec<_> = own.collect();
    for entry in entries(group).filter(|entry| entry.is_dir()) {
        all.extend(processes_in(&entry));
    }
    all
}

fn remove_tree(group: &Path) {
    for entry in entries(group).filter(|entry| entry.is_dir()) {
        remove_tree(&entry);
    }
    // A group in which something still dies is tried again.
    let _ = fs::remove_dir(group);
}

/// Helpers have the socket among their arguments.
fn shims(socket: &str) -> impl Iterator<Item = Pid> {
    let shims = processes::all().filter(move |one| is_shim(one) && one.has(socket));
    shims.map(|one| one.pid)
}

fn is_shim(process: &Process) -> bool {
    process.program() == b"containerd-shim-runc-v2"
}

/// What is in a folder; nothing if there is none.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::super::processes::tests::process;
    use super::*;

    const MOUNTS: &str = "\
tmpfs /sys/fs/cgroup tmpfs rw 0 0
cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
/dev/vda /lib/one/kubelet ext4 rw 0 0
tmpfs /lib/one/kubelet/pods/a tmpfs rw 0 0
tmpfs /lib/one-more tmpfs rw 0 0
";

    #[test]
    fn only_mounts_below_the_folder_are_found() {
        let found = mounts_below(MOUNTS, Path::new("/lib/one"));
        let wanted = ["/lib/one/kubelet", "/lib/one/kubelet/pods/a"];
        assert_eq!(found, wanted.map(PathBuf::from));
    }

    #[test]
    fn what_plugins_keep_of_other_networks_is_left() {
        let files = [
            "ours-1a-eth0",
            "cni-loopback-1a-lo",
            "theirs-2b-eth0",
            "cni-loopback-2b-lo",
        ];
        let files = files.map(|file| Path::new("/results").join(file));

        let found = results_of("ours", &files);

        assert_eq!(found, [&files[0], &files[1]]);
    }

    #[test]
    fn a_stray_is_in_the_network_and_knows_the_folder() {
        let places = Places::of("one").unwrap();
        let config = places.text("kubelet.json");
        let kubelet = process(&["/cache/kubelet", "--config", &config]);
        let own = kubelet.network();
        assert!(is_stray(&kubelet, &places, own));
        assert!(!is_stray(&kubelet, &places, None));
        assert!(!is_stray(&process(&["/cache/kubelet"]), &places, own));
        let two = Places::of("two").unwrap();
        assert!(!is_stray(&kubelet, &two, own));
    }

    #[test]
    fn one_that_is_about_to_enter_the_network_is_a_stray() {
        let places = Places::of("one").unwrap();
        let entrance = "--net=/run/netns/pillion-one";
        let config = places.text("kubelet.json");
        let words = ["setsid", "nsenter", entrance, "--", "kubelet", &config];
        assert!(is_stray(&process(&words), &places, None));
        assert!(!is_stray(&process(&words[..5]), &places, None));
    }

    #[test]
    fn both_kinds_of_control_groups_are_found() {
        let found = hierarchies(MOUNTS);
        let wanted = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified"];
        assert_eq!(found, wanted.map(PathBuf::from));
    }
}
