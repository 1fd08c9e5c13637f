//! The reader's speed: a file with a thousand containers, from bytes to a checked graph.

use super::statistics::median;
use super::{Figure, Goal};
use crate::clock::Effort;
use pillion_spec::{LowerOptions, load};
use std::fmt::Write as _;

const CONTAINERS: usize = 1_000;
const ROUNDS: usize = 15;

pub(super) fn run() -> Vec<Figure> {
    let text = pod();
    let round = |_| {
        let effort = Effort::start();
        let loaded = load("large.yaml", text.as_bytes(), LowerOptions::default());
        let milliseconds = effort.elapsed().as_secs_f64() * 1e3;
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics.first());
        assert_eq!(loaded.pods[0].lowered.pod.containers.len(), CONTAINERS);
        milliseconds
    };
    let measured = median((0..ROUNDS).map(round).collect());
    let kilobytes = text.len() / 1024;
    vec![Figure {
        what: format!("read and lint {CONTAINERS} containers, {kilobytes} KB"),
        measured,
        unit: "ms",
        goal: Goal::AtMost(50.0),
    }]
}

/// A pod with containers as people write them: image, environment, probes, resources, edges.
fn pod() -> String {
    let mut text =
        String::from("apiVersion: v1\nkind: Pod\nmetadata:\n  name: large\nspec:\n  containers:\n");
    for number in 0..CONTAINERS {
        add_container(&mut text, number).expect("a string takes all that is written");
    }
    text
}

fn add_container(text: &mut String, number: usize) -> std::fmt::Result {
    writeln!(text, "    - name: c{number}")?;
    writeln!(
        text,
        "      image: registry.example/team/service-{number}:1.{number}"
    )?;
    writeln!(
        text,
        "      command: [sh, -c, \"exec /service --port {}\"]",
        8000 + number
    )?;
    writeln!(
        text,
        "      env:\n        - {{name: NUMBER, value: \"{number}\"}}"
    )?;
    writeln!(text, "        - {{name: LEVEL, value: info}}")?;
    writeln!(
        text,
        "      resources: {{requests: {{cpu: 10m, memory: 16Mi}}}}"
    )?;
    writeln!(
        text,
        "      readinessProbe:\n        httpGet: {{path: /ready, port: 8080}}"
    )?;
    writeln!(text, "        periodSeconds: 5")?;
    if number.is_multiple_of(3) {
        writeln!(text, "      sidecar: true")?;
    }
    let required: Vec<_> = [1, 7, 30]
        .iter()
        .filter_map(|back| number.checked_sub(*back))
        .collect();
    if !required.is_empty() {
        let names: Vec<_> = required.iter().map(|number| format!("c{number}")).collect();
        writeln!(text, "      requires: [{}]", names.join(", "))?;
    }
    Ok(())
}
