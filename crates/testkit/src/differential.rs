//! Random plain pods on a real kubelet and under `pillion run`, side by side, and what differs.
//!
//! ```text
//!   seed ─▶ Draft ─▶ scenario ─┬─▶ kubelet ──────▶ Record ─┐
//!             ▲                └─▶ pillion run ──▶ Record ─┴─▶ compare ─▶ nothing, or sentences
//!             └── simpler, as long as it still differs ◀──────────────────────────┘
//! ```
//!
//! Both have the same manifest, the same actors and the same scripts. A pod that differs is played up to four times more, so that a
//! busy machine is not taken for a rule, and then made smaller; one that does not differ again is told of all the same. Host processes need no
//! images: a pod that lacks one is played by the engine in virtual time here.

mod account;
mod again;
pub mod compare;
mod comparison;
pub mod dice;
pub mod draft;
mod pair;
mod role;
mod shrink;
pub mod terms;

use crate::cluster::Cluster;
use crate::cluster::files::{BackOff, Kubelet};
use crate::kubelet::Player;
use crate::kubelet::footage::Footage;
use crate::processes::suite::side_by_side;
use crate::program::{self, Programs};
use again::again;
use anyhow::{anyhow, ensure};
use compare::Parting;
use comparison::{Comparison, Reach};
use dice::Dice;
use draft::{Delay, Draft};
use pair::{Pair, scenario};
use pillion_simulator::{Case, Scenario};
use shrink::shrink;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, thread};

/// How to play.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The cluster, which nobody else uses meanwhile.
    pub cluster: &'a Cluster,
    /// What plays the pods here.
    pub programs: Programs<'a>,
    /// A folder for them.
    pub folder: &'a Path,
    /// How many pods at once.
    pub together: usize,
    /// Whether pods that differ are made smaller.
    pub shrinks: bool,
    /// A folder in which all plays are kept, to be compared again by other rules.
    pub keep: Option<&'a Path>,
    /// Says what is going on.
    pub tell: fn(&str),
}

/// What became of all pods.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How many there were.
    pub pods: usize,
    /// Those that differ again when they are played again.
    pub differing: Vec<Disagreement>,
    /// Those that differed once, and then not again.
    pub once: Vec<Disagreement>,
    /// So many of them were played in virtual time here.
    pub in_virtual_time: usize,
    /// So many could be compared to their ends.
    pub to_the_end: usize,
    /// So many only until the plays went different ways, by what was known of that.
    pub parted: BTreeMap<Parting, usize>,
}

/// A pod of which two plays differ.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The number of the pod.
    pub seed: u64,
    /// The pod, as small as it could be made, as the text of a scenario.
    pub pod: String,
    /// What differs.
    pub found: Vec<String>,
    /// What was seen on the kubelet and here, line by line.
    pub seen: String,
}

/// So many pods from one word of progress to the next.
const STRIDE: usize = 20;

/// Plays the pods of these numbers and says which differ.
pub fn run(seeds: BTreeSet<u64>, setup: Setup<'_>) -> anyhow::Result<Outcome> {
    let seeds = seeds.into_iter();
    let drafts = seeds.map(|seed| (seed, Draft::random(&mut Dice::new(seed))));
    let drafts: Vec<_> = drafts.collect();
    let images = drafts.iter().filter(|(_, draft)| draft.lacks_an_image());
    let mut outcome = Outcome {
        pods: drafts.len(),
        in_virtual_time: images.count(),
        ..Outcome::default()
    };
    for delay in Delay::ALL {
        let drafts = drafts.iter().filter(|(_, draft)| draft.delay() == delay);
        let drafts: Vec<_> = drafts.cloned().collect();
        if !drafts.is_empty() {
            round(delay, drafts, setup, &mut outcome)?;
        }
    }
    outcome.differing.sort_by_key(|one| one.seed);
    outcome.once.sort_by_key(|one| one.seed);
    Ok(outcome)
}

/// Plays pods whose containers wait so long when they have crashed: the kubelet has one delay for all.
fn round(
    delay: Delay,
    drafts: Vec<(u64, Draft)>,
    setup: Setup<'_>,
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let back_off = match delay {
        Delay::Short => BackOff::AtMost(Duration::from_secs(1)),
        Delay::Usual => BackOff::Standard,
    };
    let pods = drafts.len();
    (setup.tell)(&format!("{pods} pods, {}", back_off.describe()));
    setup.cluster.stop_kubelet()?;
    setup.cluster.start_kubelet(Kubelet { back_off })?;
    let player = Player::open(setup.cluster)?;
    let first = play(&player, &drafts, setup);
    setup.cluster.check()?;
    for first in &first {
        outcome.count(first);
    }
    let differing = drafts.into_iter().zip(first);
    let differing = differing.filter(|(_, first)| !first.found.is_empty());
    let (sure, once) = again(differing.collect(), |drafts| {
        (setup.tell)(&format!("once more: {} that differ", drafts.len()));
        let again = play(&player, drafts, setup);
        setup.cluster.check()?;
        Ok(again)
    })?;
    for ((seed, draft), again) in sure {
        let (draft, comparison) = if setup.shrinks {
            smaller(&player, seed, draft, again, setup)
        } else {
            (draft, again)
        };
        setup.cluster.check()?;
        let found = Disagreement::new(seed, draft.to_string(), comparison);
        outcome.differing.push(found);
    }
    let once = once.into_iter();
    let once = once.map(|((seed, draft), first)| Disagreement::new(seed, draft.to_string(), first));
    outcome.once.extend(once);
    Ok(())
}

