//! OpenKruise's two markers: the launch priority and the job sidecar.
//!
//! *Launch priority*: containers of the regular list start by falling priority, each group when all
//! those above it are ready. The priority is that of the environment variable, 0 without one; the
//! pod's annotation, if it says `Ordered`, counts down the list instead and wins. It gates first
//! starts only and has no say in the order of stops. If all priorities are equal nothing happens.
//!
//! *Job sidecar*: an environment variable marks a sidecar of a pod that runs to completion. It
//! restarts by the pod's policy, and has no meaning in a pod that restarts always.

use super::{Dialect, Mark, Traits};
use crate::code::Code;
use crate::container::{Container, ContainerList};
use crate::diagnostic::{Diagnostic, Severity};
use crate::env::EnvValue;
use crate::file::PodFile;
use crate::lower::drawing::Drawing;
use crate::lower::sketch::{EdgeSource, SourceField};
use crate::restart::RestartPolicy;
use pillion_engine::pod::{ContainerId, Need, Origin, Requirement, Role, Scope, Target, Until};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The annotation by which the order of the list is the order of starts.
pub const PRIORITY_ANNOTATION: &str = "apps.kruise.io/container-launch-priority";
/// The variable that holds a container's priority.
pub const PRIORITY_VARIABLE: &str = "KRUISE_CONTAINER_PRIORITY";
/// The variable that marks a sidecar of a job.
pub const SIDECAR_VARIABLE: &str = "KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT";

/// The only value of the annotation that has a meaning.
const ORDERED: &str = "Ordered";
const LARGEST: i64 = 2_147_483_647;

/// Reads the markers of one container.
pub(crate) fn read(
    list: ContainerList,
    container: &Container,
    pod_policy: RestartPolicy,
    traits: &mut Traits,
) {
    if list != ContainerList::Regular {
        return;
    }
    if variable(container, PRIORITY_VARIABLE).is_some() {
        traits.dialects.push(Dialect::LaunchPriority);
    }
    if let Some(index) = job_sidecar(container)
        && pod_policy != RestartPolicy::Always
    {
        let mark = Mark::new(Dialect::JobSidecar, format!("env[{index}]"));
        traits.say_role(Role::Sidecar, mark);
    }
}

/// Whether the pod's annotation makes the list an order.
pub(crate) fn is_ordered(file: &PodFile) -> bool {
    let annotation = file.pod.metadata.annotations.get(PRIORITY_ANNOTATION);
    annotation.is_some_and(|value| value == ORDERED)
}

/// Adds the edges of launch priorities. Each group waits for a barrier that gathers the group
/// before it and that group's own barrier, so that all above it are ready at that moment.
pub(crate) fn add(drawing: &mut Drawing<'_>) {
    warn_about_markers(drawing);
    let mut groups: BTreeMap<Reverse<i64>, Vec<ContainerId>> = BTreeMap::new();
    for (id, priority) in priorities(drawing) {
        groups.entry(Reverse(priority)).or_default().push(id);
    }
    let last = groups.len().saturating_sub(1);
    let mut above = None;
    for (index, (Reverse(priority), ids)) in groups.into_iter().enumerate() {
        if let Some(above) = above {
            for id in &ids {
                let edge = edge(above, Until::Settled);
                drawing
                    .sketch
                    .require(Target::Container(*id), edge, source(drawing, *id));
            }
        }
        above = (index < last).then(|| gather(drawing, priority, &ids, above));
    }
}

fn gather(
    drawing: &mut Drawing<'_>,
    priority: i64,
    ids: &[ContainerId],
    above: Option<Target>,
) -> Target {
    let barrier = drawing.sketch.barrier(format!("priority {priority}"));
    let first = ids.first().copied();
    for id in ids {
        let until = drawing.sketch.container(*id).default_until();
        let edge = edge(Target::Container(*id), until);
        drawing.sketch.require(barrier, edge, source(drawing, *id));
    }
    if let (Some(above), Some(first)) = (above, first) {
        drawing
            .sketch
            .require(barrier, edge(above, Until::Settled), source(drawing, first));
    }
    barrier
}

