//! Mistakes about stops, their budget, and sidecars.

use super::{Exhibit, Flaw, Sight};
use crate::draft::{pod, requires, service, sidecar};
use crate::environment::Limits;
use crate::families::hasty;
use crate::laws::Promise;
use pillion_engine::pod::{HookKind, Origin, Requirement, Scope, Target, Until};
use pillion_engine::{Action, ContainerId, Engine, Pod, PodResult, Request, Tick};
use std::time::Duration;

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit::of::<AllAtOnce>(),
        Exhibit::of::<OneAfterAnother>(),
        Exhibit::of::<HookAndSignal>(),
        Exhibit::of::<GraceFromTheSignal>(),
        Exhibit::of::<EqualShares>(),
        Exhibit::of::<FirstGraceStays>(),
        Exhibit::of::<HookHasAllTheTime>(),
        Exhibit::of::<SidecarsWithMains>(),
        Exhibit::of::<SidecarDecides>(),
        Exhibit::of::<SidecarStaysDown>(),
    ]
}

#[derive(Clone, Debug, Default, Hash)]
struct AllAtOnce;

#[derive(Clone, Debug, Default, Hash)]
struct OneAfterAnother;

#[derive(Clone, Debug, Default, Hash)]
struct HookAndSignal;

#[derive(Clone, Debug, Default, Hash)]
struct GraceFromTheSignal;

#[derive(Clone, Debug, Default, Hash)]
struct EqualShares;

#[derive(Clone, Debug, Default, Hash)]
struct FirstGraceStays {
    deleted: bool,
}

#[derive(Clone, Debug, Default, Hash)]
struct HookHasAllTheTime;

#[derive(Clone, Debug, Default, Hash)]
struct SidecarsWithMains;

#[derive(Clone, Debug, Default, Hash)]
struct SidecarDecides;

#[derive(Clone, Debug, Default, Hash)]
struct SidecarStaysDown;

// === impl AllAtOnce ===

impl Flaw for AllAtOnce {
    const NAME: &'static str = "all at once";
    const MISTAKE: &'static str = "tells every container to stop when the pod begins to";
    const PROMISE: Promise = Promise::Stop;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        chain()
    }

    fn misreads(pod: &mut Pod) {
        for edge in pod.containers.iter_mut().flat_map(|it| &mut it.requires) {
            edge.scope = Scope::StartOnly;
        }
    }
}

// === impl OneAfterAnother ===

impl Flaw for OneAfterAnother {
    const NAME: &'static str = "one after another";
    const MISTAKE: &'static str =
        "stops containers in the reverse order of the list, each when the next is down";
    const PROMISE: Promise = Promise::Stop;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        hasty(pod([service("one"), service("other")]))
    }

    fn misreads(pod: &mut Pod) {
        for (before, container) in (0..).map(ContainerId).zip(&mut pod.containers[1..]) {
            container.requires.push(Requirement {
                scope: Scope::StopOnly,
                origin: Origin::ListOrder,
                ..Requirement::hard(Target::Container(before), Until::Started)
            });
        }
    }
}

// === impl HookAndSignal ===

impl Flaw for HookAndSignal {
    const NAME: &'static str = "hook and signal";
    const MISTAKE: &'static str = "begins a preStop hook and does not wait for it";
    const PROMISE: Promise = Promise::Stop;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        let mut app = service("app");
        app.hooks.pre_stop = true;
        hasty(pod([app]))
    }

    fn says(&mut self, sight: Sight<'_>, action: Action) -> Vec<Action> {
        let stop = match action {
            Action::RunHook {
                container,
                attempt,
                hook: HookKind::PreStop,
                deadline,
            } => Some(Action::Stop {
                container,
                attempt,
                deadline: deadline.unwrap_or(sight.now),
            }),
            Action::RunHook { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Start { .. }
            | Action::Probe { .. }
            | Action::Stop { .. } => None,
        };
        [action].into_iter().chain(stop).collect()
    }
}

// === impl GraceFromTheSignal ===

impl Flaw for GraceFromTheSignal {
    const NAME: &'static str = "grace from the signal";
    const MISTAKE: &'static str = "gives each container the whole grace period from its own turn";
    const PROMISE: Promise = Promise::Budget;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        let mut pod = chain();
        pod.containers[1].stop_timeout = Some(Duration::from_secs(4));
        pod
    }

    fn says(&mut self, sight: Sight<'_>, action: Action) -> Vec<Action> {
        let own = |id: ContainerId| sight.engine.pod().containers[id.index()].stop_timeout;
        let grace = sight.engine.pod().grace;
        vec![with_deadline(action, |id, _| {
            sight.now + own(id).unwrap_or(grace)
        })]
    }
}

