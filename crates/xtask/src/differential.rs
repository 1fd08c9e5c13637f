//! `cargo xtask differential`: random plain pods on a real kubelet and as host processes, and what differs.

use crate::cluster;
use crate::workspace::Workspace;
use anyhow::bail;
use pillion_testkit::differential::{self, Disagreement, Setup};

/// Which pods.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// So many.
    #[arg(long, default_value_t = 100)]
    pods: u64,
    /// The number of the first one; the same number is the same pod.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// So many at once.
    #[arg(long, default_value_t = 16)]
    together: usize,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let Args {
        pods,
        seed,
        together,
    } = *args;
    let actor = cluster::actor(workspace)?;
    let folder = tempfile::tempdir()?;
    let differing = cluster::with(&actor, |cluster| {
        let setup = Setup {
            cluster,
            actor: &actor,
            folder: folder.path(),
            together,
            tell: cluster::tell,
        };
        differential::run(seed, pods, setup)
    })?;
    for Disagreement { seed, draft, found } in &differing {
        println!("\npod {seed}: {}\n{draft}", found.join("\n  "));
    }
    match differing.len() {
        0 => {
            println!("\n{pods} pods from {seed} on: the kubelet and the host processes agree");
            Ok(())
        }
        count => bail!("{count} of {pods} pods differ"),
    }
}
