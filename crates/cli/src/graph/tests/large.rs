//! Graphs that nobody draws are still listed at once: the work grows with the edges.

use crate::graph::Graph;
use crate::graph::drawing::draw;
use pillion_engine::pod::Pod;
use pillion_spec::{LowerOptions, load};
use pillion_timeline::Style;
use std::fmt::Write as _;

fn pod(fields: impl Fn(usize) -> String, containers: usize) -> Pod {
    let mut text =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: large}\nspec:\n  containers:\n".to_owned();
    for number in 0..containers {
        let _ = writeln!(
            text,
            "  - {{name: c{number}, image: x, {}}}",
            fields(number)
        );
    }
    let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
    let pod = loaded.pods.into_iter().next().expect("there is a pod");
    pod.lowered.pod
}

#[test]
fn thousands_of_barriers_are_looked_through_one_by_one() {
    let phases = pod(|number| format!("phase: {number}"), 8000);

    let graph = Graph::new(&phases);

    assert_eq!((graph.nodes.len(), graph.edges.len()), (8000, 7999));
}

#[test]
fn a_thousand_barriers_with_two_ways_each_are_reduced() {
    let priority =
        |number| format!("env: [{{name: KRUISE_CONTAINER_PRIORITY, value: \"{number}\"}}]");

    let graph = Graph::new(&pod(priority, 1000));

    assert_eq!((graph.nodes.len(), graph.edges.len()), (1000, 999));
}

#[test]
fn many_edges_that_imply_nothing_are_no_picture() {
    let edges = |number: usize| {
        let before = (number.saturating_sub(19)..number)
            .map(|before| format!("{{container: c{before}, until: started}}"));
        format!("requires: [{}]", before.collect::<Vec<_>>().join(", "))
    };

    assert!(draw(&pod(edges, 200), Style::unicode(80)).is_none());
}
