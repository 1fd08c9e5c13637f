//! A small pod out of bytes: every kind, role, edge and setting that the engine knows.

use super::bytes::Bytes;
use pillion_engine::BarrierId;
use pillion_engine::pod::{
    Backoff, Barrier, Container, ContainerId, Hooks, Keystone, Kind, List, Need, OnGiveUp,
    OnRestart, Origin, Pod, Probe, Probes, Reaction, Requirement, Rerun, RestartLimit,
    RestartPolicy, Role, Rule, Scope, Target, Until, When,
};
use std::time::Duration;

/// Edges lead to earlier containers only, so there are no cycles.
pub(super) fn generate(bytes: &mut Bytes<'_>) -> Pod {
    let count = 1 + bytes.below(5);
    let mut containers: Vec<Container> = Vec::new();
    for number in 0..count {
        let mut container = container(bytes, number);
        for (id, target) in (0..).map(ContainerId).zip(&containers) {
            if bytes.once_in(2) {
                container.requires.push(edge(bytes, id, target));
            }
        }
        containers.push(container);
    }
    // Somebody has to keep the pod alive.
    containers[0].role = Role::Main;
    let barriers = barriers(bytes, &mut containers);
    Pod {
        name: "fuzz".into(),
        containers,
        barriers,
        restart_policy: policy(bytes),
        grace: seconds(bytes, 30),
        active_deadline: bytes.once_in(8).then(|| seconds(bytes, 200)),
        restart_limit: None,
        backoff: Backoff::default(),
    }
}

/// A container with everything but edges.
pub(super) fn container(bytes: &mut Bytes<'_>, number: usize) -> Container {
    let mut container = Container::new(&format!("c{number}"), policy(bytes));
    container.list = bytes.one_of([List::Regular, List::Init]);
    container.role = bytes.one_of([Role::Main, Role::Sidecar]);
    container.plain = bytes.once_in(4);
    container.image = bytes.once_in(2).then(|| "image:1".into());
    if bytes.once_in(3) {
        let undo = bytes.once_in(2);
        let rerun = bytes.one_of([Rerun::OnPodRestart, Rerun::Never]);
        container.kind = Kind::Oneshot { undo, rerun };
    }
    container.keystone = bytes.one_of([
        None,
        None,
        None,
        Some(Keystone::Any),
        Some(Keystone::Success),
        Some(Keystone::Failure),
    ]);
    container.on_give_up = bytes.one_of([OnGiveUp::FailPod, OnGiveUp::Unready, OnGiveUp::Ignore]);
    container.restart.rules = rules(bytes);
    container.restart.limit = bytes.once_in(3).then(|| RestartLimit {
        max: u32::try_from(bytes.below(4)).unwrap_or(0),
        window: bytes.once_in(2).then(|| seconds(bytes, 100)),
    });
    container.probes = probes(bytes);
    container.ready_on = bytes.once_in(4);
    container.hooks = Hooks {
        post_start: bytes.once_in(4),
        pre_stop: bytes.once_in(4),
        pod_stopping: bytes.once_in(4),
    };
    container.start_timeout = bytes.once_in(4).then(|| seconds(bytes, 60));
    container.stop_timeout = bytes.once_in(4).then(|| seconds(bytes, 20));
    container
}

fn edge(bytes: &mut Bytes<'_>, id: ContainerId, target: &Container) -> Requirement {
    let until = bytes.one_of([
        target.default_until(),
        Until::Started,
        Until::Exited,
        Until::Attempted,
    ]);
    Requirement {
        need: bytes.one_of([Need::Hard, Need::Soft, Need::Order]),
        on_restart: bytes.one_of([OnRestart::Keep, OnRestart::Restart, OnRestart::Stop]),
        timeout: bytes.once_in(4).then(|| seconds(bytes, 60)),
        scope: bytes.one_of([Scope::Both, Scope::Both, Scope::StartOnly, Scope::StopOnly]),
        ..Requirement::hard(Target::Container(id), until)
    }
}

/// Sometimes the first container stands before all others that have no edge of their own.
fn barriers(bytes: &mut Bytes<'_>, containers: &mut [Container]) -> Vec<Barrier> {
    if !bytes.once_in(3) {
        return Vec::new();
    }
    let phase = |target, until| Requirement {
        origin: Origin::Phase,
        ..Requirement::hard(target, until)
    };
    let until = containers[0].default_until();
    let first = phase(Target::Container(ContainerId(0)), until);
    for container in containers
        .iter_mut()
        .skip(1)
        .filter(|c| c.requires.is_empty())
    {
        let barrier = Target::Barrier(BarrierId(0));
        container.requires.push(phase(barrier, Until::Settled));
    }
    vec![Barrier {
        name: "phase".into(),
        requires: vec![first],
    }]
}

fn rules(bytes: &mut Bytes<'_>) -> Vec<Rule> {
    if !bytes.once_in(4) {
        return Vec::new();
    }
    let when = match bytes.below(4) {
        0 => When::CodeIn(vec![1, 42]),
        1 => When::CodeNotIn(vec![0]),
        2 => When::Signal(vec![9]),
        _ => When::OomKilled,
    };
    let reaction = bytes.one_of([
        Reaction::Restart,
        Reaction::RestartAllContainers,
        Reaction::RestartPod,
        Reaction::FailPod,
        Reaction::CompletePod,
        Reaction::Ignore,
    ]);
    vec![Rule { when, reaction }]
}

fn probes(bytes: &mut Bytes<'_>) -> Probes {
    Probes {
        startup: bytes.once_in(4).then(|| probe(bytes)),
        readiness: bytes.once_in(3).then(|| probe(bytes)),
        liveness: bytes.once_in(4).then(|| probe(bytes)),
    }
}

fn probe(bytes: &mut Bytes<'_>) -> Probe {
    let threshold = |bytes: &mut Bytes<'_>| u32::try_from(bytes.below(4)).unwrap_or(0);
    Probe {
        initial_delay: seconds(bytes, 5),
        period: seconds(bytes, 12),
        timeout: seconds(bytes, 3),
        success_threshold: threshold(bytes),
        failure_threshold: threshold(bytes),
        grace: bytes.once_in(3).then(|| seconds(bytes, 10)),
    }
}

fn policy(bytes: &mut Bytes<'_>) -> RestartPolicy {
    bytes.one_of([
        RestartPolicy::Never,
        RestartPolicy::OnFailure,
        RestartPolicy::Always,
    ])
}

fn seconds(bytes: &mut Bytes<'_>, limit: usize) -> Duration {
    Duration::from_secs(u64::try_from(bytes.below(limit)).unwrap_or(0))
}
