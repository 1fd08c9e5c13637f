//! Lint: what is wrong with a graph although every line of it can be read.
//!
//! Each check is a function over the same `Subject` and adds findings; none changes anything. A
//! pod without errors here can be run: its graph has no cycle, and nothing in it waits for what can
//! never come.

mod condition;
mod contradiction;
mod cycle;
mod ending;
mod endings;
mod keystone;
mod port;
mod rule;
mod settings;
mod start_time;
mod stop_time;

use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::file::PodFile;
use crate::lower::Lowered;
use crate::lower::sketch::EdgeSource;
use crate::source::Span;
use pillion_engine::pod::{self as engine, ContainerId, Requirement, Target};

/// A pod that is checked, as written and as drawn.
pub(crate) struct Subject<'a> {
    file: &'a PodFile,
    lowered: &'a Lowered,
    pod: &'a engine::Pod,
    /// As written, by id.
    written: Vec<&'a Container>,
}

/// Finds what is wrong with a pod's graph, in no particular order.
pub fn check(file: &PodFile, lowered: &Lowered) -> Vec<Diagnostic> {
    let subject = Subject::new(file, lowered);
    let mut findings = Vec::new();
    for check in CHECKS {
        check(&subject, &mut findings);
    }
    findings
}

type Check = fn(&Subject<'_>, &mut Vec<Diagnostic>);

const CHECKS: &[Check] = &[
    cycle::check,
    condition::check,
    contradiction::check,
    ending::check,
    keystone::check,
    port::check,
    rule::check,
    start_time::check,
    stop_time::check,
    settings::check,
];

// === impl Subject ===

impl<'a> Subject<'a> {
    fn new(file: &'a PodFile, lowered: &'a Lowered) -> Self {
        let all = file.pod.spec.all_containers();
        Self {
            file,
            lowered,
            pod: &lowered.pod,
            written: all.map(|(_, _, container)| container).collect(),
        }
    }

    /// All containers: as drawn, and as written.
    fn containers(
        &self,
    ) -> impl Iterator<Item = (ContainerId, &'a engine::Container, &'a Container)> {
        let both = self.pod.containers.iter().zip(&self.written);
        let with_id = (0..).map(ContainerId).zip(both);
        with_id.map(|(id, (drawn, written))| (id, drawn, *written))
    }

    fn container(&self, id: ContainerId) -> &'a engine::Container {
        &self.pod.containers[id.index()]
    }

    fn name(&self, id: ContainerId) -> &'a str {
        &self.container(id).name
    }

    /// The edges of a container towards others that somebody wrote down, with their numbers.
    fn written_edges(
        &self,
        id: ContainerId,
    ) -> impl Iterator<Item = (usize, ContainerId, &'a Requirement)> {
        let edges = self.container(id).requires.iter().enumerate();
        edges.filter_map(|(index, edge)| match (edge.origin, edge.target) {
            (engine::Origin::Written | engine::Origin::Capability, Target::Container(target)) => {
                Some((index, target, edge))
            }
            (engine::Origin::Written | engine::Origin::Capability, Target::Barrier(_))
            | (
                engine::Origin::Network
                | engine::Origin::ListOrder
                | engine::Origin::Phase
                | engine::Origin::ContainerType
                | engine::Origin::LaunchPriority
                | engine::Origin::Role,
                _,
            ) => None,
        })
    }

    fn source(&self, from: Target, index: usize) -> EdgeSource {
        self.lowered.sources.of(from, index)
    }

    /// The place of the text that an edge comes from.
    fn edge_place(&self, from: Target, index: usize) -> Span {
        let path = self.edge_path(from, index);
        self.file.places.value(&path)
    }

    fn edge_path(&self, from: Target, index: usize) -> String {
        self.lowered.sources.path(self.source(from, index))
    }

    /// The place of a field of an edge, or of the edge if it has no such field.
    fn edge_field(&self, from: ContainerId, index: usize, field: &str) -> Span {
        let path = self.edge_path(Target::Container(from), index);
        self.file.places.value(&format!("{path}.{field}"))
    }

    /// The place of a container's name.
    fn name_place(&self, id: ContainerId) -> Span {
        self.place(id, "name")
    }

    /// The place of a restart rule, or of what stands in it.
    fn rule_place(&self, id: ContainerId, index: usize, field: &str) -> Span {
        let entry = self.written[id.index()].restart_policy_rules[index].entry;
        self.place(id, &format!("restartPolicyRules[{entry}]{field}"))
    }

    /// The place of a field of a container, or of the container's name if it is not given.
    fn place(&self, id: ContainerId, field: &str) -> Span {
        let container = self.lowered.sources.paths.path(id);
        let path = format!("{container}.{field}");
        if self.file.places.contains(&path) {
            self.file.places.value(&path)
        } else {
            self.file.places.value(&format!("{container}.name"))
        }
    }
}

#[cfg(test)]
mod tests;
