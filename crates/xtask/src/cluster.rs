//! `cargo xtask cluster`: a real Kubernetes on this machine, to test against.

use crate::interruption::{self, TakenAlong};
use crate::terminal;
use crate::workspace::Workspace;
use anyhow::{Context as _, bail, ensure};
use clap::Subcommand;
use pillion_testkit::cluster::files::{BackOff, Kubelet};
use pillion_testkit::cluster::place::Places;
use pillion_testkit::cluster::{self, Standing};
use pillion_testkit::processes::actor;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The cluster that is meant unless another is named.
const USUAL: &str = "default";

/// The cluster of a test run, which is in nobody's way.
const OF_TESTS: &str = "test";

/// Names another one.
const VARIABLE: &str = "PILLION_CLUSTER";

/// The name under which this program is the actor of scenarios.
const ACTOR: &str = "actor";

/// How long an interrupted command may take to let go of its cluster.
const PATIENCE: Duration = Duration::from_secs(10);

/// What can be done with a cluster.
#[derive(Debug, Subcommand)]
pub(crate) enum Cluster {
    /// Build Kubernetes and install what it needs: ten minutes, once.
    Build(Name),
    /// Start everything, after cleaning up what a crashed run has left; one that is up stays as it is.
    Up(Up),
    /// End everything, and leave nothing behind.
    Down(Down),
    /// Say what runs.
    Status(Name),
    /// `kubectl` as the administrator.
    Kubectl(Kubectl),
    /// Say which images pods can have, after adding some.
    Images(Images),
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Name {
    /// Which cluster; clusters of different names can be up side by side.
    #[arg(long, default_value = USUAL, env = VARIABLE)]
    name: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Up {
    #[command(flatten)]
    name: Name,
    /// A container that crashes waits at most so many seconds, and a second at first if it is one second.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=300))]
    back_off_max: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Down {
    #[command(flatten)]
    name: Name,
    /// The number of the signal that has ended a command which had brought it up; this process was that command.
    #[arg(long, hide = true)]
    interrupted_by: Option<i32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Kubectl {
    #[command(flatten)]
    name: Name,
    /// What `kubectl` is told.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Images {
    #[command(flatten)]
    name: Name,
    /// Archives to add, in Docker's form.
    archives: Vec<PathBuf>,
}

pub(crate) fn run(workspace: &Workspace, chore: &Cluster) -> anyhow::Result<()> {
    match chore {
        Cluster::Build(name) => cluster::prepare(&name.places()?, tell),
        Cluster::Up(args) => up(workspace, args),
        Cluster::Down(args) => down(args),
        Cluster::Status(name) => status(&name.places()?),
        Cluster::Kubectl(args) => kubectl(args),
        Cluster::Images(args) => images(args),
    }
}

/// The name of the cluster that is used when none is given.
pub(crate) fn usual_name() -> String {
    std::env::var(VARIABLE).unwrap_or_else(|_| USUAL.to_owned())
}

/// The actor program: this one, under another name. To build the actor by itself would be to compile half of the project
/// twice.
pub(crate) fn actor(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    keep(workspace, Path::new(interruption::SELF), ACTOR)
}

/// A copy of a program for as long as it is used, though that is built anew meanwhile.
pub(crate) fn keep(workspace: &Workspace, program: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let kept = workspace.target().join("xtask").join(name);
    if let Some(folder) = kept.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    remove_drafts(&kept);
    // Another chore may use the one that is there; it keeps it.
    let new = kept.with_extension(std::process::id().to_string());
    let copying = || format!("cannot copy {} to {}", program.display(), new.display());
    fs::copy(program, &new).with_context(copying)?;
    fs::rename(&new, &kept).with_context(|| format!("cannot make {}", kept.display()))?;
    Ok(kept)
}

/// Removes what chores that were killed have begun to copy.
fn remove_drafts(kept: &Path) {
    let beside = kept.parent().and_then(|folder| fs::read_dir(folder).ok());
    for path in beside.into_iter().flatten().flatten().map(|one| one.path()) {
        let is_draft = path.file_stem() == kept.file_name();
        let process = path.extension().map(|pid| Path::new("/proc").join(pid));
        if is_draft && process.is_some_and(|process| !process.exists()) {
            // It is in nobody's way.
            let _ = fs::remove_file(path);
        }
    }
}

/// What this program does if it was started as the actor.
pub(crate) fn act() -> Option<ExitCode> {
    let mut arguments = std::env::args();
    let name = arguments.next()?;
    let is_actor = Path::new(&name).file_name()? == ACTOR;
    is_actor.then(|| actor::main(&arguments.collect::<Vec<_>>()))
}

/// Does something with the cluster that is up, or with one that is brought up for it and taken down.
pub(crate) fn with<T>(
    actor: &Path,
    work: impl FnOnce(&cluster::Cluster) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let places = Places::of(&usual_name())?;
    if let Some(found) = cluster::attach(&places, actor, tell)? {
        let done = work(&found);
        return both(done, found.restore_kubelet());
    }
    let again = with_name("cargo xtask cluster up", &places);
    ensure!(
        !cluster::is_left(&places),
        "the cluster `{}` was left up, and not all of its programs run any more: `{again}` begins anew",
        places.name()
    );
    let _along = interruption::take_along(places.name())?;
    let own = cluster::up(&places, actor, Kubelet::default(), tell)?;
    let done = work(&own);
    both(done, own.down())
}

/// What became of some work and of what had to be done after it. If both have failed, the work is what is asked about.
fn both<T>(done: anyhow::Result<T>, after: anyhow::Result<()>) -> anyhow::Result<T> {
    match (done, after) {
        (Ok(done), after) => after.map(|()| done),
        (Err(error), Ok(())) => Err(error),
        (Err(error), Err(after)) => {
            tell(&format!("and after that: {after:#}"));
            Err(error)
        }
    }
}

/// Whether this machine has what the usual cluster needs.
pub(crate) fn check_usual() -> anyhow::Result<()> {
    cluster::check(&Places::of(&usual_name())?)
}

/// Whether this machine has what the cluster of a test run needs.
pub(crate) fn check() -> anyhow::Result<()> {
    cluster::check(&places_of_tests()?)
}

/// A cluster for a test run, made of what is built and installed now if it is missing. It goes with the command.
pub(crate) fn up_for_tests(actor: &Path) -> anyhow::Result<(cluster::Cluster, TakenAlong)> {
    let places = places_of_tests()?;
    let along = interruption::take_along(places.name())?;
    let cluster = cluster::up(&places, actor, Kubelet::default(), tell)?;
    Ok((cluster, along))
}

fn places_of_tests() -> anyhow::Result<Places> {
    Places::of(&std::env::var(VARIABLE).unwrap_or_else(|_| OF_TESTS.to_owned()))
}

/// Says what a cluster is doing. That is no part of what a chore finds out, so that whoever reads only that, or nothing, may.
pub(crate) fn tell(what: &str) {
    terminal::tell(what);
}

fn up(workspace: &Workspace, args: &Up) -> anyhow::Result<()> {
    let Up { name, back_off_max } = args;
    let limit = back_off_max.map(Duration::from_secs);
    let back_off = limit.map_or(BackOff::Standard, BackOff::AtMost);
    let places = name.places()?;
    cluster::check(&places)?;
    let actor = actor(workspace)?;
    let again = with_name("cargo xtask cluster down", &places);
    if let Some(found) = cluster::attach(&places, &actor, tell)? {
        // A command that was interrupted may have left it otherwise.
        found.restore_kubelet()?;
        found.leave()?;
        let name = places.name();
        ensure!(
            back_off_max.is_none(),
            "the cluster `{name}` is up already, and its back-off is set when it comes up: `{again}` first"
        );
        say!("the cluster `{name}` is up already, with all that is in it; `{again}` ends it");
        return Ok(());
    }
    let along = interruption::take_along(places.name())?;
    let cluster = cluster::up(&places, &actor, Kubelet { back_off }, tell)?;
    cluster.leave()?;
    drop(along);
    let kubectl = with_name("cargo xtask cluster kubectl", &places);
    say!("up: try `{kubectl} get nodes`");
    Ok(())
}

/// A command to type, about this cluster.
fn with_name(command: &str, places: &Places) -> String {
    format!("{command} --name {}", places.name())
}

fn down(args: &Down) -> anyhow::Result<()> {
    let places = args.name.places()?;
    let Some(signal) = args.interrupted_by else {
        return cluster::down(&places, Duration::ZERO);
    };
    // What the command has started may still be about to let go of it.
    let word = match cluster::down(&places, PATIENCE) {
        Ok(()) => format!("the cluster `{}` is down", places.name()),
        Err(error) => format!("failed: {error:#}"),
    };
    interruption::mutter(&word);
    std::process::exit(interruption::exit_code(signal))
}

fn status(places: &Places) -> anyhow::Result<()> {
    let standing = cluster::standing(places);
    for Standing { name, pid } in &standing {
        match pid {
            Some(pid) => say!("{name:<24} process {pid}"),
            None => say!("{name:<24} does not run"),
        }
    }
    match standing
        .iter()
        .filter(|standing| standing.pid.is_none())
        .count()
    {
        0 => Ok(()),
        missing => bail!("{missing} of {} programs do not run", standing.len()),
    }
}

fn kubectl(args: &Kubectl) -> anyhow::Result<()> {
    let mut kubectl = cluster::kubectl(&args.name.places()?)?;
    // In its place: signals and exit codes are its own.
    Err(kubectl.args(&args.arguments).exec()).context("cannot run kubectl")
}

fn images(args: &Images) -> anyhow::Result<()> {
    let places = args.name.places()?;
    for archive in &args.archives {
        cluster::import(&places, archive)?;
    }
    for image in cluster::images(&places)? {
        say!("{image}");
    }
    Ok(())
}

// === impl Name ===

impl Name {
    fn places(&self) -> anyhow::Result<Places> {
        Places::of(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn why_the_work_has_failed_is_told_before_all_else() {
        let failed = |why: &'static str| Err::<(), _>(anyhow!(why));
        let told = |done, after| both(done, after).unwrap_err().to_string();
        assert_eq!(told(failed("work"), Ok(())), "work");
        assert_eq!(told(failed("work"), failed("down")), "work");
        assert_eq!(told(Ok(()), failed("down")), "down");
        assert_eq!(both(Ok(7), Ok(())).unwrap(), 7);
    }
}
