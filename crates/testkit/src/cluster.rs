//! A real Kubernetes on one machine: etcd, API server, controllers, scheduler, kubelet and containerd, in a network
//! namespace of their own.
//!
//! ```text
//!   Go modules ─▶ programs (cache, once) ─┐
//!   Debian packages ──────────────────────┼─▶ up ─▶ Cluster ─▶ Api (a socket)
//!   the actor, busybox ─▶ images ─────────┘    │
//!                                            down: nothing is left
//! ```
//!
//! It needs root, because containers do. Everything that runs is known by its number and start time, or by the control
//! group that it is in, and nothing else is ever ended. Whoever brings a cluster up takes it down, also when a panic ends
//! its work, unless it is left on purpose. An `up` begins with a `down`, so a crashed run is in nobody's way.

pub mod api;
mod arguments;
mod build;
mod certificate;
mod command;
pub mod files;
mod go;
pub mod image;
mod kubelet;
mod member;
mod network;
mod package;
pub mod place;
mod processes;
mod recipe;
mod remains;
mod space;
mod standing;
pub mod traces;
mod wait;

pub use standing::{Standing, standing};

use anyhow::{Context as _, bail, ensure};
use api::Api;
use command::run;
use files::{Kubelet, NODE_NAME};
use member::{Member, last_words};
use place::Places;
use standing::{need, need_root};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A cluster that is up.
pub struct Cluster {
    places: Places,
    tell: fn(&str),
    fate: Fate,
    /// Nobody else changes the cluster as long as this is held.
    _lock: File,
}

/// What becomes of a cluster when nobody holds it any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    /// It goes.
    Goes,
    /// It was up before, or was left so, or is down already.
    Stays,
}

/// In the order in which they are started; they are stopped the other way round.
const MEMBERS: [&str; 7] = [
    "containerd",
    "etcd",
    "kube-apiserver",
    "kubectl-proxy",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
];

/// A file that is there if the cluster was left on purpose.
const LEFT: &str = "left";

/// How long something may take to come up on a machine with much to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// Whether this machine has what a cluster needs, without making any of it.
pub fn check(places: &Places) -> anyhow::Result<()> {
    need_root()?;
    package::check()?;
    space::check(places)?;
    build::check(places)
}

/// Builds the programs if they are not there yet, and installs what the distribution has.
pub fn prepare(places: &Places, tell: fn(&str)) -> anyhow::Result<()> {
    need_root()?;
    package::install(&tell)?;
    build::build(places, &tell)
}

/// Brings a cluster up, after cleaning up whatever was left of one.
pub fn up(
    places: &Places,
    actor: &Path,
    kubelet: Kubelet,
    tell: fn(&str),
) -> anyhow::Result<Cluster> {
    prepare(places, tell)?;
    let lock = lock(places, Duration::ZERO)?;
    clean_up(places)?;
    space::check(places)?;
    network::check(places)?;
    let cluster = Cluster {
        places: places.clone(),
        tell,
        fate: Fate::Goes,
        _lock: lock,
    };
    cluster.start(actor, kubelet)?;
    Ok(cluster)
}

/// Takes over a cluster that somebody has brought up and left, and gives its pods this actor; none if there is none, or one
/// that somebody has brought up for a while and was killed.
pub fn attach(places: &Places, actor: &Path, tell: fn(&str)) -> anyhow::Result<Option<Cluster>> {
    if standing(places)
        .iter()
        .any(|standing| standing.pid.is_none())
    {
        return Ok(None);
    }
    need_root()?;
    let places = places.clone();
    let lock = lock(&places, Duration::ZERO)?;
    if !is_left(&places) {
        // Whoever has brought it up for itself was killed.
        return Ok(None);
    }
    if !image::is_made_of(&places, actor)? {
        tell(
            "the actor is another one than when the cluster was brought up: making its images again",
        );
        image::make(&places, actor)?;
    }
    Ok(Some(Cluster {
        places,
        tell,
        fate: Fate::Stays,
        _lock: lock,
    }))
}

/// Whether a cluster was left up by somebody, and not taken down since.
pub fn is_left(places: &Places) -> bool {
    places.file(LEFT).exists()
}

/// Takes a cluster down, whoever brought it up, and waits so long for somebody who still uses it.
pub fn down(places: &Places, patience: Duration) -> anyhow::Result<()> {
    need_root()?;
    let _lock = lock(places, patience)?;
    clean_up(places)
}

/// `kubectl` as the administrator.
pub fn kubectl(places: &Places) -> anyhow::Result<Command> {
    // Without its store the server answers nobody for minutes.
    for member in ["etcd", "kube-apiserver"] {
        need(places, member)?;
    }
    let mut kubectl = network::inside(places, places.program("kubectl"));
    kubectl.arg("--kubeconfig").arg(places.file("kubeconfig"));
    // What it remembers of one cluster is not true of the next one.
    kubectl.arg("--cache-dir").arg(places.file("kubectl"));
    Ok(kubectl)
}

/// The way to the API server.
pub fn api(places: &Places) -> Api {
    Api::at(&places.file("api.sock"))
}

