//! The way in: the bytes of a file become pods, objects beside them, and findings.

mod object;
#[cfg(test)]
mod tests;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::place::Places;
use crate::pod::{Metadata, Pod};
use crate::source::Source;
use crate::tree::Documents;
use crate::word::words;
use object::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Everything that was found in one file.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The text, for showing findings.
    pub source: Source,
    /// Pods and pod templates in the order of the file. Those with errors are here as far as they
    /// could be read, so that later checks can find more; they must not be run.
    pub pods: Vec<PodFile>,
    /// `ConfigMap` objects.
    pub config_maps: Vec<ConfigMap>,
    /// Secrets.
    pub secrets: Vec<Secret>,
    /// What is wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// A pod or a pod template, with its places.
#[derive(Clone, Debug)]
pub struct PodFile {
    /// What kind of object it stands in.
    pub kind: WorkloadKind,
    /// The name and labels of that object; for a pod the same as the pod's own.
    pub owner: Metadata,
    /// The pod. That of a Job is active no longer than the Job may be.
    pub pod: Pod,
    /// How often a Job tries again, in a Job or a `CronJob`: its `backoffLimit`.
    pub retries: Option<u32>,
    /// The annotation `pillion.dev/watch`: by container, the paths that it is restarted for, as written.
    pub watch: BTreeMap<String, Vec<String>>,
    /// Where each of its values stands.
    pub places: Places,
}

words! {
    /// The kinds of objects that hold a pod.
    pub enum WorkloadKind {
        /// A pod itself.
        Pod = "Pod",
        /// A pod template on its own.
        PodTemplate = "PodTemplate",
        /// Interchangeable pods.
        Deployment = "Deployment",
        /// Pods with an identity.
        StatefulSet = "StatefulSet",
        /// One pod per node.
        DaemonSet = "DaemonSet",
        /// Interchangeable pods without rollout.
        ReplicaSet = "ReplicaSet",
        /// Pods that run to completion.
        Job = "Job",
        /// Jobs by the clock.
        CronJob = "CronJob",
    }
}

/// A `ConfigMap`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConfigMap {
    /// Its name.
    pub metadata: Metadata,
    /// Its values: `data` as given, `binaryData` decoded.
    pub data: BTreeMap<String, Vec<u8>>,
    /// The keys of those that stand in `binaryData`: they become files, but never variables.
    pub binary: BTreeSet<String>,
}

/// A Secret.
#[derive(Clone, Eq, PartialEq)]
pub struct Secret {
    /// Its name.
    pub metadata: Metadata,
    /// `Opaque` if not given.
    pub kind: String,
    /// Its values: `data` decoded, overwritten by `stringData`.
    pub data: BTreeMap<String, Vec<u8>>,
}

/// Reads a file. Never fails: what is wrong is among the findings.
pub fn read(name: &str, bytes: &[u8]) -> Outcome {
    let mut findings = Findings::default();
    let mut outcome = read_into(name, bytes, &mut findings);
    outcome.diagnostics = findings.finish();
    outcome
}

/// Reads a file whose findings are not complete yet; the outcome has none.
pub(crate) fn read_into(name: &str, bytes: &[u8], findings: &mut Findings) -> Outcome {
    let source = match Source::new(name, bytes) {
        Ok(source) => source,
        Err(diagnostic) => {
            findings.push(diagnostic);
            return Outcome::unread(name);
        }
    };
    let Documents {
        tree,
        roots,
        diagnostics,
    } = Documents::of_file(&source);
    for diagnostic in diagnostics {
        findings.push(diagnostic);
    }
    let tree = Arc::new(tree);
    if !findings.has_errors() && roots.iter().all(|root| tree.node(*root).is_null()) {
        let comments = source
            .text()
            .lines()
            .any(|line| line.trim_start().starts_with('#'));
        findings.push(crate::source::empty(if comments {
            "the file holds nothing but comments"
        } else {
            "the file holds nothing but empty documents"
        }));
    }
    let mut reader = Reader::new(&source, Arc::clone(&tree), findings);
    for root in roots {
        reader.document(tree.node(root));
    }
    let Reader {
        pods,
        config_maps,
        secrets,
        ..
    } = reader;
    if pods.is_empty() && !findings.has_errors() {
        findings.push(Diagnostic::new(Code::NoPod, "the file holds no pod"));
    }
    Outcome {
        source,
        pods,
        config_maps,
        secrets,
        diagnostics: Vec::new(),
    }
}

// === impl Outcome ===

impl Outcome {
    /// Nothing, of a file that could not be read at all.
    fn unread(name: &str) -> Self {
        Self {
            source: Source::unread(name),
            pods: Vec::new(),
            config_maps: Vec::new(),
            secrets: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Whether something is so wrong that the file must not be run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

// === impl PodFile ===

impl PodFile {
    /// What people call the pod: the name of the object that it stands in, for a template has none that counts. Without errors
    /// in the file it is that of one folder.
    pub fn name(&self) -> &str {
        let Metadata {
            name,
            generate_name,
            ..
        } = &self.owner;
        let generated = generate_name.as_deref();
        let generated = generated.map(|prefix| prefix.strip_suffix('-').unwrap_or(prefix));
        name.as_deref().or(generated).unwrap_or("pod")
    }

    /// The namespace of that object.
    pub fn namespace(&self) -> &str {
        self.owner.namespace.as_deref().unwrap_or("default")
    }
}

// === impl Secret ===

/// Values do not belong in logs.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            metadata,
            kind,
            data,
        } = self;
        let keys: Vec<_> = data.keys().collect();
        f.debug_struct("Secret")
            .field("metadata", metadata)
            .field("kind", kind)
            .field("keys", &keys)
            .finish()
    }
}