/// The priority of each container of the regular list.
fn priorities(drawing: &mut Drawing<'_>) -> Vec<(ContainerId, i64)> {
    if is_ordered(drawing.file) {
        let down = (0..).map(|index: i64| -index);
        return drawing.regular().map(|(id, _)| id).zip(down).collect();
    }
    let mut priorities = Vec::new();
    for (id, container) in drawing.regular() {
        priorities.push((id, priority(drawing, id, container)));
    }
    priorities
}

fn priority(drawing: &mut Drawing<'_>, id: ContainerId, container: &Container) -> i64 {
    let Some((index, value)) = variable(container, PRIORITY_VARIABLE) else {
        return 0;
    };
    let text = match value {
        EnvValue::Text(text) => Some(text),
        EnvValue::ConfigMapKey(_)
        | EnvValue::SecretKey(_)
        | EnvValue::Field { .. }
        | EnvValue::Resource(_)
        | EnvValue::FileKey { .. } => None,
    };
    let number = text.and_then(|text| text.parse().ok());
    match number {
        Some(number) if (-LARGEST..=LARGEST).contains(&number) => number,
        Some(_) => {
            let finding = bad_priority(drawing, Code::OutOfRange, id, index)
                .help(format!("priorities go from -{LARGEST} to {LARGEST}"));
            drawing.findings.push(finding);
            0
        }
        None => {
            let finding = bad_priority(drawing, Code::BadFormat, id, index)
                .help("write a whole number in quotes; the higher starts first");
            drawing.findings.push(finding);
            0
        }
    }
}

fn bad_priority(drawing: &Drawing<'_>, code: Code, id: ContainerId, index: usize) -> Diagnostic {
    let name = drawing.name(id);
    let message = format!("`{PRIORITY_VARIABLE}` of container `{name}` is no priority");
    let place = drawing.place(id, &format!("env[{index}].value"));
    Diagnostic::new(code, message).primary(place, "no launch priority")
}

fn warn_about_markers(drawing: &mut Drawing<'_>) {
    let annotation = drawing
        .file
        .pod
        .metadata
        .annotations
        .get(PRIORITY_ANNOTATION);
    if let Some(value) = annotation.filter(|value| *value != ORDERED) {
        let message = format!("`{PRIORITY_ANNOTATION}: {value}` has no effect");
        let path = format!("metadata.annotations[\"{PRIORITY_ANNOTATION}\"]");
        let finding = Diagnostic::new(Code::MarkerWithoutEffect, message)
            .primary(drawing.file.places.value(&path), "only `Ordered` counts")
            .help("write `Ordered`, or remove the annotation");
        drawing.findings.push(finding);
    }
    let always = drawing.file.pod.spec.restart_policy == RestartPolicy::Always;
    for (id, container) in drawing.regular() {
        let finding = match job_sidecar(container) {
            Some(index) if always => Some(useless_sidecar(drawing, id, index)),
            Some(_) => None,
            None => neither_true_nor_false(drawing, id, container),
        };
        drawing.findings.extend(finding);
    }
    let overridden = overridden(drawing);
    drawing.findings.extend(overridden);
    let misplaced: Vec<_> = misplaced(drawing).collect();
    drawing.findings.extend(misplaced);
}

/// Variables of init containers: the markers are for the regular list.
fn misplaced(drawing: &Drawing<'_>) -> impl Iterator<Item = Diagnostic> {
    let init = drawing
        .ordered()
        .take(drawing.file.pod.spec.init_containers.len());
    init.flat_map(move |(id, container)| {
        let found = [PRIORITY_VARIABLE, SIDECAR_VARIABLE].into_iter();
        found.filter_map(move |name| {
            let (index, _) = variable(container, name)?;
            let message = format!(
                "`{name}` has no effect in init container `{}`",
                container.name
            );
            let place = drawing.place(id, &format!("env[{index}]"));
            let finding = Diagnostic::new(Code::MarkerWithoutEffect, message)
                .severity(Severity::Note)
                .primary(place, "counts in `containers` only")
                .help("move the container to `containers`, or remove the variable");
            Some(finding)
        })
    })
}

