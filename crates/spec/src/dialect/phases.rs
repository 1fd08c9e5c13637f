//! Phases: everything in one is done or ready before the next begins, and they are stopped in
//! reverse.
//!
//! Once a container has a phase, all have: the others of the regular list are in `appRun`, the init
//! list is in `appInit`. Each phase but the last meets at a barrier that the next one waits for.
//!
//! Before the last phase a container's own restart policy says what it is there for. `Always` makes
//! it resident: a sidecar that is done when it is ready. `OnFailure` makes it a oneshot that must
//! succeed. `Never` makes it a oneshot with one attempt, whose failure is that of the phase: the
//! pod's own policy then decides whether the whole pod starts again from the first phase.

use super::{Dialect, Mark, Traits};
use crate::container::{Container, ContainerList};
use crate::lower::sketch::{EdgeSource, Sketch, SourceField};
use crate::pillion::{Phase, PhaseName};
use crate::pod::PodSpec;
use crate::restart::{self, RestartPolicy};
use crate::word::Word;
use pillion_engine::pod::{ContainerId, Need, OnGiveUp, Origin, Requirement, Target, Until};
use std::collections::BTreeMap;

/// The phases of a pod.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phases {
    /// By container; empty if nobody has a phase, `None` for an ephemeral container.
    of: Vec<Option<Phase>>,
    last: Option<Phase>,
}

// === impl Phases ===

impl Phases {
    /// Finds the phase of each container.
    pub(crate) fn read(spec: &PodSpec) -> Self {
        if spec
            .all_containers()
            .all(|(_, _, c)| c.pillion.phase.is_none())
        {
            return Self::default();
        }
        let phases = spec.all_containers().map(|(list, _, c)| phase_of(list, c));
        let of: Vec<_> = phases.collect();
        let last = of.iter().flatten().max().copied();
        Self { of, last }
    }

    /// The phase of a container, if the pod has phases.
    pub(crate) fn get(&self, id: ContainerId) -> Option<Phase> {
        self.of.get(id.index()).copied().flatten()
    }

    /// Reads the markers of one container.
    pub(crate) fn mark(&self, list: ContainerList, container: &Container, traits: &mut Traits) {
        let early = self.is_early(list, container);
        let own_policy = container.restart_policy.filter(|_| early);
        if container.pillion.phase.is_some() || own_policy.is_some() {
            traits.dialects.push(Dialect::Phases);
        }
        match own_policy {
            Some(RestartPolicy::OnFailure | RestartPolicy::Never) => {
                traits.say_oneshot(true, Mark::new(Dialect::Phases, "restartPolicy"));
            }
            Some(RestartPolicy::Always) => traits.resident = true,
            None => {}
        }
    }

    /// Whether a failed attempt of a container is the failure of its phase, and the pod begins anew with the first.
    pub(crate) fn has_outer_loop(
        &self,
        list: ContainerList,
        container: &Container,
        pod_policy: RestartPolicy,
    ) -> bool {
        let one_attempt = container.restart_policy == Some(RestartPolicy::Never);
        // A helper that may be missing does not touch the pod, however it failed.
        let counts = container.pillion.on_give_up != Some(restart::OnGiveUp::Ignore);
        one_attempt
            && counts
            && pod_policy != RestartPolicy::Never
            && self.is_early(list, container)
    }

    /// Whether a container is in a phase before the last, written or not. What the init list does without a phase of
    /// its own is said by Kubernetes.
    fn is_early(&self, list: ContainerList, container: &Container) -> bool {
        let said = container.pillion.phase.is_some() || list == ContainerList::Regular;
        let phase = phase_of(list, container).filter(|_| said);
        phase.is_some_and(|phase| self.last.is_some_and(|last| phase < last))
    }

    /// Whether a container has this phase by name or number.
    pub(crate) fn is(&self, id: ContainerId, name: PhaseName) -> bool {
        self.get(id) == Some(name.phase())
    }

    /// Adds the barriers between phases.
    pub(crate) fn add(&self, sketch: &mut Sketch) {
        let mut members: BTreeMap<Phase, Vec<ContainerId>> = BTreeMap::new();
        for (id, phase) in (0..).map(ContainerId).zip(&self.of) {
            if let Some(phase) = phase {
                members.entry(*phase).or_default().push(id);
            }
        }
        let mut before = None;
        for (phase, ids) in members {
            for id in &ids {
                if let Some(before) = before {
                    let edge = of_phase(before, Until::Settled, Need::Hard);
                    sketch.require(Target::Container(*id), edge, source(*id));
                }
            }
            before = (Some(phase) != self.last).then(|| gather(sketch, phase, &ids));
        }
    }
}

fn phase_of(list: ContainerList, container: &Container) -> Option<Phase> {
    let default = match list {
        ContainerList::Init => Some(PhaseName::AppInit.phase()),
        ContainerList::Regular => Some(PhaseName::AppRun.phase()),
        ContainerList::Ephemeral => None,
    };
    default.map(|default| container.pillion.phase.unwrap_or(default))
}

/// The barrier that is passed when all of a phase are done or ready.
fn gather(sketch: &mut Sketch, phase: Phase, ids: &[ContainerId]) -> Target {
    let barrier = sketch.barrier(format!("phase {}", word(phase)));
    for id in ids {
        let container = sketch.container(*id);
        let need = match container.on_give_up {
            OnGiveUp::Ignore => Need::Soft,
            OnGiveUp::FailPod | OnGiveUp::Unready => Need::Hard,
        };
        let edge = of_phase(Target::Container(*id), container.default_until(), need);
        sketch.require(barrier, edge, source(*id));
    }
    barrier
}

/// The name of a phase, or its number.
fn word(phase: Phase) -> String {
    let named = PhaseName::ALL.iter().find(|name| name.phase() == phase);
    named.map_or_else(|| phase.0.to_string(), ToString::to_string)
}

fn of_phase(target: Target, until: Until, need: Need) -> Requirement {
    Requirement {
        need,
        origin: Origin::Phase,
        ..Requirement::hard(target, until)
    }
}

fn source(id: ContainerId) -> EdgeSource {
    EdgeSource::new(id, SourceField::Phase)
}
