//! Pods in a few words, for tests and for families of pods.

use pillion_engine::pod::{
    Backoff, Barrier, Container, Kind, OnGiveUp, OnRestart, Origin, Requirement, Rerun,
    RestartPolicy, Role, Scope, Target, Until,
};
use pillion_engine::{BarrierId, ContainerId, Pod};
use std::time::Duration;

/// A pod of these containers with a grace period of 30 seconds; sidecars are stopped after mains.
pub fn pod(containers: impl IntoIterator<Item = Container>) -> Pod {
    let pod = Pod {
        name: "draft".into(),
        containers: containers.into_iter().collect(),
        barriers: Vec::new(),
        restart_policy: RestartPolicy::OnFailure,
        grace: Duration::from_secs(30),
        active_deadline: None,
        restart_limit: None,
        backoff: Backoff::default(),
    };
    sidecars_last(pod)
}

/// A main service that is restarted after a failure.
pub fn service(name: &str) -> Container {
    Container::new(name, RestartPolicy::OnFailure)
}

/// A sidecar service that is always restarted.
pub fn sidecar(name: &str) -> Container {
    as_sidecar(Container::new(name, RestartPolicy::Always))
}

/// The same in the role of a sidecar.
pub fn as_sidecar(container: Container) -> Container {
    Container {
        role: Role::Sidecar,
        on_give_up: OnGiveUp::Unready,
        ..container
    }
}

/// A main oneshot that is tried again after a failure.
pub fn oneshot(name: &str) -> Container {
    Container {
        kind: Kind::Oneshot {
            undo: false,
            rerun: Rerun::OnPodRestart,
        },
        ..service(name)
    }
}

/// The same with a hard requirement on the container of that number.
pub fn requires(container: Container, target: u32, until: Until) -> Container {
    let target = Target::Container(ContainerId(target));
    edge(container, Requirement::hard(target, until))
}

/// The same, stopped and started together with the container of that number.
pub fn restarts_with(container: Container, target: u32, until: Until) -> Container {
    let target = Target::Container(ContainerId(target));
    let requirement = Requirement {
        on_restart: OnRestart::Restart,
        ..Requirement::hard(target, until)
    };
    edge(container, requirement)
}

/// The same with one more edge.
pub fn edge(mut container: Container, edge: Requirement) -> Container {
    container.requires.push(edge);
    container
}

/// Adds what the roles mean for the order of stops: mains meet in front of the sidecars that
/// require no main service.
pub fn sidecars_last(mut pod: Pod) -> Pod {
    let barrier = Target::Barrier(BarrierId(index(pod.barriers.len())));
    let behind: Vec<_> = with_role(&pod, Role::Sidecar)
        .filter(|&id| !reaches(&pod, id, |it| it.role == Role::Main && !it.is_oneshot()))
        .collect();
    let mains: Vec<_> = with_role(&pod, Role::Main)
        .filter(|&main| !behind.iter().any(|&id| required(&pod, id).contains(&main)))
        .collect();
    if behind.is_empty() || mains.is_empty() {
        return pod;
    }
    for id in mains {
        let edge = stopped_before(barrier, Until::Settled);
        pod.containers[id.index()].requires.push(edge);
    }
    let gathered = behind.into_iter().map(Target::Container);
    pod.barriers.push(Barrier {
        name: "mains".into(),
        requires: gathered
            .map(|it| stopped_before(it, Until::Started))
            .collect(),
    });
    pod
}

fn stopped_before(target: Target, until: Until) -> Requirement {
    Requirement {
        scope: Scope::StopOnly,
        origin: Origin::Role,
        ..Requirement::hard(target, until)
    }
}

fn with_role(pod: &Pod, role: Role) -> impl Iterator<Item = ContainerId> {
    let containers = (0..).map(ContainerId).zip(&pod.containers);
    containers
        .filter(move |(_, container)| container.role == role)
        .map(|(id, _)| id)
}

fn reaches(pod: &Pod, from: ContainerId, is: impl Fn(&Container) -> bool) -> bool {
    let mut required = required(pod, from).into_iter();
    required.any(|id| is(&pod.containers[id.index()]))
}

/// What a container requires, directly or through others, in the order of stops.
fn required(pod: &Pod, from: ContainerId) -> Vec<ContainerId> {
    let mut found = Vec::new();
    let mut open: Vec<_> = pod.containers[from.index()].requires.iter().collect();
    while let Some(edge) = open.pop() {
        match edge.target {
            _ if !edge.orders_stop() => {}
            Target::Container(id) if found.contains(&id) => {}
            Target::Container(id) => {
                found.push(id);
                let further = pod.containers.get(id.index());
                open.extend(further.into_iter().flat_map(|it| &it.requires));
            }
            Target::Barrier(id) => {
                let barrier = pod.barriers.get(id.index());
                open.extend(barrier.into_iter().flat_map(|it| &it.requires));
            }
        }
    }
    found
}

fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
