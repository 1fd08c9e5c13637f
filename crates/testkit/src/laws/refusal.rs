//! Bad graphs are refused: a cycle is shown with its path and never broken silently, an edge
//! leads somewhere, and a good graph is taken.

use super::{Promise, Violation};
use pillion_engine::BarrierId;
use pillion_engine::ContainerId;
use pillion_engine::graph::InvalidGraph;
use pillion_engine::pod::{Pod, Requirement, Target};

/// Which of the two graphs of a pod.
type Counts = fn(&Requirement) -> bool;

/// Whether the answer to a pod was right: refused for a cycle or a loose end that is there, else taken.
pub fn check(pod: &Pod, answer: &Result<(), InvalidGraph>) -> Result<(), Violation> {
    let start: Counts = Requirement::gates_start;
    let stop: Counts = Requirement::orders_stop;
    match answer {
        Ok(()) if !is_closed(pod) => complain("an edge that leads nowhere was taken"),
        Ok(()) if is_cyclic(pod, start) || is_cyclic(pod, stop) => complain("a cycle was taken"),
        Ok(()) => Ok(()),
        Err(InvalidGraph::Dangling { to, .. }) if !exists(pod, *to) => Ok(()),
        Err(InvalidGraph::StartCycle(path)) if is_cycle(pod, path, start) => Ok(()),
        Err(InvalidGraph::StopCycle(path)) if is_cycle(pod, path, stop) => Ok(()),
        Err(other) => complain(&format!("refused for what is not there: {other:?}")),
    }
}

fn complain(sentence: &str) -> Result<(), Violation> {
    Err(Violation {
        promise: Promise::Refusal,
        step: 0,
        container: None,
        sentence: sentence.into(),
    })
}

fn nodes(pod: &Pod) -> Vec<Target> {
    let containers = (0..)
        .zip(&pod.containers)
        .map(|(id, _)| Target::Container(ContainerId(id)));
    let barriers = (0..)
        .zip(&pod.barriers)
        .map(|(id, _)| Target::Barrier(BarrierId(id)));
    containers.chain(barriers).collect()
}

fn exists(pod: &Pod, node: Target) -> bool {
    match node {
        Target::Container(id) => id.index() < pod.containers.len(),
        Target::Barrier(id) => id.index() < pod.barriers.len(),
    }
}

fn requires(pod: &Pod, node: Target) -> &[Requirement] {
    match node {
        Target::Container(id) => &pod.containers[id.index()].requires,
        Target::Barrier(id) => &pod.barriers[id.index()].requires,
    }
}

fn is_closed(pod: &Pod) -> bool {
    let all = nodes(pod);
    let mut edges = all.iter().flat_map(|&node| requires(pod, node));
    edges.all(|edge| exists(pod, edge.target))
}

/// Takes away what requires nothing that is left, again and again: a cycle is what remains.
fn is_cyclic(pod: &Pod, counts: Counts) -> bool {
    let mut left = nodes(pod);
    loop {
        let before = left.clone();
        left.retain(|&node| {
            let mut edges = requires(pod, node).iter().filter(|edge| counts(edge));
            edges.any(|edge| before.contains(&edge.target))
        });
        if left.len() == before.len() {
            return !left.is_empty();
        }
    }
}

/// Each requires the next, and the last the first.
fn is_cycle(pod: &Pod, path: &[Target], counts: Counts) -> bool {
    let next = path.iter().cycle().skip(1);
    let linked = |(&from, &to): (&Target, &Target)| {
        exists(pod, from)
            && requires(pod, from)
                .iter()
                .any(|edge| counts(edge) && edge.target == to)
    };
    !path.is_empty() && path.iter().zip(next).all(linked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{pod, requires as edge, service};
    use pillion_engine::pod::Until;

    fn ring() -> Pod {
        pod([
            edge(service("a"), 1, Until::Started),
            edge(service("b"), 0, Until::Started),
        ])
    }

    fn targets(ids: &[u32]) -> Vec<Target> {
        ids.iter()
            .map(|&id| Target::Container(ContainerId(id)))
            .collect()
    }

    #[test]
    fn a_cycle_must_be_refused_with_its_path() {
        assert!(check(&ring(), &Ok(())).is_err());
        assert!(check(&ring(), &Err(InvalidGraph::StartCycle(targets(&[0, 1])))).is_ok());
        assert!(check(&ring(), &Err(InvalidGraph::StartCycle(targets(&[0])))).is_err());
    }

    #[test]
    fn a_good_graph_must_be_taken() {
        let good = pod([service("a"), edge(service("b"), 0, Until::Ready)]);
        assert!(check(&good, &Ok(())).is_ok());
        assert!(check(&good, &Err(InvalidGraph::StartCycle(targets(&[0, 1])))).is_err());
    }

    #[test]
    fn a_loose_end_must_be_refused() {
        let loose = pod([edge(service("a"), 7, Until::Ready)]);
        assert!(check(&loose, &Ok(())).is_err());
    }
}
