//! What an API server would refuse although every value by itself is right.
//!
//! Names that are taken, mounts of volumes that do not exist, probes where none are allowed: the
//! rules are those of Kubernetes 1.36. A container with a Pillion field is not bound by rules that
//! only keep plain Kubernetes from things that Pillion can do.

mod container;
mod metadata;
mod resources;
mod spec;

pub(crate) use metadata::{labels, metadata};

use crate::code::Code;
use crate::container::{Container, ContainerList};
use crate::diagnostic::Diagnostic;
use crate::file::PodFile;
use crate::findings::Findings;
use crate::source::Span;
use std::collections::BTreeSet;

/// Checks a pod that was decoded. `claims` are the volumes that come with a `StatefulSet`.
pub(crate) fn pod(file: &PodFile, claims: &[&str], findings: &mut Findings) {
    let mut checker = Checker {
        file,
        volumes: BTreeSet::new(),
        findings,
    };
    checker.volumes.extend(claims);
    checker.check_spec();
    for (list, index, container) in file.pod.spec.all_containers() {
        checker.check_container(&Place {
            list,
            index,
            container,
        });
    }
}

/// One pod, and what is wrong with it.
struct Checker<'c> {
    file: &'c PodFile,
    /// The names of all volumes.
    volumes: BTreeSet<&'c str>,
    findings: &'c mut Findings,
}

/// A container and where it stands.
#[derive(Clone, Copy)]
struct Place<'c> {
    list: ContainerList,
    index: usize,
    container: &'c Container,
}

// === impl Checker ===

impl Checker<'_> {
    /// The place of a value.
    fn value(&self, path: &str) -> Span {
        self.file.places.value(path)
    }

    /// The place of a key.
    fn key(&self, path: &str) -> Span {
        self.file.places.key(path)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    fn refuse(&mut self, code: Code, span: Span, message: String, label: &str) {
        self.report(Diagnostic::new(code, message).primary(span, label));
    }
}

// === impl Place ===

impl Place<'_> {
    /// The path of one of the container's fields.
    fn path(&self, field: &str) -> String {
        format!("spec.{}[{}].{field}", self.list, self.index)
    }

    /// How people call the container.
    fn name(&self) -> String {
        match self.list {
            ContainerList::Init => format!("init container `{}`", self.container.name),
            ContainerList::Regular => format!("container `{}`", self.container.name),
            ContainerList::Ephemeral => format!("ephemeral container `{}`", self.container.name),
        }
    }
}

#[cfg(test)]
mod tests;