/// Adds an image to those that pods can have.
pub fn import(places: &Places, archive: &Path) -> anyhow::Result<()> {
    need(places, "containerd")?;
    image::import(places, archive)
}

/// The images that pods can have.
pub fn images(places: &Places) -> anyhow::Result<Vec<String>> {
    need(places, "containerd")?;
    image::list(places)
}

/// Taken by whoever changes the cluster, for as long as that takes.
fn lock(places: &Places, patience: Duration) -> anyhow::Result<File> {
    let path = places.lock();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let file = File::create(&path).with_context(|| format!("cannot open {}", path.display()))?;
    if wait::until("the lock", patience, || Ok(file.try_lock().is_ok())).is_err() {
        let name = places.name();
        bail!(
            "the cluster `{name}` is in use: somebody else brings it up, takes it down or tests with it; wait, or \
             give yours another name"
        );
    }
    Ok(file)
}

/// Ends and removes everything of a cluster that there may be.
fn clean_up(places: &Places) -> anyhow::Result<()> {
    check_owner(places.folder())?;
    stop(places, "kubelet")?;
    // Another kubelet would go on starting containers.
    let members = MEMBERS.iter().filter_map(|name| Member::find(places, name));
    let members: Vec<_> = members.map(Member::pid).collect();
    remains::kill_strays(places, &members)?;
    remains::kill_containers(places)?;
    for name in MEMBERS.into_iter().rev() {
        stop(places, name)?;
    }
    remains::kill_shims(places)?;
    remains::kill_strays(places, &[])?;
    remains::remove_sockets(places);
    remains::unmount(places)?;
    if places.folder().exists() {
        network::remove(places)?;
    }
    remains::remove_groups(places)?;
    remains::remove_entries(places);
    let (folder, gone) = (places.folder(), places.gone());
    let removing = || format!("cannot remove {}", folder.display());
    // All at once, lest it is no cluster's any more if something in it cannot be removed.
    if folder.exists() {
        remove(&gone).with_context(removing)?;
        fs::rename(folder, &gone).with_context(removing)?;
    }
    remove(&gone).with_context(removing)
}

/// Removes a folder that need not be there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A folder that was never a cluster's has something in it that somebody may want to keep.
fn check_owner(folder: &Path) -> anyhow::Result<()> {
    let mut entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| format!("cannot list {}", folder.display()))?,
    };
    // `kubectl` may keep what it remembers when the cluster is down.
    let is_foreign = entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != "kubectl"));
    ensure!(
        !is_foreign || folder.join("members").is_dir(),
        "{} is no cluster's folder and not empty: move it away, or give the cluster another name",
        folder.display()
    );
    Ok(())
}

fn stop(places: &Places, name: &str) -> anyhow::Result<()> {
    let Some(member) = Member::find(places, name) else {
        return Ok(());
    };
    member
        .stop()
        .with_context(|| format!("cannot stop {name}"))?;
    member::forget(places, name)
}

// === impl Cluster ===

impl Cluster {
    /// Its places.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The way to its API server.
    pub fn api(&self) -> Api {
        api(&self.places)
    }

    /// Lets it stay up when this is gone.
    pub fn leave(mut self) -> anyhow::Result<()> {
        let file = self.places.file(LEFT);
        fs::write(&file, "").with_context(|| format!("cannot write {}", file.display()))?;
        self.fate = Fate::Stays;
        Ok(())
    }

    /// Whether all of its programs run. If not, that is why whatever was done with it has failed.
    pub fn check(&self) -> anyhow::Result<()> {
        self.check_members().context(
            "the cluster has come apart, and nothing that was seen of it since counts; \
             the next `cargo xtask cluster up` begins anew",
        )
    }

    /// Takes it down.
    pub fn down(mut self) -> anyhow::Result<()> {
        self.fate = Fate::Stays;
        clean_up(&self.places)
    }

    /// Removes containers that have ended from the records of containerd. The kubelet must not run.
    pub fn forget(&self, ids: &[String]) -> anyhow::Result<()> {
        let places = &self.places;
        run(image::ctr(places).args(["containers", "delete"]).args(ids))?;
        // It holds what it knows of pods in its memory.
        stop(places, "containerd")?;
        self.start_containerd()
    }

    /// Kills a pod with its sandbox, as a reboot would. The kubelet must not run.
    pub fn kill_pod(&self, uid: &str) -> anyhow::Result<()> {
        remains::kill_pod(&self.places, uid)
    }

