//! What a pod's file asks for, read anew: nothing here comes from the code that carries it out.

use pillion_engine::ContainerId;
use pillion_engine::pod::{
    Container, Need, OnRestart, Origin, Pod, Requirement, RestartPolicy, Role, Target,
};
use pillion_simulator::Scenario;
use pillion_simulator::actor::{Answers, Script};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A pod, and what its containers are told to do.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pod: Pod,
    scripts: BTreeMap<Box<str>, Script>,
}

/// An edge as it is written: who requires whom, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'g> {
    pub(super) who: ContainerId,
    pub(super) target: ContainerId,
    pub(super) how: &'g Requirement,
}

// === impl Graph ===

impl Graph {
    pub(super) fn new(scenario: &Scenario) -> Self {
        Self {
            pod: scenario.pod.clone(),
            scripts: scenario.scripts.clone(),
        }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = ContainerId> + Clone + use<> {
        let count = u32::try_from(self.pod.containers.len()).unwrap_or(u32::MAX);
        (0..count).map(ContainerId)
    }

    pub(super) fn mains(&self) -> impl Iterator<Item = ContainerId> {
        self.ids()
            .filter(|id| self.container(*id).role == Role::Main)
    }

    pub(super) fn sidecars(&self) -> impl Iterator<Item = ContainerId> {
        self.ids()
            .filter(|id| self.container(*id).role == Role::Sidecar)
    }

    pub(super) fn container(&self, id: ContainerId) -> &Container {
        &self.pod.containers[id.index()]
    }

    pub(super) fn name(&self, id: ContainerId) -> &str {
        &self.container(id).name
    }

    pub(super) fn named(&self, name: &str) -> Option<ContainerId> {
        self.ids().find(|id| self.name(*id) == name)
    }

    pub(super) fn grace(&self) -> Duration {
        self.pod.grace
    }

    /// Every edge that somebody wrote.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge<'_>> {
        self.ids().flat_map(|who| self.edges_of(who))
    }

    /// What this one requires.
    pub(super) fn edges_of(&self, who: ContainerId) -> impl Iterator<Item = Edge<'_>> {
        let written = self.container(who).requires.iter();
        let written = written.filter(|how| how.origin == Origin::Written);
        written.filter_map(move |how| match how.target {
            Target::Container(target) => Some(Edge { who, target, how }),
            Target::Barrier(_) => None,
        })
    }

    /// Everybody who requires this one by such edges, directly or through others.
    pub(super) fn above(
        &self,
        id: ContainerId,
        counts: impl Fn(&Edge<'_>) -> bool,
    ) -> BTreeSet<ContainerId> {
        let mut found = BTreeSet::new();
        let mut open = vec![id];
        while let Some(target) = open.pop() {
            let edges = self.edges().filter(|edge| edge.target == target);
            for edge in edges.filter(&counts) {
                if found.insert(edge.who) {
                    open.push(edge.who);
                }
            }
        }
        found
    }

    /// Whether it requires a main, directly or through others.
    pub(super) fn requires_main(&self, id: ContainerId) -> bool {
        let mut mains = self.mains();
        mains.any(|main| self.above(main, |_| true).contains(&id))
    }

    /// Whether it can be stopped, or counted as done, because of somebody whom it requires.
    pub(super) fn goes_with_others(&self, id: ContainerId) -> bool {
        self.edges_of(id).any(|edge| edge.goes_along())
    }

    /// Whether its own probe can have it stopped.
    pub(super) fn may_fail_to_start(&self, id: ContainerId) -> bool {
        let container = self.container(id);
        let fails = |script: &Script| {
            let mut answers = script.startup.values();
            answers.any(|answers| *answers == Answers::Fail)
        };
        let script = self.scripts.get(&container.name);
        container.probes.startup.is_some() && script.is_some_and(fails)
    }

    /// Whether it is ready for as long as it lives once it was.
    pub(super) fn stays_ready(&self, id: ContainerId) -> bool {
        let stays = |answers: &Answers| match answers {
            Answers::Ok => true,
            Answers::Timed { fail_after, .. } => fail_after.is_none(),
            Answers::Fail | Answers::Hang => false,
        };
        let container = self.container(id);
        let script = self.scripts.get(&container.name);
        let all = script.is_none_or(|script| script.readiness.values().all(stays));
        container.probes.readiness.is_none() || all
    }

    /// Whether an end by itself, with this code or by a kill, is its last by its policy.
    pub(super) fn is_final(&self, id: ContainerId, code: Option<i32>) -> bool {
        let container = self.container(id);
        match container.restart.policy {
            RestartPolicy::Never => true,
            RestartPolicy::OnFailure => code == Some(0),
            RestartPolicy::Always => container.is_oneshot() && code == Some(0),
        }
    }
}

// === impl Edge ===

impl Edge<'_> {
    pub(super) fn is_hard(&self) -> bool {
        self.how.need == Need::Hard
    }

    /// Whether who requires goes down with the target.
    pub(super) fn goes_along(&self) -> bool {
        self.how.on_restart != OnRestart::Keep
    }
}
