//! What a container waits for before it starts, as it stands behind `after` in a plan.
//!
//! The graph leaves out what others imply. Here everything that was written is shown, because who
//! wrote a requirement looks for it; and with it what does not go without saying.

use super::names::Names;
use crate::graph::{Bond, Edge, Graph};
use pillion_engine::pod::{ContainerId, Need, OnRestart, Origin, Pod, Requirement, Target, Until};
use pillion_spec::plan::until_word;
use pillion_timeline::quantity::length;
use pillion_timeline::text::tame;
use pillion_timeline::{Line, Tone};
use std::collections::{BTreeMap, BTreeSet};

/// `migrate succeeded,`, `cache started (soft)`, `licensed ready (stop, 20 s)`
pub(super) fn conditions(
    pod: &Pod,
    id: ContainerId,
    graph: &Graph,
    edges: &[&Edge],
    names: &Names,
) -> Vec<Line> {
    let requires = &pod.containers[id.index()].requires;
    let mut by_target: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
    for requirement in requires {
        if let Some(name) = name(pod, requirement) {
            by_target.entry(name).or_default().push(requirement);
        }
    }
    let mut parts = Vec::new();
    for edge in edges {
        let from = &*graph.nodes[edge.from].name;
        let requirements = by_target.remove(from).unwrap_or_default();
        parts.extend(of_target(names.of(from), Some(edge.bond), &requirements));
    }
    // What others imply is not drawn.
    for requirement in requires {
        let hidden = name(pod, requirement).and_then(|name| by_target.remove_entry(name));
        if let Some((name, requirements)) = hidden {
            parts.extend(of_target(names.of(name), None, &requirements));
        }
    }
    let last = parts.len().saturating_sub(1);
    for part in &mut parts[..last] {
        part.push(',');
    }
    let line = |part| Line::new(Tone::Plain, part);
    parts.into_iter().map(line).collect()
}

/// Everything that was written of one target, and what is drawn, if it is something else.
fn of_target(name: &str, drawn: Option<Bond>, requirements: &[&Requirement]) -> Vec<String> {
    let written = requirements.iter().filter(|r| is_written(r));
    let mut parts: Vec<_> = written
        .map(|r| text(name, r.until, r.need, Some(r)))
        .collect();
    if let Some(Bond { until, need, .. }) = drawn {
        let meant = requirements
            .iter()
            .find(|r| (r.until, r.need) == (until, need));
        parts.push(text(name, until, need, meant.copied()));
    }
    let mut told = BTreeSet::new();
    parts.retain(|part| told.insert(part.clone()));
    parts
}

fn is_written(requirement: &Requirement) -> bool {
    requirement.origin == Origin::Written && requirement.gates_start()
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
    format!("{} {}{notes}", tame(name), until_word(until))
}
