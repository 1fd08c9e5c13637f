//! What a pod and its scenario say that decides what can be excused.

use pillion_engine::pod::{Reaction, RestartPolicy};
use pillion_simulator::Scenario;
use pillion_simulator::act::Deed;
use std::collections::BTreeSet;
use std::time::Duration;

/// What is known of a pod before it is played.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Terms {
    /// Whose image is exchanged, if anybody's is.
    pub(super) updated: Option<Box<str>>,
    /// Those that are run again only if they fail.
    pub(super) on_failure: BTreeSet<Box<str>>,
    /// Those of which an end can restart all.
    pub(super) restarters: BTreeSet<Box<str>>,
    /// Those that are ready only when they have said so several times in a row.
    pub(super) patient: BTreeSet<Box<str>>,
    /// Those that have started only when a probe says so.
    pub(super) slow: BTreeSet<Box<str>>,
    /// Those that a probe kills only when it has failed several times in a row.
    pub(super) tolerated: BTreeSet<Box<str>>,
    /// Those that two probes can kill.
    pub(super) doubly_probed: BTreeSet<Box<str>>,
    /// What containers have when they are told to stop, unless something says otherwise.
    pub(super) grace: Duration,
    /// No crashed container, and no pod of which all containers are restarted, waits longer.
    pub(super) longest_wait: Duration,
}

// === impl Terms ===

impl Terms {
    /// Of this scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let pod = &scenario.pod;
        let deeds = scenario.acts.iter().filter_map(|act| act.deed.as_ref());
        let mut updated = deeds.filter_map(|deed| match deed {
            Deed::SetImage { container, .. } => Some(container.clone()),
            Deed::Delete { .. }
            | Deed::Replace(_)
            | Deed::Kill { .. }
            | Deed::Exit { .. }
            | Deed::Ask { .. }
            | Deed::SetProbe { .. }
            | Deed::RestartDriver { .. }
            | Deed::Reboot
            | Deed::AddEphemeral { .. } => None,
        });
        let on_failure = pod.containers.iter();
        let on_failure = on_failure.filter(|one| one.restart.policy == RestartPolicy::OnFailure);
        let restarters = pod.containers.iter().filter(|one| {
            let mut rules = one.restart.rules.iter();
            rules.any(|rule| rule.reaction == Reaction::RestartAllContainers)
        });
        let patient = pod.containers.iter().filter(|one| {
            let readiness = one.probes.readiness.as_ref();
            readiness.is_some_and(|probe| probe.success_threshold > 1)
        });
        let doubly_probed = pod.containers.iter();
        let doubly_probed = doubly_probed
            .filter(|one| one.probes.startup.is_some() && one.probes.liveness.is_some());
        let slow = pod.containers.iter();
        let slow = slow.filter(|one| one.probes.startup.is_some());
        let tolerated = pod.containers.iter().filter(|one| {
            let kills = [&one.probes.startup, &one.probes.liveness];
            let mut kills = kills.into_iter().flatten();
            kills.any(|probe| probe.failure_threshold > 1)
        });
        Self {
            updated: updated.next(),
            on_failure: on_failure.map(|one| one.name.clone()).collect(),
            restarters: restarters.map(|one| one.name.clone()).collect(),
            patient: patient.map(|one| one.name.clone()).collect(),
            slow: slow.map(|one| one.name.clone()).collect(),
            tolerated: tolerated.map(|one| one.name.clone()).collect(),
            doubly_probed: doubly_probed.map(|one| one.name.clone()).collect(),
            grace: pod.grace,
            longest_wait: pod.backoff.max,
        }
    }
}
