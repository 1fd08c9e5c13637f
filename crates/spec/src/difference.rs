//! What is different between a pod that runs and another file for it.
//!
//! Containers are compared one by one, by their names: most of what a container is can be exchanged under a running
//! pod. What cannot is its place in the graph, which is drawn once for the whole life of a pod, and what all
//! containers share. [`refusals`] names all of that, [`fields`] says what a container was given anew.

mod edge;
mod fields;
#[cfg(test)]
mod tests;

pub use fields::fields;

use crate::container::{Container, ContainerList};
use crate::pod::PodSpec;
use edge::{same_barriers, same_requirements};
use pillion_engine::pod::{self as engine, Origin, Role};
use std::collections::BTreeMap;

/// A pod, as it is written and as it is run.
#[derive(Clone, Debug)]
pub struct Side<'s> {
    /// What the engine runs.
    pub graph: &'s engine::Pod,
    /// What the containers share.
    pub spec: &'s PodSpec,
    /// What each container was made from, and the list it stands in.
    pub written: BTreeMap<&'s str, (ContainerList, &'s Container)>,
}

/// Something that cannot be different in a pod that goes on running.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refusal {
    /// Of which container; without one, of the pod.
    pub container: Option<String>,
    /// Its fields that bring it about, if it is one that it was given.
    pub fields: Vec<&'static str>,
    /// What would be different.
    pub message: String,
}

/// The fields that a container's place in the graph comes from.
const PLACE: &[&str] = &[
    "lifecycle.onCompletion",
    "lifecycle.type",
    "network",
    "oneshot",
    "phase",
    "provides",
    "requires",
    "sidecar",
    "uses",
];
/// Those that it can also come from, though they are mostly about something else.
const PERHAPS: &[&str] = &["env", "restartPolicy"];
/// Those that decide what others wait for.
const OTHERS: &[&str] = &["lifecycle.type", "phase", "provides"];

/// Everything that keeps the new file from being taken by the pod that runs.
pub fn refusals(old: &Side<'_>, new: &Side<'_>) -> Vec<Refusal> {
    let mut refusals = of_pod(old.spec, new.spec);
    refusals.extend(of_job(old, new));
    refusals.extend(of_names(old, new));
    let mut follow = Vec::new();
    for def in &old.graph.containers {
        let (own, following) = of_container(old, new, def);
        refusals.extend(own);
        follow.extend(following);
    }
    // What only follows from something else that is told need not be told.
    if refusals.is_empty() && !follow.is_empty() {
        refusals = of_causes(old, new);
    }
    if refusals.is_empty() {
        refusals = follow;
    }
    if refusals.is_empty() && !same_barriers(old.graph, new.graph) {
        refusals.push(of_the_pod("phase", "its phases are others"));
    }
    refusals
}

impl<'s> Side<'s> {
    /// A pod as one file has it.
    pub fn of_file(graph: &'s engine::Pod, spec: &'s PodSpec) -> Self {
        let all = spec.all_containers();
        let written = all.map(|(list, _, container)| (container.name.as_str(), (list, container)));
        Self {
            graph,
            spec,
            written: written.collect(),
        }
    }
}

/// What all containers share. Fields that mean nothing to a pod on this machine can be anything.
fn of_pod(old: &PodSpec, new: &PodSpec) -> Vec<Refusal> {
    let PodSpec {
        init_containers: _,
        containers: _,
        ephemeral_containers: _,
        restart_policy,
        termination_grace_period_seconds,
        active_deadline_seconds,
        // They are looked at one by one, by whoever makes them.
        volumes: _,
        // These reach containers in their variables, and as whom they run.
        host_network: _,
        hostname: _,
        security_context: _,
        host_pid,
        host_ipc,
        host_users,
        share_process_namespace,
        subdomain: _,
        host_aliases: _,
        dns_policy: _,
        node_name: _,
        runtime_class_name: _,
        service_account_name: _,
        automount_service_account_token: _,
        image_pull_secrets: _,
        os: _,
        resources: _,
        overhead: _,
    } = old;
    let seconds = |seconds: u64| format!("{seconds} s");
    let limit = |limit: Option<u64>| limit.map_or_else(|| "none".to_owned(), seconds);
    let flag = |flag: bool| flag.to_string();
    let users = |users: Option<bool>| flag(users.unwrap_or(true));
    let values = [
        (
            "restartPolicy",
            [restart_policy, &new.restart_policy].map(ToString::to_string),
        ),
        (
            "terminationGracePeriodSeconds",
            [
                *termination_grace_period_seconds,
                new.termination_grace_period_seconds,
            ]
            .map(seconds),
        ),
        (
            "activeDeadlineSeconds",
            [*active_deadline_seconds, new.active_deadline_seconds].map(limit),
        ),
        ("hostPID", [*host_pid, new.host_pid].map(flag)),
        ("hostIPC", [*host_ipc, new.host_ipc].map(flag)),
        ("hostUsers", [*host_users, new.host_users].map(users)),
        (
            "shareProcessNamespace",
            [*share_process_namespace, new.share_process_namespace].map(flag),
        ),
    ];
    let others = values.into_iter().filter(|(_, [old, new])| old != new);
    others
        .map(|(field, [old, new])| of_the_pod(field, format!("is {old}, and would be {new}")))
        .collect()
}

