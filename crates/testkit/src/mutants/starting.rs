//! Mistakes about starts and waits.

use super::{Exhibit, Flaw, Sight};
use crate::draft::{oneshot, pod, requires, service, sidecar};
use crate::environment::Limits;
use crate::families::{hasty, pulled};
use crate::laws::Promise;
use pillion_engine::pod::{
    Container, Need, Origin, Probe, Probes, Requirement, Scope, Target, Until,
};
use pillion_engine::{Action, ContainerId, Event, Pod, Tick};
use std::time::Duration;

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit::of::<StartedWhenItRuns>(),
        Exhibit::of::<OneByOne>(),
        Exhibit::of::<PullsAtItsTurn>(),
        Exhibit::of::<WaitsForEver>(),
        Exhibit::of::<WaitsASecondMore>(),
        Exhibit::of::<WakesForEver>(),
    ]
}

#[derive(Clone, Debug, Default, Hash)]
struct StartedWhenItRuns;

#[derive(Clone, Debug, Default, Hash)]
struct OneByOne;

#[derive(Clone, Debug, Default, Hash)]
struct PullsAtItsTurn {
    held: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, Default, Hash)]
struct WaitsForEver;

#[derive(Clone, Debug, Default, Hash)]
struct WaitsASecondMore;

#[derive(Clone, Debug, Default, Hash)]
struct WakesForEver {
    woken: Option<Tick>,
}

// === impl StartedWhenItRuns ===

impl Flaw for StartedWhenItRuns {
    const NAME: &'static str = "started when it runs";
    const MISTAKE: &'static str =
        "takes a container for started when its process runs, before the startup probe has passed";
    const PROMISE: Promise = Promise::Start;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        let mut proxy = sidecar("proxy");
        proxy.probes.startup = Some(Probe::default());
        let app = requires(service("app"), 0, Until::Started);
        hasty(pod([proxy, app]))
    }

    fn misreads(pod: &mut Pod) {
        for container in &mut pod.containers {
            container.probes.startup = None;
        }
    }
}

// === impl OneByOne ===

impl Flaw for OneByOne {
    const NAME: &'static str = "one by one";
    const MISTAKE: &'static str =
        "starts containers in the order of the list, each when the one before it runs";
    const PROMISE: Promise = Promise::Start;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        hasty(pod([service("one"), service("other")]))
    }

    fn misreads(pod: &mut Pod) {
        for (before, container) in (0..).map(ContainerId).zip(&mut pod.containers[1..]) {
            container.requires.push(Requirement {
                need: Need::Order,
                scope: Scope::StartOnly,
                origin: Origin::ListOrder,
                ..Requirement::hard(Target::Container(before), Until::Attempted)
            });
        }
    }
}

// === impl PullsAtItsTurn ===

impl Flaw for PullsAtItsTurn {
    const NAME: &'static str = "pulls at its turn";
    const MISTAKE: &'static str =
        "asks for images when containers can be started, and not while it waits";
    const PROMISE: Promise = Promise::Start;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        hasty(pod([pulled(service("app"))]))
    }

    fn says(&mut self, _sight: Sight<'_>, action: Action) -> Vec<Action> {
        match action {
            Action::Pull {
                container, attempt, ..
            } => {
                self.held.push((container.0, attempt));
                Vec::new()
            }
            Action::CancelPull { .. }
            | Action::Start { .. }
            | Action::RunHook { .. }
            | Action::Probe { .. }
            | Action::Stop { .. } => vec![action],
        }
    }

    fn adds(&mut self, _sight: Sight<'_>, event: &Event) -> Option<Action> {
        let (container, attempt) = self.held.pop().filter(|_| *event == Event::SandboxReady)?;
        Some(Action::Pull {
            container: ContainerId(container),
            attempt,
            version: 0,
        })
    }
}

// === impl WaitsForEver ===

impl Flaw for WaitsForEver {
    const NAME: &'static str = "waits for ever";
    const MISTAKE: &'static str = "has no timer for the timeout of an edge";
    const PROMISE: Promise = Promise::Waiting;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        patient()
    }

    fn misreads(pod: &mut Pod) {
        for edge in edges(pod) {
            edge.timeout = None;
        }
    }
}

// === impl WaitsASecondMore ===

impl Flaw for WaitsASecondMore {
    const NAME: &'static str = "waits a second more";
    const MISTAKE: &'static str = "counts the seconds of a wait from one";
    const PROMISE: Promise = Promise::Waiting;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        patient()
    }

    fn misreads(pod: &mut Pod) {
        for edge in edges(pod) {
            edge.timeout = edge.timeout.map(|timeout| timeout + Duration::from_secs(1));
        }
    }
}

// === impl WakesForEver ===

impl Flaw for WakesForEver {
    const NAME: &'static str = "wakes for ever";
    const MISTAKE: &'static str = "does not disarm a timer that has gone off";
    const PROMISE: Promise = Promise::Waiting;
    const TROUBLE: Limits = Limits::CALM.faults(2);

    fn pod() -> Pod {
        hasty(pod([service("app"), oneshot("job")]))
    }

    fn is_woken(&mut self, now: Tick) {
        self.woken = Some(now);
    }

    fn wakes(&self, deadline: Option<Tick>) -> Option<Tick> {
        self.woken.or(deadline)
    }
}

/// Somebody waits 10 seconds for a container that takes its time to become ready.
fn patient() -> Pod {
    let slow = Container {
        probes: Probes {
            readiness: Some(Probe::default()),
            ..Probes::default()
        },
        ..service("slow")
    };
    let mut app = requires(service("app"), 0, Until::Ready);
    app.requires[0].timeout = Some(Duration::from_secs(10));
    hasty(pod([slow, app]))
}

fn edges(pod: &mut Pod) -> impl Iterator<Item = &mut Requirement> {
    pod.containers.iter_mut().flat_map(|it| &mut it.requires)
}
