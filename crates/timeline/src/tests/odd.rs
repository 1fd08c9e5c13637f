//! Whatever the input, there is an answer and no panic.

use super::life::{Describe, Life, orders, pod};
use crate::record::Record;
use crate::story::{Detail, Stamps, lines};
use crate::trace::{result, trace};
use crate::unfinished::unfinished;
use crate::{Recorder, Style, Timeline, json};
use pillion_engine::entry::{Cause, Entry, Impossible, What};
use pillion_engine::pod::{BarrierId, ContainerId, Target, Until};
use pillion_engine::tick::Tick;
use std::time::Duration;

/// Asks everything that can be asked.
fn ask_everything(timeline: &Timeline) {
    for style in [
        Style::unicode(80),
        Style::ascii(20),
        Style::unicode(0),
        Style::ascii(500),
    ] {
        let _ = trace(timeline, style);
        let _ = unfinished(timeline, style);
    }
    let _ = result(timeline);
    let _ = timeline.waits();
    let _ = timeline.restarts();
    for record in timeline.records() {
        let path = timeline.critical_path(record.seq);
        assert_eq!(path.records.last(), Some(&record.seq));
    }
    for detail in [Detail::Brief, Detail::Full] {
        let _ = lines(
            &timeline.story(detail),
            Stamps::Absolute,
            Style::unicode(20),
        );
    }
    assert_eq!(
        json::read(&json::write(timeline))
            .unwrap()
            .timeline
            .records(),
        timeline.records()
    );
}

/// A generator that is good enough to make a mess, and always the same mess.
struct Mess(u64);

impl Mess {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn an_empty_timeline_answers() {
    ask_everything(&Timeline::default());
}

#[test]
fn missing_records_leave_poorer_answers() {
    let whole = orders().timeline;
    for missing in whole.records() {
        let mut timeline = Timeline::new(whole.header().clone());
        timeline.extend(
            whole
                .records()
                .iter()
                .filter(|record| *record != missing)
                .cloned(),
        );
        ask_everything(&timeline);
    }
}

#[test]
fn records_in_any_order_are_the_same_timeline() {
    let whole = orders().timeline;
    let mut timeline = Timeline::new(whole.header().clone());
    timeline.extend(whole.records().iter().rev().cloned());
    timeline.extend(whole.records().iter().cloned());
    assert_eq!(timeline, whole);
}

#[test]
fn damaged_records_do_no_harm() {
    let mut mess = Mess(0x5eed);
    for _ in 0..50 {
        let mut timeline = Timeline::new(orders().timeline.header().clone());
        for record in orders().timeline.records() {
            let damaged = Record {
                seq: mess.below(60),
                at: Duration::from_millis(mess.below(5000)),
                because: Some(mess.below(60)),
                attempt: u32::try_from(mess.below(3)).unwrap(),
                ..record.clone()
            };
            timeline.push(damaged);
        }
        ask_everything(&timeline);
    }
}

#[test]
fn ids_out_of_range_are_shown_as_numbers() {
    let pod = pod("p").main("app");
    let mut recorder = Recorder::new(&pod, crate::Base::default());
    let entry = Entry {
        at: Tick::ZERO,
        container: Some(ContainerId(u32::MAX)),
        attempt: 1,
        what: What::Waiting {
            target: Target::Barrier(BarrierId(7)),
            until: Until::Settled,
        },
        cause: Cause::Impossible {
            target: Target::Container(ContainerId(9)),
            until: Until::Ready,
            why: Impossible::Ended,
        },
    };
    let record = recorder.record(&pod, &entry);
    assert_eq!(record.container.as_deref(), Some("#4294967295"));
    assert_eq!(
        crate::words::sentence(&record),
        "#4294967295 waits for barrier #7: #9 ended and will not be ready"
    );
    let unneeded = Entry {
        cause: Cause::Unneeded,
        ..entry
    };
    assert_eq!(recorder.record(&pod, &unneeded).because, None);
}

#[test]
fn a_clock_that_goes_back_does_no_harm() {
    let mut life = Life::new(pod("p").main("app"));
    life.at(500).starts_pod();
    life.starts("app", Cause::PodStart);
    life.at(100).ready("app");
    life.tell_pod(What::PodReady, Cause::Itself);
    ask_everything(&life.timeline);
    assert_eq!(life.timeline.end(), Duration::from_millis(500));
}

#[test]
fn a_requirement_in_a_circle_ends() {
    let circle = pod("p").main("a").main("b").barrier("x").barrier("y");
    let circle = circle
        .requires("a", "b", Until::Ready)
        .requires("b", "a", Until::Ready)
        .requires("x", "y", Until::Settled)
        .requires("y", "x", Until::Settled)
        .requires("x", "a", Until::Ready);
    let mut life = Life::new(circle);
    let ready = life.ready("a");
    let cause = life.fulfilled("y", Until::Settled);
    let turn = life.starts("b", cause);
    assert_eq!(life.because(turn), Some(ready));
    life.exits("b", 0);
    life.stops("a", Cause::Unneeded);
    ask_everything(&life.timeline);
}
