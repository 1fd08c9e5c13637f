//! Containers that wait for each other.
//!
//! Each knot of the graph is reported once, by its shortest cycle, with the text of every edge on
//! it. Only starts need a look: the edges that order nothing but stops are added so that they close
//! no cycle.

use super::Subject;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lower::sketch::{edges, nodes, position};
use pillion_engine::pod::{Origin, Pod, Requirement, Target};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An edge on a cycle: where it starts, and its place among the edges of that node.
type Step = (Target, usize);

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for knot in knots(subject.pod) {
        if let Some(cycle) = shortest(subject.pod, &knot) {
            findings.push(finding(subject, &cycle));
        }
    }
}

fn finding(subject: &Subject<'_>, cycle: &[Step]) -> Diagnostic {
    let names = cycle.iter().filter_map(|(node, _)| match node {
        Target::Container(id) => Some(format!("`{}`", subject.name(*id))),
        Target::Barrier(_) => None,
    });
    let mut names: Vec<_> = names.collect();
    let message = if let [name] = &names[..] {
        format!("container {name} waits for itself")
    } else {
        names.extend(names.first().cloned());
        let path = shortened(&names).join(" → ");
        format!("containers wait for each other: {path}")
    };
    let mut finding = Diagnostic::new(Code::Cycle, message);
    for (position, (from, index)) in cycle.iter().take(MOST_SHOWN).enumerate() {
        let place = subject.edge_place(*from, *index);
        let text = reason(subject, *from, &edges(subject.pod, *from)[*index]);
        finding = match position {
            0 => finding.primary(place, text),
            _ => finding.secondary(place, text),
        };
    }
    finding.help(match cycle {
        [_] => "remove the requirement",
        _several => "one of these waits must go; `need: soft` does not help, it waits as well",
    })
}

/// Nobody follows a longer way.
const MOST_SHOWN: usize = 8;

/// The names on the way round, without the middle of a long way.
fn shortened(names: &[String]) -> Vec<String> {
    // The first name stands at both ends.
    if names.len() <= MOST_SHOWN + 1 {
        return names.to_vec();
    }
    let (begin, rest) = names.split_at(MOST_SHOWN / 2);
    let (middle, end) = rest.split_at(rest.len() - 2);
    let left_out = format!("… {} more …", middle.len());
    [begin, &[left_out], end].concat()
}

/// Why one node waits for the next.
fn reason(subject: &Subject<'_>, from: Target, edge: &Requirement) -> String {
    let [from, to] = [from, edge.target].map(|node| title(subject.pod, node));
    match edge.origin {
        Origin::Written => format!("{from} requires {to}"),
        Origin::Capability => format!("{from} uses what {to} provides"),
        Origin::Network => format!("{from} uses the network, which {to} provides"),
        Origin::ListOrder => format!("{from} comes after {to}, which is in the init list"),
        Origin::Phase => match edge.target {
            Target::Barrier(_) => format!("{from} waits for {to}"),
            Target::Container(_) => format!("{to} belongs to {from}"),
        },
        Origin::ContainerType => format!("{from} waits for {to} by its type"),
        Origin::LaunchPriority => format!("{from} waits for {to} by launch priority"),
        Origin::Role => format!("{from} is stopped before {to}"),
    }
}

fn title(pod: &Pod, node: Target) -> String {
    match node {
        Target::Container(id) => format!("`{}`", pod.containers[id.index()].name),
        Target::Barrier(id) => pod.barriers[id.index()].name.to_string(),
    }
}

/// Sets of nodes in which each waits for each other, or one for itself: Tarjan's algorithm, with a
/// stack of its own, because a file can hold a chain of thousands.
fn knots(pod: &Pod) -> Vec<Vec<Target>> {
    let mut search = Search {
        pod,
        seen: vec![None; pod.containers.len() + pod.barriers.len()],
        count: 0,
        open: Vec::new(),
        knots: Vec::new(),
    };
    for root in nodes(pod) {
        search.run(root);
    }
    let mut knots = search.knots;
    knots.retain(|knot| match &knot[..] {
        [node] => waits(pod, *node).any(|(_, target)| target == *node),
        _several => true,
    });
    for knot in &mut knots {
        knot.sort_by_key(|node| position(pod, *node));
    }
    knots.sort_by_key(|knot| position(pod, knot[0]));
    knots
}

