//! The start graph of a pod as people should see it.
//!
//! Edges go from what comes first to what follows. An edge that others imply is left out: if the app
//! waits for the migration and the migration for the proxy, nobody needs to be told that the app
//! waits for the proxy. Barriers are looked through where that makes no more edges. Containers that
//! are only started one right after the other, as in a plain pod, do not wait for each other.
//!
//! [`drawing`] puts it on a terminal; [`mermaid`] and [`dot`] are for other tools.

mod bonds;
pub(crate) mod dot;
pub(crate) mod drawing;
pub(crate) mod mermaid;
#[cfg(test)]
mod tests;

use bonds::Bonds;
use pillion_engine::pod::{Container, Need, OnRestart, Pod, Requirement, Role, Target, Until};
use pillion_timeline::Style;
use std::collections::{BTreeMap, BTreeSet};

/// Containers and barriers, and what comes before what.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// Sorted by what comes first, then by what follows.
    pub(crate) edges: Vec<Edge>,
}

/// A container, or a barrier.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum NodeKind {
    Main,
    Sidecar,
    Oneshot,
    Keystone,
    Barrier,
}

/// Something comes before something else.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) bond: Bond,
}

/// How strongly, and until what.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Bond {
    pub(crate) need: Need,
    pub(crate) until: Until,
    /// The condition is the one that goes without saying.
    pub(crate) plain: bool,
    /// It also says what happens when the first goes down later, which no way round says.
    pub(crate) lasts: bool,
}

/// Where containers and barriers are among the nodes.
#[derive(Default)]
struct Places {
    containers: Vec<Option<usize>>,
    barriers: Vec<usize>,
}

// === impl Graph ===

impl Graph {
    /// The graph of a pod. Ephemeral containers are in no order and not in it.
    pub(crate) fn new(pod: &Pod) -> Self {
        let (nodes, places) = nodes(pod);
        let mut bonds = bonds(pod, &places);
        look_through_barriers(&nodes, &mut bonds);
        if nodes.len().max(bonds.len()) <= REDUCIBLE {
            bonds.reduce(nodes.len());
            // With less around them, more barriers are only a detour.
            look_through_barriers(&nodes, &mut bonds);
            bonds.reduce(nodes.len());
        }
        Self {
            nodes,
            edges: bonds.edges().collect(),
        }
        .without_lonely_barriers()
    }

    /// Where each container is among the nodes, by name.
    pub(crate) fn places(&self) -> BTreeMap<&str, usize> {
        let nodes = self.nodes.iter().zip(0..);
        let containers = nodes.filter(|(node, _)| node.kind != NodeKind::Barrier);
        containers
            .map(|(node, place)| (node.name.as_str(), place))
            .collect()
    }

    /// What must come before each node, in the order of the pod.
    pub(crate) fn all_before(&self) -> Vec<Vec<&Edge>> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            before[edge.to].push(edge);
        }
        before
    }

    /// What follows a node, in the order of the pod.
    pub(crate) fn after(&self, node: usize) -> impl Iterator<Item = &Edge> {
        let first = self.edges.partition_point(|edge| edge.from < node);
        let edges = self.edges[first..].iter();
        edges.take_while(move |edge| edge.from == node)
    }

    /// The layer of each node: one more than the latest that comes before it. `None` if something
    /// waits for itself.
    pub(crate) fn layers(&self) -> Option<Vec<usize>> {
        let mut layers = vec![0; self.nodes.len()];
        let mut missing: Vec<_> = self.all_before().iter().map(Vec::len).collect();
        let mut open: Vec<_> = (0..layers.len())
            .filter(|node| missing[*node] == 0)
            .collect();
        let mut done = 0;
        while let Some(node) = open.pop() {
            done += 1;
            for edge in self.after(node) {
                layers[edge.to] = layers[edge.to].max(layers[node] + 1);
                missing[edge.to] -= 1;
                if missing[edge.to] == 0 {
                    open.push(edge.to);
                }
            }
        }
        (done == layers.len()).then_some(layers)
    }

    /// The same with shorter names; `None` if they could not be told apart.
    fn with_names_of(&self, width: usize, style: Style) -> Option<Self> {
        let names: Vec<_> = self.nodes.iter().map(|node| node.name.clone()).collect();
        let names = style.shorten_all(&names, width)?.into_iter();
        let nodes = names.zip(&self.nodes);
        let nodes = nodes.map(|(name, node)| Node {
            name,
            kind: node.kind,
        });
        Some(Self {
            nodes: nodes.collect(),
            edges: self.edges.clone(),
        })
    }

    /// Removes barriers that nothing is left of.
    fn without_lonely_barriers(self) -> Self {
        let Self { nodes, edges } = self;
        let used: BTreeSet<_> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let keep =
            |(place, node): &(usize, &Node)| node.kind != NodeKind::Barrier || used.contains(place);
        let kept: Vec<_> = nodes
            .iter()
            .enumerate()
            .filter(keep)
            .map(|(place, _)| place)
            .collect();
        let renumbered: BTreeMap<_, _> = kept.iter().copied().zip(0..).collect();
        let edge = |edge: Edge| Edge {
            from: renumbered[&edge.from],
            to: renumbered[&edge.to],
            ..edge
        };
        let edges = edges.into_iter().map(edge).collect();
        let nodes = kept.iter().map(|place| nodes[*place].clone()).collect();
        Self { nodes, edges }
    }
}

