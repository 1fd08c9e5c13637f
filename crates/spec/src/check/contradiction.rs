//! Requirements that can hold one by one, but never together.
//!
//! A service that is up has not ended, and one that has ended for good is not up any more: whoever
//! insists on both never starts. Who does not insist that it is up goes on when it has ended. A
//! oneshot is another matter, because it stays started after its end.

use super::Subject;
use super::condition::impossible;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lower::sketch::{edges, narrow};
use crate::plan::until_word;
use pillion_engine::pod::{BarrierId, ContainerId, Need, Pod, Requirement, Target, Until};
use std::collections::{BTreeMap, BTreeSet};

/// An edge by the node it starts from, and its place among the edges of that node.
type Edge<'a> = (Target, usize, &'a Requirement);

/// What a node insists on.
struct Insists<'a> {
    /// The edges by which it insists that a container is up.
    up: BTreeMap<ContainerId, Edge<'a>>,
    /// The barriers that hold it back as long as edges of its own.
    barriers: Vec<BarrierId>,
}

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let barriers = (0..narrow(subject.pod.barriers.len())).map(BarrierId);
    let barriers: Vec<_> = barriers
        .map(|id| Insists::of(subject.pod, Target::Barrier(id)))
        .collect();
    for (id, _, _) in subject.containers() {
        let own = Insists::of(subject.pod, Target::Container(id));
        let ends = subject.written_edges(id).filter(|(_, target, edge)| {
            needs_end(edge)
                && !subject.container(*target).is_oneshot()
                && impossible(subject, *target, edge.until).is_none()
        });
        // Once for each target is enough.
        let mut reported = BTreeSet::new();
        for (index, target, edge) in ends {
            if let Some(up) = own.up_with(&barriers, target)
                && reported.insert(target)
            {
                findings.push(contradiction(subject, id, target, (index, edge), up));
            }
        }
    }
}

// === impl Insists ===

impl<'a> Insists<'a> {
    fn of(pod: &'a Pod, node: Target) -> Self {
        let mut insists = Self {
            up: BTreeMap::new(),
            barriers: Vec::new(),
        };
        for (index, edge) in edges(pod, node).iter().enumerate() {
            match edge.target {
                _ if !edge.gates_start() || edge.need != Need::Hard => {}
                Target::Container(target) if is_up(edge) => {
                    insists.up.entry(target).or_insert((node, index, edge));
                }
                Target::Container(_) => {}
                Target::Barrier(barrier) => insists.barriers.push(barrier),
            }
        }
        insists
    }

    /// The edge by which a container is held back until another is up: its own, or one of a barrier
    /// in front of it.
    fn up_with(&self, barriers: &[Self], target: ContainerId) -> Option<Edge<'a>> {
        let mut seen = BTreeSet::new();
        let mut pending = vec![self];
        while let Some(node) = pending.pop() {
            if let Some(edge) = node.up.get(&target) {
                return Some(*edge);
            }
            let next = node
                .barriers
                .iter()
                .filter(|barrier| seen.insert(**barrier));
            pending.extend(next.map(|barrier| &barriers[barrier.index()]));
        }
        None
    }
}

/// Whether nothing but an end of the target lets a first start through.
fn needs_end(edge: &Requirement) -> bool {
    let ends = matches!(edge.until, Until::Succeeded | Until::Exited);
    ends && match edge.need {
        Need::Hard => true,
        Need::Order => edge.timeout.is_none(),
        // Any failed attempt will do, and the next one may come up.
        Need::Soft => false,
    }
}

fn is_up(edge: &Requirement) -> bool {
    matches!(edge.until, Until::Started | Until::Ready)
}

fn contradiction(
    subject: &Subject<'_>,
    id: ContainerId,
    target: ContainerId,
    (index, end): (usize, &Requirement),
    (up_from, up_index, up): Edge<'_>,
) -> Diagnostic {
    let [name, to] = [id, target].map(|id| subject.name(id));
    let [ended, up] = [end, up].map(|edge| until_word(edge.until));
    let is = if up == "ready" { "is" } else { "has" };
    let message = format!(
        "container `{name}` waits until `{to}` has {ended} and {is} {up}, which never holds at once"
    );
    Diagnostic::new(Code::NeverHolds, message)
        .primary(subject.edge_field(id, index, "until"), "by then it is down")
        .secondary(
            subject.edge_place(up_from, up_index),
            format!("yet by this it must be up when `{name}` starts"),
        )
        .help("remove one of the two: a service that has ended for good stays down")
}
