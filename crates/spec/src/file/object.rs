//! The objects of a file, one document after the other.

use super::{ConfigMap, PodFile, Secret, WorkloadKind};
use crate::admission;
use crate::base64;
use crate::code::Code;
use crate::decode::annotation::{Annotation, LIFECYCLE};
use crate::decode::job::job_limits;
use crate::decode::metadata::metadata;
use crate::decode::pod::pod;
use crate::decode::watch::{WATCH, watch};
use crate::diagnostic::{Diagnostic, Severity};
use crate::fields::{self, Kind};
use crate::findings::Findings;
use crate::nearest::nearest;
use crate::place::{Annotated, Places};
use crate::pod::{Metadata, PodSpec};
use crate::shape::{At, Shape};
use crate::source::{Source, Span};
use crate::tree::{Node, Tree};
use crate::word::Word;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Reads objects and collects them.
pub(super) struct Reader<'r> {
    source: &'r Source,
    tree: Arc<Tree>,
    findings: &'r mut Findings,
    pub(super) pods: Vec<PodFile>,
    pub(super) config_maps: Vec<ConfigMap>,
    pub(super) secrets: Vec<Secret>,
    /// The objects so far by kind, namespace and name, and where they have their names.
    named: BTreeMap<[String; 3], Span>,
}

