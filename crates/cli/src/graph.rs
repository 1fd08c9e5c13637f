//! The start graph of a pod as people should see it.
//!
//! Edges go from what comes first to what follows. An edge that others imply is left out: if the app
//! waits for the migration and the migration for the proxy, nobody needs to be told that the app
//! waits for the proxy. Barriers are looked through where that makes no more edges. Containers that
//! are only started one right after the other, as in a plain pod, do not wait for each other.
//!
//! [`drawing`] puts it on a terminal; [`mermaid`] and [`dot`] are for other tools.

pub(crate) mod dot;
pub(crate) mod drawing;
pub(crate) mod mermaid;
#[cfg(test)]
mod tests;

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

/// The edges by their two ends.
type Bonds = BTreeMap<(usize, usize), Bond>;

// === impl Graph ===

impl Graph {
    /// The graph of a pod. Ephemeral containers are in no order and not in it.
    pub(crate) fn new(pod: &Pod) -> Self {
        let (nodes, places) = nodes(pod);
        let mut bonds = bonds(pod, &places);
        look_through_barriers(&nodes, &mut bonds);
        if bonds.len() <= REDUCIBLE {
            reduce(&mut bonds);
            // With less around them, more barriers are only a detour.
            look_through_barriers(&nodes, &mut bonds);
            reduce(&mut bonds);
        }
        let edges = bonds.into_iter();
        let edges = edges.map(|((from, to), bond)| Edge { from, to, bond });
        Self {
            nodes,
            edges: edges.collect(),
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

    /// What must come before a node, in the order of the pod.
    pub(crate) fn before(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |edge| edge.to == node)
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

    /// Whether a node waits for another, or another for it.
    pub(crate) fn is_connected(&self, node: usize) -> bool {
        self.edges
            .iter()
            .any(|edge| edge.from == node || edge.to == node)
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
    let mut bonds = Bonds::new();
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
                join(&mut bonds, from, to, Bond::new(pod, requirement));
            }
        }
    }
    bonds
}

fn is_shown(requirement: &Requirement) -> bool {
    requirement.gates_start() && requirement.until != Until::Attempted
}

/// Adds an edge; of two between the same nodes the stronger stays.
fn join(bonds: &mut Bonds, from: usize, to: usize, bond: Bond) {
    let present = bonds.entry((from, to)).or_insert(bond);
    if bond.need == Need::Hard {
        *present = bond;
    }
}

/// A barrier with one node on a side is only a detour.
fn look_through_barriers(nodes: &[Node], bonds: &mut Bonds) {
    let is_barrier = |(_, node): &(usize, &Node)| node.kind == NodeKind::Barrier;
    for (place, _) in nodes.iter().enumerate().filter(is_barrier) {
        let into: Vec<_> = bonds.iter().filter(|((_, to), _)| *to == place).collect();
        let out: Vec<_> = bonds
            .iter()
            .filter(|((from, _), _)| *from == place)
            .collect();
        if into.len() > 1 && out.len() > 1 {
            continue;
        }
        let through: Vec<_> = into
            .iter()
            .flat_map(|((from, _), first)| {
                out.iter()
                    .map(move |((_, to), then)| (*from, *to, first.and(**then)))
            })
            .collect();
        bonds.retain(|(from, to), _| *from != place && *to != place);
        for (from, to, bond) in through {
            join(bonds, from, to, bond);
        }
    }
}

/// Leaves out what other edges imply.
fn reduce(bonds: &mut Bonds) {
    let all = bonds.clone();
    let mut arriving: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, to) in all.keys() {
        *arriving.entry(*to).or_default() += 1;
    }
    // The bonds come sorted by where they begin: what lies beyond is looked up once for each.
    let mut beyond: Option<(usize, Beyond)> = None;
    bonds.retain(|(from, to), bond| {
        if !bond.plain || bond.lasts || arriving.get(to) == Some(&1) {
            return true;
        }
        if beyond.as_ref().is_none_or(|(node, _)| node != from) {
            beyond = Some((*from, Beyond::new(&all, *from)));
        }
        !beyond
            .as_ref()
            .is_some_and(|(_, beyond)| beyond.implies(*to, bond.need))
    });
}

/// What is reached from a node through others.
struct Beyond {
    by_any: BTreeSet<usize>,
    by_hard: BTreeSet<usize>,
}

/// What is reached from a node over at least one other, by the bonds that count.
fn reach(bonds: &Bonds, from: usize, counts: impl Fn(&Bond) -> bool) -> BTreeSet<usize> {
    let next = |node: usize| {
        let out = bonds.range((node, 0)..=(node, usize::MAX));
        out.filter(|(_, bond)| counts(bond))
            .map(|((_, next), _)| *next)
    };
    let mut beyond = BTreeSet::new();
    let mut open: Vec<_> = next(from).collect();
    // Alone it leads nowhere but onwards: nothing is reached by two ways.
    if open.len() < 2 {
        return beyond;
    }
    while let Some(node) = open.pop() {
        open.extend(next(node).filter(|next| beyond.insert(*next)));
    }
    beyond
}

// === impl Beyond ===

impl Beyond {
    fn new(bonds: &Bonds, from: usize) -> Self {
        Self {
            by_any: reach(bonds, from, |_| true),
            by_hard: reach(bonds, from, |bond| bond.need == Need::Hard),
        }
    }

    /// Whether there is a way round that asks for as much.
    fn implies(&self, to: usize, need: Need) -> bool {
        match need {
            Need::Hard => self.by_hard.contains(&to),
            Need::Soft | Need::Order => self.by_any.contains(&to),
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

/// A condition in one word, as it is written in a file.
pub(crate) const fn condition(until: Until) -> &'static str {
    match until {
        Until::Attempted => "tried",
        Until::Started => "started",
        Until::Ready => "ready",
        Until::Succeeded => "succeeded",
        Until::Exited => "exited",
        Until::Settled => "through",
    }
}

/// With more edges than this a picture is out of the question anyway.
const REDUCIBLE: usize = 4000;
