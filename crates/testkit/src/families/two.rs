//! Two containers: every edge between every pair of kinds and roles.

use super::{Specimen, hasty};
use crate::draft::{as_sidecar, edge, oneshot, pod, service};
use pillion_engine::ContainerId;
use pillion_engine::pod::{
    Container, Need, OnRestart, Requirement, RestartPolicy, Role, Target, Until,
};

/// All of them.
pub fn pods() -> Vec<Specimen> {
    let mut pods = Vec::new();
    for roles in ROLES {
        for target in [service("target"), oneshot("target")] {
            for dependant in [service("dependant"), oneshot("dependant")] {
                pods.extend(edges(&target).filter_map(|requirement| {
                    specimen(roles, target.clone(), dependant.clone(), requirement)
                }));
            }
        }
    }
    pods
}

/// Every edge that can lead to a container of that kind.
fn edges(target: &Container) -> impl Iterator<Item = Requirement> + use<> {
    let untils: &[Until] = if target.is_oneshot() {
        &[Until::Started, Until::Succeeded, Until::Exited]
    } else {
        &[
            Until::Started,
            Until::Ready,
            Until::Succeeded,
            Until::Exited,
        ]
    };
    let untils = untils.iter().copied();
    let edges = untils.flat_map(|until| NEEDS.map(|need| (until, need)));
    let edges = edges.flat_map(|(until, need)| {
        // What is over when it holds cannot be lost.
        let reactions: &[OnRestart] = match until {
            Until::Started | Until::Ready => &ON_RESTART,
            Until::Attempted | Until::Succeeded | Until::Exited | Until::Settled => {
                &[OnRestart::Keep]
            }
        };
        reactions
            .iter()
            .map(move |&on_restart| (until, need, on_restart))
    });
    edges.map(|(until, need, on_restart)| Requirement {
        need,
        on_restart,
        ..Requirement::hard(Target::Container(ContainerId(0)), until)
    })
}

fn specimen(
    (of_target, of_dependant): (Role, Role),
    target: Container,
    dependant: Container,
    requirement: Requirement,
) -> Option<Specimen> {
    let waits_for_end = matches!(requirement.until, Until::Succeeded | Until::Exited);
    // The end of the only main ends the pod: nothing can wait for it.
    if waits_for_end && of_target == Role::Main && of_dependant == Role::Sidecar {
        return None;
    }
    let name = format!(
        "{of_dependant:?} {} requires {of_target:?} {} {:?} {:?} {:?}",
        kind(&dependant),
        kind(&target),
        requirement.until,
        requirement.need,
        requirement.on_restart
    );
    let mut target = in_role(target, of_target);
    if waits_for_end {
        target.restart.policy = RestartPolicy::OnFailure;
    }
    let dependant = edge(in_role(dependant, of_dependant), requirement);
    Some(Specimen {
        name,
        pod: hasty(pod([target, dependant])),
    })
}

fn in_role(container: Container, role: Role) -> Container {
    match role {
        Role::Main | Role::Ephemeral => container,
        Role::Sidecar => {
            let mut sidecar = as_sidecar(container);
            sidecar.restart.policy = RestartPolicy::Always;
            sidecar
        }
    }
}

fn kind(container: &Container) -> &'static str {
    if container.is_oneshot() {
        "oneshot"
    } else {
        "service"
    }
}

const ROLES: [(Role, Role); 3] = [
    (Role::Main, Role::Main),
    (Role::Sidecar, Role::Main),
    (Role::Main, Role::Sidecar),
];
const NEEDS: [Need; 3] = [Need::Hard, Need::Soft, Need::Order];
const ON_RESTART: [OnRestart; 3] = [OnRestart::Keep, OnRestart::Restart, OnRestart::Stop];
