//! Pods from text, and graphs as text.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::file::read;
use crate::lower::{LowerOptions, Lowered, lower, sketch};
use pillion_engine::graph::Graph;
use pillion_engine::pod::{
    self as engine, Keystone, Kind, Need, OnGiveUp, Requirement, RestartPolicy, Role, Scope,
    Target, Until,
};
use std::fmt::Write;

/// The text of a pod.
pub(super) struct PodText {
    annotations: String,
    spec: String,
}

/// The edges of a pod whose `spec` has these lines.
pub(super) fn edges(spec: &str) -> String {
    PodText::new(spec).edges()
}

/// What the containers of a pod are.
pub(super) fn containers(spec: &str) -> String {
    PodText::new(spec).containers()
}

/// The codes of what drawing the graph finds wrong.
pub(super) fn codes(spec: &str) -> Vec<Code> {
    PodText::new(spec).codes()
}

// === impl PodText ===

impl PodText {
    pub(super) fn new(spec: &str) -> Self {
        Self {
            annotations: String::new(),
            spec: spec.to_owned(),
        }
    }

    pub(super) fn annotated(mut self, key: &str, value: &str) -> Self {
        writeln!(self.annotations, "    {key}: {value}").unwrap();
        self
    }

    pub(super) fn lower(&self) -> Lowered {
        self.lower_with(LowerOptions::default())
    }

    pub(super) fn lower_with(&self, options: LowerOptions) -> Lowered {
        let mut text = String::from("apiVersion: v1\nkind: Pod\nmetadata:\n  name: test\n");
        if !self.annotations.is_empty() {
            text += "  annotations:\n";
            text += &self.annotations;
        }
        text += "spec:\n";
        for line in self.spec.trim().lines() {
            writeln!(text, "  {line}").unwrap();
        }
        let outcome = read("test.yaml", text.as_bytes());
        let [pod] = &outcome.pods[..] else {
            panic!("no pod in\n{text}\n{:?}", outcome.diagnostics)
        };
        // Nothing is run here, so containers need neither image nor command.
        let is_wrong = |d: &&Diagnostic| d.is_error() && d.code != Code::MissingField;
        let errors: Vec<_> = outcome.diagnostics.iter().filter(is_wrong).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{text}");
        lower(pod, options)
    }

    /// The edges of a pod that has no errors, so that its graph can be run.
    pub(super) fn edges(&self) -> String {
        let lowered = self.lower();
        let errors = lowered.diagnostics.iter().filter(|d| d.is_error());
        assert_eq!(errors.collect::<Vec<_>>(), Vec::<&Diagnostic>::new());
        assert_eq!(Graph::new(&lowered.pod).err(), None);
        describe_edges(&lowered.pod)
    }

    pub(super) fn containers(&self) -> String {
        let lowered = self.lower();
        let lines = lowered.pod.containers.iter().map(describe_container);
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn codes(&self) -> Vec<Code> {
        let diagnostics = self.lower().diagnostics;
        diagnostics.iter().map(|finding| finding.code).collect()
    }
}

fn describe_edges(pod: &engine::Pod) -> String {
    let mut text = String::new();
    for node in sketch::nodes(pod) {
        let edges = sketch::edges(pod, node).iter();
        let edges: Vec<_> = edges.map(|edge| describe_edge(pod, edge)).collect();
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

fn describe_edge(pod: &engine::Pod, edge: &Requirement) -> String {
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

fn describe_container(container: &engine::Container) -> String {
    let role = match container.role {
        Role::Main => "main",
        Role::Sidecar => "sidecar",
        Role::Ephemeral => "ephemeral",
    };
    let kind = match container.kind {
        Kind::Service => "service",
        Kind::Oneshot { .. } => "oneshot",
    };
    let policy = match container.restart.policy {
        RestartPolicy::Always => "Always",
        RestartPolicy::OnFailure => "OnFailure",
        RestartPolicy::Never => "Never",
    };
    let mut text = format!("{}: {role} {kind} {policy}", container.name);
    match container.keystone {
        Some(Keystone::Any) => text += ", keystone any",
        Some(Keystone::Success) => text += ", keystone success",
        Some(Keystone::Failure) => text += ", keystone failure",
        None => {}
    }
    match (container.on_give_up, container.role) {
        (OnGiveUp::FailPod, Role::Main)
        | (OnGiveUp::Unready, Role::Sidecar)
        | (OnGiveUp::Ignore, Role::Ephemeral) => {}
        (OnGiveUp::FailPod, _) => text += ", fails the pod",
        (OnGiveUp::Unready, _) => text += ", makes the pod unready",
        (OnGiveUp::Ignore, _) => text += ", ignored",
    }
    if container.plain {
        text += ", plain";
    }
    text
}
