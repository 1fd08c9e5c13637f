//! Ports that probes and hooks name and that no port of their container has.
//!
//! Kubernetes takes such a pod, and then every attempt fails.

use super::Subject;
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::hook::{Hook, PortRef};
use crate::nearest::nearest;
use crate::probe::{Check, Probe};
use pillion_engine::pod::ContainerId;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, _, written) in subject.containers() {
        for (field, name) in named(written) {
            let mut ports = names(written);
            if !ports.any(|port| port == name) {
                findings.push(unknown(subject, id, written, &field, name));
            }
        }
    }
}

fn names(container: &Container) -> impl Iterator<Item = &str> {
    let ports = container.ports.iter();
    ports.filter_map(|port| port.name.as_deref())
}

/// The names of ports in probes and hooks, with their fields.
fn named(container: &Container) -> impl Iterator<Item = (String, &str)> {
    let lifecycle = &container.lifecycle;
    let probes = [
        ("startupProbe", &container.startup_probe),
        ("readinessProbe", &container.readiness_probe),
        ("livenessProbe", &container.liveness_probe),
    ];
    let hooks = [
        ("lifecycle.postStart", &lifecycle.post_start),
        ("lifecycle.preStop", &lifecycle.pre_stop),
        ("lifecycle.podStopping", &lifecycle.pod_stopping),
    ];
    let mut found = Vec::new();
    for (field, probe) in probes {
        found.extend(
            probe
                .as_ref()
                .and_then(port_of_probe)
                .map(|port| (field, port)),
        );
    }
    for (field, hook) in hooks {
        found.extend(
            hook.as_ref()
                .and_then(port_of_hook)
                .map(|port| (field, port)),
        );
    }
    found
        .into_iter()
        .map(|(field, (way, port))| (format!("{field}.{way}.port"), port))
}

fn port_of_probe(probe: &Probe) -> Option<(&'static str, &str)> {
    match &probe.check {
        Check::HttpGet(get) => name_of(&get.port).map(|name| ("httpGet", name)),
        Check::TcpSocket(socket) => name_of(&socket.port).map(|name| ("tcpSocket", name)),
        Check::Exec(_) | Check::Grpc(_) => None,
    }
}

fn port_of_hook(hook: &Hook) -> Option<(&'static str, &str)> {
    match hook {
        Hook::HttpGet(get) => name_of(&get.port).map(|name| ("httpGet", name)),
        Hook::TcpSocket(socket) => name_of(&socket.port).map(|name| ("tcpSocket", name)),
        Hook::Exec(_) | Hook::Sleep { .. } => None,
    }
}

fn name_of(port: &PortRef) -> Option<&str> {
    match port {
        PortRef::Name(name) => Some(name),
        PortRef::Number(_) => None,
    }
}

fn unknown(
    subject: &Subject<'_>,
    id: ContainerId,
    written: &Container,
    field: &str,
    port: &str,
) -> Diagnostic {
    let name = subject.name(id);
    let message = format!("container `{name}` has no port with the name `{port}`");
    let finding = Diagnostic::new(Code::UnknownPort, message)
        .primary(subject.place(id, field), "every attempt will fail");
    match nearest(port, names(written)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help("give the number of the port, or add the name to `ports`"),
    }
}
