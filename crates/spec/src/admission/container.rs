//! One container.

use super::{Checker, Place};
use crate::code::Code;
use crate::container::ContainerList;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Hook;
use crate::name;
use crate::nearest::nearest;
use crate::probe::Probe;
use crate::restart::{RestartPolicy, RestartRule};
use std::collections::BTreeMap;

impl Checker<'_> {
    pub(super) fn check_container(&mut self, place: &Place<'_>) {
        self.check_image(place);
        self.check_ports(place);
        self.check_mounts(place);
        self.check_container_resources(place);
        self.check_security(place);
        match place.list {
            ContainerList::Ephemeral => self.check_ephemeral(place),
            ContainerList::Init if is_plain_init(place) => self.check_plain_init(place),
            ContainerList::Init | ContainerList::Regular => {
                self.check_probes(place);
                self.check_hooks(place);
            }
        }
        self.check_rules(place);
    }

    fn check_image(&mut self, place: &Place<'_>) {
        let container = place.container;
        if container.image.is_some() || self.file.places.contains(&place.path("image")) {
            return;
        }
        let span = self.value(&place.path("name"));
        // What is no container, or has no name, has been reported as that.
        if container.name.is_empty() {
            return;
        }
        // What is given and could not be read has been reported as that.
        let given = |field| self.file.places.is_given(&place.path(field));
        if !given("command") && !given("args") {
            let message = format!("{} needs an image or a command", place.name());
            self.refuse(Code::MissingField, span, message, "nothing to run");
        } else {
            let message = format!("{} has no image", place.name());
            let diagnostic = Diagnostic::new(Code::NoImage, message).primary(span, "");
            self.report(diagnostic.help("its command runs on this machine; a cluster refuses it"));
        }
    }

    fn check_ports(&mut self, place: &Place<'_>) {
        let mut first = BTreeMap::new();
        for (index, port) in place.container.ports.iter().enumerate() {
            let Some(port_name) = &port.name else {
                continue;
            };
            let path = place.path(&format!("ports[{index}].name"));
            if !name::is_port_name(port_name) {
                let message = format!("`{port_name}` cannot be the name of a port");
                let diagnostic = Diagnostic::new(Code::BadName, message);
                let diagnostic = diagnostic.primary(self.value(&path), "not such a name");
                self.report(diagnostic.help(
                    "it takes at most 15 of a-z, 0-9 and single `-`, with at least one letter",
                ));
            }
            if let Some(first) = first.insert(port_name, path.clone()) {
                self.duplicate(&format!("two ports are named `{port_name}`"), &first, &path);
            }
        }
    }

    fn check_mounts(&mut self, place: &Place<'_>) {
        let container = place.container;
        let mut first = BTreeMap::new();
        for (index, mount) in container.volume_mounts.iter().enumerate() {
            self.check_volume(place, &mount.name, &format!("volumeMounts[{index}].name"));
            let path = place.path(&format!("volumeMounts[{index}].mountPath"));
            if let Some(first) = first.insert(&mount.mount_path, path.clone()) {
                let message = format!("two volumes are mounted at `{}`", mount.mount_path);
                self.duplicate(&message, &first, &path);
            }
        }
        for (index, device) in container.volume_devices.iter().enumerate() {
            self.check_volume(place, &device.name, &format!("volumeDevices[{index}].name"));
        }
    }

    fn check_volume(&mut self, place: &Place<'_>, volume: &str, field: &str) {
        if self.volumes.contains(volume) {
            return;
        }
        if self.findings.is_full() {
            return self.findings.left_out();
        }
        let message = format!("{} mounts `{volume}`, which does not exist", place.name());
        let diagnostic = Diagnostic::new(Code::UnknownVolume, message);
        let diagnostic =
            diagnostic.primary(self.value(&place.path(field)), "no volume has this name");
        let near = nearest(volume, self.volumes.iter().copied());
        self.report(match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("add it under `spec.volumes`"),
        });
    }

    fn check_security(&mut self, place: &Place<'_>) {
        let security = &place.container.security_context;
        if security.privileged == Some(true) && security.allow_privilege_escalation == Some(false) {
            let path = place.path("securityContext");
            let diagnostic = Diagnostic::new(
                Code::NotAllowedHere,
                "`privileged: true` and `allowPrivilegeEscalation: false` exclude each other",
            );
            let diagnostic = diagnostic
                .primary(
                    self.key(&format!("{path}.allowPrivilegeEscalation")),
                    "forbids it",
                )
                .secondary(
                    self.key(&format!("{path}.privileged")),
                    "has every privilege",
                );
            self.report(diagnostic);
        }
    }

    fn check_probes(&mut self, place: &Place<'_>) {
        let container = place.container;
        let once = [
            ("livenessProbe", &container.liveness_probe),
            ("startupProbe", &container.startup_probe),
        ];
        for (field, probe) in once {
            if probe
                .as_ref()
                .is_some_and(|probe| probe.success_threshold != 1)
            {
                let span = self.value(&place.path(&format!("{field}.successThreshold")));
                let message = format!("the `successThreshold` of a `{field}` must be 1");
                self.refuse(Code::OutOfRange, span, message, "not 1");
            }
        }
        let kills = |probe: &Probe| probe.termination_grace_period_seconds.is_some();
        if container.readiness_probe.as_ref().is_some_and(kills) {
            let span = self.key(&place.path("readinessProbe.terminationGracePeriodSeconds"));
            let message = "a `readinessProbe` kills nobody and takes no grace period".to_owned();
            self.refuse(Code::NotAllowedHere, span, message, "for other probes");
        }
    }

    fn check_hooks(&mut self, place: &Place<'_>) {
        let hooks = &place.container.lifecycle;
        let grace = self.file.pod.spec.termination_grace_period_seconds;
        for (field, hook) in [
            ("postStart", &hooks.post_start),
            ("preStop", &hooks.pre_stop),
        ] {
            let Some(Hook::Sleep { seconds }) = hook else {
                continue;
            };
            if *seconds > grace {
                let span = self.value(&place.path(&format!("lifecycle.{field}.sleep.seconds")));
                let message = format!("`{field}` sleeps longer than the grace period of {grace} s");
                self.refuse(Code::OutOfRange, span, message, "too long");
            }
        }
        if hooks.stop_signal.is_some() && self.file.pod.spec.os.is_none() {
            let span = self.key(&place.path("lifecycle.stopSignal"));
            let message = "a cluster refuses `stopSignal` in a pod without `spec.os.name`";
            let diagnostic = Diagnostic::new(Code::NotAllowedHere, message);
            let diagnostic = diagnostic.severity(Severity::Warning).primary(span, "");
            self.report(diagnostic.help("add `os: {name: linux}` to the pod's `spec`"));
        }
    }

    /// An init container that runs to its end has nothing to probe.
    fn check_plain_init(&mut self, place: &Place<'_>) {
        for field in [
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
        ] {
            if self.file.places.contains(&place.path(field)) {
                let message = format!("{} takes no `{field}`", place.name());
                let diagnostic = Diagnostic::new(Code::NotAllowedHere, message);
                let span = self.key(&place.path(field));
                let diagnostic = diagnostic.primary(span, "for containers that stay");
                self.report(
                    diagnostic.help("only an init container with `restartPolicy: Always` stays"),
                );
            }
        }
    }

    fn check_ephemeral(&mut self, place: &Place<'_>) {
        for field in [
            "lifecycle",
            "livenessProbe",
            "ports",
            "readinessProbe",
            "resizePolicy",
            "resources",
            "restartPolicy",
            "restartPolicyRules",
            "startupProbe",
        ] {
            if self.file.places.contains(&place.path(field)) {
                let span = self.key(&place.path(field));
                let message = format!("{} takes no `{field}`", place.name());
                self.refuse(
                    Code::NotAllowedHere,
                    span,
                    message,
                    "not for ephemeral containers",
                );
            }
        }
        for (index, mount) in place.container.volume_mounts.iter().enumerate() {
            if mount.sub_path.is_some() || mount.sub_path_expr.is_some() {
                let span = self.value(&place.path(&format!("volumeMounts[{index}]")));
                let message = format!("{} cannot mount a part of a volume", place.name());
                self.refuse(
                    Code::NotAllowedHere,
                    span,
                    message,
                    "not for ephemeral containers",
                );
            }
        }
    }

    fn check_rules(&mut self, place: &Place<'_>) {
        let container = place.container;
        let plain = container
            .restart_policy_rules
            .iter()
            .all(RestartRule::is_plain_kubernetes);
        let bound = plain && container.pillion_fields().is_empty();
        if !container.restart_policy_rules.is_empty() && container.restart_policy.is_none() && bound
        {
            let span = self.key(&place.path("restartPolicyRules"));
            let message = format!("{} has restart rules, but no restart policy", place.name());
            let diagnostic = Diagnostic::new(Code::RulesWithoutPolicy, message);
            let diagnostic = diagnostic.primary(span, "what if no rule matches?");
            self.report(diagnostic.help("add `restartPolicy` beside them"));
        }
    }
}

/// Whether Kubernetes runs it to its end before the next one, and nothing says otherwise.
fn is_plain_init(place: &Place<'_>) -> bool {
    let container = place.container;
    container.restart_policy != Some(RestartPolicy::Always) && container.pillion_fields().is_empty()
}
