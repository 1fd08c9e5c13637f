//! Pictures are right at every width, with every name, for every length of life.

use super::golden::golden;
use super::life::{Describe, Life, orders, pod};
use crate::gantt::gantt;
use crate::{Line, Style, Timeline, Tone};
use pillion_engine::entry::{Cause, What};
use pillion_engine::pod::{Pod, Until};
use std::time::Duration;

fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn picture(timeline: &Timeline, style: Style) -> String {
    let lines = gantt(timeline, style);
    for line in &lines {
        assert!(
            line.width() <= style.width,
            "{} columns: {line}",
            line.width()
        );
        assert_eq!(
            line.to_string().trim_end(),
            line.to_string(),
            "no space at the end"
        );
    }
    text(&lines)
}

/// A chain in which each waits for the one before, all ready after their share of the time.
fn chain(names: &[String], millis: u64) -> Timeline {
    let describe = |pod: Pod, name: &String| pod.main(name);
    let mut life = Life::new(names.iter().fold(pod("chain"), describe));
    life.starts_pod();
    let count = u64::try_from(names.len()).unwrap();
    for pair in names.windows(2) {
        life.waits(&pair[1], &pair[0], Until::Ready);
    }
    for (number, name) in (0..).zip(names) {
        life.at(millis * number / (2 * count))
            .starts(name, Cause::PodStart);
        life.at(millis * (number + 1) / (2 * count)).ready(name);
    }
    life.at(millis).tell_pod(What::PodReady, Cause::Itself);
    life.timeline
}

#[test]
fn a_life_in_eighty_columns() {
    golden(
        "orders.gantt",
        &picture(&orders().timeline, Style::unicode(80)),
    );
}

#[test]
fn a_life_in_plain_ascii() {
    let picture = picture(&orders().timeline, Style::ascii(60));
    assert!(picture.is_ascii());
    golden("orders.ascii.gantt", &picture);
}

#[test]
fn pictures_fit_whatever_the_names_the_number_and_the_time() {
    let long = "a-name-of-sixty-three-characters-as-long-as-a-dns-label-may-be".to_owned();
    let sets: [Vec<String>; 4] = [
        vec!["a".into()],
        vec![long.clone(), long + "x"],
        (0..50).map(|number| format!("worker-{number}")).collect(),
        vec![],
    ];
    for names in &sets {
        for millis in [0, 1, 10, 900, 4200, 60_000, 36_000_000, 86_400_000 * 400] {
            for width in [20, 40, 80, 120, 300] {
                let timeline = chain(names, millis);
                let unicode = picture(&timeline, Style::unicode(width));
                let ascii = picture(&timeline, Style::ascii(width));
                assert_eq!(unicode.lines().count(), ascii.lines().count());
                assert!(unicode.lines().count() > names.len());
                assert!(ascii.is_ascii());
            }
        }
    }
}

#[test]
fn names_that_are_cut_stay_different() {
    let name = |end: &str| format!("deployment-of-the-year-{end}");
    let timeline = chain(&[name("blue"), name("green")], 1000);
    let picture = picture(&timeline, Style::unicode(40));
    let names: Vec<_> = picture
        .lines()
        .skip(1)
        .map(|line| &line[..line.find("  ").unwrap()])
        .collect();
    assert_eq!(names[..2], [" deploy…r-blue", " deploy…-green"]);
}

#[test]
fn short_spans_are_seen_in_long_lives() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    life.at(10).ready("app");
    let ten_hours = 36_000_000;
    life.at(ten_hours - 10).stops("app", Cause::Deletion);
    life.at(ten_hours).exits("app", 0);
    let picture = picture(&life.timeline, Style::unicode(40));
    let row = picture.lines().nth(1).unwrap();
    assert!(row.starts_with(" app  ▒█") && row.ends_with("█▓"), "{row}");
    assert_eq!(
        picture.lines().next().unwrap(),
        "      0s    2h     4h    6h     8h"
    );
}

#[test]
fn failures_are_marked() {
    let mut life = Life::new(pod("p").main("app"));
    life.starts("app", Cause::PodStart);
    life.ready("app");
    life.at(1000).exits("app", 1);
    life.tell_why(
        "app",
        What::Restarting {
            after: Duration::from_secs(1),
        },
        Cause::Policy,
    );
    life.at(2000).starts("app", Cause::Policy);
    life.ready("app");
    life.at(3000).tell("app", What::Unready);
    life.at(4000).exits("app", 1);
    let picture = picture(&life.timeline, Style::ascii(27));
    let lines: Vec<_> = picture.lines().collect();
    assert_eq!(
        lines,
        [
            "      0s   1s   2s   3s",
            " app  #####x~~~~#####oooox",
            " # ready   o not ready",
            " ~ backing off   x failed",
        ]
    );
}

#[test]
fn a_life_that_took_no_time_is_seen() {
    let mut life = Life::new(pod("p").oneshot("setup").main("app"));
    life.starts("setup", Cause::PodStart);
    life.runs("setup");
    life.ends("setup", 0);
    life.at(1000).ready("app");
    life.at(2000).tell("app", What::Unready);
    let picture = picture(&life.timeline, Style::ascii(40));
    assert_eq!(picture.lines().nth(1), Some(" setup  ="));
}

#[test]
fn shades_have_the_tone_of_their_state() {
    let lines = gantt(&orders().timeline, Style::unicode(80));
    let cache: Vec<_> = lines[3].pieces().map(|(tone, _)| tone).collect();
    assert_eq!(cache, [Tone::Plain, Tone::Waiting, Tone::Good, Tone::Dim]);
}
