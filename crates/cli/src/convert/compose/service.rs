//! The keys of a service, one by one.

use super::Service;
use super::reader::Reader;
use super::volume::Volumes;
use crate::convert::draft::{ContainerDraft, Kind, Policy};
use pillion_spec::tree::Node;
use pillion_spec::{Code, Diagnostic, Span};
use std::collections::BTreeSet;

/// What compose grants before it kills.
const STOP_SECONDS: u64 = 10;

// === impl Reader ===

impl Reader<'_> {
    /// A service as a container.
    pub(super) fn container(
        &mut self,
        service: &Service<'_>,
        services: &[Service<'_>],
        volumes: &mut Volumes,
    ) -> ContainerDraft {
        let mut container = ContainerDraft {
            name: service.container.clone(),
            stop_seconds: STOP_SECONDS,
            kind: if service.completes {
                Kind::Oneshot
            } else {
                Kind::Service
            },
            requires: self.requirements(service, services),
            ..ContainerDraft::default()
        };
        for (key, span, value) in self.entries(service.node) {
            // To compose, as to Kubernetes, nothing is the same as absent.
            if !value.is_null() {
                self.key((key, span), value, service, &mut container, volumes);
            }
        }
        self.process(service, &mut container);
        self.settle(service, &mut container);
        container
    }

    fn key(
        &mut self,
        (key, span): (&str, Span),
        value: Node<'_>,
        service: &Service<'_>,
        container: &mut ContainerDraft,
        volumes: &mut Volumes,
    ) {
        match key {
            // Read elsewhere.
            "command" | "entrypoint" | "depends_on" | "links" => {}
            "image" => container.image = self.text(value),
            "environment" => container.env = self.environment(value),
            "working_dir" => container.working_dir = self.text(value),
            "user" => self.user(value, container),
            "stdin_open" => container.stdin = self.truth(value),
            "tty" => container.tty = self.truth(value),
            "ports" | "expose" => container.ports.extend(self.ports(value)),
            "restart" => container.restart = self.restart(value),
            "healthcheck" => self.healthcheck(value, container),
            "post_start" => container.post_start = self.hooks(value),
            "pre_stop" => container.pre_stop = self.hooks(value),
            "stop_signal" => container.stop_signal = self.signal(value),
            "stop_grace_period" => {
                let time = self.seconds(value).unwrap_or(STOP_SECONDS);
                container.stop_seconds = time.max(1);
            }
            "volumes" => container.mounts.extend(self.mounts(value, volumes)),
            "tmpfs" => container.mounts.extend(self.tmpfs(value, volumes)),
            "deploy" => self.deploy(value, container),
            "cpus" => container.limits.cpu = self.cpus(value),
            "mem_limit" => container.limits.memory = self.memory(value),
            "mem_reservation" => container.requests.memory = self.memory(value),
            "network_mode" => self.network_mode((span, value), container),
            "scale" => self.scale(span, value),
            "build" => self.build(value, container),
            key if key.starts_with("x-") => {}
            key => self.other(key, span, service),
        }
    }

    /// Keys that are not converted.
    fn other(&mut self, key: &str, span: Span, service: &Service<'_>) {
        if let Some((_, reason)) = NOT_NEEDED.iter().find(|(known, _)| *known == key) {
            let message = format!("`{key}` of service `{}` is not converted", service.name);
            self.notes.otherwise(span, message, reason);
            return;
        }
        let message = format!("`{key}` of service `{}` is not converted", service.name);
        self.leave_out(key, span, message);
    }

    /// Tells that a key is left out, and what to do about it.
    pub(super) fn leave_out(&mut self, key: &str, span: Span, message: String) {
        let mut finding = Diagnostic::new(Code::NotConverted, message).primary(span, "left out");
        if let Some((_, help)) = HELPS.iter().find(|(known, _)| *known == key) {
            finding = finding.help(*help);
        }
        self.notes.push(finding);
    }

    /// What depends on several keys.
    fn settle(&mut self, service: &Service<'_>, container: &mut ContainerDraft) {
        if container.image.is_none() && service.node.get("build").is_none() {
            let message = format!(
                "service `{}` has neither an image nor a build",
                service.name
            );
            self.notes
                .left_out(service.span, message, "only for host processes");
        }
        if container.is_oneshot() {
            container
                .remarks
                .push("Others wait until it has succeeded, so it runs once.".to_owned());
            if container.restart.policy == Policy::Always {
                container.restart.policy = Policy::OnFailure;
            }
            if container.readiness.take().is_some() {
                let message = format!("the health check of `{}` is not converted", service.name);
                self.notes
                    .otherwise(service.span, message, "it runs to its end");
            }
        }
    }

    fn environment(&mut self, node: Node<'_>) -> Vec<(String, String)> {
        let mut variables: Vec<(String, String)> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut add = |variable: (String, String)| {
            if !seen.insert(variable.0.clone()) {
                variables.retain(|(name, _)| *name != variable.0);
            }
            variables.push(variable);
        };
        if node.is_sequence() {
            for item in node.items() {
                let Some(text) = self.text(item) else {
                    continue;
                };
                match text.split_once('=') {
                    Some((name, value)) => add((name.to_owned(), value.to_owned())),
                    None => self
                        .inherited(&text, item.span())
                        .into_iter()
                        .for_each(&mut add),
                }
            }
            return variables;
        }
        for (name, span, value) in self.entries(node) {
            if value.is_null() {
                self.inherited(name, span).into_iter().for_each(&mut add);
            } else if let Some(value) = self.text(value) {
                add((name.to_owned(), value));
            }
        }
        variables
    }

    /// A variable without a value has that of the environment.
    fn inherited(&mut self, name: &str, span: Span) -> Option<(String, String)> {
        let value = self.around.variables.get(name).cloned();
        if value.is_some() {
            self.used.insert(name.to_owned());
        } else {
            let message = format!("the variable `{name}` is not set here");
            self.notes.left_out(span, message, "left out");
        }
        Some((name.to_owned(), value?))
    }

    fn user(&mut self, node: Node<'_>, container: &mut ContainerDraft) {
        let Some(text) = self.text(node) else {
            return;
        };
        let (user, group) = match text.split_once(':') {
            Some((user, group)) => (user, Some(group)),
            None => (&*text, None),
        };
        container.user = user.parse().ok();
        container.group = group.and_then(|group| group.parse().ok());
        if container.user.is_none() || group.is_some() && container.group.is_none() {
            let message = format!("`{text}` is not converted: a pod knows users by number");
            self.notes
                .left_out(node.span(), message, "names are those of the image");
        }
    }

    /// A signal by the name that Kubernetes takes.
    fn signal(&mut self, node: Node<'_>) -> Option<String> {
        let text = self.text(node)?.to_ascii_uppercase();
        let numbered = NUMBERED.iter().find(|(number, _)| *number == text);
        Some(match numbered {
            Some((_, name)) => (*name).to_owned(),
            None if text.starts_with("SIG") => text,
            None => format!("SIG{text}"),
        })
    }

    fn deploy(&mut self, node: Node<'_>, container: &mut ContainerDraft) {
        for (key, span, value) in self.entries(node) {
            match key {
                "resources" => self.resources(value, container),
                "restart_policy" => container.restart = self.restart_policy(value),
                "replicas" => self.scale(span, value),
                key => {
                    let message = format!("`deploy.{key}` is not converted");
                    self.notes.left_out(span, message, "left out");
                }
            }
        }
    }

    fn resources(&mut self, node: Node<'_>, container: &mut ContainerDraft) {
        for (key, span, value) in self.entries(node) {
            match key {
                "limits" => container.limits = self.amounts(value),
                "reservations" => container.requests = self.amounts(value),
                key => {
                    let message = format!("`resources.{key}` is not converted");
                    self.notes.left_out(span, message, "left out");
                }
            }
        }
    }

    fn network_mode(&mut self, (span, node): (Span, Node<'_>), container: &mut ContainerDraft) {
        match self.text(node).as_deref() {
            Some("none") => container.no_network = true,
            Some(mode) => {
                let message = format!("`network_mode: {mode}` is not converted");
                let reason = "the containers of a pod share one network";
                self.notes.otherwise(span, message, reason);
            }
            None => {}
        }
    }

    fn scale(&mut self, span: Span, node: Node<'_>) {
        if self.number(node).is_some_and(|number| number != 1) {
            let message = "a pod has each container once";
            let finding = Diagnostic::new(Code::NotConverted, message).primary(span, "left out");
            self.notes
                .push(finding.help("in a cluster, a Deployment has several pods"));
        }
    }

    fn build(&mut self, node: Node<'_>, container: &mut ContainerDraft) {
        let context = if node.is_mapping() {
            node.get("context")
        } else {
            Some(node)
        };
        let context = context.and_then(|node| self.text(node));
        let context = context.unwrap_or_else(|| ".".to_owned());
        container.remarks.push(format!(
            "Built from {context}: a cluster needs it as an image."
        ));
    }
}

/// What a pod need not say, and why.
const NOT_NEEDED: &[(&str, &str)] = &[
    ("annotations", "annotations belong to the pod"),
    ("attach", "all output is shown"),
    ("container_name", "a container is called as its service"),
    ("domainname", "the pod has one name"),
    ("hostname", "the pod has one name"),
    ("init", "in a cluster see `shareProcessNamespace`"),
    ("labels", "labels belong to the pod"),
    ("logging", "output is kept by whoever runs the pod"),
    ("networks", "the containers of a pod share one network"),
    ("platform", "the machine is what it is"),
    ("pull_policy", "see `imagePullPolicy`"),
];

/// What helps with files that are spread over others.
const IN_FULL: &str = "`docker compose config` writes everything out in full; convert its output";

/// What to do about some of the rest.
const HELPS: &[(&str, &str)] = &[
    (
        "configs",
        "write a ConfigMap beside the pod, and use a volume of it",
    ),
    (
        "env_file",
        "add its lines to `env`, or make it a ConfigMap and use `envFrom`",
    ),
    ("extends", IN_FULL),
    ("include", IN_FULL),
    ("privileged", "see `securityContext.privileged`"),
    (
        "profiles",
        "the service is always part of the pod; take its container out if it should not be",
    ),
    ("read_only", "see `securityContext.readOnlyRootFilesystem`"),
    (
        "secrets",
        "write a Secret beside the pod, and use a volume of it",
    ),
    ("volumes_from", "name the volumes in both services"),
];

/// Signals that people write as numbers.
const NUMBERED: &[(&str, &str)] = &[
    ("1", "SIGHUP"),
    ("2", "SIGINT"),
    ("3", "SIGQUIT"),
    ("9", "SIGKILL"),
    ("10", "SIGUSR1"),
    ("12", "SIGUSR2"),
    ("15", "SIGTERM"),
];
