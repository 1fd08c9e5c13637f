//! A plan for programs, under stable names.

use pillion_engine::pod::{
    Container, ContainerId, Keystone, Need, OnRestart, Origin, Pod, Requirement, Role, Scope,
    Target, Until,
};
use pillion_spec::LoadedPod;
use pillion_spec::effective::{Amounts, effective};
use pillion_spec::plan::start_waves;
use pillion_spec::plan::stop::{Stop, StopPlan, stop_plan};
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that is known of a pod before it runs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlanJson {
    name: String,
    kind: String,
    dialects: Vec<String>,
    grace_seconds: f64,
    containers: Vec<ContainerJson>,
    barriers: Vec<BarrierJson>,
    start: StartJson,
    stop: StopJson,
    resources: ResourcesJson,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ContainerJson {
    name: String,
    role: &'static str,
    oneshot: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    keystone: Option<&'static str>,
    requires: Vec<EdgeJson>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BarrierJson {
    name: String,
    requires: Vec<EdgeJson>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EdgeJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    barrier: Option<String>,
    until: &'static str,
    need: &'static str,
    on_restart: &'static str,
    scope: &'static str,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_seconds: Option<f64>,
}

#[derive(Debug, Serialize)]
struct StartJson {
    waves: Vec<Vec<String>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StopJson {
    waves: Vec<Vec<String>>,
    worst_case_seconds: f64,
    containers: BTreeMap<String, ContainerStopJson>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ContainerStopJson {
    /// Told to stop this long after the stop began, at the latest.
    begins_by_seconds: f64,
    /// And then has this long, at least.
    has_seconds: f64,
    /// Down this long after the stop began, at the latest.
    ends_by_seconds: f64,
    cut_short: bool,
}

#[derive(Debug, Serialize)]
struct ResourcesJson {
    requests: BTreeMap<String, String>,
    limits: BTreeMap<String, String>,
}

/// The plan of one pod.
pub(super) fn plan(loaded: &LoadedPod) -> PlanJson {
    let pod = &loaded.lowered.pod;
    let effective = effective(&loaded.file.pod.spec);
    PlanJson {
        name: pod.name.to_string(),
        kind: loaded.file.kind.to_string(),
        dialects: loaded
            .lowered
            .dialects
            .iter()
            .map(ToString::to_string)
            .collect(),
        grace_seconds: pod.grace.as_secs_f64(),
        containers: pod
            .containers
            .iter()
            .map(|c| ContainerJson::new(pod, c))
            .collect(),
        barriers: barriers(pod),
        start: StartJson {
            waves: named(pod, &start_waves(pod)),
        },
        stop: StopJson::new(pod, &stop_plan(pod, &loaded.file.pod.spec)),
        resources: ResourcesJson {
            requests: amounts(&effective.requests),
            limits: amounts(&effective.limits),
        },
    }
}

fn barriers(pod: &Pod) -> Vec<BarrierJson> {
    let barrier = |barrier: &pillion_engine::pod::Barrier| BarrierJson {
        name: barrier.name.to_string(),
        requires: edges(pod, &barrier.requires),
    };
    pod.barriers.iter().map(barrier).collect()
}

fn edges(pod: &Pod, requires: &[Requirement]) -> Vec<EdgeJson> {
    requires
        .iter()
        .map(|requirement| EdgeJson::new(pod, requirement))
        .collect()
}

fn named(pod: &Pod, waves: &[Vec<ContainerId>]) -> Vec<Vec<String>> {
    let names = |wave: &Vec<ContainerId>| wave.iter().map(|id| name(pod, *id)).collect();
    waves.iter().map(names).collect()
}

fn name(pod: &Pod, id: ContainerId) -> String {
    pod.containers[id.index()].name.to_string()
}

fn amounts(amounts: &Amounts) -> BTreeMap<String, String> {
    amounts
        .iter()
        .map(|(name, amount)| (name.clone(), amount.to_string()))
        .collect()
}

// === impl ContainerJson ===

impl ContainerJson {
    fn new(pod: &Pod, container: &Container) -> Self {
        Self {
            name: container.name.to_string(),
            role: match container.role {
                Role::Main => "main",
                Role::Sidecar => "sidecar",
                Role::Ephemeral => "ephemeral",
            },
            oneshot: container.is_oneshot(),
            keystone: container.keystone.map(|keystone| match keystone {
                Keystone::Any => "any",
                Keystone::Success => "success",
                Keystone::Failure => "failure",
            }),
            requires: edges(pod, &container.requires),
        }
    }
}

// === impl EdgeJson ===

impl EdgeJson {
    fn new(pod: &Pod, requirement: &Requirement) -> Self {
        let (container, barrier) = match requirement.target {
            Target::Container(id) => (Some(name(pod, id)), None),
            Target::Barrier(id) => (None, Some(pod.barriers[id.index()].name.to_string())),
        };
        Self {
            container,
            barrier,
            until: until(requirement.until),
            need: need(requirement.need),
            on_restart: on_restart(requirement.on_restart),
            scope: scope(requirement.scope),
            origin: origin(requirement.origin),
            timeout_seconds: requirement.timeout.map(|timeout| timeout.as_secs_f64()),
        }
    }
}

const fn until(until: Until) -> &'static str {
    match until {
        Until::Attempted => "attempted",
        Until::Started => "started",
        Until::Ready => "ready",
        Until::Succeeded => "succeeded",
        Until::Exited => "exited",
        Until::Settled => "settled",
    }
}

const fn need(need: Need) -> &'static str {
    match need {
        Need::Hard => "hard",
        Need::Soft => "soft",
        Need::Order => "order",
    }
}

const fn on_restart(on_restart: OnRestart) -> &'static str {
    match on_restart {
        OnRestart::Keep => "keep",
        OnRestart::Restart => "restart",
        OnRestart::Stop => "stop",
    }
}

const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Both => "both",
        Scope::StartOnly => "start",
        Scope::StopOnly => "stop",
    }
}

const fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Written => "written",
        Origin::Capability => "capability",
        Origin::Network => "network",
        Origin::ListOrder => "listOrder",
        Origin::Phase => "phase",
        Origin::ContainerType => "containerType",
        Origin::LaunchPriority => "launchPriority",
        Origin::Role => "role",
    }
}

// === impl StopJson ===

impl StopJson {
    fn new(pod: &Pod, plan: &StopPlan) -> Self {
        let both = pod.containers.iter().zip(&plan.stops);
        let stop = |(container, stop): (&Container, &Option<Stop>)| {
            let stop = (*stop)?;
            let json = ContainerStopJson {
                begins_by_seconds: stop.begins_by.as_secs_f64(),
                has_seconds: stop.has.as_secs_f64(),
                ends_by_seconds: stop.ends_by.as_secs_f64(),
                cut_short: stop.is_cut_short(),
            };
            Some((container.name.to_string(), json))
        };
        Self {
            waves: named(pod, &plan.waves),
            worst_case_seconds: plan.worst_case.as_secs_f64(),
            containers: both.filter_map(stop).collect(),
        }
    }
}
