//! Mistakes about containers that are exchanged, and about drivers that die.

use super::{Exhibit, Flaw, Sight};
use crate::draft::{oneshot, pod, requires, service};
use crate::environment::Limits;
use crate::families::{hasty, pulled};
use crate::laws::Promise;
use pillion_engine::fact::Change;
use pillion_engine::life::{Record, State};
use pillion_engine::pod::{OnRestart, Probe, Until};
use pillion_engine::{Action, ContainerId, Engine, Pod, Request};
use std::time::Duration;

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit::of::<StopsBeforeThePull>(),
        Exhibit::of::<NeverPutBack>(),
        Exhibit::of::<AsksNobody>(),
        Exhibit::of::<ForgetsTheLatest>(),
        Exhibit::of::<LooksForTheRunning>(),
        Exhibit::of::<NeverDone>(),
    ]
}

#[derive(Clone, Debug, Default, Hash)]
struct StopsBeforeThePull;

#[derive(Clone, Debug, Default, Hash)]
struct NeverPutBack;

#[derive(Clone, Debug, Default, Hash)]
struct AsksNobody;

#[derive(Clone, Debug, Default, Hash)]
struct ForgetsTheLatest;

#[derive(Clone, Debug, Default, Hash)]
struct LooksForTheRunning;

#[derive(Clone, Debug, Default, Hash)]
struct NeverDone;

// === impl StopsBeforeThePull ===

impl Flaw for StopsBeforeThePull {
    const NAME: &'static str = "stops before the pull";
    const MISTAKE: &'static str = "stops the old container while the new image is still pulled";
    const PROMISE: Promise = Promise::Replacement;
    const TROUBLE: Limits = Limits::CALM.requests(1);

    fn pod() -> Pod {
        hasty(pod([pulled(service("app"))]))
    }

    fn says(&mut self, sight: Sight<'_>, action: Action) -> Vec<Action> {
        let stop = match action {
            Action::Pull {
                container, version, ..
            } if version > 0 => running(sight.engine, container).map(|attempt| Action::Stop {
                container,
                attempt,
                deadline: sight.now + sight.engine.pod().grace,
            }),
            Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Start { .. }
            | Action::RunHook { .. }
            | Action::Probe { .. }
            | Action::Stop { .. } => None,
        };
        [action].into_iter().chain(stop).collect()
    }
}

// === impl NeverPutBack ===

impl Flaw for NeverPutBack {
    const NAME: &'static str = "never put back";
    const MISTAKE: &'static str = "does not hear how long a new container may take";
    const PROMISE: Promise = Promise::Replacement;
    const TROUBLE: Limits = Limits::CALM.requests(1);

    fn pod() -> Pod {
        let mut app = service("app");
        app.probes.readiness = Some(Probe {
            period: Duration::from_secs(50),
            ..Probe::default()
        });
        hasty(pod([app]))
    }

    fn is_asked(&mut self, mut request: Request) -> Request {
        if let Request::Replace { timeout, .. } = &mut request {
            *timeout = None;
        }
        request
    }
}

// === impl AsksNobody ===

impl Flaw for AsksNobody {
    const NAME: &'static str = "asks nobody";
    const MISTAKE: &'static str =
        "exchanges a container without a look at who would be stopped for good";
    const PROMISE: Promise = Promise::Replacement;
    const TROUBLE: Limits = Limits::CALM.requests(1);

    fn pod() -> Pod {
        let mut app = requires(service("app"), 0, Until::Started);
        app.requires[0].on_restart = OnRestart::Stop;
        hasty(pod([service("database"), app]))
    }

    fn is_asked(&mut self, mut request: Request) -> Request {
        if let Request::Replace { force, .. } = &mut request {
            *force = true;
        }
        request
    }
}

// === impl ForgetsTheLatest ===

impl Flaw for ForgetsTheLatest {
    const NAME: &'static str = "forgets the latest";
    const MISTAKE: &'static str = "does not wait until a fact is on disk";
    const PROMISE: Promise = Promise::Recovery;
    const TROUBLE: Limits = Limits::CALM.crashes(1);

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn remembers(changes: &mut Vec<Change>) {
        changes.pop();
    }
}

// === impl LooksForTheRunning ===

impl Flaw for LooksForTheRunning {
    const NAME: &'static str = "looks for the running";
    const MISTAKE: &'static str = "does not ask after a crash for what was being stopped before it";
    const PROMISE: Promise = Promise::Recovery;
    const TROUBLE: Limits = Limits::CALM.crashes(1).deletions(1);

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn looks_for(engine: &Engine, expected: &mut Vec<ContainerId>) {
        let goes = |id| matches!(engine.record(id), Some(it) if is_stopping(it));
        expected.retain(|&id| !goes(id));
    }
}

// === impl NeverDone ===

impl Flaw for NeverDone {
    const NAME: &'static str = "never done";
    const MISTAKE: &'static str = "writes down what runs, and not what has ended";
    const PROMISE: Promise = Promise::Recovery;
    const TROUBLE: Limits = Limits::CALM.crashes(1);

    fn pod() -> Pod {
        hasty(pod([oneshot("migrate"), service("app")]))
    }

    fn remembers(changes: &mut Vec<Change>) {
        changes.retain(|change| match change {
            Change::Container(_, record) => !matches!(record.state, State::Ended { .. }),
            Change::Pod(_)
            | Change::Requirement(..)
            | Change::Replacing(..)
            | Change::Defined(..) => true,
        });
    }
}

/// The run of a container whose process is known to run.
fn running(engine: &Engine, container: ContainerId) -> Option<u32> {
    let record = engine.record(container)?;
    matches!(record.state, State::Running { .. }).then_some(record.attempt)
}

fn is_stopping(record: &Record) -> bool {
    matches!(record.state, State::Stopping { .. })
}
