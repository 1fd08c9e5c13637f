//! Plain Kubernetes pods, drawn as the kubelet runs them.
//!
//! Each entry of the init list waits for the one before it: for the end of an init container, for
//! the start of a sidecar, and then also for the end of the nearest init container before it. The
//! regular list waits for the last entry in the same way, and is started one after the other.
//! Sidecars are stopped after all mains.

use crate::standing::Standing;
use pillion_engine::pod::{
    Backoff, Barrier, BarrierId, Container, ContainerId, Kind, List, Need, OnGiveUp, Origin, Pod,
    Probe, Reaction, Requirement, Rerun, RestartPolicy, Role, Rule, Scope, Target, Until, When,
};
use std::time::Duration;

/// A container and where it stands.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) container: Container,
    pub(crate) standing: Standing,
    own_policy: bool,
}

/// A container of the regular list.
pub(crate) fn main(name: &str) -> Draft {
    Draft {
        container: Container {
            plain: true,
            ..Container::new(name, RestartPolicy::Always)
        },
        standing: Standing::New,
        own_policy: false,
    }
}

/// An init container.
pub(crate) fn init(name: &str) -> Draft {
    let mut draft = main(name);
    draft.container.list = List::Init;
    draft.container.kind = Kind::Oneshot {
        undo: false,
        rerun: Rerun::OnPodRestart,
    };
    draft
}

/// A native sidecar.
pub(crate) fn sidecar(name: &str) -> Draft {
    let mut draft = main(name).policy(RestartPolicy::Always);
    draft.container.list = List::Init;
    draft.container.role = Role::Sidecar;
    draft.container.on_give_up = OnGiveUp::Unready;
    draft
}

/// An ephemeral container.
pub(crate) fn ephemeral(name: &str) -> Draft {
    let mut draft = main(name).policy(RestartPolicy::Never);
    draft.container.list = List::Ephemeral;
    draft.container.role = Role::Ephemeral;
    draft.container.on_give_up = OnGiveUp::Ignore;
    draft
}

/// A pod of these containers, with the edges of a plain pod.
pub(crate) fn pod(policy: RestartPolicy, drafts: &[Draft]) -> Pod {
    let containers = drafts.iter().map(|draft| {
        let mut container = draft.container.clone();
        if !draft.own_policy {
            container.restart.policy = policy;
        }
        container
    });
    let mut pod = Pod {
        name: "pod".into(),
        containers: containers.collect(),
        barriers: Vec::new(),
        restart_policy: policy,
        grace: Duration::from_secs(30),
        active_deadline: None,
        backoff: Backoff::default(),
    };
    add_init_list(&mut pod);
    add_list_order(&mut pod);
    add_roles(&mut pod);
    pod
}

// === impl Draft ===

impl Draft {
    /// Where it stands.
    pub(crate) fn is(mut self, standing: Standing) -> Self {
        self.standing = standing;
        self
    }

    /// Its own policy instead of the pod's.
    pub(crate) fn policy(mut self, policy: RestartPolicy) -> Self {
        self.container.restart.policy = policy;
        self.own_policy = true;
        self
    }

    /// When it exits with this code, everything is run again.
    pub(crate) fn restarts_all_on(mut self, code: i32) -> Self {
        self.container.restart.rules.push(Rule {
            when: When::CodeIn(vec![code]),
            reaction: Reaction::RestartAllContainers,
        });
        self
    }

    pub(crate) fn back_off(mut self, backoff: Backoff) -> Self {
        self.container.restart.backoff = backoff;
        self
    }

    /// Its image must be pulled before it can start.
    pub(crate) fn image(mut self) -> Self {
        self.container.image = Some("image:1".into());
        self
    }

    pub(crate) fn startup_probe(mut self) -> Self {
        self.container.probes.startup = Some(strict());
        self
    }

    pub(crate) fn readiness_probe(mut self) -> Self {
        self.container.probes.readiness = Some(strict());
        self
    }

    pub(crate) fn liveness_probe(mut self) -> Self {
        self.container.probes.liveness = Some(strict());
        self
    }

    /// It has a Pillion field, so it is not bound to the kubelet's ways.
    pub(crate) fn not_plain(mut self) -> Self {
        self.container.plain = false;
        self
    }
}

/// A probe whose first answer counts.
fn strict() -> Probe {
    Probe {
        failure_threshold: 1,
        ..Probe::default()
    }
}

fn add_init_list(pod: &mut Pod) {
    let (mut last, mut last_oneshot) = (None, None);
    for id in ids(pod) {
        if pod.containers[id.index()].list == List::Ephemeral {
            continue;
        }
        let mut edges = Vec::new();
        if last != last_oneshot {
            edges.extend(last.map(|sidecar| Requirement {
                need: Need::Order,
                ..in_list(sidecar, Until::Started)
            }));
        }
        edges.extend(last_oneshot.map(|oneshot| in_list(oneshot, Until::Succeeded)));
        let container = &mut pod.containers[id.index()];
        container.requires.extend(edges);
        if container.list == List::Init {
            last = Some(id);
            last_oneshot = if container.is_oneshot() {
                last
            } else {
                last_oneshot
            };
        }
    }
}

fn add_list_order(pod: &mut Pod) {
    let regular: Vec<_> = ids(pod)
        .filter(|id| pod.containers[id.index()].list == List::Regular)
        .collect();
    for pair in regular.windows(2) {
        let edge = Requirement {
            need: Need::Order,
            scope: Scope::StartOnly,
            ..in_list(pair[0], Until::Attempted)
        };
        pod.containers[pair[1].index()].requires.push(edge);
    }
}

/// Mains meet at one barrier in front of the sidecars. An init container that a sidecar waits for is no part of it.
fn add_roles(pod: &mut Pod) {
    let stopped_before = |target, until| Requirement {
        scope: Scope::StopOnly,
        origin: Origin::Role,
        ..Requirement::hard(target, until)
    };
    let of_role = |pod: &Pod, role| {
        let of_role = ids(pod).filter(|id| pod.containers[id.index()].role == role);
        of_role.collect::<Vec<_>>()
    };
    let sidecars = of_role(pod, Role::Sidecar);
    let Some(last_sidecar) = sidecars.last().copied() else {
        return;
    };
    for id in of_role(pod, Role::Main)
        .into_iter()
        .filter(|id| *id > last_sidecar)
    {
        let edge = stopped_before(Target::Barrier(BarrierId(0)), Until::Settled);
        pod.containers[id.index()].requires.push(edge);
    }
    let edges = sidecars
        .into_iter()
        .map(|id| stopped_before(Target::Container(id), Until::Started));
    pod.barriers.push(Barrier {
        name: "mains".into(),
        requires: edges.collect(),
    });
}

fn in_list(target: ContainerId, until: Until) -> Requirement {
    Requirement {
        origin: Origin::ListOrder,
        ..Requirement::hard(Target::Container(target), until)
    }
}

fn ids(pod: &Pod) -> impl Iterator<Item = ContainerId> + use<> {
    (0..u32::try_from(pod.containers.len()).expect("a pod is small")).map(ContainerId)
}
