//! Container types: KEP-753 as it was last designed, with sidecars before and after the app.
//!
//! `PreSidecar` (or `Sidecar`) containers come up first: the mains of the regular list start when
//! all of them are ready. `PostSidecar` containers start when all mains are ready. Both gate first
//! starts only: what cannot come up any more, or turns unready later, holds nobody back. All
//! sidecars restart by the pod's policy, and are stopped after the mains, by their role.

use super::{Dialect, Mark, Traits};
use crate::container::Container;
use crate::hook::LifecycleType;
use crate::lower::drawing::Drawing;
use crate::lower::sketch::{EdgeSource, SourceField};
use pillion_engine::pod::{
    ContainerId, List, Need, Origin, Requirement, Role, Scope, Target, Until,
};

/// Reads the markers of one container.
pub(crate) fn read(container: &Container, traits: &mut Traits) {
    let Some(kind) = container.lifecycle.kind else {
        return;
    };
    let mark = Mark::new(Dialect::ContainerType, "lifecycle.type");
    match kind {
        LifecycleType::Standard => traits.say_role(Role::Main, mark),
        LifecycleType::Sidecar | LifecycleType::PreSidecar | LifecycleType::PostSidecar => {
            traits.say_role(Role::Sidecar, mark);
        }
        // The other draft that uses this field.
        LifecycleType::Keystone => {}
    }
}

/// Adds the edges between sidecars and mains.
pub(crate) fn add(drawing: &mut Drawing<'_>) {
    let mains = mains(drawing);
    let before = of_type(drawing, |kind| {
        matches!(kind, LifecycleType::Sidecar | LifecycleType::PreSidecar)
    });
    let after = of_type(drawing, |kind| kind == LifecycleType::PostSidecar);
    add_all(drawing, &mains, &before, "sidecars", Scope::Both);
    add_all(drawing, &after, &mains, "app", Scope::StartOnly);
}

/// Makes each of the waiting wait for all targets; by way of a barrier if that saves edges.
fn add_all(
    drawing: &mut Drawing<'_>,
    waiting: &[ContainerId],
    targets: &[ContainerId],
    name: &str,
    scope: Scope,
) {
    if waiting.is_empty() || targets.is_empty() {
        return;
    }
    if waiting.len() == 1 || targets.len() == 1 {
        for from in waiting {
            wait_for(drawing, Target::Container(*from), targets, scope);
        }
        return;
    }
    let barrier = drawing.sketch.barrier(name);
    wait_for(drawing, barrier, targets, scope);
    for from in waiting {
        drawing.require(
            *from,
            edge(barrier, Until::Settled, scope),
            SourceField::LifecycleType,
        );
    }
}

fn wait_for(drawing: &mut Drawing<'_>, from: Target, targets: &[ContainerId], scope: Scope) {
    for id in targets {
        let until = drawing.sketch.container(*id).default_until();
        let source = EdgeSource::new(*id, SourceField::LifecycleType);
        let edge = edge(Target::Container(*id), until, scope);
        drawing.sketch.require(from, edge, source);
    }
}

fn edge(target: Target, until: Until, scope: Scope) -> Requirement {
    Requirement {
        need: Need::Order,
        scope,
        origin: Origin::ContainerType,
        ..Requirement::hard(target, until)
    }
}

fn mains(drawing: &Drawing<'_>) -> Vec<ContainerId> {
    let mains = drawing.sketch.containers();
    let mains = mains.filter(|(_, c)| c.list == List::Regular && c.role == Role::Main);
    mains.map(|(id, _)| id).collect()
}

/// The sidecars of some types. One that another marker makes a main is none, and reported as such.
fn of_type(drawing: &Drawing<'_>, is: impl Fn(LifecycleType) -> bool) -> Vec<ContainerId> {
    let typed = drawing
        .regular()
        .filter(|(_, c)| c.lifecycle.kind.is_some_and(&is));
    let ids = typed.map(|(id, _)| id);
    ids.filter(|id| drawing.sketch.container(*id).role == Role::Sidecar)
        .collect()
}
