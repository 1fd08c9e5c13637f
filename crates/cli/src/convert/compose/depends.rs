//! `depends_on`, in its short and its long form, and the order that `links` brings.

use super::reader::Reader;
use super::{Service, by_name};
use crate::convert::draft::{RequirementDraft, UntilDraft};
use pillion_spec::nearest::nearest;
use pillion_spec::tree::Node;
use pillion_spec::{Code, Diagnostic, Span};
use std::collections::BTreeSet;

/// That a service depends on another.
#[derive(Clone, Debug)]
pub(super) struct Dependency {
    /// The name of the other in the file.
    pub(super) target: String,
    span: Span,
    condition: Condition,
    required: bool,
    restarts: bool,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Condition {
    Started,
    Healthy,
    Completed,
}

// === impl Reader ===

impl Reader<'_> {
    /// What a service depends on, each once.
    pub(super) fn dependencies(&mut self, service: Node<'_>) -> Vec<Dependency> {
        let mut found = match service.get("depends_on") {
            Some(node) if node.is_sequence() => self.short(node),
            Some(node) => self.long(node),
            None => Vec::new(),
        };
        let links = service.get("links").filter(|node| node.is_sequence());
        for link in links.into_iter().flat_map(Node::items) {
            let Some(text) = self.text(link) else {
                continue;
            };
            let target = text.split(':').next().unwrap_or_default().to_owned();
            found.push(Dependency::started(target, link.span()));
        }
        let mut seen = BTreeSet::new();
        found.retain(|dependency| seen.insert(dependency.target.clone()));
        found
    }

    fn short(&mut self, node: Node<'_>) -> Vec<Dependency> {
        let items = node.items().filter_map(|item| {
            let target = self.text(item)?;
            Some(Dependency::started(target, item.span()))
        });
        items.collect()
    }

    fn long(&mut self, node: Node<'_>) -> Vec<Dependency> {
        let mut found = Vec::new();
        for (target, span, settings) in self.entries(node) {
            let mut dependency = Dependency::started(target.to_owned(), span);
            for (key, span, value) in self.entries(settings) {
                match key {
                    "condition" => dependency.condition = self.condition(value),
                    "required" => dependency.required = self.truth(value),
                    "restart" => dependency.restarts = self.truth(value),
                    key => {
                        let message = format!("`{key}` of a dependency is not known");
                        self.notes.left_out(span, message, "left out");
                    }
                }
            }
            found.push(dependency);
        }
        found
    }

    fn condition(&mut self, node: Node<'_>) -> Condition {
        match self.text(node).as_deref() {
            Some("service_healthy") => Condition::Healthy,
            Some("service_completed_successfully") => Condition::Completed,
            Some("service_started") | None => Condition::Started,
            Some(_) => {
                self.refuse(
                    node,
                    "`service_started`, `_healthy` or `_completed_successfully`",
                );
                Condition::Started
            }
        }
    }

    /// Finds those whose end is waited for, and refuses dependencies on nobody.
    pub(super) fn link(&mut self, services: &mut [Service<'_>]) {
        let names: BTreeSet<String> = services.iter().map(|one| one.name.to_owned()).collect();
        let mut completes = BTreeSet::new();
        for dependency in services.iter().flat_map(|service| &service.depends) {
            if dependency.condition == Condition::Completed {
                completes.insert(dependency.target.clone());
            }
            if !names.contains(&dependency.target) {
                self.unknown(dependency, &names);
            }
        }
        for service in services {
            let known = |one: &Dependency| names.contains(&one.target);
            service.depends.retain(known);
            service.completes = completes.contains(service.name);
        }
    }

    fn unknown(&mut self, dependency: &Dependency, names: &BTreeSet<String>) {
        let target = &dependency.target;
        let message = format!("there is no service `{target}`");
        let code = if dependency.required {
            Code::NotConvertible
        } else {
            Code::NotConverted
        };
        let mut finding =
            Diagnostic::new(code, message).primary(dependency.span, "not in this file");
        if let Some(near) = nearest(target, names.iter().map(|name| &**name)) {
            finding = finding.help(format!("did you mean `{near}`?"));
        }
        self.notes.push(finding);
    }

    /// The edges of a container.
    pub(super) fn requirements(
        &mut self,
        service: &Service<'_>,
        services: &[Service<'_>],
    ) -> Vec<RequirementDraft> {
        let services = by_name(services);
        let mut edges = Vec::new();
        for dependency in &service.depends {
            let Some(target) = services.get(&*dependency.target) else {
                continue;
            };
            let mut until = UntilDraft::Default;
            if dependency.condition == Condition::Started {
                until = UntilDraft::Started;
            } else if dependency.condition == Condition::Healthy && target.completes {
                let message = format!("`{}` runs to its end and is never ready", target.name);
                self.notes
                    .left_out(dependency.span, message, "waits until it has succeeded");
            }
            edges.push(RequirementDraft {
                container: target.container.clone(),
                until,
                soft: !dependency.required,
                restarts: dependency.restarts,
            });
        }
        edges
    }
}

// === impl Dependency ===

impl Dependency {
    const fn started(target: String, span: Span) -> Self {
        Self {
            target,
            span,
            condition: Condition::Started,
            required: true,
            restarts: false,
        }
    }
}