// === impl EqualShares ===

impl Flaw for EqualShares {
    const NAME: &'static str = "equal shares";
    const MISTAKE: &'static str = "divides the grace period among the containers";
    const PROMISE: Promise = Promise::Budget;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        chain()
    }

    fn says(&mut self, sight: Sight<'_>, action: Action) -> Vec<Action> {
        let pod = sight.engine.pod();
        let count = u32::try_from(pod.containers.len()).unwrap_or(u32::MAX);
        vec![with_deadline(action, |_, at| {
            at.min(sight.now + pod.grace / count)
        })]
    }
}

// === impl FirstGraceStays ===

impl Flaw for FirstGraceStays {
    const NAME: &'static str = "the first grace stays";
    const MISTAKE: &'static str = "does not let a second deletion shorten the first";
    const PROMISE: Promise = Promise::Budget;
    const TROUBLE: Limits = Limits::CALM.deletions(2);

    fn pod() -> Pod {
        chain()
    }

    fn is_asked(&mut self, request: Request) -> Request {
        match request {
            Request::Delete { grace } => {
                let first = !std::mem::replace(&mut self.deleted, true);
                let grace = grace.filter(|_| first);
                Request::Delete { grace }
            }
            Request::Ask { .. } | Request::Replace { .. } | Request::AddEphemeral(_) => request,
        }
    }
}

// === impl HookHasAllTheTime ===

impl Flaw for HookHasAllTheTime {
    const NAME: &'static str = "a hook has all the time";
    const MISTAKE: &'static str = "does not take a preStop hook's time from the grace period";
    const PROMISE: Promise = Promise::Budget;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        HookAndSignal::pod()
    }

    fn says(&mut self, _sight: Sight<'_>, mut action: Action) -> Vec<Action> {
        if let Action::RunHook {
            hook: HookKind::PreStop,
            deadline,
            ..
        } = &mut action
        {
            *deadline = None;
        }
        vec![action]
    }
}

// === impl SidecarsWithMains ===

impl Flaw for SidecarsWithMains {
    const NAME: &'static str = "sidecars with mains";
    const MISTAKE: &'static str = "stops a sidecar as soon as no edge holds it, mains or not";
    const PROMISE: Promise = Promise::Sidecars;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        job_with_proxy()
    }

    fn misreads(pod: &mut Pod) {
        for container in &mut pod.containers {
            container.requires.retain(|it| it.origin != Origin::Role);
        }
    }
}

// === impl SidecarDecides ===

impl Flaw for SidecarDecides {
    const NAME: &'static str = "a sidecar decides";
    const MISTAKE: &'static str = "takes the first bad exit of any container for the pod's";
    const PROMISE: Promise = Promise::Sidecars;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        job_with_proxy()
    }

    fn tells(&self, engine: &Engine, result: &mut PodResult) {
        let ids = (0..).map(ContainerId).take(engine.pod().containers.len());
        let codes = ids.filter_map(|id| Some((id, engine.record(id)?.exit.as_ref()?.exit.code)));
        if let Some((id, code)) = codes.into_iter().find(|(_, code)| *code != 0) {
            result.decider = Some(id);
            result.code = code;
        }
    }
}

// === impl SidecarStaysDown ===

impl Flaw for SidecarStaysDown {
    const NAME: &'static str = "a sidecar stays down";
    const MISTAKE: &'static str =
        "restarts nothing in a pod that stops, though its mains still need their sidecar";
    const PROMISE: Promise = Promise::Sidecars;
    const TROUBLE: Limits = Limits::CALM.faults(1).deletions(1);

    fn pod() -> Pod {
        job_with_proxy()
    }

    fn says(&mut self, sight: Sight<'_>, action: Action) -> Vec<Action> {
        let stops = sight.engine.goal().deadline().is_some();
        match action {
            Action::Start { .. } if stops => Vec::new(),
            Action::Start { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::RunHook { .. }
            | Action::Probe { .. }
            | Action::Stop { .. } => vec![action],
        }
    }
}

/// A main that requires another.
fn chain() -> Pod {
    let app = requires(service("app"), 0, Until::Started);
    hasty(pod([service("database"), app]))
}

/// A main and a sidecar that it does not know of.
fn job_with_proxy() -> Pod {
    hasty(pod([sidecar("proxy"), crate::draft::oneshot("job")]))
}

/// The same, with another deadline if it is a stop.
fn with_deadline(mut action: Action, by: impl Fn(ContainerId, Tick) -> Tick) -> Action {
    if let Action::Stop {
        container,
        deadline,
        ..
    } = &mut action
    {
        *deadline = by(*container, *deadline);
    }
    action
}
