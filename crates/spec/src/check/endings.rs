//! In which ways a container can end for good: by its policy, by its rules, and with those that it
//! goes down with.
//!
//! Every exit is asked for by itself, because the first rule that matches decides: a rule for one
//! code says nothing about the others, and one that restarts on every code leaves the policy
//! nothing to say.

use pillion_engine::pod::{
    Container, ContainerId, Kind, Need, OnRestart, Pod, Reaction, Requirement, Rerun,
    RestartPolicy, Target, Until, When,
};
use std::collections::BTreeSet;

/// Whether some exit ends a container for good, and whether there is still a pod then.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Ending {
    /// Every such exit is followed by another start.
    Never,
    /// Only by a rule that ends the whole pod at the same time.
    WithPod,
    /// The others can see it.
    Seen,
}

/// The ways in which a container can end for good.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Endings {
    /// With 0.
    pub(super) success: Ending,
    /// With another code.
    pub(super) failure: Ending,
}

/// What decides whether a container is started again after an exit.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Decider {
    /// Its policy, because no rule matches.
    Policy,
    /// The first rule that matches, by its place.
    Rule(usize),
    /// Its phase, whose attempt has failed.
    Phase,
}

/// An exit, as far as rules tell exits apart.
#[derive(Clone, Copy, Debug)]
struct Exit {
    code: i32,
    signal: Option<i32>,
    oom: bool,
}

// === impl Endings ===

impl Endings {
    pub(super) fn of(pod: &Pod, id: ContainerId) -> Self {
        let container = &pod.containers[id.index()];
        let success = if !container.is_oneshot() && goes_down_with_success(pod, id) {
            Ending::Seen
        } else {
            after(container, Exit::SUCCESS)
        };
        Self {
            success,
            failure: any_failure(container),
        }
    }
}

// === impl Decider ===

impl Decider {
    pub(super) fn of_success(container: &Container) -> Self {
        Self::of(container, Exit::SUCCESS)
    }

    /// All that decide after some failure.
    pub(super) fn of_failures(container: &Container) -> BTreeSet<Self> {
        Exit::failures()
            .map(|exit| Self::of(container, exit))
            .collect()
    }

    /// All that decide after some exit.
    pub(super) fn all(container: &Container) -> BTreeSet<Self> {
        let mut all = Self::of_failures(container);
        all.insert(Self::of_success(container));
        all
    }

    fn of(container: &Container, exit: Exit) -> Self {
        let mut rules = container.restart.rules.iter();
        let matching = rules.position(|rule| exit.matches(&rule.when));
        let own = if container.restart.failure_restarts_pod && exit.code != 0 {
            Self::Phase
        } else {
            Self::Policy
        };
        matching.map_or(own, Self::Rule)
    }
}

// === impl Exit ===

impl Exit {
    const SUCCESS: Self = Self::code(0);
    const OOM: Self = Self {
        oom: true,
        ..Self::signal(9)
    };

    const fn code(code: i32) -> Self {
        Self {
            code,
            signal: None,
            oom: false,
        }
    }

    const fn signal(signal: i32) -> Self {
        Self {
            code: 128 + signal,
            signal: Some(signal),
            oom: false,
        }
    }

    fn failures() -> impl Iterator<Item = Self> {
        let by_code = (1..=255).map(Self::code);
        let by_signal = (1..=64).map(Self::signal);
        by_code.chain(by_signal).chain([Self::OOM])
    }

    fn matches(self, when: &When) -> bool {
        match when {
            When::CodeIn(codes) => codes.contains(&self.code),
            When::CodeNotIn(codes) => !codes.contains(&self.code),
            When::Signal(signals) => self.signal.is_some_and(|signal| signals.contains(&signal)),
            When::OomKilled => self.oom,
        }
    }
}

/// Whether there is an exit that a rule is for.
pub(super) fn is_possible(when: &When) -> bool {
    Exit::SUCCESS.matches(when) || Exit::failures().any(|exit| exit.matches(when))
}

fn any_failure(container: &Container) -> Ending {
    // Without rules all failures are alike.
    if container.restart.rules.is_empty() {
        return by_policy(container, false);
    }
    let endings = Exit::failures().map(|exit| after(container, exit));
    endings.max().unwrap_or(Ending::Never)
}

