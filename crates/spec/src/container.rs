//! One container of a pod file: what Kubernetes knows about it, and what Pillion adds.

use crate::env::{EnvFrom, EnvVar};
use crate::hook::Lifecycle;
use crate::pillion::PillionFields;
use crate::probe::Probe;
use crate::resources::Resources;
use crate::restart::{RestartPolicy, RestartRule};
use crate::security::Security;
use crate::volume::{VolumeDevice, VolumeMount};
use crate::word::words;

/// A container of any of the three lists.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Container {
    /// Its name, unique over the three lists.
    pub name: String,
    /// The image; a host process needs none.
    pub image: Option<String>,
    /// When the image is pulled; by its tag if not given.
    pub image_pull_policy: Option<PullPolicy>,
    /// The program; the image's entrypoint if empty.
    pub command: Vec<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it starts.
    pub working_dir: Option<String>,
    /// The ports it listens on.
    pub ports: Vec<Port>,
    /// Variables, in order: later ones may refer to earlier ones.
    pub env: Vec<EnvVar>,
    /// Variables from whole objects; those of `env` win.
    pub env_from: Vec<EnvFrom>,
    /// Requests and limits.
    pub resources: Resources,
    /// Volumes it sees.
    pub volume_mounts: Vec<VolumeMount>,
    /// Block devices it sees.
    pub volume_devices: Vec<VolumeDevice>,
    /// Killed and restarted when this fails.
    pub liveness_probe: Option<Probe>,
    /// Ready while this succeeds.
    pub readiness_probe: Option<Probe>,
    /// Started once this succeeded.
    pub startup_probe: Option<Probe>,
    /// Hooks and markers, from the container and from the annotation.
    pub lifecycle: Lifecycle,
    /// Where it leaves its last words.
    pub termination_message_path: String,
    /// What else can be its last words.
    pub termination_message_policy: TerminationMessagePolicy,
    /// Whom it runs as.
    pub security_context: Security,
    /// Whether standard input is kept open.
    pub stdin: bool,
    /// Whether standard input is closed after the first client.
    pub stdin_once: bool,
    /// Whether it gets a terminal.
    pub tty: bool,
    /// Its own policy, from the container or the annotation; the pod's if not given.
    pub restart_policy: Option<RestartPolicy>,
    /// Its rules, from the container or the annotation.
    pub restart_policy_rules: Vec<RestartRule>,
    /// Of an ephemeral container: whose processes it sees.
    pub target_container_name: Option<String>,
    /// What Pillion adds, as far as it was given.
    pub pillion: PillionFields,
}

/// A port.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Port {
    /// Its name.
    pub name: Option<String>,
    /// The number in the container.
    pub container_port: u16,
    /// The number on the host.
    pub host_port: Option<u16>,
    /// The host's address.
    pub host_ip: Option<String>,
    /// TCP by default.
    pub protocol: Protocol,
}

words! {
    /// The protocol of a port.
    pub enum Protocol {
        /// TCP.
        Tcp = "TCP",
        /// UDP.
        Udp = "UDP",
        /// SCTP.
        Sctp = "SCTP",
    }
}

words! {
    /// When an image is pulled.
    pub enum PullPolicy {
        /// At every start.
        Always = "Always",
        /// When it is not there.
        IfNotPresent = "IfNotPresent",
        /// Never: it must be there.
        Never = "Never",
    }
}

words! {
    /// What counts as a container's last words.
    pub enum TerminationMessagePolicy {
        /// The file only.
        File = "File",
        /// The end of the log, if the file is empty and the container failed.
        FallbackToLogsOnError = "FallbackToLogsOnError",
    }
}

words! {
    /// Which of a pod's lists a container stands in.
    pub enum ContainerList {
        /// `spec.initContainers`
        Init = "initContainers",
        /// `spec.containers`
        Regular = "containers",
        /// `spec.ephemeralContainers`
        Ephemeral = "ephemeralContainers",
    }
}

// === impl Container ===

impl Container {
    /// The names of all Pillion fields that the container was given, inline or in the annotation:
    /// what makes it more than a plain Kubernetes container.
    pub fn pillion_fields(&self) -> Vec<&'static str> {
        let mut given = self.pillion.given();
        let Lifecycle {
            post_start: _,
            pre_stop: _,
            stop_signal: _,
            pod_stopping,
            kind,
            on_completion,
        } = &self.lifecycle;
        given.extend(pod_stopping.is_some().then_some("lifecycle.podStopping"));
        given.extend(kind.is_some().then_some("lifecycle.type"));
        given.extend(on_completion.is_some().then_some("lifecycle.onCompletion"));
        given.extend(
            self.restart_policy_rules
                .iter()
                .any(|rule| !rule.is_plain_kubernetes())
                .then_some("restartPolicyRules"),
        );
        given
    }
}
