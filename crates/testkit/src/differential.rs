//! Random plain pods on a real kubelet and as host processes, side by side, and what differs.
//!
//! ```text
//!   seed ─▶ Draft ─▶ scenario ─┬─▶ kubelet ──────▶ Record ─┐
//!             ▲                └─▶ host processes ▶ Record ─┴─▶ compare ─▶ nothing, or sentences
//!             └── simpler, as long as it still differs ◀──────────────────────────┘
//! ```
//!
//! Both have the same actors and the same scripts. A pod that differs is played once more, so that a busy machine is not
//! taken for a rule, and then made smaller.

mod account;
pub mod compare;
pub mod dice;
pub mod draft;

use crate::cluster::Cluster;
use crate::cluster::files::{BackOff, Kubelet};
use crate::kubelet::Player;
use crate::processes;
use anyhow::anyhow;
use compare::compare;
use dice::Dice;
use draft::{Delay, Draft};
use pillion_engine::status::ContainerState;
use pillion_simulator::line::Part;
use pillion_simulator::scenario::read;
use pillion_simulator::{self as simulator, Case, Record, Scenario};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, thread};

/// How to play.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The cluster, which nobody else uses meanwhile.
    pub cluster: &'a Cluster,
    /// The actor program.
    pub actor: &'a Path,
    /// A folder for the host processes.
    pub folder: &'a Path,
    /// How many pods at once.
    pub together: usize,
    /// Whether pods that differ are made smaller.
    pub shrinks: bool,
    /// Says what is going on.
    pub tell: fn(&str),
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
struct Comparison {
    found: Vec<String>,
    seen: String,
}

/// So many pods from one word of progress to the next.
const STRIDE: usize = 20;

/// A pod is made smaller so many times at most.
const STEPS: usize = 8;

/// Plays so many pods and says which differ.
pub fn run(seed: u64, pods: u64, setup: Setup<'_>) -> anyhow::Result<Vec<Disagreement>> {
    let drafts = (seed..seed + pods).map(|seed| (seed, Draft::random(&mut Dice::new(seed))));
    let drafts: Vec<_> = drafts.collect();
    let mut found = Vec::new();
    for delay in Delay::ALL {
        let drafts = drafts.iter().filter(|(_, draft)| draft.delay() == delay);
        let drafts: Vec<_> = drafts.cloned().collect();
        if !drafts.is_empty() {
            found.extend(round(delay, &drafts, setup)?);
        }
    }
    found.sort_by_key(|one| one.seed);
    Ok(found)
}

/// Plays pods whose containers wait so long when they have crashed: the kubelet has one delay for all.
fn round(
    delay: Delay,
    drafts: &[(u64, Draft)],
    setup: Setup<'_>,
) -> anyhow::Result<Vec<Disagreement>> {
    let back_off = match delay {
        Delay::Short => BackOff::AtMost(Duration::from_secs(1)),
        Delay::Usual => BackOff::Standard,
    };
    let pods = drafts.len();
    (setup.tell)(&format!("{pods} pods, {}", back_off.describe()));
    setup.cluster.stop_kubelet()?;
    setup.cluster.start_kubelet(Kubelet { back_off })?;
    let player = Player::open(setup.cluster)?;
    let first = differing(&player, drafts, setup);
    if first.is_empty() {
        return Ok(first);
    }
    (setup.tell)(&format!("{} of {pods} pods differ; once more", first.len()));
    let again = once_more(&player, first, setup);
    if !setup.shrinks {
        return Ok(again);
    }
    let shrunk = again.into_iter().map(|one| shrink(&player, one, setup));
    Ok(shrunk.collect())
}

// === impl Comparison ===

impl Comparison {
    fn of(kubelet: &Record, ours: &Record) -> Self {
        let found = compare(kubelet, ours);
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
        Self { found, seen }
    }

    fn failed(why: &anyhow::Error) -> Self {
        Self {
            found: vec![format!("it cannot be played: {why:#}")],
            seen: String::new(),
        }
    }
}

/// Makes a pod smaller as long as it differs, every time that it is played.
fn shrink(player: &Player<'_>, mut one: Disagreement, setup: Setup<'_>) -> Disagreement {
    for _ in 0..STEPS {
        (setup.tell)(&format!("pod {}, made smaller", one.seed));
        let simpler = one.draft.simpler().into_iter();
        let simpler: Vec<_> = simpler.map(|draft| (one.seed, draft)).collect();
        let smaller = differing(player, &simpler, setup);
        let mut smaller = once_more(player, smaller, setup);
        if smaller.is_empty() {
            return one;
        }
        one = smaller.swap_remove(0);
    }
    one
}

/// Those that differ again: a busy machine is not taken for a rule.
fn once_more(player: &Player<'_>, found: Vec<Disagreement>, setup: Setup<'_>) -> Vec<Disagreement> {
    let drafts = found.into_iter().map(|one| (one.seed, one.draft));
    differing(player, &drafts.collect::<Vec<_>>(), setup)
}

/// Those of the pods that differ, in their order. One that cannot be played counts as one that differs, so that the others
/// are not played in vain.
fn differing(player: &Player<'_>, drafts: &[(u64, Draft)], setup: Setup<'_>) -> Vec<Disagreement> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<(usize, Comparison)>> = Mutex::default();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((seed, draft)) = drafts.get(place) else {
                return;
            };
            let result = both(player, draft, setup).unwrap_or_else(|why| Comparison::failed(&why));
            if !result.found.is_empty() {
                (setup.tell)(&format!("pod {seed}: {}", result.found.join("; ")));
                let mut found = found.lock().expect("nobody panics with it");
                found.push((place, result));
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(STRIDE) && done < drafts.len() {
                (setup.tell)(&format!("{done} of {} pods", drafts.len()));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..setup.together.min(drafts.len()) {
            scope.spawn(work);
        }
    });
    let mut found = found.into_inner().expect("nobody panics with it");
    found.sort_by_key(|(place, _)| *place);
    let disagreement = |(place, result): (usize, Comparison)| {
        let (seed, draft) = drafts.get(place).cloned()?;
        let Comparison { found, seen } = result;
        Some(Disagreement {
            seed,
            draft,
            found,
            seen,
        })
    };
    found.into_iter().filter_map(disagreement).collect()
}

/// Plays a pod on both and says what differs.
fn both(player: &Player<'_>, draft: &Draft, setup: Setup<'_>) -> anyhow::Result<Comparison> {
    let text = draft.to_string();
    let reading = read::read("random", text.as_bytes(), &mut |_| Err(String::new()));
    let (Some(scenario), Some(pod)) = (&reading.scenario, &reading.pod) else {
        return Err(anyhow!(reading.describe()));
    };
    if draft.needs_images() {
        // Host processes have no images; what the engine decides is the same in virtual time.
        let ours = simulator::play(&watched(scenario)).map_err(|why| anyhow!("{why:?}"))?;
        let kubelet = without_last_words(player.play(scenario, pod)?);
        return Ok(Comparison::of(&kubelet, &ours.record));
    }
    let folder = folder(setup.folder)?;
    let (kubelet, ours) = thread::scope(|scope| {
        let ours = scope.spawn(|| processes::play(scenario, Some(pod), setup.actor, &folder));
        (player.play(scenario, pod), ours.join())
    });
    let ours = ours.map_err(|_| anyhow!("the host processes have panicked"))??;
    fs::remove_dir_all(&folder)?;
    Ok(Comparison::of(&kubelet?, &ours))
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