/// What a document says it is.
enum Identity<'t> {
    /// A kind that is read.
    Known(&'static str),
    /// A list of objects; the kind of those that do not say theirs.
    List(Option<&'t str>),
    /// A kind that does not exist, and the one that is probably meant.
    Misspelt(&'t str, &'static str),
    /// Something else.
    Other,
}

// === impl Reader ===

impl<'r> Reader<'r> {
    pub(super) fn new(source: &'r Source, tree: Arc<Tree>, findings: &'r mut Findings) -> Self {
        let (pods, config_maps, secrets) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            source,
            tree,
            findings,
            pods,
            config_maps,
            secrets,
            named: BTreeMap::new(),
        }
    }

    /// Reads one document. Empty ones, as between two separators, are nothing.
    pub(super) fn document(&mut self, node: Node<'_>) {
        if node.is_null() {
            return;
        }
        if node.is_mapping() {
            self.object(node, None);
        } else {
            self.not_a_map(node, "a document");
        }
    }

    fn object(&mut self, node: Node<'_>, default: Option<&str>) {
        match self.identity(node, default) {
            Some(Identity::Known(kind)) => self.known(node, kind),
            Some(Identity::List(kind)) => self.list(node, kind),
            Some(Identity::Misspelt(kind, near)) => self.misspelt(node, kind, near),
            Some(Identity::Other) => self.ignored(node),
            None => {}
        }
    }

    fn list(&mut self, node: Node<'_>, kind: Option<&str>) {
        let items = node.get("items").filter(|items| !items.is_null());
        if let Some(items) = items.filter(|items| !items.is_sequence()) {
            let message = "`items` takes a list";
            let diagnostic = Diagnostic::new(Code::WrongType, message);
            self.findings
                .push(diagnostic.primary(items.span(), "not a list"));
        }
        for item in items.into_iter().flat_map(Node::items) {
            if item.is_mapping() {
                self.object(item, kind);
            } else {
                self.not_a_map(item, "an entry of `items`");
            }
        }
    }

    fn not_a_map(&mut self, node: Node<'_>, what: &str) {
        let diagnostic = Diagnostic::new(Code::NotAnObject, format!("{what} must be a map"));
        self.findings
            .push(diagnostic.primary(node.span(), "not a map"));
    }

    fn identity<'t>(&mut self, node: Node<'t>, default: Option<&'t str>) -> Option<Identity<'t>> {
        let kind = node.get("kind").and_then(Node::as_str).or(default);
        let version = node.get("apiVersion").and_then(Node::as_str);
        let (Some(kind), true) = (kind, version.is_some() || default.is_some()) else {
            self.unidentified(node);
            return None;
        };
        let items = kind.strip_suffix("List");
        if let Some(items) = items.filter(|of| of.is_empty() || node.get("items").is_some()) {
            return Some(Identity::List((!items.is_empty()).then_some(items)));
        }
        let Some((kind, expected)) = KINDS.iter().find(|(known, _)| *known == kind) else {
            return Some(match near_kind(kind, version) {
                Some(near) => Identity::Misspelt(kind, near),
                None => Identity::Other,
            });
        };
        let version = version.unwrap_or(expected);
        if version == *expected {
            return Some(Identity::Known(kind));
        }
        if !is_of_kubernetes(version) {
            return Some(Identity::Other);
        }
        let span = node
            .get("apiVersion")
            .map_or_else(|| node.span(), Node::span);
        let message = format!("there is no `{kind}` in `{version}`");
        let diagnostic = Diagnostic::new(Code::VersionUnknown, message);
        let diagnostic = diagnostic.primary(span, "not a version of Kubernetes 1.36");
        self.findings
            .push(diagnostic.help(format!("write `{expected}`")));
        Some(Identity::Known(kind))
    }

    fn known(&mut self, node: Node<'_>, kind: &'static str) {
        if let Some(object) = fields::object(kind) {
            let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) {
                "an"
            } else {
                "a"
            };
            let name = format!("{article} {kind}");
            let mut shape = Shape {
                source: self.source,
                findings: self.findings,
                strict: false,
            };
            shape.check(node, &Kind::Object(object), At::Whole(&name));
        }
        admission::metadata(node, kind, self.findings);
        self.check_name(node, kind);
        match WorkloadKind::from_word(kind) {
            Some(kind) => self.workload(node, kind),
            None if kind == "Secret" => self.secrets.push(secret(node)),
            None => self.config_maps.push(config_map(node)),
        }
    }

    /// Of two objects with the same name one would take the place of the other.
    fn check_name(&mut self, node: Node<'_>, kind: &str) {
        let Metadata {
            name, namespace, ..
        } = metadata(node);
        let (Some(name), Some(place)) = (name, name_place(node)) else {
            return;
        };
        let message = format!("two objects of kind `{kind}` are named `{name}`");
        let namespace = namespace.unwrap_or_else(|| "default".to_owned());
        let known = self.named.entry([kind.to_owned(), namespace, name]);
        let first = *known.or_insert(place);
        if first != place {
            let diagnostic = Diagnostic::new(Code::DuplicateName, message)
                .primary(place, "given again")
                .secondary(first, "first given here");
            self.findings
                .push(diagnostic.help("one would take the place of the other"));
        }
    }

    fn workload(&mut self, node: Node<'_>, kind: WorkloadKind) {
        let Some(template) = template(node, kind) else {
            return;
        };
        if kind != WorkloadKind::Pod {
            self.check_misplaced_annotation(node);
        }
        let annotation = Annotation::read(template, self.source, self.findings);
        let Some(mut pod) = pod(template, annotation.as_ref(), self.findings) else {
            let diagnostic = Diagnostic::new(Code::MissingField, "a pod needs `spec`");
            self.findings
                .push(diagnostic.primary(template.span(), "`spec` is missing"));
            return;
        };
        let limits = job_spec(node, kind).map(|spec| job_limits(spec, self.findings));
        if let Some(most) = limits.and_then(|limits| limits.active_deadline_seconds) {
            // With one pod, the time of the Job is that of its pod.
            let own = pod.spec.active_deadline_seconds;
            pod.spec.active_deadline_seconds = Some(own.map_or(most, |own| own.min(most)));
        }
        let containers = pod.spec.all_containers();
        let names: BTreeSet<_> = containers.map(|(_, _, c)| c.name.as_str()).collect();
        let annotated = annotation.map(|annotation| {
            annotation.check_names(&names, self.findings);
            annotated(&annotation, &pod.spec)
        });
        let watch = watch(template, &names, self.source, self.findings);
        let places = Places::new(Arc::clone(&self.tree), template.id(), annotated);
        let file = PodFile {
            kind,
            owner: metadata(node),
            pod,
            retries: limits.map(|limits| limits.retries),
            watch,
            places,
        };
        if kind != WorkloadKind::Pod
            && let Some(metadata) = template.get("metadata")
        {
            admission::labels(metadata, self.findings);
        }
        admission::pod(&file, &claims(node), self.findings);
        self.pods.push(file);
    }

    /// Annotations of ours work on the pod, so on a workload they would do nothing.
    fn check_misplaced_annotation(&mut self, node: Node<'_>) {
        let annotations = node
            .get("metadata")
            .and_then(|metadata| metadata.get("annotations"));
        for key in [LIFECYCLE, WATCH] {
            let Some((span, _)) = annotations.and_then(|node| node.entry(key)) else {
                continue;
            };
            let message = format!("`{key}` stands on the workload, where nobody reads it");
            let diagnostic = Diagnostic::new(Code::AnnotationMisplaced, message);
            let diagnostic = diagnostic.primary(span, "without effect here");
            self.findings
                .push(diagnostic.help("move it to the annotations of the pod template"));
        }
    }

    fn ignored(&mut self, node: Node<'_>) {
        let kind = node.get("kind");
        let span = kind.map_or_else(|| node.span(), Node::span);
        let name = kind.and_then(Node::as_str).unwrap_or("this kind");
        let message = format!("objects of kind `{name}` are not used");
        self.findings
            .push(Diagnostic::new(Code::KindIgnored, message).primary(span, ""));
    }

    /// Nothing in it would be checked, so it is not left alone.
    fn misspelt(&mut self, node: Node<'_>, kind: &str, near: &str) {
        let span = node.get("kind").map_or_else(|| node.span(), Node::span);
        let message = format!("there is no kind `{kind}`");
        let diagnostic = Diagnostic::new(Code::KindIgnored, message);
        let diagnostic = diagnostic.primary(span, "not a kind of Kubernetes");
        let diagnostic = diagnostic.severity(Severity::Error);
        self.findings
            .push(diagnostic.help(format!("did you mean `{near}`?")));
    }

    fn unidentified(&mut self, node: Node<'_>) {
        let missing: Vec<_> = ["apiVersion", "kind"]
            .into_iter()
            .filter(|key| node.get(key).and_then(Node::as_str).is_none())
            .map(|key| format!("`{key}`"))
            .collect();
        let message = format!("a document does not say its {}", missing.join(" and "));
        let diagnostic = Diagnostic::new(Code::KindMissing, message);
        let diagnostic = diagnostic.primary(node.span(), "what is this?");
        self.findings
            .push(diagnostic.help("a pod begins with `apiVersion: v1` and `kind: Pod`"));
    }
}

