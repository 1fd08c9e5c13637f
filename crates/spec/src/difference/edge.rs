//! Edges of two pods, compared by the names of what they lead to: the order of containers in a file need not count.

use pillion_engine::pod::{
    Container, Need, OnRestart, Origin, Pod, Requirement, Scope, Target, Until,
};
use std::time::Duration;

/// An edge that means the same in every pod with the same names.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Edge<'p> {
    target: Named<'p>,
    until: Until,
    need: Need,
    on_restart: OnRestart,
    timeout: Option<Duration>,
    scope: Scope,
    origin: Origin,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Named<'p> {
    Container(&'p str),
    /// Of two with one name, the place tells which.
    Barrier(&'p str, u32),
}

/// Whether two containers wait for the same, each in its pod.
pub(super) fn same_requirements(old: &Pod, was: &Container, new: &Pod, is: &Container) -> bool {
    same(&edges(old, &was.requires), edges(new, &is.requires))
}

/// Whether the meeting points are the same.
pub(super) fn same_barriers(old: &Pod, new: &Pod) -> bool {
    old.barriers.len() == new.barriers.len()
        && old.barriers.iter().zip(&new.barriers).all(|(was, is)| {
            was.name == is.name && same(&edges(old, &was.requires), edges(new, &is.requires))
        })
}

/// Whether they are the same, in any order.
fn same(old: &[Edge<'_>], mut new: Vec<Edge<'_>>) -> bool {
    if old == new {
        return true;
    }
    let all = old.iter().all(|edge| {
        let found = new.iter().position(|other| other == edge);
        found.map(|at| new.swap_remove(at)).is_some()
    });
    all && new.is_empty()
}

fn edges<'p>(pod: &'p Pod, requires: &'p [Requirement]) -> Vec<Edge<'p>> {
    requires.iter().map(|edge| named(pod, edge)).collect()
}

fn named<'p>(pod: &'p Pod, requirement: &Requirement) -> Edge<'p> {
    let Requirement {
        target,
        until,
        need,
        on_restart,
        timeout,
        scope,
        origin,
    } = *requirement;
    let target = match target {
        Target::Container(id) => {
            let container = pod.containers.get(id.index());
            Named::Container(container.map_or("", |container| &container.name))
        }
        Target::Barrier(id) => {
            let barrier = pod.barriers.get(id.index());
            Named::Barrier(barrier.map_or("", |barrier| &barrier.name), id.0)
        }
    };
    Edge {
        target,
        until,
        need,
        on_restart,
        timeout,
        scope,
        origin,
    }
}
