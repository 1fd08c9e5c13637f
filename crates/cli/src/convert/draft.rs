//! A pod on its way from another format: what was understood, before it is written down.

use std::collections::BTreeMap;

/// The pod.
#[derive(Clone, Debug, Default)]
pub(crate) struct PodDraft {
    pub(crate) name: String,
    /// What a reader of the file should know; each becomes a point of the comment at its top.
    pub(crate) remarks: Vec<String>,
    pub(crate) containers: Vec<ContainerDraft>,
    pub(crate) volumes: Vec<VolumeDraft>,
}

/// One container.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContainerDraft {
    pub(crate) name: String,
    /// Comments below the name.
    pub(crate) remarks: Vec<String>,
    pub(crate) image: Option<String>,
    /// Replaces the entry point of the image.
    pub(crate) command: Vec<String>,
    pub(crate) args: Vec<String>,
    /// Comments where a command should stand, if none was given.
    pub(crate) missing_command: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) working_dir: Option<String>,
    pub(crate) user: Option<u64>,
    pub(crate) group: Option<u64>,
    pub(crate) stdin: bool,
    pub(crate) tty: bool,
    pub(crate) ports: Vec<PortDraft>,
    pub(crate) kind: Kind,
    pub(crate) no_network: bool,
    pub(crate) requires: Vec<RequirementDraft>,
    pub(crate) restart: Restart,
    pub(crate) readiness: Option<ProbeDraft>,
    pub(crate) post_start: Vec<String>,
    pub(crate) pre_stop: Vec<String>,
    pub(crate) stop_signal: Option<String>,
    pub(crate) stop_seconds: u64,
    pub(crate) limits: Amounts,
    pub(crate) requests: Amounts,
    pub(crate) mounts: Vec<MountDraft>,
}

/// What its end means.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Kind {
    /// It runs until it is stopped.
    #[default]
    Service,
    /// It runs to completion.
    Oneshot,
    /// When it ends, the pod ends.
    Keystone,
}

/// When it is started again.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Restart {
    pub(crate) policy: Policy,
    pub(crate) max_restarts: Option<u64>,
}

/// The policies of Kubernetes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Policy {
    Always,
    OnFailure,
    #[default]
    Never,
}

/// An edge.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RequirementDraft {
    pub(crate) container: String,
    pub(crate) until: UntilDraft,
    pub(crate) soft: bool,
    pub(crate) restarts: bool,
}

/// What an edge waits for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum UntilDraft {
    /// The process runs.
    Started,
    /// What the kind of the target brings: ready, or succeeded.
    Default,
}

/// A readiness probe that runs a command.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct ProbeDraft {
    pub(crate) command: Vec<String>,
    pub(crate) period: u64,
    pub(crate) timeout: u64,
    pub(crate) failures: u64,
    pub(crate) remarks: Vec<String>,
}

/// A port.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct PortDraft {
    pub(crate) number: u16,
    pub(crate) protocol: &'static str,
    pub(crate) published: Option<String>,
}

/// CPU and memory, as Kubernetes writes them: digits and a unit, which need no quotes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Amounts {
    pub(crate) cpu: Option<String>,
    pub(crate) memory: Option<String>,
}

/// A volume of the pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct VolumeDraft {
    pub(crate) name: String,
    pub(crate) kind: VolumeKind,
    pub(crate) remark: Option<String>,
}

/// Where a volume's files are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum VolumeKind {
    /// Empty at the start of the pod.
    Empty,
    /// In memory, with a limit if one was given.
    Memory(Option<String>),
    /// A path of the machine.
    Host(String),
}

/// Where a container sees a volume.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct MountDraft {
    pub(crate) volume: String,
    pub(crate) path: String,
    pub(crate) read_only: bool,
    pub(crate) sub_path: Option<String>,
}

// === impl Policy ===

impl Policy {
    /// The word of the file.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Always => "Always",
            Self::OnFailure => "OnFailure",
            Self::Never => "Never",
        }
    }
}

// === impl PodDraft ===

impl PodDraft {
    /// The time in which every chain of stops fits: a container stops when those that require it
    /// are down, so along a chain the times add up.
    pub(crate) fn grace(&self) -> u64 {
        let times: Vec<_> = self
            .containers
            .iter()
            .map(ContainerDraft::stop_time)
            .collect();
        let edges = self.edges();
        let mut ends = times.clone();
        // A chain has at most as many links as there are containers; circles are refused later.
        for _ in 0..self.containers.len() {
            let mut settled = true;
            for (from, to) in &edges {
                let end = ends[*from] + times[*to];
                if end > ends[*to] {
                    ends[*to] = end;
                    settled = false;
                }
            }
            if settled {
                break;
            }
        }
        ends.into_iter().max().unwrap_or_default()
    }

    /// Who requires whom, by their places in the list.
    fn edges(&self) -> Vec<(usize, usize)> {
        let names = self.containers.iter().enumerate();
        let places: BTreeMap<&str, usize> = names.map(|(at, one)| (&*one.name, at)).collect();
        let containers = self.containers.iter().enumerate();
        let edges = containers.flat_map(|(from, container)| {
            let targets = container.requires.iter();
            let targets = targets.filter_map(|edge| places.get(&*edge.container));
            targets.map(move |to| (from, *to)).collect::<Vec<_>>()
        });
        edges.collect()
    }

    /// The policy of the pod: that of all services if they agree.
    pub(crate) fn policy(&self) -> Policy {
        let mut services = self
            .containers
            .iter()
            .filter(|container| !container.is_oneshot());
        let Some(first) = services.next() else {
            return Policy::Never;
        };
        let agree = services.all(|container| container.restart.policy == first.restart.policy);
        if agree {
            first.restart.policy
        } else {
            Policy::Never
        }
    }
}

// === impl ContainerDraft ===

impl ContainerDraft {
    /// Whether it runs to completion.
    pub(crate) fn is_oneshot(&self) -> bool {
        self.kind == Kind::Oneshot
    }

    /// A oneshot is over before the pod stops, as a rule. A hook that hangs has two seconds more.
    fn stop_time(&self) -> u64 {
        let hook = if self.pre_stop.is_empty() { 0 } else { 2 };
        if self.is_oneshot() {
            0
        } else {
            self.stop_seconds + hook
        }
    }
}
