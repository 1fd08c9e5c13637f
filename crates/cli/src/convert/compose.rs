//! Compose files: services become containers, `depends_on` becomes `requires`.
//!
//! The values are those of the compose specification. What a pod says in another way is a note, what
//! it cannot say is a warning, both with their place.

mod amount;
mod command;
mod depends;
mod health;
mod hosts;
mod interpolate;
mod port;
mod reader;
mod restart;
mod service;
mod volume;
mod words;

use super::Surroundings;
use super::draft::PodDraft;
use super::name::{Names, label};
use super::notes::Notes;
use depends::Dependency;
use pillion_spec::tree::{Documents, Node};
use pillion_spec::{Code, Diagnostic, Source, Span};
use reader::Reader;
use std::collections::BTreeMap;
use volume::Volumes;

/// A service, before it is read.
#[derive(Clone, Debug)]
struct Service<'t> {
    /// As the file calls it.
    name: &'t str,
    span: Span,
    node: Node<'t>,
    /// As the pod calls it.
    container: String,
    depends: Vec<Dependency>,
    /// Somebody waits for it to end well.
    completes: bool,
}

/// Reads a compose file.
pub(super) fn read(source: &Source, around: &Surroundings, notes: &mut Notes) -> Option<PodDraft> {
    let documents = Documents::of_file(source);
    let refused = documents.diagnostics.iter().any(Diagnostic::is_error);
    documents
        .diagnostics
        .into_iter()
        .for_each(|finding| notes.push(finding));
    let (first, more) = documents.roots.split_first()?;
    if refused {
        return None;
    }
    for other in more {
        let span = documents.tree.node(*other).span();
        notes.left_out(span, "only the first document is converted", "left out");
    }
    let root = documents.tree.node(*first);
    Reader::new(source, around, notes).pod(root)
}

// === impl Reader ===

impl Reader<'_> {
    fn pod(&mut self, root: Node<'_>) -> Option<PodDraft> {
        let mut pod = PodDraft {
            name: self.around.pod_name(),
            ..PodDraft::default()
        };
        for (key, span, value) in self.entries(root) {
            self.top_level(key, span, value, &mut pod);
        }
        let services = self.services(root)?;
        let mut volumes = Volumes::new(root.get("volumes"));
        for service in &services {
            let container = self.container(service, &services, &mut volumes);
            pod.containers.push(container);
        }
        self.look_for_hosts(&services, &pod.containers);
        self.look_for_ports(&services, &pod.containers);
        pod.volumes = volumes.finish();
        pod.remarks = self.remarks(&pod);
        Some(pod)
    }

    fn top_level(&mut self, key: &str, span: Span, value: Node<'_>, pod: &mut PodDraft) {
        match key {
            "services" | "volumes" | "version" => {}
            "name" => {
                if let Some(name) = self.text(value) {
                    pod.name = label(&name);
                }
            }
            "networks" => {
                let message = "networks are not converted: the containers of a pod share one";
                self.notes.otherwise(span, message, "not needed");
            }
            key if key.starts_with("x-") => {}
            key => {
                let message = format!("`{key}` is not converted");
                self.leave_out(key, span, message);
            }
        }
    }

    fn services<'t>(&mut self, root: Node<'t>) -> Option<Vec<Service<'t>>> {
        let Some(node) = root.get("services") else {
            let message = "the file has no `services`, so it is no compose file";
            let finding = Diagnostic::new(Code::NotConvertible, message)
                .primary(root.span(), "")
                .help("`--from procfile` if it is a Procfile");
            self.notes.push(finding);
            return None;
        };
        let mut names = Names::default();
        let mut services = Vec::new();
        for (name, span, node) in self.entries(node) {
            let container = names.give(name);
            if container != name {
                let message = format!("the container of `{name}` is called `{container}`");
                self.notes
                    .otherwise(span, message, "no name for a container");
            }
            services.push(Service {
                name,
                span,
                node,
                container,
                depends: self.dependencies(node),
                completes: false,
            });
        }
        if services.is_empty() {
            // What is no map has been refused as that.
            if node.is_mapping() || node.is_null() {
                self.refuse(node, "at least one service");
            }
            return None;
        }
        self.link(&mut services);
        Some(services)
    }

    fn remarks(&self, pod: &PodDraft) -> Vec<String> {
        let mut remarks = vec![
            "Every service is a main container, because compose knows no helpers: give those that \
             must not keep the pod alive `sidecar: true`."
                .to_owned(),
            "The containers share one network: they reach each other as `localhost`, and a port \
             belongs to one of them."
                .to_owned(),
        ];
        if pod
            .containers
            .iter()
            .any(|container| !container.requires.is_empty())
        {
            remarks.push(
                "Requirements also hold when a container is started again, not only at first; \
                 `need: order` would be compose's own way. One that never holds is waited for; \
                 `timeoutSeconds` sets an end."
                    .to_owned(),
            );
        }
        if self.unless_stopped {
            remarks
                .push("`unless-stopped` is `Always`: a pod that was stopped is gone.".to_owned());
        }
        if !self.used.is_empty() {
            let names: Vec<_> = self.used.iter().map(|name| format!("`{name}`")).collect();
            let names = names.join(", ");
            remarks.push(format!(
                "Values are those of the time of conversion: {names}."
            ));
        }
        remarks
    }
}

/// The services by their names in the file.
fn by_name<'s, 't>(services: &'s [Service<'t>]) -> BTreeMap<&'t str, &'s Service<'t>> {
    services
        .iter()
        .map(|service| (service.name, service))
        .collect()
}
