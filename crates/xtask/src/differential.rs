//! `cargo xtask differential`: random plain pods on a real kubelet and under `pillion run`, and what differs.

use crate::cluster;
use crate::step;
use crate::workspace::Workspace;
use anyhow::bail;
use clap::builder::RangedU64ValueParser;
use pillion_testkit::cluster::Cluster;
use pillion_testkit::differential::{self, Disagreement, Setup};
use pillion_testkit::program::Programs;
use std::collections::BTreeSet;
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
        }
    }
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    cluster::check_usual()?;
    let actor = cluster::actor(workspace)?;
    cluster::with(&actor, |cluster| compare(workspace, cluster, &actor, args)).map(drop)
}

/// The same on a cluster that is up. So many pods could be compared to their ends.
pub(crate) fn compare(
    workspace: &Workspace,
    cluster: &Cluster,
    actor: &Path,
    args: &Args,
) -> anyhow::Result<usize> {
    let Args {
        pods,
        ref seeds,
        together,
        as_is,
    } = *args;
    // Each once, though two seeds lie near each other.
    let seeds: BTreeSet<_> = seeds
        .iter()
        .flat_map(|seed| *seed..seed.saturating_add(pods))
        .collect();
    let folder = tempfile::tempdir()?;
    let pillion = &pillion(workspace)?;
    let setup = Setup {
        cluster,
        programs: Programs { pillion, actor },
        folder: folder.path(),
        together,
        shrinks: !as_is,
        tell: cluster::tell,
    };
    let (first, pods) = (seeds.first().copied().unwrap_or_default(), seeds.len());
    let outcome = differential::run(seeds, setup)?;
    for one in &outcome.differing {
        let Disagreement {
            seed,
            draft,
            found,
            seen,
        } = one;
        say!("\npod {seed}: {}\n{draft}\n{seen}", found.join("\n  "));
    }
    if let Some(once) = once(&outcome.once) {
        say!("\n{once}");
    }
    say!(
        "\n{pods} pods, the first {first}: {} compared to their ends, the others until they went different ways for a \
         reason in docs/differences.md; {} played here in virtual time",
        outcome.to_the_end,
        outcome.in_virtual_time
    );
    match outcome.differing.len() {
        0 => {
            say!("the kubelet and `pillion run` agree");
            Ok(outcome.to_the_end)
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
    use pillion_testkit::differential::dice::Dice;
    use pillion_testkit::differential::draft::Draft;

    #[test]
    fn pods_that_differed_once_are_told_of() {
        let one = |seed, found: &[&str]| Disagreement {
            seed,
            draft: Draft::random(&mut Dice::new(seed)),
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