/// What an exit leads to.
fn after(container: &Container, exit: Exit) -> Ending {
    let ok = exit.code == 0;
    let Decider::Rule(index) = Decider::of(container, exit) else {
        return by_policy(container, ok);
    };
    match (container.restart.rules[index].reaction, container.kind) {
        (Reaction::Ignore, _) => Ending::Seen,
        (Reaction::FailPod | Reaction::CompletePod, _) => Ending::WithPod,
        // What has been done is not done again.
        (Reaction::Restart, Kind::Oneshot { .. }) if ok => by_policy(container, ok),
        (
            Reaction::RestartPod,
            Kind::Oneshot {
                rerun: Rerun::Never,
                ..
            },
        ) if ok => Ending::Seen,
        (Reaction::Restart | Reaction::RestartAllContainers | Reaction::RestartPod, _) => {
            Ending::Never
        }
    }
}

fn by_policy(container: &Container, ok: bool) -> Ending {
    let again = match container.restart.policy {
        RestartPolicy::Always => !(ok && container.is_oneshot()),
        RestartPolicy::OnFailure => !ok,
        RestartPolicy::Never => !ok && container.restart.failure_restarts_pod,
    };
    if again { Ending::Never } else { Ending::Seen }
}

/// A service that is stopped with a target that ended with 0 counts as ended with 0 too.
fn goes_down_with_success(pod: &Pod, id: ContainerId) -> bool {
    let mut seen = BTreeSet::from([id]);
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        for target in followed(&pod.containers[id.index()].requires) {
            let container = &pod.containers[target.index()];
            // What a oneshot did stays done: nobody goes down with it.
            if container.is_oneshot() || !seen.insert(target) {
                continue;
            }
            if after(container, Exit::SUCCESS) == Ending::Seen {
                return true;
            }
            pending.push(target);
        }
    }
    false
}

/// Whether a container can give up: by too many restarts, with a target that goes down, or for want of one that can
/// not come any more.
pub(super) fn can_give_up(pod: &Pod, id: ContainerId) -> bool {
    let mut seen = BTreeSet::from([id]);
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let container = &pod.containers[id.index()];
        if container.restart.limit.is_some() {
            return true;
        }
        for edge in lasting(pod, &container.requires) {
            let Target::Container(target) = edge.target else {
                continue;
            };
            if stops_with(pod, edge, target) || can_fail(pod, edge, target) {
                return true;
            }
            if edge.need == Need::Hard && edge.gates_start() && seen.insert(target) {
                pending.push(target);
            }
        }
    }
    false
}

/// Edges to containers; those of a meeting point that must be reached stand for the edge to it.
fn lasting<'a>(pod: &'a Pod, edges: &'a [Requirement]) -> Vec<&'a Requirement> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<_> = edges.iter().collect();
    while let Some(edge) = pending.pop() {
        match edge.target {
            Target::Container(_) => found.push(edge),
            Target::Barrier(id) if edge.need == Need::Hard && edge.gates_start() => {
                if seen.insert(id.0) {
                    pending.extend(&pod.barriers[id.index()].requires);
                }
            }
            Target::Barrier(_) => {}
        }
    }
    found
}

/// Whoever says `stop` gives up when its target goes down, and any process can. What a oneshot did stays done.
fn stops_with(pod: &Pod, edge: &Requirement, target: ContainerId) -> bool {
    edge.on_restart == OnRestart::Stop
        && matches!(edge.until, Until::Started | Until::Ready)
        && !pod.containers[target.index()].is_oneshot()
}

/// Whether a requirement that must be fulfilled can become impossible by an end of its target, or by time.
fn can_fail(pod: &Pod, edge: &Requirement, target: ContainerId) -> bool {
    if edge.need != Need::Hard || !edge.gates_start() {
        return false;
    }
    let Endings { success, failure } = Endings::of(pod, target);
    let oneshot = pod.containers[target.index()].is_oneshot();
    edge.timeout.is_some()
        || match edge.until {
            Until::Succeeded => failure == Ending::Seen,
            Until::Started | Until::Ready => !oneshot && success.max(failure) == Ending::Seen,
            Until::Attempted | Until::Exited | Until::Settled => false,
        }
}

/// The containers that one goes down with.
fn followed(edges: &[Requirement]) -> impl Iterator<Item = ContainerId> {
    let following = edges.iter().filter(|edge| {
        edge.on_restart != OnRestart::Keep && matches!(edge.until, Until::Started | Until::Ready)
    });
    following.filter_map(|edge| match edge.target {
        Target::Container(id) => Some(id),
        Target::Barrier(_) => None,
    })
}
