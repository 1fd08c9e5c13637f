//! What a pod will do, worked out from its graph: the waves in which it starts and stops.
//!
//! How long stopping may take is told in [`stop`]. Pure functions over the engine's pod. Barriers are looked through: people see containers.
//! Containers that wait for each other in a circle are in no wave.

pub mod stop;

use crate::lower::sketch::{edges, narrow, nodes, position};
use pillion_engine::pod::{
    Container, ContainerId, Keystone, Kind, Need, Pod, Requirement, Role, Until,
};
use std::time::Duration;

/// Nodes in an order in which each comes after all that it follows.
struct Order {
    sequence: Vec<usize>,
    followers: Vec<Vec<Follower>>,
}

struct Follower {
    node: usize,
    until: Until,
}

/// The waves in which containers start: those of one wave wait for nothing but earlier waves.
/// Plain containers, which are started one right after the other, count as one wave.
pub fn start_waves(pod: &Pod) -> Vec<Vec<ContainerId>> {
    let order = Order::new(pod, Requirement::gates_start, |from, to| (to, from));
    let wave = order.flow(|node, until, wave: usize| {
        let passes = is_barrier(pod, node) || until == Until::Attempted;
        wave + usize::from(!passes)
    });
    waves(pod, &wave, |container| container.role != Role::Ephemeral)
}

/// What a container is, in a few words: `main` and `keystone`, or `sidecar` and `oneshot`. That a
/// oneshot is a main need not be said.
pub fn container_words(container: &Container) -> Vec<&'static str> {
    let role = match (container.role, container.kind) {
        (Role::Main, Kind::Service) => Some("main"),
        (Role::Main, Kind::Oneshot { .. }) => None,
        (Role::Sidecar, _) => Some("sidecar"),
        (Role::Ephemeral, _) => Some("ephemeral"),
    };
    let oneshot = container.is_oneshot().then_some("oneshot");
    let keystone = container.keystone.map(|keystone| match keystone {
        Keystone::Any => "keystone",
        Keystone::Success => "keystone by success",
        Keystone::Failure => "keystone by failure",
    });
    [role, oneshot, keystone].into_iter().flatten().collect()
}

/// What a requirement waits for, as in `after proxy ready`.
pub fn until_word(until: Until) -> &'static str {
    match until {
        Until::Attempted => "tried",
        Until::Started => "started",
        Until::Ready => "ready",
        Until::Succeeded => "succeeded",
        Until::Exited => "exited",
        Until::Settled => "complete",
    }
}

/// How strong a requirement is, as people write it.
pub fn need_word(need: Need) -> &'static str {
    match need {
        Need::Hard => "hard",
        Need::Soft => "soft",
        Need::Order => "order",
    }
}

/// Whether there is something to stop, or to undo, in a pod that is up.
pub(crate) fn is_stopped(container: &Container) -> bool {
    match container.role {
        Role::Ephemeral => false,
        Role::Main | Role::Sidecar => !container.is_oneshot() || container.has_undo(),
    }
}

/// Groups the containers that count by their wave. Waves in which none counts are left out.
fn waves(
    pod: &Pod,
    wave: &[Option<usize>],
    counts: impl Fn(&Container) -> bool,
) -> Vec<Vec<ContainerId>> {
    let mut waves: Vec<Vec<ContainerId>> = Vec::new();
    for (id, (wave, container)) in (0..).map(ContainerId).zip(wave.iter().zip(&pod.containers)) {
        if let Some(wave) = wave.filter(|_| counts(container)) {
            waves.resize_with(waves.len().max(wave + 1), Vec::new);
            waves[wave].push(id);
        }
    }
    waves.retain(|wave| !wave.is_empty());
    waves
}

fn is_barrier(pod: &Pod, node: usize) -> bool {
    node >= pod.containers.len()
}

// === impl Order ===

impl Order {
    /// Sorts the nodes by the edges that count. `turn` says which end of an edge comes first.
    fn new(
        pod: &Pod,
        counts: impl Fn(&Requirement) -> bool,
        turn: impl Fn(usize, usize) -> (usize, usize),
    ) -> Self {
        let count = pod.containers.len() + pod.barriers.len();
        let mut followers: Vec<Vec<Follower>> = Vec::new();
        followers.resize_with(count, Vec::new);
        let mut leaders = vec![0_usize; count];
        for from in nodes(pod) {
            for edge in edges(pod, from).iter().filter(|edge| counts(edge)) {
                let until = edge.until;
                let (first, node) = turn(position(pod, from), position(pod, edge.target));
                followers[first].push(Follower { node, until });
                leaders[node] += 1;
            }
        }
        let mut sequence: Vec<_> = (0..count).filter(|node| leaders[*node] == 0).collect();
        let mut next = 0;
        while let Some(node) = sequence.get(next).copied() {
            next += 1;
            for follower in &followers[node] {
                leaders[follower.node] -= 1;
                if leaders[follower.node] == 0 {
                    sequence.push(follower.node);
                }
            }
        }
        Self {
            sequence,
            followers,
        }
    }

    /// When the turn of each container comes, if one whose turn comes then ends as `ends` says.
    fn begins(
        &self,
        pod: &Pod,
        ends: impl Fn(ContainerId, Duration) -> Duration,
    ) -> Vec<Option<Duration>> {
        let mut begins = self.flow(|node, _, begin: Duration| match pod.containers.get(node) {
            Some(container) if is_stopped(container) => ends(ContainerId(narrow(node)), begin),
            Some(_) | None => begin,
        });
        begins.truncate(pod.containers.len());
        begins
    }

    /// What arrives at each node: the largest of what leaves those that it follows. `leave` tells
    /// what leaves a node along an edge. Nothing arrives at a node that is on a circle.
    fn flow<T: Copy + Default + Ord>(
        &self,
        leave: impl Fn(usize, Until, T) -> T,
    ) -> Vec<Option<T>> {
        let mut arriving = vec![T::default(); self.followers.len()];
        let mut reached = vec![None; self.followers.len()];
        for node in &self.sequence {
            let arrived = arriving[*node];
            reached[*node] = Some(arrived);
            for follower in &self.followers[*node] {
                let leaving = leave(*node, follower.until, arrived);
                arriving[follower.node] = arriving[follower.node].max(leaving);
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests;
