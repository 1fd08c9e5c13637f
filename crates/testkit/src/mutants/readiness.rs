//! Mistakes about readiness.

use super::{Exhibit, Flaw, Sight};
use crate::draft::{pod, requires, service};
use crate::environment::Limits;
use crate::families::hasty;
use crate::laws::Promise;
use pillion_engine::pod::{Probe, ProbeKind, Until};
use pillion_engine::{Action, ContainerId, Event, Pod};

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit::of::<ReadyOnce>(),
        Exhibit::of::<ReadyIsStarted>(),
        Exhibit::of::<UnreadyIsDead>(),
    ]
}

#[derive(Clone, Debug, Default, Hash)]
struct ReadyOnce;

#[derive(Clone, Debug, Default, Hash)]
struct ReadyIsStarted;

#[derive(Clone, Debug, Default, Hash)]
struct UnreadyIsDead;

// === impl ReadyOnce ===

impl Flaw for ReadyOnce {
    const NAME: &'static str = "ready once";
    const MISTAKE: &'static str = "takes readiness for an event, and hears no later failure";
    const PROMISE: Promise = Promise::Readiness;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        touchy()
    }

    fn hears(&mut self, sight: Sight<'_>, event: Event) -> Option<Event> {
        let was_ready = |id| sight.engine.record(id).is_some_and(|it| it.probed_ready);
        match failed(&event) {
            Some((id, _)) if was_ready(id) => None,
            Some(_) | None => Some(event),
        }
    }
}

// === impl ReadyIsStarted ===

impl Flaw for ReadyIsStarted {
    const NAME: &'static str = "ready is started";
    const MISTAKE: &'static str = "waits until a container runs where it should until it is ready";
    const PROMISE: Promise = Promise::Readiness;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        touchy()
    }

    fn misreads(pod: &mut Pod) {
        for edge in pod.containers.iter_mut().flat_map(|it| &mut it.requires) {
            edge.until = Until::Started;
        }
    }
}

// === impl UnreadyIsDead ===

impl Flaw for UnreadyIsDead {
    const NAME: &'static str = "unready is dead";
    const MISTAKE: &'static str =
        "stops a container that is not ready any more, as if it did not live";
    const PROMISE: Promise = Promise::Readiness;
    const TROUBLE: Limits = Limits::CALM.faults(1);

    fn pod() -> Pod {
        touchy()
    }

    fn adds(&mut self, sight: Sight<'_>, event: &Event) -> Option<Action> {
        let (container, attempt) = failed(event)?;
        Some(Action::Stop {
            container,
            attempt,
            deadline: sight.now + sight.engine.pod().grace,
        })
    }
}

/// Whose readiness probe has failed.
fn failed(event: &Event) -> Option<(ContainerId, u32)> {
    let &Event::Probed {
        container,
        attempt,
        probe: ProbeKind::Readiness,
        ok: false,
    } = event
    else {
        return None;
    };
    Some((container, attempt))
}

/// A container that waits for another, which is unready as soon as one probe fails.
fn touchy() -> Pod {
    let mut database = service("database");
    database.probes.readiness = Some(Probe {
        failure_threshold: 1,
        ..Probe::default()
    });
    let app = requires(service("app"), 0, Until::Ready);
    hasty(pod([database, app]))
}
