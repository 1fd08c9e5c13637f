//! Who requires whom, by names: the graph of a pod as far as its timeline needs it.
//!
//! Only what a start waits for is there. The header has it from the pod; of an older timeline, whose
//! header does not tell, the waits that were seen stand for it.

use crate::form::{NeedForm, UntilForm};
use crate::record::Target;
use crate::timeline::Timeline;
use pillion_engine::pod::{self, BarrierId, Need, Pod, Requirement, Until};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One requirement.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// Who is waited for.
    #[serde(flatten)]
    pub target: Target,
    /// Until what.
    #[serde(with = "UntilForm")]
    pub until: Until,
    /// How strong the wait is.
    #[serde(default = "hard", skip_serializing_if = "is_hard", with = "NeedForm")]
    pub need: Need,
}

/// A meeting point of many.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BarrierHead {
    /// Its name.
    pub name: Box<str>,
    /// What it gathers.
    #[serde(default)]
    pub requires: Vec<Edge>,
}

/// An edge with both its ends.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Required {
    /// Who waits.
    pub from: Target,
    /// For whom, and how.
    pub edge: Edge,
}

impl Timeline {
    /// All edges of the pod, as far as they are known.
    pub fn edges(&self) -> Vec<Required> {
        let header = self.header();
        let of_containers = header.containers.iter().flat_map(|head| {
            let from = Target::Container(head.name.clone());
            required(from, &head.requires)
        });
        let of_barriers = header.barriers.iter().flat_map(|head| {
            let from = Target::Barrier(head.name.clone());
            required(from, &head.requires)
        });
        let told: Vec<_> = of_containers.chain(of_barriers).collect();
        if told.is_empty() { self.seen() } else { told }
    }

    /// The edges that show by somebody's waiting.
    fn seen(&self) -> Vec<Required> {
        let mut known = BTreeSet::new();
        let waits = self.waits().into_iter();
        let new = waits.filter(|wait| known.insert((wait.container.clone(), wait.target.clone())));
        let edge = |wait: crate::waits::Wait| Required {
            from: Target::Container(wait.container),
            edge: Edge {
                target: wait.target,
                until: wait.until,
                need: Need::Hard,
            },
        };
        new.map(edge).collect()
    }
}

fn required(from: Target, edges: &[Edge]) -> impl Iterator<Item = Required> {
    edges.iter().map(move |edge| Required {
        from: from.clone(),
        edge: edge.clone(),
    })
}

// === impl Edge ===

impl Edge {
    /// The edges that gate starts.
    pub(crate) fn all(pod: &Pod, requires: &[Requirement]) -> Vec<Self> {
        let gates = requires
            .iter()
            .filter(|requirement| requirement.gates_start());
        gates
            .filter_map(|requirement| {
                Some(Self {
                    target: name(pod, requirement.target)?,
                    until: requirement.until,
                    need: requirement.need,
                })
            })
            .collect()
    }
}

// === impl BarrierHead ===

impl BarrierHead {
    /// Those that a start waits for, directly or through others.
    pub(crate) fn all(pod: &Pod) -> Vec<Self> {
        let mut wanted = BTreeSet::new();
        let containers = pod.containers.iter();
        let mut open: Vec<BarrierId> = containers
            .flat_map(|container| barriers(&container.requires))
            .collect();
        while let Some(id) = open.pop() {
            if let Some(barrier) = pod.barriers.get(id.index())
                && wanted.insert(id)
            {
                open.extend(barriers(&barrier.requires));
            }
        }
        let heads = wanted
            .into_iter()
            .filter_map(|id| pod.barriers.get(id.index()));
        heads
            .map(|barrier| Self {
                name: barrier.name.clone(),
                requires: Edge::all(pod, &barrier.requires),
            })
            .collect()
    }
}

fn barriers(requires: &[Requirement]) -> impl Iterator<Item = BarrierId> {
    let gates = requires
        .iter()
        .filter(|requirement| requirement.gates_start());
    gates.filter_map(|requirement| match requirement.target {
        pod::Target::Barrier(id) => Some(id),
        pod::Target::Container(_) => None,
    })
}

/// The target by its name; `None` for an id that the pod does not have.
fn name(pod: &Pod, target: pod::Target) -> Option<Target> {
    match target {
        pod::Target::Container(id) => {
            let container = pod.containers.get(id.index())?;
            Some(Target::Container(container.name.clone()))
        }
        pod::Target::Barrier(id) => {
            let barrier = pod.barriers.get(id.index())?;
            Some(Target::Barrier(barrier.name.clone()))
        }
    }
}

const fn hard() -> Need {
    Need::Hard
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
const fn is_hard(need: &Need) -> bool {
    matches!(need, Need::Hard)
}
