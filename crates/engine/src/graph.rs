//! The edges of a pod, numbered and found from both ends, and the search for cycles.
//!
//! Two graphs share the edges: the one that gates starts and the one that orders stops. Each must
//! be free of cycles by itself; together they need not be, because something may start after
//! another and still be stopped after it.

use crate::pod::{Barrier, ContainerId, Pod, Requirement, Target};
use std::fmt;
use std::ops::Range;

/// The edges of a pod.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Those that lead to the same node stand side by side: whenever something happens to a node, they are looked at.
    edges: Vec<Edge>,
    /// Their numbers, those that come from the same node side by side.
    by_source: Vec<u32>,
    containers: Vec<Node>,
    barriers: Vec<Node>,
}

/// One edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Who requires.
    pub from: Target,
    /// What is required.
    pub requirement: Requirement,
}

/// Why a pod cannot be run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InvalidGraph {
    /// An edge leads to something that is not there.
    Dangling {
        /// From where.
        from: Target,
        /// To where.
        to: Target,
    },
    /// Containers that wait for each other at start: each requires the next, the last requires the first.
    StartCycle(Vec<Target>),
    /// The same for the order of stops.
    StopCycle(Vec<Target>),
}

/// The edges at one end.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Places among the edges by source.
    outgoing: Range<u32>,
    incoming: Range<u32>,
}

// === impl Graph ===

impl Graph {
    /// Numbers the edges of a pod, and refuses a pod that could not be run.
    pub fn new(pod: &Pod) -> Result<Self, InvalidGraph> {
        let graph = Self::collect(pod);
        graph.check_ends()?;
        let mut graph = graph;
        graph.link();
        if let Some(cycle) = graph.cycle(Requirement::gates_start) {
            return Err(InvalidGraph::StartCycle(cycle));
        }
        if let Some(cycle) = graph.cycle(Requirement::orders_stop) {
            return Err(InvalidGraph::StopCycle(cycle));
        }
        Ok(graph)
    }

    /// One edge by its number.
    pub fn edge(&self, edge: u32) -> &Edge {
        &self.edges[edge as usize]
    }

    /// The numbers of all edges.
    pub fn edges(&self) -> Range<u32> {
        0..narrow(self.edges.len())
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The numbers of the edges by which this node requires others.
    pub fn outgoing(&self, node: Target) -> &[u32] {
        self.node(node).map_or(&[], |node| {
            &self.by_source[node.outgoing.start as usize..node.outgoing.end as usize]
        })
    }

    /// The numbers of the edges by which others require this node.
    pub fn incoming(&self, node: Target) -> Range<u32> {
        self.node(node).map_or(0..0, |node| node.incoming.clone())
    }

    /// Every node, containers first.
    pub fn nodes(&self) -> impl Iterator<Item = Target> + use<> {
        let containers =
            (0..narrow(self.containers.len())).map(|i| Target::Container(ContainerId(i)));
        let barriers =
            (0..narrow(self.barriers.len())).map(|i| Target::Barrier(crate::pod::BarrierId(i)));
        containers.chain(barriers)
    }

    fn collect(pod: &Pod) -> Self {
        let mut edges = Vec::new();
        let mut add = |from: Target, requires: &[Requirement]| {
            let begin = narrow(edges.len());
            edges.extend(requires.iter().map(|requirement| Edge {
                from,
                requirement: requirement.clone(),
            }));
            Node {
                outgoing: begin..narrow(edges.len()),
                incoming: 0..0,
            }
        };
        let containers = (0..)
            .zip(&pod.containers)
            .map(|(i, container)| add(Target::Container(ContainerId(i)), &container.requires));
        let containers = containers.collect();
        let barriers = (0..)
            .zip(&pod.barriers)
            .map(|(i, Barrier { requires, .. })| {
                add(Target::Barrier(crate::pod::BarrierId(i)), requires)
            });
        let barriers = barriers.collect();
        Self {
            edges,
            by_source: Vec::new(),
            containers,
            barriers,
        }
    }

    fn check_ends(&self) -> Result<(), InvalidGraph> {
        let dangling = self
            .edges
            .iter()
            .find(|edge| self.node(edge.requirement.target).is_none());
        match dangling {
            Some(edge) => Err(InvalidGraph::Dangling {
                from: edge.from,
                to: edge.requirement.target,
            }),
            None => Ok(()),
        }
    }

    /// Puts the edges in the order of their targets, and notes where each node finds its own.
    fn link(&mut self) {
        let mut written: Vec<_> = (0..).zip(std::mem::take(&mut self.edges)).collect();
        written.sort_by_key(|(_, edge)| self.position(edge.requirement.target));
        self.by_source = vec![0; written.len()];
        for (number, (place, edge)) in (0..).zip(written) {
            let place: u32 = place;
            self.by_source[place as usize] = number;
            let node = match edge.requirement.target {
                Target::Container(id) => &mut self.containers[id.index()],
                Target::Barrier(id) => &mut self.barriers[id.index()],
            };
            if node.incoming.is_empty() {
                node.incoming.start = number;
            }
            node.incoming.end = number + 1;
            self.edges.push(edge);
        }
    }

    fn node(&self, node: Target) -> Option<&Node> {
        match node {
            Target::Container(id) => self.containers.get(id.index()),
            Target::Barrier(id) => self.barriers.get(id.index()),
        }
    }

    /// A cycle among the edges that count, each node requiring the next one.
    fn cycle(&self, counts: impl Fn(&Requirement) -> bool) -> Option<Vec<Target>> {
        let mut colour = vec![Colour::New; self.containers.len() + self.barriers.len()];
        for root in self.nodes() {
            if colour[self.position(root)] != Colour::New {
                continue;
            }
            // The path from the root, each with the edges that are still to be followed.
            let mut path = vec![(root, self.outgoing(root).iter())];
            colour[self.position(root)] = Colour::OnPath;
            while let Some((node, rest)) = path.last_mut() {
                let Some(edge) = rest.next() else {
                    colour[self.position(*node)] = Colour::Done;
                    path.pop();
                    continue;
                };
                let requirement = &self.edge(*edge).requirement;
                if !counts(requirement) {
                    continue;
                }
                match colour[self.position(requirement.target)] {
                    Colour::Done => {}
                    Colour::New => {
                        colour[self.position(requirement.target)] = Colour::OnPath;
                        path.push((requirement.target, self.outgoing(requirement.target).iter()));
                    }
                    Colour::OnPath => {
                        let on_path = path.iter().map(|(node, _)| *node);
                        return Some(
                            on_path
                                .skip_while(|node| *node != requirement.target)
                                .collect(),
                        );
                    }
                }
            }
        }
        None
    }

    fn position(&self, node: Target) -> usize {
        match node {
            Target::Container(id) => id.index(),
            Target::Barrier(id) => self.containers.len() + id.index(),
        }
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Colour {
    New,
    OnPath,
    Done,
}

// === impl InvalidGraph ===

impl fmt::Display for InvalidGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dangling { from, to } => {
                write!(f, "{from:?} requires {to:?}, which does not exist")
            }
            Self::StartCycle(path) => {
                write!(f, "containers wait for each other at start: {path:?}")
            }
            Self::StopCycle(path) => write!(f, "containers wait for each other at stop: {path:?}"),
        }
    }
}

