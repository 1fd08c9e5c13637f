//! What the dialects share while they add edges: the file, the sketch, and what they find wrong.

use super::sketch::{ContainerPaths, EdgeSource, Sketch, SourceField};
use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::file::PodFile;
use crate::pod::PodSpec;
use crate::source::Span;
use pillion_engine::pod::{ContainerId, Requirement, Target};
use std::collections::BTreeMap;

/// A graph that is being drawn from a file.
pub(crate) struct Drawing<'f> {
    pub(crate) file: &'f PodFile,
    /// As written, by id.
    pub(crate) containers: Vec<&'f Container>,
    pub(crate) sketch: Sketch,
    pub(crate) findings: Vec<Diagnostic>,
    names: BTreeMap<&'f str, ContainerId>,
}

// === impl Drawing ===

impl<'f> Drawing<'f> {
    pub(crate) fn new(file: &'f PodFile, sketch: Sketch) -> Self {
        let all = file.pod.spec.all_containers();
        let containers: Vec<_> = all.map(|(_, _, container)| container).collect();
        let mut names = BTreeMap::new();
        for (id, container) in ids(&containers).filter(|(_, it)| !it.name.is_empty()) {
            // Of two with one name the first is meant; reading has reported the second.
            names.entry(container.name.as_str()).or_insert(id);
        }
        Self {
            file,
            containers,
            sketch,
            findings: Vec::new(),
            names,
        }
    }

    /// The containers that are in an order, as written: all but the ephemeral ones.
    pub(crate) fn ordered(&self) -> impl Iterator<Item = (ContainerId, &'f Container)> + use<'f> {
        let PodSpec {
            init_containers,
            containers,
            ..
        } = &self.file.pod.spec;
        (0..)
            .map(ContainerId)
            .zip(init_containers.iter().chain(containers))
    }

    /// Those of the regular list.
    pub(crate) fn regular(&self) -> impl Iterator<Item = (ContainerId, &'f Container)> + use<'f> {
        self.ordered()
            .skip(self.file.pod.spec.init_containers.len())
    }

    /// What a container is called.
    pub(crate) fn name(&self, id: ContainerId) -> &str {
        &self.sketch.container(id).name
    }

    /// The container of that name.
    pub(crate) fn named(&self, name: &str) -> Option<ContainerId> {
        self.names.get(name).copied()
    }

    /// Every name, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'f str> {
        self.names.keys().copied()
    }

    /// Adds an edge between containers.
    pub(crate) fn require(&mut self, from: ContainerId, edge: Requirement, field: SourceField) {
        let source = EdgeSource::new(from, field);
        self.sketch.require(Target::Container(from), edge, source);
    }

    /// The place of a field's value.
    pub(crate) fn place(&self, id: ContainerId, field: &str) -> Span {
        self.file.places.value(&self.path(id, field))
    }

    /// The path of a field of a container, or of the container itself.
    pub(crate) fn path(&self, id: ContainerId, field: &str) -> String {
        let container = ContainerPaths::new(&self.file.pod.spec).path(id);
        if field.is_empty() {
            return format!("{container}.name");
        }
        format!("{container}.{field}")
    }
}

fn ids<'f>(containers: &[&'f Container]) -> impl Iterator<Item = (ContainerId, &'f Container)> {
    (0..).map(ContainerId).zip(containers.iter().copied())
}
