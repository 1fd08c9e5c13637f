//! Where runs keep what outlives them, and which runs there are.
//!
//! ```text
//! $XDG_STATE_HOME/pillion/<namespace>/<name>/runs/<n>/timeline
//! ```
//!
//! Reading is tolerant: what is in the folder and is no run is passed over. A pod is run once at a time: whoever runs it
//! holds a lock, which goes with its process whatever ends that.

mod lock;

pub(crate) use lock::Holder;

use crate::hint::{self, Hint};
use lock::Lock;
use pillion_runtime::removal::remove_tree;
use pillion_spec::nearest;
use std::env;
use std::fs::{self, DirBuilder, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder that holds the state of all pods of this user.
#[derive(Clone, Debug)]
pub(crate) struct StateFolder {
    root: PathBuf,
}

/// One run of a pod.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Run {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Which of the pod's runs, from 1.
    pub(crate) number: u64,
    /// What it left.
    pub(crate) folder: PathBuf,
}

/// How a person names a run: `orders`, `shop/orders`, `shop/orders#3`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Wanted<'a> {
    namespace: Option<&'a str>,
    name: &'a str,
    number: Option<u64>,
}

/// A run is meant that is not there, or it is not clear which.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoSuchRun {
    #[error("there is no place for the state of runs")]
    NoHome,
    #[error("cannot list the runs in {}", .folder.display())]
    Unlisted { folder: PathBuf, source: io::Error },
    #[error("no pod has been run yet")]
    NoRuns,
    #[error("there is no run of a pod `{wanted}`")]
    UnknownPod { wanted: String, names: Vec<String> },
    #[error("there is no run {number} of `{name}`")]
    UnknownNumber {
        name: String,
        number: u64,
        latest: u64,
    },
    #[error("there are {} pods of that name", .names.len())]
    Several { names: Vec<String> },
}

/// A run that has just begun, and the lock on its pod. One that comes to nothing leaves nothing: it would be taken for the
/// pod's latest, though it has nothing to tell, and drive out an older one.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) run: Run,
    /// The pod was started, and the run has something to tell.
    started: bool,
    lock: Lock,
}

/// A run cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotBegun {
    #[error("`{pod}` is running already")]
    Running { pod: String },
    #[error("cannot keep the state of the run in {}", .folder.display())]
    Unwritable { folder: PathBuf, source: io::Error },
}

/// What names another place than that in the user's home.
const STATE_HOME: &str = "XDG_STATE_HOME";

/// So many runs of a pod are kept.
const KEPT: usize = 10;

// === impl StateFolder ===

impl StateFolder {
    /// The folder of this user, as the environment says. It need not exist.
    pub(crate) fn locate() -> Result<Self, NoSuchRun> {
        // A path that is not absolute is to be passed over, says the rule for these variables.
        let set = |name| env::var_os(name).map(PathBuf::from);
        let absolute = |name| set(name).filter(|path| path.is_absolute());
        let state =
            absolute(STATE_HOME).or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
        let root = state.ok_or(NoSuchRun::NoHome)?.join("pillion");
        Ok(Self { root })
    }

    /// Every run that has something to tell, by namespace, name and number.
    pub(crate) fn runs(&self) -> Result<Vec<Run>, NoSuchRun> {
        let listed = self.list();
        let mut runs = listed.map_err(|source| NoSuchRun::Unlisted {
            folder: self.root.clone(),
            source,
        })?;
        // One that was killed before its pod was started has nothing.
        runs.retain(|run| has_told(&run.folder));
        runs.sort();
        Ok(runs)
    }

    /// The run in which something was told last.
    pub(crate) fn latest(&self) -> Result<Run, NoSuchRun> {
        latest(self.runs()?).ok_or(NoSuchRun::NoRuns)
    }

    /// The run that somebody names; without a number, the pod's latest.
    pub(crate) fn find(&self, wanted: Wanted<'_>) -> Result<Run, NoSuchRun> {
        let all = self.runs()?;
        let (of_pod, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|run| wanted.is_of_pod(run));
        let mut pods: Vec<_> = of_pod.iter().map(Run::pod).collect();
        pods.dedup();
        if pods.len() > 1 {
            return Err(NoSuchRun::Several { names: pods });
        }
        let Some(newest) = of_pod.iter().map(|run| run.number).max() else {
            return Err(wanted.unknown(&others));
        };
        let number = wanted.number.unwrap_or(newest);
        let found = of_pod.into_iter().find(|run| run.number == number);
        found.ok_or_else(|| NoSuchRun::UnknownNumber {
            name: wanted.name.to_owned(),
            number,
            latest: newest,
        })
    }

