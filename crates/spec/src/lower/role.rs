//! What a role means for the order of stops: sidecars are stopped after all mains, unless they
//! require one.
//!
//! All mains meet at one barrier in front of the sidecars, so that the number of edges stays that
//! of the containers. Two kinds of containers stay away from it. A sidecar that requires a main
//! service must be down before that main, so it is not behind the barrier. A oneshot that a sidecar
//! behind the barrier requires cannot be in front of it: such oneshots have a barrier of their own,
//! in front of the sidecars that require no main at all.

use super::sketch::{EdgeSource, Incoming, Reached, Sketch, SourceField};
use pillion_engine::pod::{ContainerId, List, Origin, Requirement, Role, Scope, Target, Until};

/// Adds the edges that stop sidecars after mains.
pub(crate) fn add(sketch: &mut Sketch) {
    let sidecars = behind_barrier(sketch);
    let mains = with_role(sketch, Role::Main);
    if sidecars.is_empty() || mains.is_empty() {
        return;
    }
    let mut required = Reached::none(&sketch.pod);
    for id in &sidecars {
        sketch.reach(
            Target::Container(*id),
            Requirement::orders_stop,
            &mut required,
        );
    }
    let mut first = mains.clone();
    first.retain(|id| !required.contains(Target::Container(*id)));
    let barrier = sketch.barrier("mains");
    stop_before(sketch, &first, barrier, &sidecars);
    add_required_oneshots(sketch, &mains, &sidecars, &required);
}

/// The sidecars that require no main service.
fn behind_barrier(sketch: &Sketch) -> Vec<ContainerId> {
    let mut services = with_role(sketch, Role::Main);
    services.retain(|id| !sketch.container(*id).is_oneshot());
    not_requiring(sketch, with_role(sketch, Role::Sidecar), &services)
}

/// Those of `ids` that require none of the targets.
fn not_requiring(
    sketch: &Sketch,
    mut ids: Vec<ContainerId>,
    targets: &[ContainerId],
) -> Vec<ContainerId> {
    let incoming = Incoming::of(&sketch.pod, Requirement::orders_stop);
    let mut requiring = Reached::none(&sketch.pod);
    for id in targets {
        incoming.reach(Target::Container(*id), &mut requiring);
    }
    ids.retain(|id| !requiring.contains(Target::Container(*id)));
    ids
}

/// Puts the oneshots that a sidecar requires before the sidecars that require no main.
fn add_required_oneshots(
    sketch: &mut Sketch,
    mains: &[ContainerId],
    sidecars: &[ContainerId],
    required: &Reached,
) {
    let mut oneshots = mains.to_vec();
    // The init list is a chain: each sidecar of the pod is before or after its entries.
    oneshots.retain(|id| {
        required.contains(Target::Container(*id)) && sketch.container(*id).list != List::Init
    });
    let sidecars = not_requiring(sketch, sidecars.to_vec(), mains);
    if oneshots.is_empty() || sidecars.is_empty() {
        return;
    }
    let barrier = sketch.barrier("oneshots");
    stop_before(sketch, &oneshots, barrier, &sidecars);
}

/// Makes a barrier between those that are stopped first and those that are stopped after them.
fn stop_before(sketch: &mut Sketch, first: &[ContainerId], barrier: Target, then: &[ContainerId]) {
    for id in first {
        let edge = stopped_before(barrier, Until::Settled);
        sketch.require(Target::Container(*id), edge, source(*id));
    }
    for id in then {
        let edge = stopped_before(Target::Container(*id), Until::Started);
        sketch.require(barrier, edge, source(*id));
    }
}

fn with_role(sketch: &Sketch, role: Role) -> Vec<ContainerId> {
    let of_role = sketch.containers().filter(|(_, c)| c.role == role);
    of_role.map(|(id, _)| id).collect()
}

fn stopped_before(target: Target, until: Until) -> Requirement {
    Requirement {
        scope: Scope::StopOnly,
        origin: Origin::Role,
        ..Requirement::hard(target, until)
    }
}

fn source(id: ContainerId) -> EdgeSource {
    EdgeSource::new(id, SourceField::Role)
}
