//! What a pod asks of a node, as the scheduler counts it.
//!
//! For each resource: while the init list runs, each entry needs its own share and that of the
//! sidecars before it; afterwards all sidecars and all regular containers need theirs together. The
//! pod's amount is the largest of these. Amounts given for the pod as a whole replace the count, and
//! the overhead of its runtime is added.

use crate::container::Container;
use crate::pod::PodSpec;
use crate::quantity::Quantity;
use crate::resources::Resources;
use crate::restart::RestartPolicy;
use std::collections::BTreeMap;

/// Amounts by resource name.
pub type Amounts = BTreeMap<String, Quantity>;

/// What a pod asks for and what it may use at most.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Effective {
    /// What must be free on a node.
    pub requests: Amounts,
    /// What it cannot exceed. A container without a limit is not counted.
    pub limits: Amounts,
}

/// What the containers of a pod have together, and what the pod has as a whole.
pub(crate) struct PodLevel {
    /// What its containers ask for together.
    pub(crate) counted_requests: Amounts,
    /// What its containers may use together.
    pub(crate) counted_limits: Amounts,
    /// What is given for the pod as a whole, completed as the API server does it.
    pub(crate) completed: Resources,
}

/// Counts a pod's resources.
pub fn effective(spec: &PodSpec) -> Effective {
    let PodLevel {
        counted_requests,
        counted_limits,
        completed,
    } = pod_level(spec);
    let mut effective = Effective {
        requests: replaced(counted_requests, &completed.requests),
        limits: replaced(counted_limits, &completed.limits),
    };
    for (name, amount) in &spec.overhead {
        add(&mut effective.requests, name, *amount);
        // What has no limit does not get one by the overhead.
        if let Some(limit) = effective
            .limits
            .get_mut(name)
            .filter(|l| **l != Quantity::ZERO)
        {
            *limit = *limit + *amount;
        }
    }
    effective
}

/// A limit without a request is a request as well.
fn requests_of(resources: &Resources) -> Amounts {
    let mut requests = resources.limits.clone();
    requests.extend(resources.requests.clone());
    requests
}

fn count(spec: &PodSpec, amounts: impl Fn(&Container) -> Amounts) -> Amounts {
    let mut running = Amounts::new();
    for container in &spec.containers {
        add_all(&mut running, &amounts(container));
    }
    let mut sidecars = Amounts::new();
    let mut starting = Amounts::new();
    for container in &spec.init_containers {
        let own = amounts(container);
        let mut needed = sidecars.clone();
        add_all(&mut needed, &own);
        if container.restart_policy == Some(RestartPolicy::Always) {
            add_all(&mut running, &own);
            sidecars.clone_from(&needed);
        }
        raise_all(&mut starting, &needed);
    }
    raise_all(&mut running, &starting);
    running
}

/// What the containers have together, and the pod as a whole.
pub(crate) fn pod_level(spec: &PodSpec) -> PodLevel {
    let counted_requests = count(spec, |container| requests_of(&container.resources));
    let counted_limits = count(spec, |container| container.resources.limits.clone());
    let completed = completed(spec, &counted_requests, &counted_limits);
    PodLevel {
        counted_requests,
        counted_limits,
        completed,
    }
}

/// What is given for the pod as a whole, completed as the API server does it.
fn completed(spec: &PodSpec, requests: &Amounts, limits: &Amounts) -> Resources {
    let Some(given) = &spec.resources else {
        return Resources::default();
    };
    let mut pod = given.clone();
    if pod.requests.is_empty() && pod.limits.is_empty() {
        return pod;
    }
    for (name, amount) in limits.iter().filter(|(name, _)| is_huge_page(name)) {
        if !pod.requests.contains_key(name) {
            pod.limits.entry(name.clone()).or_insert(*amount);
        }
    }
    if pod.limits.is_empty() {
        return pod;
    }
    for (name, amount) in requests.iter().filter(|(name, _)| is_cpu_or_memory(name)) {
        pod.requests.entry(name.clone()).or_insert(*amount);
    }
    for (name, amount) in pod.limits.iter().filter(|(name, _)| is_pod_level(name)) {
        pod.requests.entry(name.clone()).or_insert(*amount);
    }
    pod
}

fn replaced(mut counted: Amounts, given: &Amounts) -> Amounts {
    let given = given.iter().filter(|(name, _)| is_pod_level(name));
    counted.extend(given.map(|(name, amount)| (name.clone(), *amount)));
    counted
}

/// Only these can be given for a pod as a whole.
pub(crate) fn is_pod_level(name: &str) -> bool {
    is_cpu_or_memory(name) || is_huge_page(name)
}

fn is_cpu_or_memory(name: &str) -> bool {
    matches!(name, "cpu" | "memory")
}

pub(crate) fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn add_all(sum: &mut Amounts, amounts: &Amounts) {
    for (name, amount) in amounts {
        add(sum, name, *amount);
    }
}

fn add(sum: &mut Amounts, name: &str, amount: Quantity) {
    let entry = sum.entry(name.to_owned()).or_insert(Quantity::ZERO);
    *entry = *entry + amount;
}

fn raise_all(most: &mut Amounts, amounts: &Amounts) {
    for (name, amount) in amounts {
        let entry = most.entry(name.clone()).or_insert(*amount);
        *entry = (*entry).max(*amount);
    }
}

#[cfg(test)]
mod tests;
