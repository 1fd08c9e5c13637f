//! A pod as a file describes it: everything a runtime needs, with Kubernetes' defaults applied and
//! no places inside. Where a value stands in the file is answered by [`Places`](crate::Places).

use crate::container::{Container, ContainerList};
use crate::quantity::Quantity;
use crate::resources::Resources;
use crate::restart::RestartPolicy;
use crate::security::PodSecurity;
use crate::volume::Volume;
use std::collections::BTreeMap;

/// A pod, or the pod that a template makes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pod {
    /// Its name and labels.
    pub metadata: Metadata,
    /// What it runs.
    pub spec: PodSpec,
}

/// Names, labels and annotations of an object.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Metadata {
    /// The name.
    pub name: Option<String>,
    /// The beginning of a name to be made up.
    pub generate_name: Option<String>,
    /// The namespace.
    pub namespace: Option<String>,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    pub annotations: BTreeMap<String, String>,
}

/// What a pod runs, and how.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are Kubernetes' own independent switches"
)]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PodSpec {
    /// Run one after the other before the others; some of them stay as sidecars.
    pub init_containers: Vec<Container>,
    /// The containers.
    pub containers: Vec<Container>,
    /// Debug containers that a running pod was given.
    pub ephemeral_containers: Vec<Container>,
    /// The policy of containers without their own; `Always` by default.
    pub restart_policy: RestartPolicy,
    /// The budget of every ordered stop; 30 by default.
    pub termination_grace_period_seconds: u64,
    /// After how long the pod fails, whatever it does.
    pub active_deadline_seconds: Option<u64>,
    /// Volumes.
    pub volumes: Vec<Volume>,
    /// Whether it shares the host's network.
    pub host_network: bool,
    /// Whether it shares the host's processes.
    pub host_pid: bool,
    /// Whether it shares the host's shared memory.
    pub host_ipc: bool,
    /// Whether it runs in the host's user namespace; yes if not given.
    pub host_users: Option<bool>,
    /// Whether its containers see each other's processes.
    pub share_process_namespace: bool,
    /// Its host name; its own name if not given.
    pub hostname: Option<String>,
    /// The rest of its host name.
    pub subdomain: Option<String>,
    /// Lines for its hosts file: address, names.
    pub host_aliases: Vec<(String, Vec<String>)>,
    /// `ClusterFirst` and so on.
    pub dns_policy: Option<String>,
    /// The node it is meant for.
    pub node_name: Option<String>,
    /// The runtime it is meant for.
    pub runtime_class_name: Option<String>,
    /// The account it runs under.
    pub service_account_name: Option<String>,
    /// Whether the account's token is mounted.
    pub automount_service_account_token: Option<bool>,
    /// Secrets for pulling images.
    pub image_pull_secrets: Vec<String>,
    /// Whom its containers run as.
    pub security_context: PodSecurity,
    /// `linux` or `windows`.
    pub os: Option<String>,
    /// Requests and limits of the pod as a whole.
    pub resources: Option<Resources>,
    /// What the runtime itself needs.
    pub overhead: BTreeMap<String, Quantity>,
}

// === impl PodSpec ===

impl PodSpec {
    /// All containers with their lists and their places in them: init, regular, ephemeral.
    pub fn all_containers(&self) -> impl Iterator<Item = (ContainerList, usize, &Container)> {
        let tag = |list| move |(index, container)| (list, index, container);
        let init = self
            .init_containers
            .iter()
            .enumerate()
            .map(tag(ContainerList::Init));
        let regular = self
            .containers
            .iter()
            .enumerate()
            .map(tag(ContainerList::Regular));
        let ephemeral = self.ephemeral_containers.iter().enumerate();
        init.chain(regular)
            .chain(ephemeral.map(tag(ContainerList::Ephemeral)))
    }
}
