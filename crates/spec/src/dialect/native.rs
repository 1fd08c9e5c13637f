//! Kubernetes as it is: the init list, native sidecars, and the order in which the kubelet starts
//! the containers of a pod.
//!
//! Every entry of the init list waits for the one before it: for the end of an init container, for
//! the start of a sidecar. An edge to a sidecar lets through once the sidecar cannot come up any
//! more, but a failed init container must fail the pod; so whoever waits for a sidecar also waits
//! for the init container before it. The containers of the regular list wait for the last entry in
//! the same way. That is at most two edges for each container.
//!
//! Plain containers of the regular list are started one after the other, each when the start of
//! the one before it was tried. That order is nobody's wish, only what the kubelet does, so it
//! yields where other edges say otherwise.

use super::{Dialect, Mark, Traits};
use crate::container::{Container, ContainerList};
use crate::lower::sketch::{EdgeSource, Reached, Sketch, SourceField};
use crate::pillion::Phase;
use crate::restart::RestartPolicy;
use pillion_engine::pod::{
    self as engine, ContainerId, List, Need, Origin, Requirement, Role, Scope, Target, Until,
};
use std::collections::BTreeMap;

/// Reads the markers of one container.
pub(crate) fn read(list: ContainerList, container: &Container, traits: &mut Traits) {
    match list {
        ContainerList::Init if container.restart_policy == Some(RestartPolicy::Always) => {
            let mark = || Mark::new(Dialect::Native, "restartPolicy");
            traits.say_oneshot(false, mark());
            traits.say_role(Role::Sidecar, mark());
        }
        ContainerList::Init => {
            // Its place in the list says so.
            traits.say_oneshot(true, Mark::new(Dialect::Native, ""));
        }
        ContainerList::Regular if container.restart_policy.is_some() => {
            traits.dialects.push(Dialect::Native);
        }
        ContainerList::Regular | ContainerList::Ephemeral => {}
    }
}

/// The end of the init list, or of the part of it that comes before some container.
#[derive(Clone, Copy, Debug, Default)]
struct Tail {
    /// Its last entry.
    last: Option<ContainerId>,
    /// Its last entry that runs to completion.
    last_oneshot: Option<ContainerId>,
}

/// Adds the edges of the init list: within it, and from the regular list to it. A regular container
/// of an earlier phase than an entry of the init list does not wait for that entry.
pub(crate) fn add_init_list(sketch: &mut Sketch, phase: impl Fn(ContainerId) -> Option<Phase>) {
    let init = ids(sketch, List::Init);
    let mut tail = Tail::default();
    for id in &init {
        tail.hold_back(*id, sketch);
        tail.push(*id, sketch);
    }
    let mut tails = BTreeMap::new();
    for id in ids(sketch, List::Regular) {
        let own = phase(id);
        let tail = tails.entry(own).or_insert_with(|| {
            let mut tail = Tail::default();
            let before = init.iter().filter(|entry| phase(**entry) <= own);
            before.for_each(|entry| tail.push(*entry, sketch));
            tail
        });
        tail.hold_back(id, sketch);
    }
}

/// Adds the order in which the kubelet starts plain containers, as far as it closes no cycle.
pub(crate) fn add_list_order(sketch: &mut Sketch) {
    let plain = |(id, container): (ContainerId, &engine::Container)| {
        (container.list == List::Regular && container.plain).then_some(id)
    };
    let plain: Vec<_> = sketch.containers().filter_map(plain).collect();
    // What the container before requires. An edge to it adds what this one requires, so that as
    // long as the chain holds every edge of the graph is followed once.
    let mut required = Reached::none(&sketch.pod);
    for pair in plain.windows(2) {
        let [before, id] = [pair[0], pair[1]].map(Target::Container);
        sketch.reach(before, Requirement::gates_start, &mut required);
        if required.contains(id) {
            required = Reached::none(&sketch.pod);
        } else {
            sketch.require(
                Target::Container(pair[1]),
                after_attempt(before),
                position(pair[1]),
            );
        }
    }
}

fn ids(sketch: &Sketch, list: List) -> Vec<ContainerId> {
    let of_list = sketch.containers().filter(|(_, c)| c.list == list);
    of_list.map(|(id, _)| id).collect()
}

fn after_attempt(before: Target) -> Requirement {
    Requirement {
        need: Need::Order,
        scope: Scope::StartOnly,
        origin: Origin::ListOrder,
        ..Requirement::hard(before, Until::Attempted)
    }
}

fn position(id: ContainerId) -> EdgeSource {
    EdgeSource::new(id, SourceField::Position)
}

// === impl Tail ===

impl Tail {
    fn push(&mut self, id: ContainerId, sketch: &Sketch) {
        self.last = Some(id);
        if sketch.container(id).is_oneshot() {
            self.last_oneshot = Some(id);
        }
    }

    /// Makes a container wait for the list up to here.
    fn hold_back(self, id: ContainerId, sketch: &mut Sketch) {
        if self.last != self.last_oneshot
            && let Some(sidecar) = self.last
        {
            let edge = Requirement {
                need: Need::Order,
                origin: Origin::ListOrder,
                ..Requirement::hard(Target::Container(sidecar), Until::Started)
            };
            sketch.require(Target::Container(id), edge, position(id));
        }
        if let Some(oneshot) = self.last_oneshot {
            let edge = Requirement {
                origin: Origin::ListOrder,
                ..Requirement::hard(Target::Container(oneshot), Until::Succeeded)
            };
            sketch.require(Target::Container(id), edge, position(id));
        }
    }
}