    /// Begins a run of a pod: nobody else runs it until what comes back is dropped.
    pub(crate) fn begin(&self, namespace: &str, name: &str) -> Result<Begun, NotBegun> {
        let folder = self.root.join(namespace).join(name);
        let failed = |source| NotBegun::Unwritable {
            folder: folder.clone(),
            source,
        };
        let runs = folder.join("runs");
        make_private(&runs).map_err(failed)?;
        let lock = match Lock::take(&folder) {
            Ok(lock) => lock,
            Err(TryLockError::WouldBlock) => {
                let pod = format!("{namespace}/{name}");
                return Err(NotBegun::Running { pod });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        };
        let number = newest(&runs).map_err(failed)?.saturating_add(1);
        let run = Run {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            number,
            folder: runs.join(number.to_string()),
        };
        let begun = Begun {
            run,
            started: false,
            lock,
        };
        make_private(&begun.run.logs()).map_err(failed)?;
        Ok(begun)
    }

    /// Who runs pods of this user, by namespace and name. What cannot be read is passed over.
    pub(crate) fn running(&self) -> Vec<((String, String), Holder)> {
        let namespaces = folders(&self.root).unwrap_or_default().into_iter();
        let pods = namespaces.flat_map(|(namespace, folder)| {
            let pods = folders(&folder).unwrap_or_default().into_iter();
            pods.filter_map(move |(name, folder)| {
                Some(((namespace.clone(), name), lock::holder(&folder)?))
            })
        });
        let mut pods: Vec<_> = pods.collect();
        pods.sort_by(|(one, _), (other, _)| one.cmp(other));
        pods
    }

    fn list(&self) -> io::Result<Vec<Run>> {
        let mut runs = Vec::new();
        for (namespace, folder) in folders(&self.root)? {
            for (name, folder) in folders(&folder)? {
                for (number, folder) in folders(&folder.join("runs"))? {
                    runs.extend(number.parse().ok().map(|number| Run {
                        namespace: namespace.clone(),
                        name: name.clone(),
                        number,
                        folder,
                    }));
                }
            }
        }
        Ok(runs)
    }
}

/// Only the user can look into it.
fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Removes runs that have nothing to tell. Says what number the latest of the others has.
fn newest(runs: &Path) -> io::Result<u64> {
    let (told, nothing): (Vec<_>, Vec<_>) =
        numbered(runs)?.partition(|(_, folder)| has_told(folder));
    for (_, folder) in nothing {
        remove_tree(&folder)?;
    }
    let numbers = told.into_iter().map(|(number, _)| number);
    Ok(numbers.max().unwrap_or(0))
}

/// Removes runs that are too old, and what was only of use while one ran.
fn clean_up(runs: &Path) -> io::Result<()> {
    let told = numbered(runs)?.filter(|(_, folder)| has_told(folder));
    let mut told: Vec<_> = told.collect();
    told.sort();
    let old = told.len().saturating_sub(KEPT - 1);
    for (_, folder) in told.drain(..old) {
        remove_tree(&folder)?;
    }
    for (_, folder) in &told {
        remove_tree(&folder.join(VOLUMES))?;
    }
    Ok(())
}

/// The runs in a folder, by their numbers.
fn numbered(runs: &Path) -> io::Result<impl Iterator<Item = (u64, PathBuf)>> {
    let number = |(name, folder): (String, PathBuf)| Some((name.parse::<u64>().ok()?, folder));
    Ok(folders(runs)?.into_iter().filter_map(number))
}

/// Whether anything was told in the run of this folder.
fn has_told(folder: &Path) -> bool {
    fs::metadata(folder.join(TIMELINE)).is_ok_and(|timeline| timeline.len() > 0)
}

/// The file of a run that tells what happened.
const TIMELINE: &str = "timeline";

/// The folder of a run that holds the volumes of its pod.
const VOLUMES: &str = "volumes";

/// The folders in a folder, with their names; none if it is not there.
fn folders(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string()
            && entry.file_type()?.is_dir()
        {
            folders.push((name, entry.path()));
        }
    }
    Ok(folders)
}

fn latest(runs: Vec<Run>) -> Option<Run> {
    runs.into_iter().max_by_key(|run| (run.told(), run.number))
}