    fn start(&self, actor: &Path, kubelet: Kubelet) -> anyhow::Result<()> {
        let places = &self.places;
        for folder in ["members", "log/pods", "keys", "etcd", "kubelet", "cni"] {
            fs::create_dir_all(places.file(folder))
                .with_context(|| format!("cannot make {}", places.file(folder).display()))?;
        }
        // Whoever has the administrator's token can do anything there.
        fs::set_permissions(places.file("keys"), Permissions::from_mode(0o700))?;
        network::make(places)?;
        remains::make_groups(places)?;
        certificate::make(places)?;
        self.configure()?;
        self.start_control_plane()?;
        self.start_containerd()?;
        image::make(places, actor)?;
        self.wait("kube-apiserver", || Ok(self.api().is_well("/readyz")))?;
        self.start_controllers()?;
        self.set_up_kubelet(kubelet)?;
        self.wait("the node", || self.is_node_ready())?;
        let account = "/api/v1/namespaces/default/serviceaccounts/default";
        self.wait("the default account", || {
            Ok(self.api().find(account)?.is_some())
        })
    }

    fn configure(&self) -> anyhow::Result<()> {
        let places = &self.places;
        let token = fs::read_to_string(places.file("keys/token"))?;
        let files = [
            ("kubeconfig", files::kubeconfig(places, &token)),
            ("scheduler.yaml", files::scheduler(places)),
            ("containerd.toml", files::containerd(places)),
            ("cni/bridge.conflist", files::network(places)),
        ];
        for (name, text) in files {
            fs::write(places.file(name), text)?;
        }
        fs::set_permissions(places.file("kubeconfig"), Permissions::from_mode(0o600))?;
        Ok(())
    }

    fn start_containerd(&self) -> anyhow::Result<()> {
        let config = self.places.text("containerd.toml");
        let program = PathBuf::from("containerd");
        self.begin("containerd", &program, &["--config".to_owned(), config])?;
        self.wait("containerd", || {
            Ok(run(image::ctr(&self.places).arg("version")).is_ok())
        })
    }

    fn start_control_plane(&self) -> anyhow::Result<()> {
        let places = &self.places;
        self.begin("etcd", &places.program("etcd"), &arguments::etcd(places))?;
        let name = "kube-apiserver";
        self.begin(name, &places.program(name), &arguments::api_server(places))?;
        let proxy = arguments::proxy(places);
        self.begin("kubectl-proxy", &places.program("kubectl"), &proxy)
    }

    fn start_controllers(&self) -> anyhow::Result<()> {
        let places = &self.places;
        let name = "kube-controller-manager";
        self.begin(name, &places.program(name), &arguments::controllers(places))?;
        let name = "kube-scheduler";
        self.begin(name, &places.program(name), &arguments::scheduler(places))
    }

    fn begin(&self, name: &str, program: &Path, arguments: &[String]) -> anyhow::Result<()> {
        Member::start(&self.places, name, program, arguments).map(drop)
    }

    /// Waits for something to come up. A program of the cluster that ends meanwhile is the end of it.
    fn wait(
        &self,
        what: &str,
        mut is_so: impl FnMut() -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let took = wait::until(what, PATIENCE, || {
            self.check_members()?;
            is_so()
        });
        let took = took.or_else(|error| {
            // Whoever has ended is the cause, and not whoever is waited for.
            self.check_members()?;
            // Whoever is waited for may be no program, and the kubelet knows most.
            let who = if MEMBERS.contains(&what) {
                what
            } else {
                "kubelet"
            };
            let said = said(&last_words(&self.places, who));
            Err(error.context(format!(
                "{what} does not come up; {who} has not ended{said}"
            )))
        })?;
        (self.tell)(&format!("{what:<24} {:>5.1} s", took.as_secs_f64()));
        Ok(())
    }

    fn check_members(&self) -> anyhow::Result<()> {
        for name in MEMBERS {
            let member = Member::find(&self.places, name);
            if member.is_some_and(|member| !member.is_alive()) {
                let said = said(&last_words(&self.places, name));
                bail!("{name} has ended{said}");
            }
        }
        Ok(())
    }

    fn is_node_ready(&self) -> anyhow::Result<bool> {
        let node = self.api().find(&format!("/api/v1/nodes/{NODE_NAME}"))?;
        let conditions = node
            .as_ref()
            .and_then(|node| node["status"]["conditions"].as_array());
        let ready = |condition: &serde_json::Value| {
            condition["type"] == "Ready" && condition["status"] == "True"
        };
        Ok(conditions.is_some_and(|conditions| conditions.iter().any(ready)))
    }
}

/// What a program has written last, behind what is said of it.
fn said(words: &str) -> String {
    match words.trim() {
        "" => ", and said nothing".to_owned(),
        words => format!("; it said:\n{words}"),
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let name = self.places.name();
        match self.fate {
            Fate::Stays => (),
            Fate::Goes => match clean_up(&self.places) {
                Ok(()) => (self.tell)(&format!("the cluster `{name}` was taken down")),
                // Why its work has ended is worth more, and is told by whoever knows it.
                Err(error) => (self.tell)(&format!(
                    "the cluster `{name}` cannot be taken down; `cluster down` tries again: {error:#}"
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_owner(&folder.path().join("missing")).is_ok());
        assert!(check_owner(folder.path()).is_ok());
        fs::write(folder.path().join("precious"), "").unwrap();
        assert!(check_owner(folder.path()).is_err());
        fs::create_dir(folder.path().join("members")).unwrap();
        assert!(check_owner(folder.path()).is_ok());
    }
}
