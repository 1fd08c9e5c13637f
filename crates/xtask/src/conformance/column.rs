//! The drivers that scenarios are played on, each a column of the table.

use crate::cluster;
use crate::workspace::Workspace;
use pillion_simulator::Driver;
use pillion_simulator::suite::{Files, Report, run_under};
use pillion_testkit::cluster::Cluster;
use pillion_testkit::processes::scale::Scale;
use pillion_testkit::{kubelet, processes};
use std::time::Duration;

/// A driver.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, clap::ValueEnum)]
pub(crate) enum Column {
    /// The engine in virtual time.
    Engine,
    /// Host processes, ten times as fast.
    Process,
    /// A real kubelet, in real time.
    Kubelet,
}

/// What is played.
pub(super) struct Stage<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) files: &'a Files,
    pub(super) prefix: &'a str,
    pub(super) longest: Duration,
}

/// So many pods of host processes at once.
const PROCESS_PODS: usize = 16;

/// So many pods on the kubelet at once.
const KUBELET_PODS: usize = 24;

// === impl Column ===

impl Column {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Process => "process",
            Self::Kubelet => "kubelet",
        }
    }

    /// As scenario files call it.
    pub(super) fn driver(self) -> Driver {
        match self {
            Self::Engine => Driver::Virtual,
            Self::Process => Driver::Process,
            Self::Kubelet => Driver::Kubelet,
        }
    }

    /// Plays everything.
    pub(super) fn play(self, stage: &Stage<'_>) -> anyhow::Result<Report> {
        match self {
            Self::Engine => Ok(run_under(stage.files, stage.prefix)),
            Self::Process => play_processes(stage),
            Self::Kubelet => play_kubelet(stage),
        }
    }
}

fn play_processes(stage: &Stage<'_>) -> anyhow::Result<Report> {
    let folder = tempfile::tempdir()?;
    let setup = processes::suite::Setup {
        actor: &cluster::actor(stage.workspace)?,
        folder: folder.path(),
        scale: Scale(10),
        together: PROCESS_PODS,
    };
    Ok(processes::suite::run(stage.files, stage.prefix, setup))
}

fn play_kubelet(stage: &Stage<'_>) -> anyhow::Result<Report> {
    cluster::check_usual()?;
    let actor = cluster::actor(stage.workspace)?;
    cluster::with(&actor, |cluster| play_on(cluster, stage))
}

/// Plays everything on the kubelet of that cluster.
pub(super) fn play_on(cluster: &Cluster, stage: &Stage<'_>) -> anyhow::Result<Report> {
    let setup = kubelet::suite::Setup {
        cluster,
        together: KUBELET_PODS,
        longest: stage.longest,
        tell: cluster::tell,
    };
    kubelet::suite::run(stage.files, stage.prefix, setup)
}
