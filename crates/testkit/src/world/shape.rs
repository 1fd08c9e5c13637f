//! What a pod's graph says once and for all: who is above whom in the stop order.

use pillion_engine::ContainerId;
use pillion_engine::pod::{Pod, Requirement, Role, SHORTEST_GRACE, Target};
use std::time::Duration;

/// A set of containers.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub(crate) struct Set(u64);

/// A pod with what can be told from its graph alone.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The pod.
    pub(crate) pod: Pod,
    above: Vec<Set>,
    below: Vec<Set>,
    requires_main: Vec<bool>,
}

// === impl Set ===

impl Set {
    /// Adds one.
    pub(crate) fn insert(&mut self, id: ContainerId) {
        self.0 |= 1 << id.0;
    }

    /// Whether it is in.
    pub(crate) const fn contains(self, id: ContainerId) -> bool {
        self.0 & (1 << id.0) != 0
    }

    /// Its members in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = ContainerId> {
        (0..u64::BITS)
            .map(ContainerId)
            .filter(move |&id| self.contains(id))
    }

    fn join(&mut self, other: Self) -> bool {
        let before = self.0;
        self.0 |= other.0;
        self.0 != before
    }
}

// === impl Shape ===

impl Shape {
    /// Reads a pod's graph. Pods of more than 64 containers are not judged.
    pub(crate) fn new(pod: Pod) -> Self {
        assert!(
            pod.containers.len() <= 64,
            "a judged pod has at most 64 containers"
        );
        let below = transitive(direct_below(&pod));
        let above = inverse(&below);
        let requires_main = below.iter().map(|set| holds_main(&pod, *set)).collect();
        Self {
            pod,
            above,
            below,
            requires_main,
        }
    }

    /// Every container's id.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ContainerId> + use<> {
        ids(&self.pod)
    }

    /// What an ordered stop of the pod has: its grace period, and never nothing.
    pub(crate) fn budget(&self) -> Duration {
        self.pod.grace.max(SHORTEST_GRACE)
    }

    /// Everything that requires it, directly or through others, in the order of stops.
    pub(crate) fn above(&self, id: ContainerId) -> Set {
        self.above[id.index()]
    }

    /// Everything that it requires, directly or through others, in the order of stops.
    pub(crate) fn below(&self, id: ContainerId) -> Set {
        self.below[id.index()]
    }

    /// Whether it requires a main service, directly or through others, in the order of stops.
    pub(crate) fn requires_main(&self, id: ContainerId) -> bool {
        self.requires_main[id.index()]
    }

    /// Those that require `target` directly, each with the number of the edge.
    pub(crate) fn dependants(
        &self,
        target: ContainerId,
    ) -> impl Iterator<Item = (ContainerId, usize, &Requirement)> {
        self.ids().flat_map(move |id| {
            let edges = self.pod.containers[id.index()].requires.iter().enumerate();
            edges
                .filter(move |(_, edge)| edge.target == Target::Container(target))
                .map(move |(index, edge)| (id, index, edge))
        })
    }
}

fn ids(pod: &Pod) -> impl Iterator<Item = ContainerId> + use<> {
    (0..u32::try_from(pod.containers.len()).unwrap_or(u32::MAX)).map(ContainerId)
}

fn direct_below(pod: &Pod) -> Vec<Set> {
    let through = |container: &pillion_engine::pod::Container| {
        let mut set = Set::default();
        gather(pod, &container.requires, &mut set);
        set
    };
    pod.containers.iter().map(through).collect()
}

/// Adds the containers that these edges order at stop, looking through barriers.
fn gather(pod: &Pod, edges: &[Requirement], into: &mut Set) {
    for edge in edges.iter().filter(|edge| edge.orders_stop()) {
        match edge.target {
            Target::Container(id) => into.insert(id),
            Target::Barrier(id) => gather(pod, &pod.barriers[id.index()].requires, into),
        }
    }
}

fn transitive(mut below: Vec<Set>) -> Vec<Set> {
    loop {
        let mut changed = false;
        for index in 0..below.len() {
            for next in below[index].iter() {
                let further = below[next.index()];
                changed |= below[index].join(further);
            }
        }
        if !changed {
            return below;
        }
    }
}

fn inverse(below: &[Set]) -> Vec<Set> {
    let mut above = vec![Set::default(); below.len()];
    for (id, set) in (0..).map(ContainerId).zip(below) {
        for lower in set.iter().filter(|&lower| lower != id) {
            above[lower.index()].insert(id);
        }
    }
    above
}

fn holds_main(pod: &Pod, set: Set) -> bool {
    let mut containers = set.iter().map(|id| &pod.containers[id.index()]);
    containers.any(|it| it.role == Role::Main && !it.is_oneshot())
}
