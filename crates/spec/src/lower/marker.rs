//! Markers that contradict each other, and markers that stand where they have no meaning.

use super::drawing::Drawing;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::dialect::{Conflict, Traits};
use crate::hook::LifecycleType;
use pillion_engine::pod::{ContainerId, List};

/// Reports what is wrong with the markers of all containers.
pub(crate) fn check(drawing: &mut Drawing<'_>, traits: &[Traits]) {
    let mut findings = Vec::new();
    for (id, traits) in (0..).map(ContainerId).zip(traits) {
        findings.extend(
            traits
                .conflicts
                .iter()
                .map(|c| disagreement(drawing, id, c)),
        );
        findings.extend(misplaced(drawing, id));
    }
    drawing.findings.extend(findings);
}

fn disagreement(drawing: &Drawing<'_>, id: ContainerId, conflict: &Conflict) -> Diagnostic {
    let Conflict {
        first,
        first_mark,
        second,
        second_mark,
    } = conflict;
    let name = drawing.name(id);
    let message = format!("container `{name}` is marked as {first} and as {second}");
    let [first_place, second_place] =
        [first_mark, second_mark].map(|mark| drawing.place(id, &mark.field));
    Diagnostic::new(Code::MarkersDisagree, message)
        .primary(second_place, format!("makes it {second}"))
        .secondary(first_place, format!("makes it {first}"))
        .help("keep the marker that is meant and remove the other")
}

fn misplaced(drawing: &Drawing<'_>, id: ContainerId) -> Option<Diagnostic> {
    let container = drawing.containers[id.index()];
    let (field, list, help) = match drawing.sketch.container(id).list {
        List::Regular => return None,
        List::Init => {
            let help = instead_of(container.lifecycle.kind?);
            ("lifecycle.type", "initContainers", help)
        }
        List::Ephemeral => (
            container.pillion_fields().into_iter().next()?,
            "ephemeralContainers",
            "remove it: ephemeral containers are in no order and have no role",
        ),
    };
    let message = format!("`{field}` has no meaning in `{list}`");
    let finding = Diagnostic::new(Code::MarkerMisplaced, message)
        .primary(drawing.place(id, field), "not for a container of this list")
        .help(help);
    Some(finding)
}

/// What to do about a type in the init list: all of them speak of the regular one.
fn instead_of(kind: LifecycleType) -> &'static str {
    match kind {
        LifecycleType::Keystone => "remove it: a pod does not end before its containers begin",
        LifecycleType::Standard
        | LifecycleType::Sidecar
        | LifecycleType::PreSidecar
        | LifecycleType::PostSidecar => {
            "for a sidecar in the init list, write `restartPolicy: Always` instead"
        }
    }
}
