//! The graph of a pod is known from its timeline.

use super::life::{Describe, Life, orders, pod};
use crate::record::Target;
use crate::{Header, Timeline, json};
use pillion_engine::pod::{Need, Until};

/// `app > migrate`, one for each edge.
fn edges(timeline: &Timeline) -> Vec<String> {
    let edges = timeline.edges();
    let text = |required: &crate::edge::Required| {
        let (from, to) = (required.from.name(), required.edge.target.name());
        format!("{from} > {to}")
    };
    edges.iter().map(text).collect()
}

const ORDERS: [&str; 4] = [
    "migrate > proxy",
    "cache > proxy",
    "app > migrate",
    "app > cache",
];

#[test]
fn the_header_tells_who_requires_whom() {
    let timeline = orders().timeline;
    assert_eq!(edges(&timeline), ORDERS);
    assert_eq!(timeline.edges()[3].edge.need, Need::Soft);
}

#[test]
fn edges_come_back_from_a_file() {
    let timeline = orders().timeline;
    let read = json::read(&json::write(&timeline)).unwrap();
    assert_eq!(read.timeline.edges(), timeline.edges());
}

#[test]
fn where_the_header_does_not_tell_the_waits_do() {
    let told = orders().timeline;
    let mut containers = told.header().containers.clone();
    for head in &mut containers {
        head.requires.clear();
    }
    let mut untold = Timeline::new(Header {
        containers,
        ..Header::default()
    });
    untold.extend(told.records().iter().cloned());
    assert_eq!(edges(&untold), ORDERS);
}

#[test]
fn a_meeting_point_is_told_with_what_it_gathers_if_a_start_waits_for_it() {
    let pod = pod("phases")
        .main("net")
        .main("app")
        .barrier("phase 10")
        .barrier("at the end")
        .requires("phase 10", "net", Until::Ready)
        .requires("app", "phase 10", Until::Settled)
        .requires("at the end", "app", Until::Exited)
        .stops_before("net", "at the end");
    let timeline = Life::new(pod).timeline;
    assert_eq!(edges(&timeline), ["app > phase 10", "phase 10 > net"]);
    let from: Vec<_> = timeline.edges().into_iter().map(|edge| edge.from).collect();
    assert_eq!(from[1], Target::Barrier("phase 10".into()));
}
