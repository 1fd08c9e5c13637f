//! The pod as a whole.

use super::{Checker, Place};
use crate::code::Code;
use crate::container::ContainerList;
use crate::diagnostic::Diagnostic;
use crate::file::WorkloadKind;
use crate::name;
use crate::restart::RestartPolicy;
use crate::word::Word;
use std::collections::{BTreeMap, BTreeSet};

impl Checker<'_> {
    pub(super) fn check_spec(&mut self) {
        let spec = &self.file.pod.spec;
        if spec.containers.is_empty() && self.file.places.is_list("spec.containers") {
            let span = self.key("spec.containers");
            self.refuse(
                Code::MissingField,
                span,
                "a pod needs a container".into(),
                "none is given",
            );
        }
        for (field, value) in [("hostname", &spec.hostname), ("subdomain", &spec.subdomain)] {
            if value
                .as_ref()
                .is_some_and(|value| !name::is_dns_label(value))
            {
                let span = self.value(&format!("spec.{field}"));
                let message = format!("`{field}` is not a DNS label");
                self.refuse(Code::BadName, span, message, "not such a name");
            }
        }
        if spec.share_process_namespace && spec.host_pid {
            let diagnostic = Diagnostic::new(
                Code::NotAllowedHere,
                "`shareProcessNamespace` and `hostPID` exclude each other",
            );
            let diagnostic = diagnostic
                .primary(
                    self.key("spec.shareProcessNamespace"),
                    "asks for the pod's processes",
                )
                .secondary(self.key("spec.hostPID"), "asks for the host's processes");
            self.report(diagnostic);
        }
        self.check_owner();
        self.check_volumes();
        self.check_container_names();
        self.check_host_ports();
        self.check_pod_resources();
        for (resource, amount) in &spec.overhead {
            if amount.is_negative() {
                let span = self.value(&format!("spec.overhead[\"{resource}\"]"));
                let message = format!("an overhead of {amount} {resource} is less than nothing");
                self.refuse(Code::OutOfRange, span, message, "negative");
            }
        }
    }

    /// What only some workloads allow.
    fn check_owner(&mut self) {
        let spec = &self.file.pod.spec;
        let kind = self.file.kind;
        let restarted = match kind {
            WorkloadKind::Pod | WorkloadKind::PodTemplate => return,
            WorkloadKind::Job | WorkloadKind::CronJob => false,
            WorkloadKind::Deployment
            | WorkloadKind::StatefulSet
            | WorkloadKind::DaemonSet
            | WorkloadKind::ReplicaSet => true,
        };
        let policy = spec.restart_policy;
        if restarted && policy != RestartPolicy::Always {
            let span = self.value("spec.restartPolicy");
            let message = format!("a {kind} takes no restart policy but `Always`");
            self.refuse(Code::NotAllowedHere, span, message, "not `Always`");
        } else if !restarted && policy == RestartPolicy::Always {
            let given = self.file.places.contains("spec.restartPolicy");
            let span = if given {
                self.value("spec.restartPolicy")
            } else {
                self.key("spec")
            };
            let message = format!("a {kind} needs the restart policy `Never` or `OnFailure`");
            let label = if given {
                "runs for ever"
            } else {
                "without one it is `Always`"
            };
            self.refuse(Code::NotAllowedHere, span, message, label);
        }
        if restarted && spec.active_deadline_seconds.is_some() {
            let span = self.key("spec.activeDeadlineSeconds");
            let message = format!("a {kind} takes no `activeDeadlineSeconds`");
            self.refuse(Code::NotAllowedHere, span, message, "for pods that end");
        }
        if !spec.ephemeral_containers.is_empty() {
            let span = self.key("spec.ephemeralContainers");
            let message = "a pod template takes no ephemeral containers".to_owned();
            self.refuse(Code::NotAllowedHere, span, message, "for running pods only");
        }
    }

    fn check_volumes(&mut self) {
        let file = self.file;
        let mut first = BTreeMap::new();
        for (index, volume) in file.pod.spec.volumes.iter().enumerate() {
            let path = format!("spec.volumes[{index}].name");
            if !file.places.is_text(&path) {
                continue;
            }
            if !name::is_dns_label(&volume.name) {
                let message = format!("`{}` cannot be the name of a volume", volume.name);
                self.bad_name(&path, message);
            }
            self.volumes.insert(&volume.name);
            if let Some(first) = first.insert(volume.name.as_str(), path.clone()) {
                self.duplicate(
                    &format!("two volumes are named `{}`", volume.name),
                    &first,
                    &path,
                );
            }
        }
    }

    fn check_container_names(&mut self) {
        let file = self.file;
        let mut first = BTreeMap::new();
        for (list, index, container) in file.pod.spec.all_containers() {
            let place = Place {
                list,
                index,
                container,
            };
            let path = place.path("name");
            if !file.places.is_text(&path) {
                continue;
            }
            if !name::is_dns_label(&container.name) {
                self.bad_name(
                    &path,
                    format!("`{}` cannot be the name of a container", container.name),
                );
            }
            if let Some(first) = first.insert(container.name.as_str(), path.clone()) {
                let message = format!("two containers are named `{}`", container.name);
                self.duplicate(&message, &first, &path);
            }
        }
        let others = file
            .pod
            .spec
            .init_containers
            .iter()
            .chain(&file.pod.spec.containers);
        let names: BTreeSet<_> = others.map(|container| container.name.as_str()).collect();
        for (index, container) in file.pod.spec.ephemeral_containers.iter().enumerate() {
            let Some(target) = &container.target_container_name else {
                continue;
            };
            if !names.contains(target.as_str()) {
                let list = ContainerList::Ephemeral.as_str();
                let span = self.value(&format!("spec.{list}[{index}].targetContainerName"));
                let message = format!("the target container `{target}` does not exist");
                self.refuse(
                    Code::UnknownContainer,
                    span,
                    message,
                    "no container has this name",
                );
            }
        }
    }

    /// Regular containers run at once, so they cannot share a port of the host.
    fn check_host_ports(&mut self) {
        let file = self.file;
        let mut first = BTreeMap::new();
        for (index, container) in file.pod.spec.containers.iter().enumerate() {
            for (at, port) in container.ports.iter().enumerate() {
                let path = format!("spec.containers[{index}].ports[{at}].hostPort");
                let Some(number) = port.host_port else {
                    continue;
                };
                if file.pod.spec.host_network && number != port.container_port {
                    let message =
                        "with `hostNetwork` both numbers of a port are the same".to_owned();
                    let span = self.value(&path);
                    self.refuse(
                        Code::OutOfRange,
                        span,
                        message,
                        "differs from `containerPort`",
                    );
                }
                let key = (port.protocol, port.host_ip.as_deref(), number);
                if let Some(first) = first.insert(key, path.clone()) {
                    let message = format!("the host's port {number} is asked for twice");
                    self.duplicate(&message, &first, &path);
                }
            }
        }
    }

    fn bad_name(&mut self, path: &str, message: String) {
        let span = self.value(path);
        let diagnostic = Diagnostic::new(Code::BadName, message).primary(span, "not such a name");
        self.report(
            diagnostic.help(
                "it takes at most 63 of a-z, 0-9 and `-`, with a letter or digit at each end",
            ),
        );
    }

    pub(super) fn duplicate(&mut self, message: &str, first: &str, second: &str) {
        let diagnostic = Diagnostic::new(Code::DuplicateName, message)
            .primary(self.value(second), "given again")
            .secondary(self.value(first), "first given here");
        self.report(diagnostic);
    }
}
