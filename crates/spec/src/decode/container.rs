//! Containers.

use super::merge::{Sides, merge};
use super::{
    env, flag, hook, items, pillion, port, probe, resources, restart, security, some_text, texts,
    volume, word,
};
use crate::container::{Container, Port, Protocol, TerminationMessagePolicy};
use crate::findings::Findings;
use crate::hook::Lifecycle;
use crate::resources::Resources;
use crate::security::Security;
use crate::tree::Node;

/// Where Kubernetes looks for a container's last words.
const TERMINATION_LOG: &str = "/dev/termination-log";

/// A container, with what the annotation says about it.
pub(super) fn container(
    node: Node<'_>,
    annotated: Option<Node<'_>>,
    findings: &mut Findings,
) -> Container {
    let mut container = Container {
        name: some_text(node, "name").unwrap_or_default(),
        image: some_text(node, "image"),
        image_pull_policy: word(node, "imagePullPolicy"),
        command: texts(node, "command"),
        args: texts(node, "args"),
        working_dir: some_text(node, "workingDir"),
        ports: items(node, "ports")
            .filter_map(|node| container_port(node, findings))
            .collect(),
        env: env::env(node, findings),
        env_from: env::env_from(node, findings),
        resources: node
            .get("resources")
            .map_or_else(Resources::default, resources::resources),
        volume_mounts: items(node, "volumeMounts")
            .filter_map(|node| volume::mount(node, findings))
            .collect(),
        volume_devices: items(node, "volumeDevices")
            .filter_map(volume::device)
            .collect(),
        liveness_probe: probe::probe(node, "livenessProbe", findings),
        readiness_probe: probe::probe(node, "readinessProbe", findings),
        startup_probe: probe::probe(node, "startupProbe", findings),
        lifecycle: lifecycle(node, findings),
        termination_message_path: some_text(node, "terminationMessagePath")
            .unwrap_or_else(|| TERMINATION_LOG.to_owned()),
        termination_message_policy: word(node, "terminationMessagePolicy")
            .unwrap_or(TerminationMessagePolicy::File),
        security_context: node
            .get("securityContext")
            .map_or_else(Security::default, |node| security::security(node, findings)),
        stdin: flag(node, "stdin").unwrap_or(false),
        stdin_once: flag(node, "stdinOnce").unwrap_or(false),
        tty: flag(node, "tty").unwrap_or(false),
        restart_policy: word(node, "restartPolicy"),
        restart_policy_rules: restart::rules(node, findings).unwrap_or_default(),
        target_container_name: some_text(node, "targetContainerName"),
        pillion: pillion::pillion(node, findings),
    };
    if let Some(annotated) = annotated {
        merge(
            &mut container,
            Sides {
                inline: node,
                annotated,
            },
            findings,
        );
    }
    container
}

/// The hooks of a container or of its part of the annotation.
pub(super) fn lifecycle(node: Node<'_>, findings: &mut Findings) -> Lifecycle {
    node.get("lifecycle")
        .map_or_else(Lifecycle::default, |node| hook::lifecycle(node, findings))
}

fn container_port(node: Node<'_>, findings: &mut Findings) -> Option<Port> {
    Some(Port {
        name: some_text(node, "name"),
        container_port: port(node, "containerPort", findings)?,
        // As in Kubernetes, 0 counts as not given.
        host_port: match node.get("hostPort").and_then(Node::as_int) {
            Some(0) | None => None,
            Some(_) => port(node, "hostPort", findings),
        },
        host_ip: some_text(node, "hostIP"),
        protocol: word(node, "protocol").unwrap_or(Protocol::Tcp),
    })
}
