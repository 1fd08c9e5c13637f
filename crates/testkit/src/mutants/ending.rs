//! Mistakes about the end of a pod, and about what may still happen on the way to it.

use super::{Exhibit, Flaw, Sight};
use crate::draft::{oneshot, pod, service};
use crate::environment::Limits;
use crate::families::hasty;
use crate::laws::Promise;
use pillion_engine::fact::Goal;
use pillion_engine::pod::{Keystone, Reaction, RestartPolicy, Role};
use pillion_engine::status::Phase;
use pillion_engine::{
    Action, Command, ContainerId, Engine, Event, Pod, PodResult, Refused, Request,
};

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit::of::<KeystoneForgotten>(),
        Exhibit::of::<LastExitDecides>(),
        Exhibit::of::<ReplacesToTheEnd>(),
        Exhibit::of::<LastCauseDecides>(),
        Exhibit::of::<RestartsToTheEnd>(),
    ]
}

#[derive(Clone, Debug, Default, Hash)]
struct KeystoneForgotten;

#[derive(Clone, Debug, Default, Hash)]
struct LastExitDecides;

#[derive(Clone, Debug, Default, Hash)]
struct ReplacesToTheEnd;

#[derive(Clone, Debug, Default, Hash)]
struct LastCauseDecides {
    to_be_completed: bool,
    overwritten: bool,
}

#[derive(Clone, Debug, Default, Hash)]
struct RestartsToTheEnd;

// === impl KeystoneForgotten ===

impl Flaw for KeystoneForgotten {
    const NAME: &'static str = "a keystone forgotten";
    const MISTAKE: &'static str = "waits for every main though the keystone has ended";
    const PROMISE: Promise = Promise::Completion;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        let mut app = oneshot("app");
        app.keystone = Some(Keystone::Any);
        hasty(pod([app, service("helper")]))
    }

    fn misreads(pod: &mut Pod) {
        for container in &mut pod.containers {
            container.keystone = None;
        }
    }
}

// === impl LastExitDecides ===

impl Flaw for LastExitDecides {
    const NAME: &'static str = "the last exit decides";
    const MISTAKE: &'static str = "takes the exit of the main that ended last for the pod's";
    const PROMISE: Promise = Promise::Completion;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        let [mut one, mut other] = [oneshot("one"), oneshot("other")];
        one.restart.policy = RestartPolicy::Never;
        other.restart.policy = RestartPolicy::Never;
        hasty(pod([one, other]))
    }

    fn tells(&self, engine: &Engine, result: &mut PodResult) {
        let containers = (0..).map(ContainerId).zip(&engine.pod().containers);
        let mains = containers.filter(|(_, container)| container.role == Role::Main);
        let exits = mains.filter_map(|(id, _)| engine.record(id)?.exit.as_ref());
        let Some(last) = exits.max_by_key(|exit| exit.finished) else {
            return;
        };
        if last.exit.code == 0 {
            result.phase = Phase::Succeeded;
            result.decider = None;
            result.code = 0;
        }
    }
}

// === impl ReplacesToTheEnd ===

impl Flaw for ReplacesToTheEnd {
    const NAME: &'static str = "replaces to the end";
    const MISTAKE: &'static str = "takes a replacement while the pod ends, for the next time";
    const PROMISE: Promise = Promise::Goal;
    const TROUBLE: Limits = Limits::CALM.requests(1).deletions(1);

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn answers(request: &Request, answer: Result<(), Refused>) -> Result<(), Refused> {
        match (request, answer) {
            (Request::Replace { .. }, Err(Refused::Ending)) => Ok(()),
            (
                Request::Replace { .. }
                | Request::Delete { .. }
                | Request::Ask { .. }
                | Request::AddEphemeral(_),
                answer,
            ) => answer,
        }
    }
}

// === impl LastCauseDecides ===

impl Flaw for LastCauseDecides {
    const NAME: &'static str = "the last cause decides";
    const MISTAKE: &'static str = "lets a deletion overwrite that the pod was to be completed";
    const PROMISE: Promise = Promise::Goal;
    const TROUBLE: Limits = Limits::CALM.requests(1).deletions(1);

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn is_asked(&mut self, request: Request) -> Request {
        match &request {
            Request::Ask {
                reaction: Reaction::CompletePod,
                ..
            } => self.to_be_completed = true,
            Request::Delete { .. } => self.overwritten = self.to_be_completed,
            Request::Ask { .. } | Request::Replace { .. } | Request::AddEphemeral(_) => {}
        }
        request
    }

    fn tells(&self, _engine: &Engine, result: &mut PodResult) {
        if self.overwritten {
            result.phase = Phase::Failed;
        }
    }
}

// === impl RestartsToTheEnd ===

impl Flaw for RestartsToTheEnd {
    const NAME: &'static str = "restarts to the end";
    const MISTAKE: &'static str = "handles an exit by its policy without a look at the pod's goal";
    const PROMISE: Promise = Promise::Goal;
    const TROUBLE: Limits = Limits::CALM.deletions(1);

    fn pod() -> Pod {
        hasty(pod([service("app"), service("other")]))
    }

    fn adds(&mut self, sight: Sight<'_>, event: &Event) -> Option<Action> {
        let &Event::Exited {
            container, attempt, ..
        } = event
        else {
            return None;
        };
        matches!(sight.engine.goal(), Goal::End { .. }).then_some(Action::Start {
            container,
            attempt: attempt + 1,
            version: 0,
            command: Command::Run,
        })
    }
}
