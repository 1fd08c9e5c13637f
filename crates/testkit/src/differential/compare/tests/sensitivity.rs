//! What is found: plays that are falsified, and plays of engines with a mistake.
//!
//! Every excuse of the comparison makes it blind to something. Here a play in virtual time stands for the kubelet's, and the
//! same play with one thing wrong for ours; each of these things must be found in most pods in which it shows.

mod falsify;

use super::super::compare;
use crate::differential::dice::Dice;
use crate::differential::draft::Draft;
use crate::differential::terms::Terms;
use crate::differential::watched;
use crate::mutants;
use pillion_engine::status::PodStatus;
use pillion_simulator::line::{Line, Part};
use pillion_simulator::scenario::read;
use pillion_simulator::{Record, Scenario, play};
use std::collections::BTreeMap;

const FIRST: u64 = 5_000;

/// So many play with an engine that has a mistake.
const PODS: usize = 200;

/// So many are falsified, which is cheaper.
const MORE: u64 = 600;

fn scenarios() -> Vec<Scenario> {
    let scenario = |seed| {
        let text = Draft::random(&mut Dice::new(seed)).to_string();
        let reading = read::read("random", text.as_bytes(), &mut |_| Err(String::new()));
        watched(&reading.scenario.unwrap())
    };
    (FIRST..FIRST + MORE).map(scenario).collect()
}

/// In how many percent of the plays with something wrong it is found; `None` if it never shows.
fn share<'p>(plays: impl Iterator<Item = (&'p Played, Record)>) -> Option<usize> {
    let (mut wrong, mut found) = (0, 0);
    for (Played { terms, record }, own) in plays {
        wrong += 1;
        found += usize::from(!compare(terms, record, &own).found.is_empty());
    }
    (wrong > 0).then(|| found * 100 / wrong)
}

/// A pod, as it should be.
struct Played {
    terms: Terms,
    record: Record,
}

fn played() -> Vec<Played> {
    let scenarios = scenarios().into_iter();
    let played = scenarios.map(|scenario| Played {
        terms: Terms::of(&scenario),
        record: play(&scenario).unwrap().record,
    });
    played.collect()
}

#[test]
fn a_play_agrees_with_itself() {
    for Played { terms, record } in played() {
        assert_eq!(
            compare(&terms, &record, &record).found,
            Vec::<String>::new()
        );
    }
}

#[test]
fn what_is_wrong_in_a_play_is_found() {
    let plays = played();
    let mut blind = Vec::new();
    for (what, falsify, least) in falsify::ALL {
        let pairs = plays.iter();
        let pairs = pairs.filter_map(|played| Some((played, falsify(&played.record)?)));
        let share = share(pairs).unwrap_or_default();
        if share < least {
            blind.push(format!("{what}: found in {share} %, not {least}"));
        }
    }
    assert_eq!(blind, Vec::<String>::new());
}

#[test]
fn engines_with_a_mistake_are_found() {
    let wanted = BTreeMap::from([
        // Nobody looks at when a hook ends that is not waited for any more.
        ("a hook has all the time", 0),
        ("all at once", 40),
        ("equal shares", 65),
        ("grace from the signal", 25),
        ("hook and signal", 20),
        ("no back-off", 12),
        ("one after another", 16),
        ("pulls at its turn", 90),
        ("ready is started", 80),
        ("ready once", 20),
        ("restarts to the end", 80),
        ("started when it runs", 50),
        // As a kubelet does both: differences on purpose.
        ("stops before the pull", 0),
        ("the first grace stays", 0),
        ("the last rule wins", 45),
        ("unready is dead", 60),
        ("wakes for ever", 90),
    ]);
    let scenarios = scenarios();
    let plays = played();
    let mut seen = BTreeMap::new();
    for exhibit in mutants::all() {
        let pairs = scenarios.iter().zip(&plays).take(PODS);
        let pairs = pairs.filter_map(|(scenario, good)| {
            let bad = exhibit.play(scenario)?;
            (told(&bad) != told(&good.record)).then_some((good, bad))
        });
        seen.extend(share(pairs).map(|share| (exhibit.name, share)));
    }
    let known: Vec<_> = wanted.keys().collect();
    assert_eq!(seen.keys().collect::<Vec<_>>(), known, "{seen:?}");
    let is_blind = |(name, share): &(&&str, &usize)| **share < wanted[**name];
    let blind: Vec<_> = seen.iter().filter(is_blind).collect();
    assert!(blind.is_empty(), "{blind:?}");
}

/// All that is compared of a play: probes are made all the time.
fn told(record: &Record) -> (Vec<&Line>, Vec<&PodStatus>) {
    let is_probe = |part| matches!(part, Part::Startup | Part::Readiness | Part::Liveness);
    let lines = record.log.lines().iter();
    let lines = lines.filter(|line| !is_probe(line.who.part));
    let statuses = record.statuses.iter().map(|sample| &sample.status);
    (lines.collect(), statuses.collect())
}