/// The kinds that are read, with their versions.
const KINDS: &[(&str, &str)] = &[
    ("ConfigMap", "v1"),
    ("CronJob", "batch/v1"),
    ("DaemonSet", "apps/v1"),
    ("Deployment", "apps/v1"),
    ("Job", "batch/v1"),
    ("Pod", "v1"),
    ("PodTemplate", "v1"),
    ("ReplicaSet", "apps/v1"),
    ("Secret", "v1"),
    ("StatefulSet", "apps/v1"),
];

/// The kind that somebody probably meant. Other groups have kinds of their own.
fn near_kind(kind: &str, version: Option<&str>) -> Option<&'static str> {
    let kinds = KINDS.iter().map(|(kind, _)| *kind).chain(["List"]);
    nearest(kind, kinds).filter(|_| version.is_none_or(is_of_kubernetes))
}

/// Whether a version is of a group that the kinds that are read are in, or once were in.
fn is_of_kubernetes(version: &str) -> bool {
    let group = version.split_once('/');
    group.is_none_or(|(group, _)| matches!(group, "apps" | "batch" | "extensions"))
}

fn name_place(node: Node<'_>) -> Option<Span> {
    Some(node.get("metadata")?.get("name")?.span())
}

/// The object that holds the pod's metadata and spec.
fn template(node: Node<'_>, kind: WorkloadKind) -> Option<Node<'_>> {
    let template = match kind {
        WorkloadKind::Pod => Some(node),
        WorkloadKind::PodTemplate => node.get("template"),
        WorkloadKind::Deployment
        | WorkloadKind::StatefulSet
        | WorkloadKind::DaemonSet
        | WorkloadKind::ReplicaSet => node.get("spec")?.get("template"),
        WorkloadKind::Job | WorkloadKind::CronJob => job_spec(node, kind)?.get("template"),
    };
    template.filter(|template| template.is_mapping())
}

/// The `spec` of a Job, or of those that a `CronJob` makes.
fn job_spec(node: Node<'_>, kind: WorkloadKind) -> Option<Node<'_>> {
    match kind {
        WorkloadKind::Job => node.get("spec"),
        WorkloadKind::CronJob => node.get("spec")?.get("jobTemplate")?.get("spec"),
        WorkloadKind::Pod
        | WorkloadKind::PodTemplate
        | WorkloadKind::Deployment
        | WorkloadKind::StatefulSet
        | WorkloadKind::DaemonSet
        | WorkloadKind::ReplicaSet => None,
    }
}

/// The volumes that a `StatefulSet` brings for its pods.
fn claims(node: Node<'_>) -> Vec<&str> {
    let templates = node
        .get("spec")
        .and_then(|spec| spec.get("volumeClaimTemplates"));
    let metadata = templates
        .into_iter()
        .flat_map(Node::items)
        .filter_map(|claim| claim.get("metadata"));
    metadata
        .filter_map(|metadata| metadata.get("name")?.as_str())
        .collect()
}

fn annotated(annotation: &Annotation, spec: &PodSpec) -> Annotated {
    let containers = spec
        .all_containers()
        .filter_map(|(list, index, container)| {
            let node = annotation.container(&container.name)?;
            Some((format!("spec.{list}[{index}]"), node.id()))
        });
    Annotated {
        containers: containers.collect(),
        tree: Arc::clone(&annotation.tree),
    }
}

fn config_map(node: Node<'_>) -> ConfigMap {
    let mut data = plain(node, "data");
    let bytes = decoded(node, "binaryData");
    let binary = bytes.keys().cloned().collect();
    data.extend(bytes);
    ConfigMap {
        metadata: metadata(node),
        data,
        binary,
    }
}

fn secret(node: Node<'_>) -> Secret {
    let kind = node.get("type").and_then(Node::as_str).unwrap_or("Opaque");
    let mut data = decoded(node, "data");
    data.extend(plain(node, "stringData"));
    Secret {
        metadata: metadata(node),
        kind: kind.to_owned(),
        data,
    }
}

fn plain(node: Node<'_>, key: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = node.get(key).into_iter().flat_map(Node::entries);
    let bytes = |value: Node<'_>| value.as_str().unwrap_or_default().as_bytes().to_vec();
    entries
        .map(|(key, _, value)| (key.to_owned(), bytes(value)))
        .collect()
}

fn decoded(node: Node<'_>, key: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = node.get(key).into_iter().flat_map(Node::entries);
    let bytes = |value: Node<'_>| value.as_str().and_then(base64::decode).unwrap_or_default();
    entries
        .map(|(key, _, value)| (key.to_owned(), bytes(value)))
        .collect()
}