// === impl Run ===

impl Run {
    /// The file that tells what happened.
    pub(crate) fn timeline(&self) -> PathBuf {
        self.folder.join(TIMELINE)
    }

    /// The file that the pod was read from, as it was then.
    pub(crate) fn pod_file(&self) -> PathBuf {
        self.folder.join("pod.yaml")
    }

    /// The pod as Kubernetes would have shown it at its end. There is none while it runs, nor if `pillion` was killed.
    pub(crate) fn end(&self) -> PathBuf {
        self.folder.join("end.json")
    }

    /// How people call it: `orders#3`.
    pub(crate) fn title(&self) -> String {
        format!("{}#{}", self.name, self.number)
    }

    /// What its containers have written.
    pub(crate) fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// The volumes of its pod, while it runs.
    pub(crate) fn volumes(&self) -> PathBuf {
        self.folder.join(VOLUMES)
    }

    /// Its pod: `shop/orders`.
    pub(crate) fn pod(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Whether the process that runs it is still there. Whoever wants to know whether a run was cut off asks before reading what
    /// it told: it tells its end first, and is gone then.
    pub(crate) fn is_alive(&self) -> bool {
        let Some(runs) = self.folder.parent() else {
            return false;
        };
        let later = |(name, _): &(String, PathBuf)| {
            let number = name.parse::<u64>();
            number.is_ok_and(|number| number > self.number)
        };
        // The lock is that of the pod, whose latest run alone can be there.
        if folders(runs).is_ok_and(|all| all.iter().any(later)) {
            return false;
        }
        runs.parent().is_none_or(lock::is_taken)
    }

    /// When something was told last.
    fn told(&self) -> Option<SystemTime> {
        fs::metadata(self.timeline())
            .and_then(|told| told.modified())
            .ok()
    }
}

// === impl Wanted ===

impl<'a> Wanted<'a> {
    /// Reads a name; `None` if it can only be a path.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (pod, number) = match text.rsplit_once('#') {
            Some((pod, number)) => (pod, Some(number.parse().ok()?)),
            None => (text, None),
        };
        let (namespace, name) = match pod.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, pod),
        };
        let is_name =
            |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
        let good = is_name(name) && namespace.is_none_or(is_name);
        good.then_some(Self {
            namespace,
            name,
            number,
        })
    }

    fn is_of_pod(&self, run: &Run) -> bool {
        run.name == self.name
            && self
                .namespace
                .is_none_or(|namespace| run.namespace == namespace)
    }

    fn unknown(&self, others: &[Run]) -> NoSuchRun {
        if others.is_empty() {
            return NoSuchRun::NoRuns;
        }
        let name = |run: &Run| match self.namespace {
            Some(_) => run.pod(),
            None => run.name.clone(),
        };
        let mut names: Vec<_> = others.iter().map(name).collect();
        names.sort();
        names.dedup();
        let wanted = match self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.to_owned(),
        };
        NoSuchRun::UnknownPod { wanted, names }
    }
}

// === impl Begun ===

impl Begun {
    /// Removes what earlier runs could not. Not before nobody of theirs is left, who could still write there.
    pub(crate) fn clean_up(&self) -> Result<(), NotBegun> {
        let runs = self.run.folder.parent().unwrap_or(&self.run.folder);
        clean_up(runs).map_err(|source| NotBegun::Unwritable {
            folder: runs.parent().unwrap_or(runs).to_owned(),
            source,
        })
    }

    /// Nothing can be written into the folder of the run.
    pub(crate) fn unwritable(&self, source: io::Error) -> NotBegun {
        let folder = self.run.folder.clone();
        NotBegun::Unwritable { folder, source }
    }

    /// The pod is started now: what becomes of it is kept.
    pub(crate) fn start(&mut self) {
        self.started = true;
    }

    /// It can be talked to from now on, over the sockets in this folder.
    pub(crate) fn announce(&self, sockets: &Path) {
        self.lock.announce(sockets);
    }

    /// It cannot be talked to any more.
    pub(crate) fn withdraw(&self) {
        self.lock.withdraw();
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.started {
            // Whoever lists runs passes it over if it cannot be removed.
            let _ = remove_tree(&self.run.folder);
        }
    }
}

// === impl NotBegun ===

impl Hint for NotBegun {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Running { pod } => {
                format!("`pillion ps` shows it, `pillion stop {pod}` stops it")
            }
            Self::Unwritable { source, .. } => hint::of_folder(STATE_HOME, source),
        })
    }
}

