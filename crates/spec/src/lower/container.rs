//! One container without its edges: defaults that depend on kind and role are filled in.

use crate::container::{Container, ContainerList};
use crate::dialect::{Dialect, Traits};
use crate::pillion;
use crate::probe::Probe;
use crate::restart::{self, Factor, RestartPolicy, RestartRule, Trigger};
use pillion_engine::pod::{self as engine, Kind, OnGiveUp, RestartLimit, Role, When};
use std::time::Duration;

/// Translates a container. `pod_policy` is what the pod says for containers that say nothing.
pub(crate) fn lower(
    list: ContainerList,
    container: &Container,
    traits: &Traits,
    pod_policy: RestartPolicy,
    backoff: engine::Backoff,
) -> engine::Container {
    let fields = &container.pillion;
    let kind = kind(traits, fields);
    let role = role(list, kind, traits);
    let lifecycle = &container.lifecycle;
    engine::Container {
        name: container.name.as_str().into(),
        list: list_of(list),
        kind,
        role,
        plain: traits.dialects.iter().all(|d| *d == Dialect::Native)
            && container.pillion_fields().is_empty(),
        image: container.image.as_deref().map(Into::into),
        requires: Vec::new(),
        keystone: traits.keystone.as_ref().and_then(|said| said.value),
        restart: restart(
            container,
            policy(container, kind, role, traits, pod_policy),
            backoff,
        ),
        on_give_up: on_give_up(fields, role),
        probes: engine::Probes {
            startup: container.startup_probe.as_ref().map(probe),
            readiness: container.readiness_probe.as_ref().map(probe),
            liveness: container.liveness_probe.as_ref().map(probe),
        },
        ready_on: fields.ready_on.is_some(),
        hooks: engine::Hooks {
            post_start: lifecycle.post_start.is_some(),
            pre_stop: lifecycle.pre_stop.is_some(),
            pod_stopping: lifecycle.pod_stopping.is_some(),
        },
        start_timeout: fields.start_timeout_seconds.map(seconds),
        stop_timeout: fields.stop_timeout_seconds.map(seconds),
    }
}

/// What Kubernetes and people write as a policy, as the engine has it.
pub(crate) fn policy_of(policy: RestartPolicy) -> engine::RestartPolicy {
    match policy {
        RestartPolicy::Always => engine::RestartPolicy::Always,
        RestartPolicy::OnFailure => engine::RestartPolicy::OnFailure,
        RestartPolicy::Never => engine::RestartPolicy::Never,
    }
}

pub(crate) fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(seconds.into())
}

fn list_of(list: ContainerList) -> engine::List {
    match list {
        ContainerList::Init => engine::List::Init,
        ContainerList::Regular => engine::List::Regular,
        ContainerList::Ephemeral => engine::List::Ephemeral,
    }
}

fn kind(traits: &Traits, fields: &pillion::PillionFields) -> Kind {
    if !traits.oneshot.as_ref().is_some_and(|said| said.value) {
        return Kind::Service;
    }
    let rerun = match fields.rerun {
        None | Some(pillion::Rerun::OnPodRestart) => engine::Rerun::OnPodRestart,
        Some(pillion::Rerun::Never) => engine::Rerun::Never,
    };
    Kind::Oneshot {
        undo: fields.undo.is_some(),
        rerun,
    }
}

fn role(list: ContainerList, kind: Kind, traits: &Traits) -> Role {
    match (&traits.role, list, kind) {
        (_, ContainerList::Ephemeral, _) => Role::Ephemeral,
        (Some(said), ContainerList::Init | ContainerList::Regular, _) => said.value,
        (None, _, Kind::Service) if traits.resident => Role::Sidecar,
        (None, ContainerList::Init | ContainerList::Regular, _) => Role::Main,
    }
}

/// Its own policy; else that of its dialect.
fn policy(
    container: &Container,
    kind: Kind,
    role: Role,
    traits: &Traits,
    pod_policy: RestartPolicy,
) -> RestartPolicy {
    match (container.restart_policy, role) {
        (Some(own), _) => own,
        (None, Role::Ephemeral) => RestartPolicy::Never,
        (None, Role::Main | Role::Sidecar) if is_kept_up(kind, role, traits) => {
            RestartPolicy::Always
        }
        (None, Role::Main | Role::Sidecar) => pod_policy,
    }
}

/// Sidecars that run until stopped are kept up, unless they are marked in a way in which they
/// follow the pod.
pub(crate) fn is_kept_up(kind: Kind, role: Role, traits: &Traits) -> bool {
    let follows_pod = |dialect| matches!(dialect, Dialect::ContainerType | Dialect::JobSidecar);
    let is_service = kind == Kind::Service && role == Role::Sidecar;
    is_service && !traits.dialects.iter().copied().any(follows_pod)
}

fn on_give_up(fields: &pillion::PillionFields, role: Role) -> OnGiveUp {
    match (fields.on_give_up, role) {
        (Some(restart::OnGiveUp::FailPod), _) | (None, Role::Main) => OnGiveUp::FailPod,
        (Some(restart::OnGiveUp::Unready), _) | (None, Role::Sidecar) => OnGiveUp::Unready,
        (Some(restart::OnGiveUp::Ignore), _) | (None, Role::Ephemeral) => OnGiveUp::Ignore,
    }
}

fn restart(
    container: &Container,
    policy: RestartPolicy,
    default: engine::Backoff,
) -> engine::Restart {
    let given = container.pillion.backoff.clone().unwrap_or_default();
    let window = given.window_seconds.map(seconds);
    engine::Restart {
        policy: policy_of(policy),
        rules: container.restart_policy_rules.iter().map(rule).collect(),
        backoff: engine::Backoff {
            initial: given.initial_seconds.map_or(default.initial, seconds),
            factor: given.factor.map_or(default.factor, Factor::thousandths),
            max: given.max_seconds.map_or(default.max, seconds),
            reset: given.reset_seconds.map_or(default.reset, seconds),
        },
        limit: given.max_restarts.map(|max| RestartLimit { max, window }),
        failure_restarts_pod: false,
    }
}

fn rule(rule: &RestartRule) -> engine::Rule {
    let when = match &rule.when {
        Trigger::ExitCodes { operator, values } => match operator {
            restart::Operator::In => When::CodeIn(values.clone()),
            restart::Operator::NotIn => When::CodeNotIn(values.clone()),
        },
        Trigger::Signals(signals) => {
            When::Signal(signals.iter().map(|s| s.number().into()).collect())
        }
        Trigger::OomKilled => When::OomKilled,
    };
    engine::Rule {
        when,
        reaction: reaction(rule.action),
    }
}

fn reaction(reaction: restart::Reaction) -> engine::Reaction {
    match reaction {
        restart::Reaction::Restart => engine::Reaction::Restart,
        restart::Reaction::RestartAllContainers => engine::Reaction::RestartAllContainers,
        restart::Reaction::RestartPod => engine::Reaction::RestartPod,
        restart::Reaction::FailPod => engine::Reaction::FailPod,
        restart::Reaction::CompletePod => engine::Reaction::CompletePod,
        restart::Reaction::Ignore => engine::Reaction::Ignore,
    }
}

fn probe(probe: &Probe) -> engine::Probe {
    engine::Probe {
        initial_delay: seconds(probe.initial_delay_seconds),
        period: seconds(probe.period_seconds),
        timeout: seconds(probe.timeout_seconds),
        success_threshold: probe.success_threshold,
        failure_threshold: probe.failure_threshold,
        grace: probe
            .termination_grace_period_seconds
            .map(Duration::from_secs),
    }
}
