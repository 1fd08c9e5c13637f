//! The edges of a graph while it is made simpler.
//!
//! Both ends of an edge are looked up in no time, so that taking a node out costs as much as the edges
//! at it. What others imply is found for all edges in one pass against the direction of the graph.

use super::{Bond, Edge};
use pillion_engine::pod::Need;
use std::collections::{BTreeMap, BTreeSet};

/// The edges by their two ends.
#[derive(Default)]
pub(super) struct Bonds {
    /// By what comes first, then by what follows.
    out: BTreeMap<(usize, usize), Bond>,
    /// The other way round.
    into: BTreeSet<(usize, usize)>,
}

/// A row of bits for each node: the nodes that are reached from it.
struct Reach {
    words: usize,
    rows: Vec<u64>,
}

// === impl Bonds ===

impl Bonds {
    /// Adds an edge; of two between the same nodes the stronger stays.
    pub(super) fn join(&mut self, from: usize, to: usize, bond: Bond) {
        self.into.insert((to, from));
        let present = self.out.entry((from, to)).or_insert(bond);
        if bond.need == Need::Hard {
            *present = bond;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// All edges, sorted by what comes first, then by what follows.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let edge = |(&(from, to), &bond): (&(usize, usize), &Bond)| Edge { from, to, bond };
        self.out.iter().map(edge)
    }

    /// What follows a node.
    pub(super) fn after(&self, node: usize) -> impl Iterator<Item = (usize, Bond)> {
        let out = self.out.range((node, 0)..=(node, usize::MAX));
        out.map(|((_, to), bond)| (*to, *bond))
    }

    /// What comes before a node.
    pub(super) fn before(&self, node: usize) -> impl Iterator<Item = (usize, Bond)> {
        let into = self.into.range((node, 0)..=(node, usize::MAX));
        into.map(|&(to, from)| (from, self.out[&(from, to)]))
    }

    /// Takes a node out; what came before it now comes right before what followed it.
    pub(super) fn look_through(&mut self, node: usize) {
        let (into, out): (Vec<_>, Vec<_>) =
            (self.before(node).collect(), self.after(node).collect());
        for (from, _) in &into {
            self.remove(*from, node);
        }
        for (to, _) in &out {
            self.remove(node, *to);
        }
        for (from, first) in &into {
            for (to, then) in &out {
                self.join(*from, *to, first.and(*then));
            }
        }
    }

    /// Leaves out what other edges imply: there is a way round that asks for as much. Nothing is left out of a graph in
    /// which something waits for itself.
    pub(super) fn reduce(&mut self, nodes: usize) {
        let Some(order) = self.last_first(nodes) else {
            return;
        };
        let mut by_any = Reach::new(nodes);
        let mut by_hard = Reach::new(nodes);
        let mut implied = Vec::new();
        for node in order {
            for (to, bond) in self.after(node) {
                by_any.add_beyond(node, to);
                if bond.need == Need::Hard {
                    by_hard.add_beyond(node, to);
                }
            }
            for (to, bond) in self.after(node) {
                let round = match bond.need {
                    Need::Hard => &by_hard,
                    Need::Soft | Need::Order => &by_any,
                };
                if bond.plain && !bond.lasts && round.contains(node, to) {
                    implied.push((node, to));
                }
            }
            for (to, bond) in self.after(node) {
                by_any.add(node, to);
                if bond.need == Need::Hard {
                    by_hard.add(node, to);
                }
            }
        }
        for (from, to) in implied {
            self.remove(from, to);
        }
    }

    /// The nodes, each after all that follow it. `None` if something waits for itself.
    fn last_first(&self, nodes: usize) -> Option<Vec<usize>> {
        let mut missing: Vec<_> = (0..nodes).map(|node| self.after(node).count()).collect();
        let mut order: Vec<_> = (0..nodes).filter(|node| missing[*node] == 0).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for (before, _) in self.before(node) {
                missing[before] -= 1;
                if missing[before] == 0 {
                    order.push(before);
                }
            }
        }
        (order.len() == nodes).then_some(order)
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.out.remove(&(from, to));
        self.into.remove(&(to, from));
    }
}

// === impl Reach ===

impl Reach {
    fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(WORD);
        let rows = vec![0; words * nodes];
        Self { words, rows }
    }

    /// What is reached from `to` is reached from `node`.
    fn add_beyond(&mut self, node: usize, to: usize) {
        for word in 0..self.words {
            self.rows[node * self.words + word] |= self.rows[to * self.words + word];
        }
    }

    fn add(&mut self, node: usize, to: usize) {
        self.rows[node * self.words + to / WORD] |= 1 << (to % WORD);
    }

    fn contains(&self, node: usize, to: usize) -> bool {
        self.rows[node * self.words + to / WORD] & (1 << (to % WORD)) != 0
    }
}

const WORD: usize = 64;