// === impl NoSuchRun ===

impl Hint for NoSuchRun {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoHome => "set `HOME`, or `XDG_STATE_HOME` to a folder for it".to_owned(),
            Self::Unlisted { .. } => return None,
            Self::NoRuns => "`pillion run pod.yaml` runs one; \
                             `pillion simulate pod.yaml --json | pillion trace -` plays one"
                .to_owned(),
            Self::UnknownPod { wanted, names } => {
                match nearest(wanted, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if names.is_empty() => {
                        "a run is named as `orders`, `shop/orders` or `orders#3`".to_owned()
                    }
                    None => format!("there are runs of {}", few(names)),
                }
            }
            Self::UnknownNumber { name, latest, .. } => {
                format!("the latest is `{name}#{latest}`")
            }
            Self::Several { names } => format!("say which one: {}", names.join(" or ")),
        })
    }
}

/// The first names, and how many there are if these are not all.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 8;
    if names.len() <= SHOWN {
        return names.join(", ");
    }
    format!(
        "{}, and {} more",
        names[..SHOWN].join(", "),
        names.len() - SHOWN
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_by_pod_namespace_and_number() {
        let wanted = |namespace, name, number| {
            Some(Wanted {
                namespace,
                name,
                number,
            })
        };
        assert_eq!(Wanted::parse("orders"), wanted(None, "orders", None));
        assert_eq!(Wanted::parse("orders#3"), wanted(None, "orders", Some(3)));
        assert_eq!(
            Wanted::parse("shop/orders#12"),
            wanted(Some("shop"), "orders", Some(12))
        );
    }

    #[test]
    fn how_runs_are_named_is_told_to_whoever_names_none() {
        let (wanted, names) = ("orders#x".to_owned(), Vec::new());
        let hint = NoSuchRun::UnknownPod { wanted, names }.hint().unwrap();
        assert!(hint.contains("`orders#3`"), "{hint}");
    }

    #[test]
    fn the_last_runs_are_kept_and_what_they_have_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let state = StateFolder { root };
        for number in 1..=12 {
            let mut begun = state.begin("default", "orders").unwrap();
            assert_eq!(begun.run.number, number);
            begun.clean_up().unwrap();
            fs::write(begun.run.timeline(), "told").unwrap();
            begun.start();
        }
        let kept = state.runs().unwrap().into_iter().map(|run| run.number);
        assert_eq!(kept.collect::<Vec<_>>(), (3..=12).collect::<Vec<_>>());
    }

    #[test]
    fn a_run_is_refused_while_another_has_the_lock_and_not_for_one_who_asks() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let state = StateFolder { root };
        let mut begun = state.begin("default", "orders").unwrap();
        fs::write(begun.run.timeline(), "told").unwrap();
        begun.start();
        assert!(begun.run.is_alive());
        let second = state.begin("default", "orders");
        assert!(matches!(second, Err(NotBegun::Running { .. })));

        let run = begun.run.clone();
        drop(begun);
        assert!(!run.is_alive());
        let asking = fs::File::open(folder.path().join("default/orders/lock")).unwrap();
        asking.try_lock_shared().unwrap();
        let next = std::thread::spawn(move || state.begin("default", "orders"));
        drop(asking);
        assert_eq!(next.join().unwrap().unwrap().run.number, 2);
    }

    #[test]
    fn where_a_pod_can_be_talked_to_is_known_as_long_as_that_is_so() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let state = StateFolder { root };
        let begun = state.begin("shop", "orders").unwrap();
        assert_eq!(state.running(), []);

        begun.announce(Path::new("/run/two words"));
        let holder = Holder {
            process: std::process::id().cast_signed(),
            sockets: PathBuf::from("/run/two words"),
        };
        let pod = ("shop".to_owned(), "orders".to_owned());
        assert_eq!(state.running(), [(pod, holder)]);

        begun.withdraw();
        assert_eq!(state.running(), []);

        // It is killed, and the next one cannot be talked to yet.
        begun.announce(Path::new("/run"));
        drop(begun);
        let _next = state.begin("shop", "orders").unwrap();
        assert_eq!(state.running(), []);
    }

    #[test]
    fn what_can_only_be_a_path_is_no_name() {
        for path in ["", "./orders", "../x", "/tmp/x", "a/b/c", "#3", "orders#x"] {
            assert_eq!(Wanted::parse(path), None, "{path}");
        }
    }
}
