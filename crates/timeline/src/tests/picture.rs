//! The picture and the page say what the timeline says, and nothing in it can break them.

use super::golden::golden;
use super::life::{Describe, Life, orders, pod};
use super::xml::fault;
use crate::record::{Cause as Why, Record, Target as Who, What as Told};
use crate::{Timeline, html, json, svg};
use pillion_engine::entry::{Cause, What};
use pillion_engine::event::{Exit, StartFailure};
use pillion_engine::pod::Until;
use std::time::Duration;

/// Both forms, which must be well formed.
fn drawn(timeline: &Timeline) -> [String; 2] {
    let drawn = [svg::svg(timeline), html::page(timeline)];
    for text in &drawn {
        assert_eq!(fault(text), None);
    }
    drawn
}

#[test]
fn a_good_run_as_a_picture() {
    golden("orders.svg", &svg::svg(&orders().timeline));
}

/// The page without what is the same in every page.
fn own_part(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    let (middle, rest) = rest.split_once("<script>").unwrap();
    let (_, end) = rest.split_once("</script>").unwrap();
    [head, middle, end].concat()
}

#[test]
fn a_good_run_as_a_page() {
    golden("orders.page", &own_part(&html::page(&orders().timeline)));
}

#[test]
fn a_page_loads_nothing_from_anywhere() {
    let page = html::page(&orders().timeline);
    assert!(page.contains("default-src 'none'"));
    // The name of the language of pictures is no address that anybody visits.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "src=", "@import", "href=", "fetch("] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn the_same_timeline_gives_the_same_text() {
    let timeline = orders().timeline;
    let again = json::read(&json::write(&timeline)).unwrap().timeline;
    assert_eq!(drawn(&timeline), drawn(&again));
}

#[test]
fn every_bar_says_what_it_is_and_why() {
    let [picture, _] = drawn(&orders().timeline);
    let tip = "<title>migrate waiting for 0.31 s\nmigrate waits for proxy to be ready\n\
               0.000s to 0.310s</title>";
    assert!(picture.contains(tip), "{picture}");
    assert!(picture.contains("<title>critical path: migrate, 0.51 s</title>"));
}

#[test]
fn containers_stand_in_the_order_of_their_starts() {
    let pod = pod("late").main("last").main("first").main("never");
    let mut life = Life::new(pod);
    life.starts_pod();
    life.waits("never", "last", Until::Exited);
    life.starts("first", Cause::PodStart);
    life.at(10).starts("last", Cause::PodStart);
    life.at(20).ready("last");
    let [picture, _] = drawn(&life.timeline);
    let names = ["\"first\"", "\"last\"", "\"never\""];
    let places = names.map(|name| picture.find(&format!("data-name={name}")).unwrap());
    assert!(places.is_sorted());
}

#[test]
fn one_failure_has_one_mark() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts_pod();
    life.starts("app", Cause::PodStart);
    life.at(10).exits("app", 1);
    life.tell_why("app", What::Ended { ok: false }, Cause::Policy);
    life.tell("app", What::GaveUp);
    let [picture, _] = drawn(&life.timeline);
    assert_eq!(picture.matches("class=\"mark failed\"").count(), 1);
}

/// What somebody might write who wants to break out of the page.
const HOSTILE: [&str; 5] = [
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "]]><!-- --><svg/onload=alert(1)>&lt;",
    "\u{0}\u{1b}[2J\u{202e}\u{2028}</style></title></svg>",
];

#[test]
fn nothing_in_a_timeline_gets_out_of_its_place() {
    for hostile in HOSTILE {
        let name = format!("x{hostile}");
        let evil = pod(&name).main(&name).barrier(hostile);
        let evil = evil.requires(&name, hostile, Until::Settled);
        let mut life = Life::new(evil);
        life.starts_pod();
        life.waits(&name, hostile, Until::Settled);
        let failed = What::StartFailed {
            reason: StartFailure::RunContainerError,
            message: hostile.into(),
        };
        life.at(5).tell(&name, failed);
        let exit = Exit {
            reason: Some(hostile.into()),
            message: Some(hostile.into()),
            ..Exit::code(1)
        };
        life.at(10).tell(&name, What::Exited(exit));
        for text in drawn(&life.timeline) {
            let scripts = text.matches("<script").count();
            assert!(scripts <= 1, "only our own");
            for word in ["<img", "<svg/", "onerror=alert(1)>", "' onmouseover='"] {
                assert!(!text.contains(word), "{word} in {text}");
            }
        }
    }
}

#[test]
fn gaps_and_damage_are_drawn_as_far_as_they_go() {
    drawn(&Timeline::default());
    let records = orders().timeline.records().to_vec();
    for left_out in 0..records.len() {
        let mut damaged = Timeline::default();
        let kept = records.iter().enumerate().filter(|(n, _)| *n != left_out);
        damaged.extend(kept.map(|(_, record)| record.clone()));
        drawn(&damaged);
        let mut cut = Timeline::default();
        cut.extend(records[left_out..].iter().cloned());
        drawn(&cut);
    }
}

#[test]
fn times_that_make_no_sense_break_nothing() {
    let record = |seq, at, what| Record {
        seq,
        at,
        time: None,
        container: Some("app".into()),
        attempt: 1,
        what,
        cause: Why::Unknown,
        because: Some(seq + 1),
    };
    let wait = Told::Waiting {
        target: Who::Container("app".into()),
        until: Until::Ready,
    };
    let mut timeline = Timeline::default();
    timeline.push(record(1, Duration::MAX, wait));
    timeline.push(record(2, Duration::ZERO, Told::Starting));
    timeline.push(record(3, Duration::from_secs(1), Told::Ready));
    for text in drawn(&timeline) {
        assert!(!text.contains("NaN") && !text.contains("inf\""), "{text}");
    }
}

#[test]
fn from_a_second_to_hours_and_from_one_to_many_all_is_drawn() {
    for count in [1, 4, 40, 300] {
        let names: Vec<_> = (0..count).map(|n| format!("container-{n}")).collect();
        let mut many = pod("many");
        for (place, name) in names.iter().enumerate() {
            many = many.main(name);
            if place > 0 {
                many = many.requires(name, &names[place / 2], Until::Ready);
            }
        }
        for unit in [1, 1000, 100_000] {
            let mut life = Life::new(many.clone());
            life.starts_pod();
            for (place, name) in names.iter().enumerate() {
                life.at(place as u64 * unit).starts(name, Cause::PodStart);
                life.ready(name);
            }
            let [picture, _] = drawn(&life.timeline);
            assert_eq!(picture.matches("class=\"lane\"").count(), count + 1);
        }
    }
}
