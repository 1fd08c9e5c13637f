//! Stories told while they happen, and the last line.

use super::stage::Stage;
use crate::live::teller::Teller;
use pillion_timeline::story::Detail;
use pillion_timeline::{Style, Timeline};

/// What is told if every moment is told when it is over.
fn told_live(stage: &Stage) -> Vec<String> {
    let whole = stage.played.timeline();
    let mut teller = Teller::new(Timeline::new(whole.header().clone()));
    let mut texts = Vec::new();
    for moment in whole.records().chunk_by(|a, b| a.at == b.at) {
        for record in moment {
            teller.note(record.clone());
        }
        texts.extend(teller.tell().into_iter().map(|told| told.text));
    }
    texts
}

fn last_line(name: &str) -> String {
    let stage = Stage::story(name);
    let whole = stage.played.timeline();
    let mut teller = Teller::new(Timeline::new(whole.header().clone()));
    for record in whole.records() {
        teller.note(record.clone());
        teller.tell();
    }
    teller.result(Style::unicode(80)).unwrap().to_string()
}

#[test]
fn told_while_it_happens_a_story_is_the_one_that_is_told_later() {
    for name in [
        "orders",
        "orders-deleted",
        "orders-proxy-dies",
        "orders-migration-fails",
        "mixed-restarts",
        "broken-helper",
        "device-setup",
        "phases",
    ] {
        let stage = Stage::story(name);
        let later = stage.played.timeline().story(Detail::Brief);
        let later: Vec<_> = later.into_iter().map(|told| told.text).collect();
        assert_eq!(told_live(&stage), later, "{name}");
    }
}

#[test]
fn the_last_line_says_who_decided_and_how_to_see_more() {
    assert_eq!(
        last_line("orders"),
        "orders succeeded: app exited 0 (keystone) after 5.1 s · pillion trace"
    );
    assert_eq!(
        last_line("orders-migration-fails"),
        "orders failed: migrate exited 5 after 1.1 s · pillion trace"
    );
}

#[test]
fn a_pod_that_lives_has_no_last_line() {
    let stage = Stage::story("orders");
    let teller = Teller::new(Timeline::new(stage.played.timeline().header().clone()));
    assert_eq!(teller.result(Style::unicode(80)), None);
}

#[test]
fn a_long_life_is_forgotten_but_for_what_the_end_needs() {
    let whole = Stage::story("orders").played.timeline();
    let mut teller = Teller::new(Timeline::new(whole.header().clone()));
    let (last, before) = whole.records().split_last().unwrap();
    let restarts = before.iter().filter(|record| record.is_about("cache"));
    let again = restarts.cycle().take(5_000);
    for (seq, record) in (1..).zip(before.iter().chain(again).chain([last])) {
        teller.note(pillion_timeline::Record {
            seq,
            ..record.clone()
        });
        teller.tell();
        assert!(teller.kept() < 3_000);
    }
    let line = teller.result(Style::unicode(80)).unwrap().to_string();
    assert!(line.starts_with("orders succeeded: app exited 0"), "{line}");
}
