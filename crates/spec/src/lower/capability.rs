//! Edges by capability: who provides what, and the one capability that everybody uses.
//!
//! `network` needs no `uses`: every container waits for its provider, unless it says
//! `network: none`, or the provider itself requires it, or it is in the phase that prepares the
//! network. Without a provider nothing changes.

use super::drawing::Drawing;
use super::sketch::{Reached, SourceField};
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::dialect::phases::Phases;
use crate::pillion::{Network, PhaseName};
use pillion_engine::pod::{ContainerId, Origin, Requirement, Target};
use std::collections::BTreeMap;

/// The capability that everybody uses.
pub(crate) const NETWORK: &str = "network";

/// Who provides which capability.
pub(crate) struct Providers<'f>(BTreeMap<&'f str, ContainerId>);

// === impl Providers ===

impl<'f> Providers<'f> {
    /// Collects what is provided, and reports what is provided twice.
    pub(crate) fn read(drawing: &mut Drawing<'f>) -> Self {
        let mut providers = BTreeMap::new();
        for (id, container) in drawing.ordered() {
            let provided = container.pillion.provides.iter().flatten();
            for (index, name) in provided.enumerate() {
                let first = *providers.entry(name.as_str()).or_insert(id);
                if first != id {
                    let finding = provided_twice(drawing, name, first, id, index);
                    drawing.findings.push(finding);
                }
            }
        }
        Self(providers)
    }

    /// The container that provides a capability.
    pub(crate) fn of(&self, capability: &str) -> Option<ContainerId> {
        self.0.get(capability).copied()
    }

    /// What is provided.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'f str> {
        self.0.keys().copied()
    }
}

/// Adds the edges to the provider of the network.
pub(crate) fn add_network(drawing: &mut Drawing<'_>, providers: &Providers<'_>, phases: &Phases) {
    let Some(provider) = providers.of(NETWORK) else {
        return;
    };
    let target = Target::Container(provider);
    let mut required = Reached::none(&drawing.sketch.pod);
    drawing
        .sketch
        .reach(target, Requirement::gates_start, &mut required);
    let until = drawing.sketch.container(provider).default_until();
    for (id, container) in drawing.ordered() {
        let lowered = drawing.sketch.container(id);
        let explicit = lowered.requires.iter().any(|edge| {
            edge.target == target && matches!(edge.origin, Origin::Written | Origin::Capability)
        });
        let uses = uses_network(id, container, phases);
        if uses && !explicit && !required.contains(Target::Container(id)) {
            let edge = Requirement {
                origin: Origin::Network,
                ..Requirement::hard(target, until)
            };
            drawing.require(id, edge, SourceField::Position);
        }
    }
}

fn uses_network(id: ContainerId, container: &Container, phases: &Phases) -> bool {
    match container.pillion.network {
        Some(Network::Required) => true,
        Some(Network::None) => false,
        None => !phases.is(id, PhaseName::Network),
    }
}

fn provided_twice(
    drawing: &Drawing<'_>,
    name: &str,
    first: ContainerId,
    second: ContainerId,
    index: usize,
) -> Diagnostic {
    let [a, b] = [first, second].map(|id| drawing.name(id));
    let message = format!("`{name}` is provided by two containers, `{a}` and `{b}`");
    Diagnostic::new(Code::TwoProviders, message)
        .primary(
            drawing.place(second, &format!("provides[{index}]")),
            "provided again",
        )
        .secondary(drawing.place(first, "provides"), "already provided here")
        .help("give one of the two another name, and let those that need it use that")
}