struct Search<'p> {
    pod: &'p Pod,
    seen: Vec<Option<Seen>>,
    count: usize,
    /// Nodes whose knot is not complete yet.
    open: Vec<Target>,
    knots: Vec<Vec<Target>>,
}

#[derive(Clone, Copy)]
struct Seen {
    /// The how manyth node it was.
    number: usize,
    /// The first open node that it leads to.
    earliest: usize,
    is_open: bool,
}

/// The shortest way from the first node of a knot back to it.
fn shortest(pod: &Pod, knot: &[Target]) -> Option<Vec<Step>> {
    let start = *knot.first()?;
    let inside: BTreeSet<_> = knot.iter().map(|node| position(pod, *node)).collect();
    let mut came_by: BTreeMap<usize, Step> = BTreeMap::new();
    let mut pending = VecDeque::from([start]);
    while let Some(node) = pending.pop_front() {
        for (index, target) in waits(pod, node) {
            let at = position(pod, target);
            if !inside.contains(&at) || came_by.contains_key(&at) {
                continue;
            }
            came_by.insert(at, (node, index));
            if target == start {
                return Some(way_back(pod, start, &came_by));
            }
            pending.push_back(target);
        }
    }
    None
}

fn way_back(pod: &Pod, start: Target, came_by: &BTreeMap<usize, Step>) -> Vec<Step> {
    let mut steps = vec![came_by[&position(pod, start)]];
    while let Some((node, _)) = steps.last().filter(|(node, _)| *node != start) {
        steps.push(came_by[&position(pod, *node)]);
    }
    steps.reverse();
    steps
}

/// The nodes that a node waits for, with the numbers of the edges.
fn waits(pod: &Pod, node: Target) -> impl Iterator<Item = (usize, Target)> {
    let edges = edges(pod, node).iter().enumerate();
    let waits = edges.filter(|(_, edge)| edge.gates_start());
    waits.map(|(index, edge)| (index, edge.target))
}

// === impl Search ===

impl Search<'_> {
    fn run(&mut self, root: Target) {
        let mut path = Vec::new();
        if self.meet(root) {
            path.push((root, 0));
        }
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(edge) = edges(self.pod, node).get(*next) {
                *next += 1;
                if !edge.gates_start() {
                    continue;
                }
                if self.meet(edge.target) {
                    path.push((edge.target, 0));
                } else {
                    self.lead_back(node, edge.target);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                self.lead_back(*before, node);
            }
            self.close(node);
        }
    }

    /// Opens a node; whether it is new.
    fn meet(&mut self, node: Target) -> bool {
        let seen = &mut self.seen[position(self.pod, node)];
        if seen.is_some() {
            return false;
        }
        *seen = Some(Seen {
            number: self.count,
            earliest: self.count,
            is_open: true,
        });
        self.count += 1;
        self.open.push(node);
        true
    }

    /// A node leads to one that was met before.
    fn lead_back(&mut self, node: Target, to: Target) {
        let Some(to) = self.seen[position(self.pod, to)].filter(|seen| seen.is_open) else {
            return;
        };
        if let Some(seen) = &mut self.seen[position(self.pod, node)] {
            seen.earliest = seen.earliest.min(to.earliest);
        }
    }

    /// All ways from a node were followed. If none led to an earlier one, its knot is complete.
    fn close(&mut self, node: Target) {
        let first = self.seen[position(self.pod, node)].is_some_and(|s| s.earliest == s.number);
        let begin = self
            .open
            .iter()
            .rposition(|open| *open == node)
            .filter(|_| first);
        let Some(begin) = begin else {
            return;
        };
        let knot = self.open.split_off(begin);
        for node in &knot {
            if let Some(seen) = &mut self.seen[position(self.pod, *node)] {
                seen.is_open = false;
            }
        }
        self.knots.push(knot);
    }
}
