//! Who waits for an end that ends the pod, and pods that have nothing to end.
//!
//! A pod ends with its keystone, or when its last main has ended. Whoever waits for that very end
//! would never run: there is no pod any more in which it could.

use super::Subject;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lower::sketch::{Reached, edges, nodes, position, reach};
use pillion_engine::pod::{
    Container, ContainerId, Keystone, List, Need, Origin, Pod, Requirement, RestartPolicy, Role,
    Target, Until,
};
use std::collections::BTreeSet;

/// Why the end of a container is the end of the pod.
#[derive(Clone, Copy, Debug)]
enum End {
    Keystone,
    LastMain,
}

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(only_sidecars(subject));
    let last_mains = LastMains::of(subject.pod);
    for (id, _, _) in subject.containers() {
        let waiting = subject
            .written_edges(id)
            .filter(|(_, _, edge)| waits_for_end(edge));
        for (index, target, edge) in waiting {
            if let Some(end) = ends_pod(subject, &last_mains, id, target, edge) {
                findings.push(if goes_on(subject.container(target), edge) {
                    goes_on_without(subject, id, index, target)
                } else {
                    too_late(subject, id, index, target, end)
                });
            }
        }
    }
    nothing_after_keystone(subject, findings);
}

fn waits_for_end(edge: &Requirement) -> bool {
    matches!(edge.until, Until::Succeeded | Until::Exited)
}

/// Why the end that an edge waits for is the end of the pod.
fn ends_pod(
    subject: &Subject<'_>,
    last_mains: &LastMains,
    id: ContainerId,
    target: ContainerId,
    edge: &Requirement,
) -> Option<End> {
    let drawn = subject.container(target);
    if ends_with_keystone(drawn, edge) {
        return Some(End::Keystone);
    }
    let is_last = subject.container(id).role == Role::Sidecar
        && last_mains.last.contains(&target)
        && last_mains.all_end_before(subject.pod, id, goes_on(drawn, edge));
    is_last.then_some(End::LastMain)
}

/// A timeout lets those go on that do not insist; so does a failure, if it is not the last.
fn goes_on(target: &Container, edge: &Requirement) -> bool {
    let retried = target.restart.policy != RestartPolicy::Never;
    match edge.need {
        Need::Hard => false,
        Need::Order => edge.timeout.is_some(),
        Need::Soft => edge.timeout.is_some() || retried,
    }
}

fn ends_with_keystone(target: &Container, edge: &Requirement) -> bool {
    match (target.keystone, edge.until) {
        (Some(Keystone::Any), _) | (Some(Keystone::Success), Until::Succeeded) => {
            waits_for_end(edge)
        }
        (Some(Keystone::Success | Keystone::Failure) | None, _) => false,
    }
}

/// Keystones that others wait for by the init list or a phase: each is reported once.
fn nothing_after_keystone(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let mut reported = BTreeSet::new();
    for node in nodes(subject.pod) {
        for edge in edges(subject.pod, node) {
            let Target::Container(target) = edge.target else {
                continue;
            };
            let implied = matches!(edge.origin, Origin::ListOrder | Origin::Phase);
            let drawn = subject.container(target);
            if implied && ends_with_keystone(drawn, edge) && reported.insert(target) {
                findings.push(last_of_all(subject, target));
            }
        }
    }
}

fn last_of_all(subject: &Subject<'_>, id: ContainerId) -> Diagnostic {
    let name = subject.name(id);
    let message = format!("what comes after `{name}` would start after the end of the pod");
    Diagnostic::new(Code::StartsAfterEnd, message)
        .primary(
            subject.place(id, "keystone"),
            format!("the pod ends with `{name}`"),
        )
        .help("a keystone that runs to completion must be in the last phase, and in no init list")
}

/// Which mains end last, and what is known of the rest.
struct LastMains {
    /// Mains whose end no other main waits for, directly or through others. When these have ended
    /// all have.
    last: BTreeSet<ContainerId>,
    /// What some main requires: it runs before the last main ends.
    required: Reached,
}

// === impl LastMains ===

