//! A pod's whole life, as fast as the engine lets it.

use pillion_engine::{Action, Engine, Event, Exit, Pod, Request, Tick, What};
use std::collections::VecDeque;

/// What went through the engine in one life.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Life {
    pub(super) events: u32,
    pub(super) actions: u32,
    pub(super) facts: u32,
    pub(super) entries: u32,
    /// Containers that became ready.
    ready: usize,
}

/// Nothing takes time, so it stands still.
const NOW: Tick = Tick::from_secs(1);

/// Starts the pod until it is ready, deletes it, and goes on to its end.
///
/// Whatever the engine asks for has happened at once, in the order in which it asked. The facts and
/// entries are taken out, as every real driver would.
pub(super) fn live(pod: Pod) -> Life {
    let containers = pod.containers.len();
    let mut engine = Engine::new(pod, NOW).expect("the shapes have no cycles");
    let mut life = Life::default();
    let mut happened = VecDeque::from([Event::SandboxReady]);
    while run(&mut engine, &mut happened, &mut life) {}
    assert_eq!(life.ready, containers, "every container is ready");
    let deletion = engine.handle_request(NOW, Request::Delete { grace: None });
    deletion.expect("a running pod can be deleted");
    life.events += 1;
    while run(&mut engine, &mut happened, &mut life) {}
    assert!(engine.result().is_some(), "the pod has ended");
    life
}

/// Lets one thing happen; false if there is nothing left.
fn run(engine: &mut Engine, happened: &mut VecDeque<Event>, life: &mut Life) -> bool {
    while engine.poll_fact().is_some() {
        life.facts += 1;
    }
    while let Some(entry) = engine.poll_entry() {
        life.entries += 1;
        life.ready += usize::from(entry.what == What::Ready);
    }
    while let Some(action) = engine.poll_action() {
        life.actions += 1;
        happened.extend(answer(&action));
    }
    if let Some(event) = happened.pop_front() {
        engine.handle_event(NOW, event);
    } else if engine.poll_deadline().is_some_and(|at| at <= NOW) {
        engine.handle_timeout(NOW);
    } else {
        return false;
    }
    life.events += 1;
    true
}

fn answer(action: &Action) -> Option<Event> {
    Some(match *action {
        Action::Pull {
            container, attempt, ..
        } => Event::Pulled { container, attempt },
        Action::Start {
            container, attempt, ..
        } => Event::Started { container, attempt },
        Action::Probe {
            container,
            attempt,
            probe,
            ..
        } => Event::Probed {
            container,
            attempt,
            probe,
            ok: true,
        },
        Action::RunHook {
            container,
            attempt,
            hook,
            ..
        } => Event::HookDone {
            container,
            attempt,
            hook,
            ok: true,
        },
        Action::Stop {
            container, attempt, ..
        } => Event::Exited {
            container,
            attempt,
            exit: Exit::code(0),
        },
        Action::CancelPull { .. } => return None,
    })
}