/// Compares plays that were kept, as they are: no kubelet and no program plays anything.
pub fn compare_kept(folder: &Path) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let kept = pair::kept(folder)?;
    ensure!(
        !kept.is_empty(),
        "no plays are kept in {}",
        folder.display()
    );
    for of_pod in kept.chunk_by(|(one, _), (other, _)| one == other) {
        let mut differing = Vec::new();
        for (number, (seed, path)) in of_pod.iter().enumerate() {
            let pair = Pair::read(path)?;
            let comparison = pair.compare();
            if number == 0 {
                outcome.pods += 1;
                outcome.in_virtual_time += usize::from(pair.ours.is_none());
                outcome.count(&comparison);
            }
            if !comparison.found.is_empty() {
                differing.push(Disagreement::new(*seed, pair.text, comparison));
            }
        }
        // As if they had just been played: one that was played again must differ again.
        let is_sure = differing.len() > 1 || of_pod.len() == 1;
        let list = if is_sure {
            &mut outcome.differing
        } else {
            &mut outcome.once
        };
        list.extend(differing.into_iter().next());
    }
    Ok(outcome)
}

fn smaller(
    player: &Player<'_>,
    seed: u64,
    draft: Draft,
    comparison: Comparison,
    setup: Setup<'_>,
) -> (Draft, Comparison) {
    // They are other pods, of the same number.
    let setup = Setup {
        keep: None,
        ..setup
    };
    shrink(draft, comparison, |simpler| {
        let pods = simpler.len();
        (setup.tell)(&format!("pod {seed}, made smaller in {pods} ways"));
        let simpler = simpler.iter().map(|draft| (seed, draft.clone()));
        play(player, &simpler.collect::<Vec<_>>(), setup)
    })
}

// === impl Outcome ===

impl Outcome {
    /// How far the first plays of a pod could be compared.
    fn count(&mut self, first: &Comparison) {
        match first.reach {
            Reach::None => {}
            Reach::Until(parting) => *self.parted.entry(parting).or_default() += 1,
            Reach::ToTheEnd => self.to_the_end += 1,
        }
    }
}

// === impl Disagreement ===

impl Disagreement {
    fn new(seed: u64, pod: String, comparison: Comparison) -> Self {
        let Comparison { found, seen, .. } = comparison;
        Self {
            seed,
            pod,
            found,
            seen,
        }
    }
}

/// What differs of each of these pods. One that cannot be played counts as one that differs, so that the others are not
/// played in vain.
fn play(player: &Player<'_>, drafts: &[(u64, Draft)], setup: Setup<'_>) -> Vec<Comparison> {
    let done = AtomicUsize::new(0);
    side_by_side(drafts, setup.together, |(seed, draft)| {
        let result = both(player, *seed, draft, setup);
        if !result.found.is_empty() {
            (setup.tell)(&format!("pod {seed}: {}", result.found.join("; ")));
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(STRIDE) && done < drafts.len() {
            (setup.tell)(&format!("{done} of {} pods", drafts.len()));
        }
        result
    })
}

/// Plays a pod on both and says what differs.
fn both(player: &Player<'_>, seed: u64, draft: &Draft, setup: Setup<'_>) -> Comparison {
    let text = draft.to_string();
    let reading = scenario(&text);
    let (Some(scenario), Some(pod)) = (&reading.scenario, &reading.pod) else {
        return Comparison::failed("anywhere", &anyhow!(reading.describe()));
    };
    let (kubelet, ours) = thread::scope(|scope| {
        let ours = scope.spawn(|| ours(scenario, pod, draft, setup));
        (player.play(scenario, pod), ours.join())
    });
    let panicked = |_| Err(anyhow!("whoever played it has panicked"));
    let (kubelet, ours) = match (kubelet, ours.unwrap_or_else(panicked)) {
        (Ok(kubelet), Ok(ours)) => (kubelet, ours),
        (_, Err(why)) => {
            return Comparison {
                is_our_failure: true,
                ..Comparison::failed("here", &why)
            };
        }
        (Err(why), Ok(_)) => return Comparison::failed("on the kubelet", &why),
    };
    let pair = Pair {
        text,
        kubelet,
        ours,
    };
    if let Some(folder) = setup.keep
        && let Err(why) = pair.keep(folder, seed)
    {
        (setup.tell)(&format!("pod {seed} is not kept: {why:#}"));
    }
    pair.compare()
}

/// Host processes need no images, so they cannot play a pod that lacks one.
fn ours(
    scenario: &Scenario,
    pod: &str,
    draft: &Draft,
    setup: Setup<'_>,
) -> anyhow::Result<Option<Footage>> {
    if draft.lacks_an_image() {
        return Ok(None);
    }
    let folder = folder(setup.folder)?;
    let footage = program::play(scenario, pod, setup.programs, &folder)?;
    fs::remove_dir_all(&folder)?;
    Ok(Some(footage))
}

/// The same scenario, with something to expect: statuses are kept for whoever expects something.
fn watched(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.cases.push(Case {
        id: "compared".into(),
        title: "compared with another play".into(),
        checks: Vec::new(),
        note: None,
        equivalent: None,
        not_on: BTreeMap::new(),
    });
    scenario
}

/// A folder that no other pod has.
fn folder(below: &Path) -> anyhow::Result<PathBuf> {
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let folder = below.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
