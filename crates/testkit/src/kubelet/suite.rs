//! Plays many scenarios side by side on one cluster, and those that fail again, a few at a time.
//!
//! Those that need another crash back-off, or restart the node, have rounds of their own: both touch everybody.

use super::director::Director;
use super::limits::{interrupts, why_not};
use super::{Theatre, pod_name};
use crate::cluster::Cluster;
use crate::cluster::files::{BackOff, Kubelet};
use crate::processes::scale::Scale;
use crate::processes::suite::{AGAIN, Result, has_failed, report, side_by_side};
use pillion_simulator::suite::{Files, Report, read_file};
use pillion_simulator::{self as simulator, Driver, Record, Scenario, judge};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How to play.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The cluster, which nobody else uses meanwhile.
    pub cluster: &'a Cluster,
    /// How many pods at once.
    pub together: usize,
    /// Those that take longer are left out.
    pub longest: Duration,
    /// Says what is going on.
    pub tell: fn(&str),
}

/// A scenario that can be played.
struct Piece {
    scenario: Scenario,
    pod: Value,
}

/// What plays have in common that are in one round.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Round {
    /// The short rounds of short delays come last.
    interrupts: bool,
    back_off: BackOff,
}

/// So begins the reason why a play is left out for want of time.
pub const TOO_LONG: &str = "it takes longer than";

/// So many plays from one word of progress to the next.
const STRIDE: usize = 20;

/// Plays every file whose path begins so; the others are there to be referred to.
pub fn run(files: &Files, prefix: &str, setup: Setup<'_>) -> anyhow::Result<Report> {
    let names: Vec<_> = files
        .keys()
        .filter(|name| name.starts_with(prefix))
        .collect();
    let mut results: Vec<Result> = Vec::new();
    let mut twice = Vec::new();
    let mut rounds: BTreeMap<Round, Vec<(usize, Piece)>> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        match prepare(files, name, setup.longest) {
            Ok(piece) => {
                results.push(Err("not played".to_owned()));
                rounds
                    .entry(Round::of(&piece.scenario))
                    .or_default()
                    .push((place, piece));
            }
            Err(result) => results.push(result),
        }
    }
    for (round, mut pieces) in rounds {
        // Whoever may take longest begins, lest all wait for one at the end.
        pieces.sort_by_key(|(_, piece)| Reverse(piece.scenario.run_for));
        (setup.tell)(&format!("{} scenarios, {}", pieces.len(), round.describe()));
        let kubelet = Kubelet {
            back_off: round.back_off,
        };
        setup.cluster.stop_kubelet()?;
        setup.cluster.start_kubelet(kubelet)?;
        let together = if round.interrupts {
            pieces.len()
        } else {
            setup.together
        };
        play_round(&pieces, &mut results, setup, kubelet, together)?;
        setup.cluster.check()?;
        let again: Vec<_> = pieces
            .into_iter()
            .filter(|(place, _)| has_failed(&results[*place]))
            .collect();
        if !again.is_empty() {
            let names: Vec<_> = again
                .iter()
                .map(|(place, _)| names[*place].as_str())
                .collect();
            (setup.tell)(&format!("once more: {}", names.join(", ")));
            twice.extend(again.iter().map(|(place, _)| *place));
            let together = if round.interrupts { again.len() } else { AGAIN };
            play_round(&again, &mut results, setup, kubelet, together)?;
        }
    }
    Ok(report(&names, results, &twice))
}

/// A piece to play, or what there is to say of the file without playing it.
fn prepare(files: &Files, name: &str, longest: Duration) -> std::result::Result<Piece, Result> {
    let reading = read_file(files, name);
    let (Some(scenario), Some(pod)) = (&reading.scenario, &reading.pod) else {
        return Err(Err(reading.describe()));
    };
    let pod: Value = serde_json::from_str(pod).map_err(|error| Err(error.to_string()))?;
    let mut scenario = Scale(1).scenario(scenario);
    if let Some(reason) = why_not(&scenario, &pod) {
        scenario.not_on.insert(Driver::Kubelet, reason);
    } else if takes(&scenario) > longest {
        let reason = format!("{TOO_LONG} {} s", longest.as_secs());
        scenario.not_on.insert(Driver::Kubelet, reason.into());
    }
    let mut cases = scenario.cases.iter();
    let is_left_out = cases.all(|case| case.not_on.contains_key(&Driver::Kubelet));
    if is_left_out || scenario.not_on.contains_key(&Driver::Kubelet) {
        return Err(Ok(judge(&scenario, &Record::default(), Driver::Kubelet)));
    }
    Ok(Piece { scenario, pod })
}

/// How long a play takes, by what becomes of it in virtual time: it is over when the pod is.
fn takes(scenario: &Scenario) -> Duration {
    let played = simulator::play(scenario).ok();
    let end = played.and_then(|played| played.record.end);
    let end = end.map_or(scenario.run_for, |end| end.at.elapsed());
    end.min(scenario.run_for)
}

fn play_round(
    pieces: &[(usize, Piece)],
    results: &mut [Result],
    setup: Setup<'_>,
    kubelet: Kubelet,
    together: usize,
) -> anyhow::Result<()> {
    let theatre = Theatre::open(setup.cluster)?;
    for (_, piece) in pieces {
        if Round::of(&piece.scenario).interrupts {
            theatre.interruptions.expect();
        }
    }
    let played = thread::scope(|scope| {
        // Whatever becomes of the plays: whoever serves them is waited for at the end.
        let _service = theatre.interruptions.open();
        scope.spawn(|| theatre.interruptions.serve(setup.cluster, kubelet));
        let done = AtomicUsize::new(0);
        side_by_side(pieces, together, |(_, piece)| {
            let result = play(&theatre, piece);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(STRIDE) && done < pieces.len() {
                (setup.tell)(&format!("{done} of {}", pieces.len()));
            }
            result
        })
    });
    for ((place, _), result) in pieces.iter().zip(played) {
        results[*place] = result;
    }
    Ok(())
}

fn play(theatre: &Theatre<'_>, Piece { scenario, pod }: &Piece) -> Result {
    let footage = Director::begin(theatre, scenario, pod, pod_name())
        .and_then(Director::play)
        .map_err(|error| format!("{error:#}"))?;
    Ok(judge(scenario, &footage.record(), Driver::Kubelet))
}

// === impl Round ===

impl Round {
    fn of(scenario: &Scenario) -> Self {
        let deeds = scenario.acts.iter().filter_map(|act| act.deed.as_ref());
        let delays = &scenario.pod.backoff;
        let (initial, max) = (delays.initial.as_secs(), delays.max.as_secs());
        let back_off = match (initial, max) {
            (10, 300) => BackOff::Standard,
            (1, 60) => BackOff::Reduced,
            _ => BackOff::AtMost(delays.max),
        };
        Self {
            interrupts: deeds.into_iter().any(interrupts),
            back_off,
        }
    }

    fn describe(self) -> String {
        let back_off = self.back_off.describe();
        if self.interrupts {
            format!("{back_off}, and restarts of the kubelet")
        } else {
            back_off
        }
    }
}
