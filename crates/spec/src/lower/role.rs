//! What a role means for the order of stops: sidecars are stopped after all mains, unless they
//! require one.
//!
//! All mains meet at one barrier in front of the sidecars, so that the number of edges stays that
//! of the containers. Two kinds of containers stay away from it. A sidecar that requires a main
//! service must be down before that main, so it is not behind the barrier. A oneshot that such a
//! sidecar requires cannot be in front of it; it is put before each of the other sidecars by itself.

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
    let barrier = sketch.barrier("mains");
    for id in &mains {
        if !required.contains(Target::Container(*id)) {
            let edge = stopped_before(barrier, Until::Settled);
            sketch.require(Target::Container(*id), edge, source(*id));
        }
    }
    for id in &sidecars {
        let edge = stopped_before(Target::Container(*id), Until::Started);
        sketch.require(barrier, edge, source(*id));
    }
    add_required_oneshots(sketch, &mains, &sidecars, &required);
}

/// The sidecars that require no main service.
fn behind_barrier(sketch: &Sketch) -> Vec<ContainerId> {
    let incoming = Incoming::of(&sketch.pod, Requirement::orders_stop);
    let mut requiring = Reached::none(&sketch.pod);
    for id in with_role(sketch, Role::Main) {
        if !sketch.container(id).is_oneshot() {
            incoming.reach(Target::Container(id), &mut requiring);
        }
    }
    let mut sidecars = with_role(sketch, Role::Sidecar);
    sidecars.retain(|id| !requiring.contains(Target::Container(*id)));
    sidecars
}

/// Puts the oneshots that a sidecar requires before the sidecars that do not.
fn add_required_oneshots(
    sketch: &mut Sketch,
    mains: &[ContainerId],
    sidecars: &[ContainerId],
    required: &Reached,
) {
    for id in mains {
        let oneshot = Target::Container(*id);
        // The init list is a chain: each sidecar of the pod is before or after its entries.
        if !required.contains(oneshot) || sketch.container(*id).list == List::Init {
            continue;
        }
        let mut above = Reached::none(&sketch.pod);
        Incoming::of(&sketch.pod, Requirement::orders_stop).reach(oneshot, &mut above);
        let mut below = Reached::none(&sketch.pod);
        sketch.reach(oneshot, Requirement::orders_stop, &mut below);
        for sidecar in sidecars.iter().map(|id| Target::Container(*id)) {
            if !above.contains(sidecar) && !below.contains(sidecar) {
                sketch.require(
                    oneshot,
                    stopped_before(sidecar, Until::Started),
                    source(*id),
                );
                sketch.reach(sidecar, Requirement::orders_stop, &mut below);
            }
        }
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
