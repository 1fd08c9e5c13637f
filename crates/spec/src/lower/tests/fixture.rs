//! Pods for tests, and graphs as text.

use crate::container::{Container, TerminationMessagePolicy};
use crate::file::{PodFile, WorkloadKind};
use crate::hook::Lifecycle;
use crate::lower::{LowerOptions, Lowered, lower, sketch};
use crate::pillion::PillionFields;
use crate::place::Places;
use crate::pod::{Metadata, Pod, PodSpec};
use crate::resources::Resources;
use crate::restart::RestartPolicy;
use crate::security::{PodSecurity, Security};
use crate::source::Span;
use crate::tree::{NodeData, Style, Tree, Value};
use pillion_engine::pod::{self as engine, Need, Requirement, Scope, Target, Until};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// A pod without places.
pub(super) struct PodFixture(PodSpec);

/// A regular container with nothing but a name.
pub(super) fn main(name: &str) -> Container {
    Container {
        name: name.into(),
        image: None,
        image_pull_policy: None,
        command: Vec::new(),
        args: Vec::new(),
        working_dir: None,
        ports: Vec::new(),
        env: Vec::new(),
        env_from: Vec::new(),
        resources: Resources::default(),
        volume_mounts: Vec::new(),
        volume_devices: Vec::new(),
        liveness_probe: None,
        readiness_probe: None,
        startup_probe: None,
        lifecycle: Lifecycle::default(),
        termination_message_path: "/dev/termination-log".into(),
        termination_message_policy: TerminationMessagePolicy::File,
        security_context: Security::default(),
        stdin: false,
        stdin_once: false,
        tty: false,
        restart_policy: None,
        restart_policy_rules: Vec::new(),
        target_container_name: None,
        pillion: PillionFields::default(),
    }
}

/// An init container.
pub(super) fn init(name: &str) -> Container {
    main(name)
}

/// A native sidecar.
pub(super) fn sidecar(name: &str) -> Container {
    Container {
        restart_policy: Some(RestartPolicy::Always),
        ..main(name)
    }
}

// === impl PodFixture ===

impl PodFixture {
    pub(super) fn new(
        init: impl IntoIterator<Item = Container>,
        main: impl IntoIterator<Item = Container>,
    ) -> Self {
        Self(PodSpec {
            init_containers: init.into_iter().collect(),
            containers: main.into_iter().collect(),
            ephemeral_containers: Vec::new(),
            restart_policy: RestartPolicy::Always,
            termination_grace_period_seconds: 30,
            active_deadline_seconds: None,
            volumes: Vec::new(),
            host_network: false,
            host_pid: false,
            host_ipc: false,
            host_users: None,
            share_process_namespace: false,
            hostname: None,
            subdomain: None,
            host_aliases: Vec::new(),
            dns_policy: None,
            node_name: None,
            runtime_class_name: None,
            service_account_name: None,
            automount_service_account_token: None,
            image_pull_secrets: Vec::new(),
            security_context: PodSecurity::default(),
            os: None,
            resources: None,
            overhead: BTreeMap::new(),
        })
    }

    pub(super) fn lower(self) -> Lowered {
        let mut tree = Tree::default();
        let root = tree.push(NodeData {
            span: Span::default(),
            value: Value::Null,
            style: Style::Plain,
        });
        let file = PodFile {
            kind: WorkloadKind::Pod,
            owner: Metadata::default(),
            pod: Pod {
                metadata: Metadata::default(),
                spec: self.0,
            },
            places: Places::new(Arc::new(tree), root, None),
        };
        lower(&file, LowerOptions::default())
    }

    /// The edges as text, one node to a line.
    pub(super) fn edges(self) -> String {
        describe(&self.lower().pod)
    }
}

/// Every node that requires something: `app: proxy ready, cache started (soft)`.
pub(super) fn describe(pod: &engine::Pod) -> String {
    let mut text = String::new();
    for node in sketch::nodes(pod) {
        let edges = sketch::edges(pod, node).iter().map(|e| edge(pod, e));
        let edges: Vec<_> = edges.collect();
        if !edges.is_empty() {
            writeln!(text, "{}: {}", name(pod, node), edges.join(", ")).unwrap();
        }
    }
    text
}

fn name(pod: &engine::Pod, node: Target) -> String {
    match node {
        Target::Container(id) => pod.containers[id.index()].name.to_string(),
        Target::Barrier(id) => format!("[{}]", pod.barriers[id.index()].name),
    }
}

fn edge(pod: &engine::Pod, edge: &Requirement) -> String {
    let until = match edge.until {
        Until::Attempted => " attempted",
        Until::Started => " started",
        Until::Ready => " ready",
        Until::Succeeded => " succeeded",
        Until::Exited => " exited",
        Until::Settled => "",
    };
    let need = match edge.need {
        Need::Hard => "",
        Need::Soft => " soft",
        Need::Order => " order",
    };
    let name = name(pod, edge.target);
    match edge.scope {
        Scope::Both => format!("{name}{until}{need}"),
        Scope::StartOnly => format!("{name}{until}{need} start-only"),
        Scope::StopOnly => format!("{name} stop-only"),
    }
}
