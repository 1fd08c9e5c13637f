//! What is excused, and what is not any more: each pair of plays beside its neighbour.

use super::super::compare as compare_with;
use super::{compare, ended, play, stops};
use crate::differential::terms::Terms;
use pillion_engine::status::Phase;
use std::collections::BTreeSet;
use std::time::Duration;

fn is_found(found: &[String], words: &str) -> bool {
    found.iter().any(|one| one.contains(words))
}

#[test]
fn a_back_off_is_held_to_half_as_long_again() {
    let crash = |from: u64, again: u64| {
        let lines = [
            (0, "m1 Starting"),
            (from, "m1 Exiting"),
            (from, "m1 Exited"),
            (again, "m1 Starting"),
        ];
        play(&lines)
    };
    let begins = "begins";
    assert!(
        !is_found(&compare(&crash(5, 25), &crash(5, 15)), begins),
        "it looked again after 20 s"
    );
    assert!(is_found(&compare(&crash(5, 26), &crash(5, 15)), begins));
    assert!(
        is_found(&compare(&crash(5, 15), &crash(5, 5)), begins),
        "it is not waited for"
    );
    assert!(
        is_found(&compare(&crash(5, 15), &crash(5, 18)), begins),
        "it is waited for too long"
    );
}

#[test]
fn containers_that_only_one_of_them_has_are_found() {
    let theirs = play(&[(0, "m1 Starting"), (0, "m2 Starting")]);
    let found = compare(&theirs, &play(&[(0, "m1 Starting")]));
    assert_eq!(
        found,
        ["the containers of the pod are m1 m2 on the kubelet and m1 here"]
    );
}

#[test]
fn a_hook_that_runs_twice_here_is_found() {
    let lines = [
        (0, "m1 Starting"),
        (1, "m1/preStop Starting"),
        (2, "m1/preStop Starting"),
        (3, "m1 Exited"),
    ];
    let (once, twice) = (play(&lines[..2]), play(&lines));
    let found = "a hook of run 1 of m1 is run twice here";
    assert!(is_found(&compare(&once, &twice), found));
    assert!(!is_found(&compare(&twice, &once), "twice"), "a kubelet may");
}

#[test]
fn a_kubelet_whose_containers_are_told_nothing_for_long_has_stood_still() {
    let told = |after: u64| {
        let at = 20 + after;
        stops(&[
            ("m3", at, at),
            ("m4", at, at),
            ("r2", at, at),
            ("r1", at, at),
        ])
    };
    let hears = "containers hear that the pod goes";
    assert!(is_found(&compare(&told(9), &told(0)), hears));
    assert!(!is_found(&compare(&told(30), &told(0)), hears));
    assert!(
        is_found(&compare(&told(0), &told(30)), hears),
        "we have no excuse"
    );
}

#[test]
fn a_kubelet_waits_for_the_last_sidecar_before_a_pod_has_completed() {
    // The sidecar was started again just before the main ended, and has a startup probe.
    let lines = |stop: u64| {
        let all = [
            (0, "r1 Starting"),
            (0, "m2 Starting"),
            (15, "r1 Exiting"),
            (15, "r1 Exited"),
            (15, "r1 Starting"),
            (20, "m2 Exiting"),
            (20, "m2 Exited"),
            (stop, "r1 Stopping"),
            (stop, "r1 Exiting"),
            (stop, "r1 Exited"),
        ];
        ended(play(&all), stop, Phase::Succeeded)
    };
    let slow = Terms {
        slow: BTreeSet::from(["r1".into()]),
        ..Terms::default()
    };
    let hears = "containers hear that the pod goes";
    let found = |terms: &Terms, theirs, own| compare_with(terms, &lines(theirs), &lines(own)).found;
    assert!(!is_found(&found(&slow, 26, 20), hears));
    assert!(is_found(&found(&Terms::default(), 26, 20), hears));
    assert!(is_found(&found(&slow, 20, 26), hears), "we do not wait");
}

#[test]
fn a_probe_goes_on_counting_where_it_has_not_killed() {
    // Killed five seconds after its start, or one.
    let killed = |told: u64| {
        let lines = [
            (0, "m1 Starting"),
            (1, "m1/liveness Starting"),
            (8, "m1 Exiting"),
            (8, "m1 Exited"),
            (10, "m1 Starting"),
            (10 + told, "m1 Stopping"),
            (10 + told, "m1 Exiting"),
            (10 + told, "m1 Exited"),
            (20, "m1 Starting"),
        ];
        play(&lines)
    };
    let terms = Terms {
        tolerated: BTreeSet::from(["m1".into()]),
        longest_wait: Duration::from_mins(5),
        ..Terms::default()
    };
    let kills = "is killed by a probe at an age";
    let found =
        |terms: &Terms, theirs, own| compare_with(terms, &killed(theirs), &killed(own)).found;
    assert!(!is_found(&found(&terms, 1, 5), kills));
    assert!(is_found(&found(&Terms::default(), 1, 5), kills));
    assert!(is_found(&found(&terms, 5, 1), kills), "we do not");
}
