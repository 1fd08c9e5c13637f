//! Random plain pods on a real kubelet and under `pillion run`, side by side, and what differs.
//!
//! ```text
//!   seed ─▶ Draft ─▶ scenario ─┬─▶ kubelet ──────▶ Record ─┐
//!             ▲                └─▶ pillion run ──▶ Record ─┴─▶ compare ─▶ nothing, or sentences
//!             └── simpler, as long as it still differs ◀──────────────────────────┘
//! ```
//!
//! Both have the same manifest, the same actors and the same scripts. A pod that differs is played up to two times more, so that a
//! busy machine is not taken for a rule, and then made smaller; one that does not differ again is told of all the same. Host processes need no
//! images: a pod that lacks one is played by the engine in virtual time here.

mod account;
pub mod compare;
pub mod dice;
pub mod draft;
mod shrink;
pub mod terms;

use crate::cluster::Cluster;
use crate::cluster::files::{BackOff, Kubelet};
use crate::kubelet::Player;
use crate::processes::suite::side_by_side;
use crate::program::{self, Programs};
use anyhow::anyhow;
use compare::{Compared, compare};
use dice::Dice;
use draft::{Delay, Draft};
use pillion_engine::status::ContainerState;
use pillion_simulator::line::Part;
use pillion_simulator::scenario::read;
use pillion_simulator::{self as simulator, Case, Record, Scenario};
use shrink::{Kinds, kind, shrink};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, thread};
use terms::Terms;

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
    /// Says what is going on.
    pub tell: fn(&str),
}

/// What became of all pods.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Those that differ again when they are played again.
    pub differing: Vec<Disagreement>,
    /// Those that differed once, and then not again.
    pub once: Vec<Disagreement>,
    /// So many of them were played in virtual time here.
    pub in_virtual_time: usize,
    /// So many could be compared to their ends; the others only until the plays went different ways for a reason that is known.
    pub to_the_end: usize,
}

/// A pod of which two plays differ.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The number of the pod.
    pub seed: u64,
    /// The pod, as small as it could be made.
    pub draft: Draft,
    /// What differs.
    pub found: Vec<String>,
    /// What was seen on the kubelet and here, line by line.
    pub seen: String,
}

/// Two plays of one pod.
#[derive(Clone, Debug)]
struct Comparison {
    found: Vec<String>,
    seen: String,
    /// What was found in general; nothing if the pod could not be played.
    kinds: Kinds,
    /// The plays went the same way to their ends.
    is_whole: bool,
    /// Our program could not play it.
    is_our_failure: bool,
}

/// A pod that differs is played so many times more, until it differs again.
const AGAIN: usize = 2;

/// So many pods from one word of progress to the next.
const STRIDE: usize = 20;