impl std::error::Error for InvalidGraph {}

/// A pod has far fewer than 2³² containers and edges: the largest file that is read has 3 MB.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("a pod has fewer than 2^32 edges")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod::{Backoff, Container, RestartPolicy, Scope, Until};
    use std::time::Duration;

    fn pod(edges: &[(u32, u32, Scope)], containers: u32) -> Pod {
        let mut pod = Pod {
            name: "test".into(),
            containers: (0..containers)
                .map(|i| Container::new(&format!("c{i}"), RestartPolicy::Always))
                .collect(),
            barriers: Vec::new(),
            restart_policy: RestartPolicy::Always,
            grace: Duration::from_secs(30),
            active_deadline: None,
            restart_limit: None,
            backoff: Backoff::default(),
        };
        for (from, to, scope) in edges {
            let target = Target::Container(ContainerId(*to));
            let requirement = Requirement {
                scope: *scope,
                ..Requirement::hard(target, Until::Ready)
            };
            pod.containers[*from as usize].requires.push(requirement);
        }
        pod
    }

    #[test]
    fn a_cycle_is_told_with_its_path() {
        let pod = pod(
            &[
                (0, 1, Scope::Both),
                (1, 2, Scope::Both),
                (2, 1, Scope::Both),
            ],
            3,
        );

        let expected = [1, 2].map(|i| Target::Container(ContainerId(i))).to_vec();
        assert_eq!(
            Graph::new(&pod).unwrap_err(),
            InvalidGraph::StartCycle(expected)
        );
    }

    #[test]
    fn starting_after_and_stopping_after_are_no_cycle() {
        let pod = pod(&[(0, 1, Scope::StartOnly), (1, 0, Scope::StopOnly)], 2);

        assert_eq!(Graph::new(&pod).unwrap().len(), 2);
    }

    #[test]
    fn an_edge_to_nowhere_is_refused() {
        let from = Target::Container(ContainerId(0));
        let to = Target::Container(ContainerId(7));

        assert_eq!(
            Graph::new(&pod(&[(0, 7, Scope::Both)], 1)).unwrap_err(),
            InvalidGraph::Dangling { from, to }
        );
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges: Vec<_> = (1..100_000).map(|i| (i, i - 1, Scope::Both)).collect();

        assert!(Graph::new(&pod(&edges, 100_000)).is_ok());
    }
}
