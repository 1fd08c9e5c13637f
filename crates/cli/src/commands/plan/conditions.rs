//! What a container waits for before it starts, as it stands behind `after` in a plan.
//!
//! The graph leaves out what others imply. Here everything that was written is shown, because who
//! wrote a requirement looks for it; and with it what does not go without saying.

use super::names::Names;
use crate::graph::{Edge, Graph, condition};
use pillion_engine::pod::{ContainerId, Need, OnRestart, Origin, Pod, Requirement, Target, Until};
use pillion_timeline::quantity::length;
use pillion_timeline::text::tame;
use pillion_timeline::{Line, Tone};

/// `migrate succeeded,`, `cache started (soft)`, `licensed ready (stop, 20 s)`
pub(super) fn conditions(
    pod: &Pod,
    id: ContainerId,
    graph: &Graph,
    edges: &[&Edge],
    names: &Names,
) -> Vec<Line> {
    let requires = &pod.containers[id.index()].requires;
    let drawn = edges.iter().map(|edge| {
        let requirement = requires
            .iter()
            .find(|r| name(pod, r) == Some(from(graph, edge)));
        text(
            names.of(from(graph, edge)),
            edge.bond.until,
            edge.bond.need,
            requirement,
        )
    });
    let hidden = |requirement: &&Requirement| {
        let is_drawn = |edge: &&Edge| name(pod, requirement) == Some(from(graph, edge));
        is_written(requirement) && !edges.iter().any(is_drawn)
    };
    let written = requires.iter().filter(hidden).filter_map(|requirement| {
        let Requirement { until, need, .. } = requirement;
        Some(text(
            names.of(name(pod, requirement)?),
            *until,
            *need,
            Some(requirement),
        ))
    });
    let mut parts: Vec<_> = drawn.chain(written).collect();
    let last = parts.len().saturating_sub(1);
    for part in &mut parts[..last] {
        part.push(',');
    }
    let line = |part| Line::new(Tone::Plain, part);
    parts.into_iter().map(line).collect()
}

fn is_written(requirement: &Requirement) -> bool {
    requirement.origin == Origin::Written && requirement.gates_start()
}

fn from<'a>(graph: &'a Graph, edge: &Edge) -> &'a str {
    &graph.nodes[edge.from].name
}

/// The name of the container that is required.
fn name<'a>(pod: &'a Pod, requirement: &Requirement) -> Option<&'a str> {
    match requirement.target {
        Target::Container(id) => pod.containers.get(id.index()).map(|target| &*target.name),
        Target::Barrier(_) => None,
    }
}

fn text(name: &str, until: Until, need: Need, requirement: Option<&Requirement>) -> String {
    let mut notes: Vec<String> = Vec::new();
    notes.extend(match need {
        Need::Hard => None,
        Need::Soft => Some("soft".to_owned()),
        Need::Order => Some("order".to_owned()),
    });
    if let Some(requirement) = requirement {
        notes.extend(match requirement.on_restart {
            OnRestart::Keep => None,
            OnRestart::Restart => Some("restart".to_owned()),
            OnRestart::Stop => Some("stop".to_owned()),
        });
        notes.extend(requirement.timeout.map(length));
    }
    let notes = match notes.as_slice() {
        [] => String::new(),
        notes => format!(" ({})", notes.join(", ")),
    };
    format!("{} {}{notes}", tame(name), condition(until))
}