/// All that can be seen, and where each container and barrier of the pod is among it.
fn nodes(pod: &Pod) -> (Vec<Node>, Places) {
    let mut nodes = Vec::new();
    let mut places = Places::default();
    for container in &pod.containers {
        let seen = container.role != Role::Ephemeral;
        places.containers.push(seen.then_some(nodes.len()));
        if seen {
            let name = container.name.to_string();
            nodes.push(Node {
                name,
                kind: kind(container),
            });
        }
    }
    for barrier in &pod.barriers {
        places.barriers.push(nodes.len());
        let name = barrier.name.to_string();
        nodes.push(Node {
            name,
            kind: NodeKind::Barrier,
        });
    }
    (nodes, places)
}

const fn kind(container: &Container) -> NodeKind {
    match (container.keystone, container.is_oneshot(), container.role) {
        (Some(_), _, _) => NodeKind::Keystone,
        (None, true, _) => NodeKind::Oneshot,
        (None, false, Role::Sidecar) => NodeKind::Sidecar,
        (None, false, Role::Main | Role::Ephemeral) => NodeKind::Main,
    }
}

fn bonds(pod: &Pod, places: &Places) -> Bonds {
    let mut bonds = Bonds::default();
    let barriers = pod.barriers.iter().map(|barrier| &barrier.requires);
    let barriers = places
        .barriers
        .iter()
        .map(|place| Some(*place))
        .zip(barriers);
    let containers = pod.containers.iter().map(|container| &container.requires);
    for (to, requires) in places
        .containers
        .iter()
        .copied()
        .zip(containers)
        .chain(barriers)
    {
        for requirement in requires.iter().filter(|requirement| is_shown(requirement)) {
            if let (Some(from), Some(to)) = (places.get(requirement.target), to) {
                bonds.join(from, to, Bond::new(pod, requirement));
            }
        }
    }
    bonds
}

fn is_shown(requirement: &Requirement) -> bool {
    requirement.gates_start() && requirement.until != Until::Attempted
}

/// A barrier with one node on a side is only a detour.
fn look_through_barriers(nodes: &[Node], bonds: &mut Bonds) {
    let is_barrier = |(_, node): &(usize, &Node)| node.kind == NodeKind::Barrier;
    for (place, _) in nodes.iter().enumerate().filter(is_barrier) {
        if bonds.before(place).nth(1).is_none() || bonds.after(place).nth(1).is_none() {
            bonds.look_through(place);
        }
    }
}

// === impl Places ===

impl Places {
    fn get(&self, target: Target) -> Option<usize> {
        match target {
            Target::Container(id) => self.containers.get(id.index()).copied().flatten(),
            Target::Barrier(id) => self.barriers.get(id.index()).copied(),
        }
    }
}

// === impl Bond ===

impl Bond {
    fn new(pod: &Pod, requirement: &Requirement) -> Self {
        let default = match requirement.target {
            Target::Container(id) => pod.containers.get(id.index()).map(Container::default_until),
            Target::Barrier(_) => Some(Until::Settled),
        };
        Self {
            need: requirement.need,
            until: requirement.until,
            plain: Some(requirement.until) == default,
            lasts: requirement.on_restart != OnRestart::Keep,
        }
    }

    /// Whether it is waited for only as long as it can come.
    pub(crate) const fn is_weak(self) -> bool {
        matches!(self.need, Need::Soft | Need::Order)
    }

    /// Two edges in a row as one, over a barrier.
    fn and(self, then: Self) -> Self {
        Self {
            need: if self.is_weak() { self.need } else { then.need },
            ..self
        }
    }
}

/// With more nodes or edges than this a picture is out of the question anyway.
const REDUCIBLE: usize = 4000;