/// Priorities that do not count because the list is the order.
fn overridden(drawing: &Drawing<'_>) -> Option<Diagnostic> {
    if !is_ordered(drawing.file) {
        return None;
    }
    let own = |(id, container): (ContainerId, &Container)| {
        let (index, _) = variable(container, PRIORITY_VARIABLE)?;
        Some(drawing.place(id, &format!("env[{index}]")))
    };
    let mut places = drawing.regular().filter_map(own);
    let message = format!("`{PRIORITY_VARIABLE}` does not count where the list is the order");
    let path = format!("metadata.annotations[\"{PRIORITY_ANNOTATION}\"]");
    let finding = Diagnostic::new(Code::MarkerWithoutEffect, message)
        .severity(Severity::Note)
        .primary(places.next()?, "has no effect")
        .secondary(drawing.file.places.value(&path), "counts instead")
        .help("remove one of the two");
    Some(places.fold(finding, |finding, place| {
        finding.secondary(place, "nor has this")
    }))
}

fn neither_true_nor_false(
    drawing: &Drawing<'_>,
    id: ContainerId,
    container: &Container,
) -> Option<Diagnostic> {
    let (index, value) = variable(container, SIDECAR_VARIABLE)?;
    if !matches!(value, EnvValue::Text(text) if !text.eq_ignore_ascii_case("false")) {
        return None;
    }
    let message = format!(
        "`{SIDECAR_VARIABLE}` of container `{}` marks nothing",
        container.name
    );
    let place = drawing.place(id, &format!("env[{index}].value"));
    let finding = Diagnostic::new(Code::MarkerWithoutEffect, message)
        .primary(place, "only `true` counts")
        .help("write `\"true\"` if it is the sidecar of a job, or remove it");
    Some(finding)
}

fn useless_sidecar(drawing: &Drawing<'_>, id: ContainerId, index: usize) -> Diagnostic {
    let name = drawing.name(id);
    let message = format!("container `{name}` is marked as the sidecar of a job that never ends");
    let place = drawing.place(id, &format!("env[{index}]"));
    Diagnostic::new(Code::MarkerWithoutEffect, message)
        .primary(place, "has no effect under `restartPolicy: Always`")
        .help("set the pod's `restartPolicy` to `Never` or `OnFailure`, or write `sidecar: true`")
}

/// The index of the variable that marks a sidecar of a job.
fn job_sidecar(container: &Container) -> Option<usize> {
    let (index, value) = variable(container, SIDECAR_VARIABLE)?;
    let marked = matches!(value, EnvValue::Text(text) if text.eq_ignore_ascii_case("true"));
    marked.then_some(index)
}

fn variable<'c>(container: &'c Container, name: &str) -> Option<(usize, &'c EnvValue)> {
    let index = container
        .env
        .iter()
        .position(|variable| variable.name == name)?;
    Some((index, &container.env[index].value))
}

fn edge(target: Target, until: Until) -> Requirement {
    Requirement {
        need: Need::Order,
        scope: Scope::StartOnly,
        origin: Origin::LaunchPriority,
        ..Requirement::hard(target, until)
    }
}

fn source(drawing: &Drawing<'_>, id: ContainerId) -> EdgeSource {
    let found = variable(drawing.containers[id.index()], PRIORITY_VARIABLE);
    let field = match found {
        Some((index, _)) if !is_ordered(drawing.file) => SourceField::Env(index),
        Some(_) | None => SourceField::Position,
    };
    EdgeSource::new(id, field)
}