/// Plays the pods of these numbers and says which differ.
pub fn run(seeds: BTreeSet<u64>, setup: Setup<'_>) -> anyhow::Result<Outcome> {
    let seeds = seeds.into_iter();
    let drafts = seeds.map(|seed| (seed, Draft::random(&mut Dice::new(seed))));
    let drafts: Vec<_> = drafts.collect();
    let images = drafts.iter().filter(|(_, draft)| draft.lacks_an_image());
    let mut outcome = Outcome {
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
    outcome.to_the_end += first.iter().filter(|first| first.is_whole).count();
    let differing = drafts.into_iter().zip(first);
    let mut doubtful: Vec<_> = differing
        .filter(|(_, first)| !first.found.is_empty())
        .collect();
    for _ in 0..AGAIN {
        let sure;
        (sure, doubtful) = once_more(&player, doubtful, setup)?;
        for ((seed, draft), again) in sure {
            let (draft, comparison) = if setup.shrinks {
                smaller(&player, seed, draft, again, setup)
            } else {
                (draft, again)
            };
            setup.cluster.check()?;
            let one = Disagreement::new(seed, draft, comparison);
            outcome.differing.push(one);
        }
    }
    let once = doubtful.into_iter();
    let once = once.map(|((seed, draft), first)| Disagreement::new(seed, draft, first));
    outcome.once.extend(once);
    Ok(())
}

/// A pod, its number, and what differed.
type Differing = ((u64, Draft), Comparison);

/// Plays pods that differed once more. First come those that do again, or that our program could not play at all: that is no matter of
/// the moment. Then the others.
fn once_more(
    player: &Player<'_>,
    doubtful: Vec<Differing>,
    setup: Setup<'_>,
) -> anyhow::Result<(Vec<Differing>, Vec<Differing>)> {
    let (mut sure, doubtful): (Vec<_>, Vec<_>) = doubtful
        .into_iter()
        .partition(|(_, first)| first.is_our_failure);
    if doubtful.is_empty() {
        return Ok((sure, doubtful));
    }
    (setup.tell)(&format!("once more: {} that differ", doubtful.len()));
    let (drafts, first): (Vec<_>, Vec<_>) = doubtful.into_iter().unzip();
    let again = play(player, &drafts, setup);
    setup.cluster.check()?;
    let mut left = Vec::new();
    for ((draft, first), again) in drafts.into_iter().zip(first).zip(again) {
        if again.found.is_empty() {
            left.push((draft, first));
        } else {
            sure.push((draft, again));
        }
    }
    Ok((sure, left))
}

fn smaller(
    player: &Player<'_>,
    seed: u64,
    draft: Draft,
    comparison: Comparison,
    setup: Setup<'_>,
) -> (Draft, Comparison) {
    shrink(draft, comparison, |simpler| {
        let pods = simpler.len();
        (setup.tell)(&format!("pod {seed}, made smaller in {pods} ways"));
        let simpler = simpler.iter().map(|draft| (seed, draft.clone()));
        play(player, &simpler.collect::<Vec<_>>(), setup)
    })
}

// === impl Disagreement ===

impl Disagreement {
    fn new(seed: u64, draft: Draft, comparison: Comparison) -> Self {
        let Comparison { found, seen, .. } = comparison;
        Self {
            seed,
            draft,
            found,
            seen,
        }
    }
}

// === impl Comparison ===

impl Comparison {
    fn of(scenario: &Scenario, kubelet: &Record, ours: &Record) -> Self {
        let Compared { found, is_whole } = compare(&Terms::of(scenario), kubelet, ours);
        let mut seen = String::new();
        if !found.is_empty() {
            for (place, record) in [("kubelet", kubelet), ("here", ours)] {
                for line in record.log.lines() {
                    // Probes are made all the time.
                    if !matches!(
                        line.who.part,
                        Part::Startup | Part::Readiness | Part::Liveness
                    ) {
                        let (at, who, word) = (line.at, &line.who, line.word);
                        // Writing to a string does not fail.
                        let _ = writeln!(seen, "  {place:<8} {at:>9}  {}", who.says(word));
                    }
                }
            }
        }
        Self {
            is_whole,
            ..Self::new(found, seen)
        }
    }

    fn new(found: Vec<String>, seen: String) -> Self {
        let kinds = found.iter().map(|sentence| kind(sentence)).collect();
        Self {
            found,
            seen,
            kinds,
            is_whole: false,
            is_our_failure: false,
        }
    }

    /// It cannot be played there.
    fn failed(place: &str, why: &anyhow::Error) -> Self {
        let found = format!("it cannot be played {place}: {why:#}");
        Self {
            kinds: Kinds::new(),
            ..Self::new(vec![found], String::new())
        }
    }
}

/// What differs of each of these pods. One that cannot be played counts as one that differs, so that the others are not
/// played in vain.
fn play(player: &Player<'_>, drafts: &[(u64, Draft)], setup: Setup<'_>) -> Vec<Comparison> {
    let done = AtomicUsize::new(0);
    side_by_side(drafts, setup.together, |(seed, draft)| {
        let result = both(player, draft, setup);
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
fn both(player: &Player<'_>, draft: &Draft, setup: Setup<'_>) -> Comparison {
    let text = draft.to_string();
    let reading = read::read("random", text.as_bytes(), &mut |_| Err(String::new()));
    let (Some(scenario), Some(pod)) = (&reading.scenario, &reading.pod) else {
        return Comparison::failed("anywhere", &anyhow!(reading.describe()));
    };
    let (kubelet, ours) = thread::scope(|scope| {
        let ours = scope.spawn(|| ours(scenario, pod, draft, setup));
        (player.play(scenario, pod), ours.join())
    });
    let panicked = |_| Err(anyhow!("whoever played it has panicked"));
    match (kubelet, ours.unwrap_or_else(panicked)) {
        (_, Err(why)) => Comparison {
            is_our_failure: true,
            ..Comparison::failed("here", &why)
        },
        (Err(why), Ok(_)) => Comparison::failed("on the kubelet", &why),
        (Ok(kubelet), Ok(ours)) if draft.lacks_an_image() => {
            Comparison::of(scenario, &without_last_words(kubelet), &ours)
        }
        (Ok(kubelet), Ok(ours)) => Comparison::of(scenario, &kubelet, &ours),
    }
}

fn ours(scenario: &Scenario, pod: &str, draft: &Draft, setup: Setup<'_>) -> anyhow::Result<Record> {
    if draft.lacks_an_image() {
        // Host processes need no images; what the engine decides is the same in virtual time.
        let played = simulator::play(&watched(scenario)).map_err(|why| anyhow!("{why:?}"))?;
        return Ok(played.record);
    }
    let folder = folder(setup.folder)?;
    let record = program::play(scenario, pod, setup.programs, &folder)?;
    fs::remove_dir_all(&folder)?;
    Ok(record)
}

/// The same play without what the actors leave behind: in virtual time nobody writes anything.
fn without_last_words(mut record: Record) -> Record {
    let statuses = record.statuses.iter_mut();
    for container in statuses.flat_map(|sample| &mut sample.status.containers) {
        let state = match &mut container.state {
            ContainerState::Terminated(end) => Some(end),
            ContainerState::Waiting { .. } | ContainerState::Running { .. } => None,
        };
        for end in state.into_iter().chain(&mut container.last) {
            let left = end.message.as_deref();
            if left.is_some_and(|left| left.starts_with(&*container.name)) {
                end.message = None;
            }
        }
    }
    record
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