/// What a Job makes of all containers together, unless that follows from their policy.
fn of_job(old: &Side<'_>, new: &Side<'_>) -> Option<Refusal> {
    let limits = [old, new].map(|side| side.graph.restart_limit);
    if limits[0] == limits[1] || old.spec.restart_policy != new.spec.restart_policy {
        return None;
    }
    let limit = |limit: Option<u32>| limit.map_or_else(|| "none".to_owned(), |max| max.to_string());
    let [old, new] = limits.map(limit);
    let message = format!("is {old}, and would be {new}");
    Some(of_the_pod("backoffLimit", message))
}

/// Containers that only one side has.
fn of_names(old: &Side<'_>, new: &Side<'_>) -> Vec<Refusal> {
    let missing = |here: &Side<'_>, there: &Side<'_>, message: &str| {
        let names = here.graph.containers.iter().map(|def| def.name.to_string());
        let missing = names.filter(|name| !there.written.contains_key(name.as_str()));
        let refusals = missing.map(|name| Refusal::of(&name, Vec::new(), message));
        refusals.collect::<Vec<_>>()
    };
    let mut refusals = missing(new, old, "is new");
    refusals.extend(missing(old, new, "is not in the file any more"));
    refusals
}

/// What is different about a container that both have: what it says itself, and what follows from others.
fn of_container(
    old: &Side<'_>,
    new: &Side<'_>,
    def: &engine::Container,
) -> (Vec<Refusal>, Option<Refusal>) {
    let name = &*def.name;
    let other = new
        .graph
        .containers
        .iter()
        .find(|other| other.name == def.name);
    let (Some(other), Some(was), Some(is)) = (other, old.written.get(name), new.written.get(name))
    else {
        return (Vec::new(), None);
    };
    let fields = of_place(&fields(was.1, is.1));
    let mut refusals = Vec::new();
    if def.list != other.list {
        let message = format!("was in `{}`, and is in `{}`", was.0, is.0);
        refusals.push(Refusal::of(name, Vec::new(), message));
    }
    if def.is_oneshot() != other.is_oneshot() || def.role != other.role {
        let message = format!("is a {}, and would be a {}", kind(def), kind(other));
        refusals.push(Refusal::of(name, fields.clone(), message));
    }
    if !refusals.is_empty() || same_requirements(old.graph, def, new.graph, other) {
        return (refusals, None);
    }
    let by_list = |def: &engine::Container| {
        let origins = def.requires.iter().map(|edge| edge.origin);
        origins
            .filter(|origin| *origin == Origin::ListOrder)
            .count()
    };
    let message = if fields.is_empty() && by_list(def) + by_list(other) > 0 {
        "stands in another place of its list, whose order counts"
    } else {
        "would wait for other things than it did"
    };
    let refusal = Refusal::of(name, fields, message);
    if refusal.fields.is_empty() {
        (Vec::new(), Some(refusal))
    } else {
        (vec![refusal], None)
    }
}

/// Those of the fields that say where a container stands.
fn of_place(fields: &[&'static str]) -> Vec<&'static str> {
    let those = |names: &[&str]| {
        let those = fields.iter().copied().filter(|field| names.contains(field));
        those.collect::<Vec<_>>()
    };
    let place = those(PLACE);
    if place.is_empty() {
        those(PERHAPS)
    } else {
        place
    }
}

/// Containers that decide anew what others wait for.
fn of_causes(old: &Side<'_>, new: &Side<'_>) -> Vec<Refusal> {
    let both = old.written.iter().filter_map(|(name, (_, was))| {
        let (_, is) = new.written.get(name)?;
        let mut fields = fields(was, is);
        fields.retain(|field| OTHERS.contains(field));
        Some((name, fields))
    });
    let causes = both.filter(|(_, fields)| !fields.is_empty());
    causes
        .map(|(name, fields)| Refusal::of(name, fields, "others would wait for other things"))
        .collect()
}

fn kind(def: &engine::Container) -> &'static str {
    match (def.role, def.is_oneshot()) {
        (Role::Main, false) => "main",
        (Role::Main, true) => "oneshot",
        (Role::Sidecar, false) => "sidecar",
        (Role::Sidecar, true) => "oneshot sidecar",
        (Role::Ephemeral, _) => "debugging container",
    }
}

fn of_the_pod(field: &'static str, message: impl Into<String>) -> Refusal {
    Refusal {
        container: None,
        fields: vec![field],
        message: message.into(),
    }
}

// === impl Refusal ===

impl Refusal {
    fn of(container: &str, fields: Vec<&'static str>, message: impl Into<String>) -> Self {
        Self {
            container: Some(container.to_owned()),
            fields,
            message: message.into(),
        }
    }
}
