//! `cargo xtask differential`: random plain pods on a real kubelet and under `pillion run`, and what differs.

use crate::cluster;
use crate::step;
use crate::workspace::Workspace;
use anyhow::{Context as _, bail};
use clap::builder::RangedU64ValueParser;
use pillion_testkit::cluster::Cluster;
use pillion_testkit::differential::{self, Disagreement, Outcome, Setup};
use pillion_testkit::program::Programs;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Which pods.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// So many, from each seed on.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pods: u64,
    /// The number of the first one, or of several; the same number is the same pod.
    #[arg(
        long = "seed",
        value_name = "SEED",
        value_delimiter = ',',
        default_value = "1"
    )]
    seeds: Vec<u64>,
    /// So many at once.
    #[arg(long, default_value_t = TOGETHER, value_parser = at_least_one())]
    together: usize,
    /// Show pods that differ as they are, instead of making them smaller, which takes minutes for each.
    #[arg(long)]
    as_is: bool,
    /// Keep all that is seen of each play in this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Compare what was kept in this folder by the rules of now; no cluster is needed.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["pods", "seeds", "together", "as_is", "keep"])]
    kept: Option<PathBuf>,
}

/// So many at once, unless it is said otherwise.
const TOGETHER: usize = 16;

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

// === impl Args ===

impl Args {
    /// These pods.
    pub(crate) fn fixed(seed: u64, pods: u64) -> Self {
        Self {
            pods,
            seeds: vec![seed],
            together: TOGETHER,
            as_is: true,
            keep: None,
            kept: None,
        }
    }
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.kept {
        return tell(&differential::compare_kept(folder)?);
    }
    cluster::check_usual()?;
    let actor = cluster::actor(workspace)?;
    cluster::with(&actor, |cluster| {
        tell(&compare(workspace, cluster, &actor, args)?)
    })
}

/// The same on a cluster that is up.
pub(crate) fn compare(
    workspace: &Workspace,
    cluster: &Cluster,
    actor: &Path,
    args: &Args,
) -> anyhow::Result<Outcome> {
    // Each once, though two seeds lie near each other.
    let seeds: BTreeSet<_> = args
        .seeds
        .iter()
        .flat_map(|seed| *seed..seed.saturating_add(args.pods))
        .collect();
    if let Some(folder) = &args.keep {
        let creating = || format!("cannot create the folder {}", folder.display());
        fs::create_dir_all(folder).with_context(creating)?;
    }
    let folder = tempfile::tempdir()?;
    let pillion = &pillion(workspace)?;
    let setup = Setup {
        cluster,
        programs: Programs { pillion, actor },
        folder: folder.path(),
        together: args.together,
        shrinks: !args.as_is,
        keep: args.keep.as_deref(),
        tell: cluster::tell,
    };
    differential::run(seeds, setup)
}

/// Says what came of it; that some pods differ is an error.
pub(crate) fn tell(outcome: &Outcome) -> anyhow::Result<()> {
    for one in &outcome.differing {
        let Disagreement {
            seed,
            pod,
            found,
            seen,
        } = one;
        say!("\npod {seed}: {}\n{pod}\n{seen}", found.join("\n  "));
    }
    if let Some(once) = once(&outcome.once) {
        say!("\n{once}");
    }
    let Outcome {
        pods,
        to_the_end,
        in_virtual_time,
        ..
    } = outcome;
    say!("\n{pods} pods, {in_virtual_time} of them played here in virtual time");
    say!("{to_the_end:>6} compared to their ends");
    for (parting, count) in &outcome.parted {
        say!("{count:>6} compared until {parting}");
    }
    match outcome.differing.len() {
        0 => {
            say!("the kubelet and `pillion run` agree");
            Ok(())
        }
        count => bail!("{count} of {pods} pods differ"),
    }
}

/// The program of this checkout, as it is now.
fn pillion(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    cluster::tell("building pillion");
    let build = ["build", "--quiet", "--locked", "--package=pillion"];
    step::run(&mut workspace.cargo(&build))?;
    cluster::keep(
        workspace,
        &workspace.target().join("debug/pillion"),
        "pillion",
    )
}

/// What is said of pods that differed once and not again, if there are any.
fn once(once: &[Disagreement]) -> Option<String> {
    let seeds: Vec<_> = once.iter().map(|one| one.seed.to_string()).collect();
    let found = once.iter().map(|one| {
        let Disagreement { seed, found, .. } = one;
        format!("\n  pod {seed}: {}", found.join("; "))
    });
    let pods = if once.len() == 1 { "pod" } else { "pods" };
    (!once.is_empty()).then(|| {
        format!(
            "{} {pods} differed once and not again: seeds {}{}",
            once.len(),
            seeds.join(", "),
            found.collect::<String>()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_that_differed_once_are_told_of() {
        let one = |seed, found: &[&str]| Disagreement {
            seed,
            pod: String::new(),
            found: found.iter().map(|word| (*word).to_owned()).collect(),
            seen: String::new(),
        };
        let told = once(&[
            one(7, &["m1 waits", "m2 ends"]),
            one(9, &["the pod is Failed"]),
        ]);
        assert_eq!(
            told.unwrap(),
            "2 pods differed once and not again: seeds 7, 9\n  \
             pod 7: m1 waits; m2 ends\n  pod 9: the pod is Failed"
        );
        assert_eq!(once(&[]), None);
    }
}