impl LastMains {
    fn of(pod: &Pod) -> Self {
        let ids = (0..).map(ContainerId).zip(&pod.containers);
        let mains = ids.filter(|(_, container)| container.role == Role::Main);
        let mut last: BTreeSet<_> = mains.map(|(id, _)| id).collect();
        let mut required = Reached::none(pod);
        for main in &last {
            let holds = |edge: &Requirement| holds_back(pod, edge);
            reach(pod, Target::Container(*main), holds, &mut required);
        }
        for node in nodes(pod).filter(|node| required.contains(*node)) {
            for ended in awaited_ends(pod, node) {
                last.remove(&ended);
            }
        }
        Self { last, required }
    }

    /// Whether a container starts only after the last main has ended: in any case, or `unless` it
    /// goes on without what it waits for itself.
    fn all_end_before(&self, pod: &Pod, id: ContainerId, unless: bool) -> bool {
        let own = edges(pod, Target::Container(id)).iter().filter(|_| unless);
        let own = own.filter_map(awaited_end);
        let mut ended: BTreeSet<_> = own.filter(|id| self.last.contains(id)).collect();
        let mut seen = BTreeSet::from([position(pod, Target::Container(id))]);
        let mut pending = vec![Target::Container(id)];
        while let Some(node) = pending.pop() {
            ended.extend(awaited_ends(pod, node).filter(|id| self.last.contains(id)));
            let next = edges(pod, node)
                .iter()
                .filter(|edge| holds_back(pod, edge))
                .map(|edge| edge.target);
            let new = next.filter(|target| !self.required.contains(*target));
            pending.extend(new.filter(|target| seen.insert(position(pod, *target))));
        }
        ended.len() == self.last.len()
    }
}

/// Whether an edge keeps back whoever has it for as long as what it waits for can still come.
fn holds_back(pod: &Pod, edge: &Requirement) -> bool {
    let insists = match edge.target {
        Target::Container(id) => !goes_on(&pod.containers[id.index()], edge),
        Target::Barrier(_) => edge.need == Need::Hard,
    };
    edge.gates_start() && insists
}

/// The containers that must have ended before a node is let through.
fn awaited_ends(pod: &Pod, node: Target) -> impl Iterator<Item = ContainerId> {
    let edges = edges(pod, node).iter();
    edges
        .filter(|edge| holds_back(pod, edge))
        .filter_map(awaited_end)
}

/// The container whose end an edge waits for.
fn awaited_end(edge: &Requirement) -> Option<ContainerId> {
    match edge.target {
        Target::Container(id) if waits_for_end(edge) => Some(id),
        Target::Container(_) | Target::Barrier(_) => None,
    }
}

fn too_late(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
    end: End,
) -> Diagnostic {
    let [from, to] = [id, target].map(|id| subject.name(id));
    let message = format!("container `{from}` would start after the end of the pod");
    let place = subject.edge_place(Target::Container(id), index);
    let (reason, help) = match end {
        End::Keystone => (
            "the keystone: the pod ends with it",
            format!(
                "do it in the `undo` of a oneshot or in a `preStop` hook, or let `{to}` be no keystone"
            ),
        ),
        End::LastMain => (
            "the last main: the pod ends with it",
            format!(
                "to do something after `{to}`, make `{from}` a main container that ends by itself"
            ),
        ),
    };
    Diagnostic::new(Code::StartsAfterEnd, message)
        .primary(place, format!("waits for the end of `{to}`"))
        .secondary(subject.name_place(target), reason)
        .help(help)
}

/// Good to know: what is written is not what it will wait for.
fn goes_on_without(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
) -> Diagnostic {
    let [from, to] = [id, target].map(|id| subject.name(id));
    let message = format!("container `{from}` starts before `{to}` has ended, or not at all");
    let place = subject.edge_place(Target::Container(id), index);
    Diagnostic::new(Code::StartsAfterEnd, message)
        .severity(Severity::Note)
        .primary(place, format!("the end of `{to}` is the end of the pod"))
        .help("it goes on after its timeout, or when another attempt is made")
}

fn only_sidecars(subject: &Subject<'_>) -> Option<Diagnostic> {
    let mut regular = subject
        .containers()
        .filter(|(_, drawn, _)| drawn.list == List::Regular);
    if subject.file.pod.spec.containers.is_empty()
        || regular.any(|(_, drawn, _)| drawn.role == Role::Main)
    {
        return None;
    }
    let place = subject.file.places.key("spec.containers");
    let finding = Diagnostic::new(Code::OnlySidecars, "the pod has nothing but sidecars")
        .primary(place, "none of these is a main container")
        .help("a sidecar serves another container; the one that does the work is no sidecar");
    Some(finding)
}
