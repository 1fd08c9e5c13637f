//! Mistakes about restarts, and about who is alive.

use super::{Exhibit, Flaw, Sight};
use crate::draft::{pod, service, sidecar};
use crate::environment::Limits;
use crate::families::hasty;
use crate::laws::Promise;
use pillion_engine::fact::Goal;
use pillion_engine::pod::{Probe, ProbeKind, Reaction, RestartLimit, RestartPolicy, Rule, When};
use pillion_engine::{Action, Command, Event, Pod};
use std::time::Duration;

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit::of::<OneRestartMore>(),
        Exhibit::of::<NoBackOff>(),
        Exhibit::of::<LastRuleWins>(),
        Exhibit::of::<StartsAtTheSignal>(),
        Exhibit::of::<ProbesTheDead>(),
    ]
}

#[derive(Clone, Debug, Default, Hash)]
struct OneRestartMore;

#[derive(Clone, Debug, Default, Hash)]
struct NoBackOff;

#[derive(Clone, Debug, Default, Hash)]
struct LastRuleWins;

#[derive(Clone, Debug, Default, Hash)]
struct StartsAtTheSignal;

#[derive(Clone, Debug, Default, Hash)]
struct ProbesTheDead;

// === impl OneRestartMore ===

impl Flaw for OneRestartMore {
    const NAME: &'static str = "one restart more";
    const MISTAKE: &'static str =
        "compares the number of restarts with its limit by the wrong sign";
    const PROMISE: Promise = Promise::Restarts;
    const TROUBLE: Limits = Limits::CALM.faults(2);

    fn pod() -> Pod {
        let mut helper = sidecar("helper");
        helper.restart.limit = Some(RestartLimit {
            max: 1,
            window: None,
        });
        hasty(pod([helper, service("app")]))
    }

    fn misreads(pod: &mut Pod) {
        for container in &mut pod.containers {
            if let Some(limit) = &mut container.restart.limit {
                limit.max += 1;
            }
        }
    }
}

// === impl NoBackOff ===

impl Flaw for NoBackOff {
    const NAME: &'static str = "no back-off";
    const MISTAKE: &'static str = "starts again at once, each time";
    const PROMISE: Promise = Promise::Restarts;
    const TROUBLE: Limits = Limits::CALM.faults(2);

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn misreads(pod: &mut Pod) {
        for container in &mut pod.containers {
            container.restart.backoff.initial = Duration::ZERO;
            container.restart.backoff.max = Duration::ZERO;
        }
    }
}

// === impl LastRuleWins ===

impl Flaw for LastRuleWins {
    const NAME: &'static str = "the last rule wins";
    const MISTAKE: &'static str = "goes through every rule and keeps the last that matches";
    const PROMISE: Promise = Promise::Restarts;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        let mut app = service("app");
        app.restart.policy = RestartPolicy::Never;
        app.restart.rules = vec![
            Rule {
                when: When::CodeIn(vec![3]),
                reaction: Reaction::Ignore,
            },
            Rule {
                when: When::CodeNotIn(vec![0]),
                reaction: Reaction::Restart,
            },
        ];
        hasty(pod([app, service("other")]))
    }

    fn misreads(pod: &mut Pod) {
        for container in &mut pod.containers {
            container.restart.rules.reverse();
        }
    }
}

// === impl StartsAtTheSignal ===

impl Flaw for StartsAtTheSignal {
    const NAME: &'static str = "starts at the signal";
    const MISTAKE: &'static str =
        "starts the next process when the old one has its signal, and not when it is gone";
    const PROMISE: Promise = Promise::Single;
    const TROUBLE: Limits = Limits::CALM.requests(1);

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn says(&mut self, sight: Sight<'_>, action: Action) -> Vec<Action> {
        let next = match action {
            Action::Stop {
                container, attempt, ..
            } if *sight.engine.goal() == Goal::Run => Some(Action::Start {
                container,
                attempt: attempt + 1,
                version: 0,
                command: Command::Run,
            }),
            Action::Stop { .. }
            | Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Start { .. }
            | Action::RunHook { .. }
            | Action::Probe { .. } => None,
        };
        [action].into_iter().chain(next).collect()
    }
}

// === impl ProbesTheDead ===

impl Flaw for ProbesTheDead {
    const NAME: &'static str = "probes the dead";
    const MISTAKE: &'static str = "goes on with the probes of a process that is gone";
    const PROMISE: Promise = Promise::Single;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        let mut app = service("app");
        app.probes.readiness = Some(Probe::default());
        hasty(pod([app]))
    }

    fn adds(&mut self, _sight: Sight<'_>, event: &Event) -> Option<Action> {
        let &Event::Exited {
            container, attempt, ..
        } = event
        else {
            return None;
        };
        Some(Action::Probe {
            container,
            attempt,
            probe: ProbeKind::Readiness,
            timeout: Duration::from_secs(1),
        })
    }
}
