//! Mistakes that no single trace can show: graphs that are taken or refused wrongly, and answers
//! that depend on more than what was told.

use super::machine::Mutant;
use super::{Exhibit, Flaw, Outcome, Sight};
use crate::draft::{edge, pod, requires, service};
use crate::environment::Limits;
use crate::families::hasty;
use crate::laws::{Promise, deterministic, refusal};
use pillion_engine::graph::InvalidGraph;
use pillion_engine::pod::{Need, Requirement, Scope, Target, Until};
use pillion_engine::{Action, ContainerId, Engine, Event, Exit, Pod, Tick};
use pillion_simulator::Machine;
use pillion_simulator::trace::{Item, Trace};
use std::cell::Cell;
use std::time::Duration;

pub(super) fn exhibits() -> Vec<Exhibit> {
    vec![
        gate(
            "breaks cycles",
            "leaves out the last edge of a cycle and goes on",
            ring(),
            |pod| Outcome::judged(refusal::check(pod, &taken_in_pieces(pod.clone()))),
        ),
        gate(
            "one graph for both",
            "looks for cycles among the edges of starts and stops together",
            crossed(),
            |pod| Outcome::judged(refusal::check(pod, &taken_as_one(pod.clone()))),
        ),
        gate(
            "softens loose ends",
            "leaves out an edge that leads nowhere",
            pod([requires(service("app"), 7, Until::Ready)]),
            |pod| Outcome::judged(refusal::check(pod, &taken_without_loose_ends(pod.clone()))),
        ),
        replayed::<SharedJitter>(),
        replayed::<SharedTurn>(),
    ]
}

thread_local! {
    /// What all engines of a thread share, and should not.
    static SHARED: Cell<u32> = const { Cell::new(0) };
}

#[derive(Clone, Debug, Hash)]
struct SharedJitter {
    milliseconds: u32,
}

#[derive(Clone, Debug, Hash)]
struct SharedTurn {
    other_first: bool,
    held: Option<ContainerId>,
}

// === impl SharedJitter ===

impl Default for SharedJitter {
    fn default() -> Self {
        Self {
            milliseconds: next(),
        }
    }
}

impl Flaw for SharedJitter {
    const NAME: &'static str = "a jitter of its own";
    const MISTAKE: &'static str = "spreads back-offs by a generator that all pods share";
    const PROMISE: Promise = Promise::Deterministic;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        hasty(pod([service("app")]))
    }

    fn wakes(&self, deadline: Option<Tick>) -> Option<Tick> {
        let jitter = Duration::from_millis(u64::from(self.milliseconds));
        deadline.map(|at| at + jitter)
    }
}

// === impl SharedTurn ===

impl Default for SharedTurn {
    fn default() -> Self {
        Self {
            other_first: next() % 2 == 1,
            held: None,
        }
    }
}

impl Flaw for SharedTurn {
    const NAME: &'static str = "an order of its own";
    const MISTAKE: &'static str = "keeps what is due in a map whose order differs from pod to pod";
    const PROMISE: Promise = Promise::Deterministic;
    const TROUBLE: Limits = Limits::CALM;

    fn pod() -> Pod {
        hasty(pod([service("one"), service("other")]))
    }

    fn says(&mut self, _sight: Sight<'_>, action: Action) -> Vec<Action> {
        if !self.other_first {
            return vec![action];
        }
        let (id, _) = action.container();
        match self.held.take() {
            None => {
                self.held = Some(id);
                Vec::new()
            }
            Some(held) => vec![action.clone(), for_container(action, held)],
        }
    }
}

/// The next number of a generator that nobody asked for.
fn next() -> u32 {
    SHARED.with(|shared| shared.replace(shared.get() + 1))
}

/// The same action upon another container.
fn for_container(mut action: Action, id: ContainerId) -> Action {
    match &mut action {
        Action::Pull { container, .. }
        | Action::CancelPull { container, .. }
        | Action::Start { container, .. }
        | Action::RunHook { container, .. }
        | Action::Probe { container, .. }
        | Action::Stop { container, .. } => *container = id,
    }
    action
}

/// A mistake that is made before a pod runs.
fn gate(
    name: &'static str,
    mistake: &'static str,
    pod: Pod,
    with_mistake: fn(&Pod) -> Outcome,
) -> Exhibit {
    Exhibit {
        play: None,
        name,
        mistake,
        promise: Promise::Refusal,
        pod,
        with_mistake,
        without: |pod| Outcome::judged(refusal::check(pod, &taken(pod.clone()))),
    }
}

/// A mistake that shows when the same is told twice.
fn replayed<F: Flaw>() -> Exhibit {
    Exhibit {
        play: None,
        name: F::NAME,
        mistake: F::MISTAKE,
        promise: F::PROMISE,
        pod: F::pod(),
        with_mistake: told_twice::<Mutant<F>>,
        without: told_twice::<Engine>,
    }
}

fn told_twice<M: Machine>(pod: &Pod) -> Outcome {
    Outcome::judged(deterministic::check::<M>(pod, &two_exits()))
}

fn taken(pod: Pod) -> Result<(), InvalidGraph> {
    Engine::new(pod, Tick::ZERO).map(drop)
}

fn taken_in_pieces(mut pod: Pod) -> Result<(), InvalidGraph> {
    if let Err(InvalidGraph::StartCycle(path) | InvalidGraph::StopCycle(path)) = taken(pod.clone())
        && let (Some(first), Some(Target::Container(last))) = (path.first(), path.last())
    {
        let edges = &mut pod.containers[last.index()].requires;
        edges.retain(|edge| edge.target != *first);
    }
    taken(pod)
}

fn taken_as_one(mut pod: Pod) -> Result<(), InvalidGraph> {
    for edge in pod.containers.iter_mut().flat_map(|it| &mut it.requires) {
        edge.scope = Scope::Both;
    }
    taken(pod)
}

fn taken_without_loose_ends(mut pod: Pod) -> Result<(), InvalidGraph> {
    let count = pod.containers.len();
    for container in &mut pod.containers {
        container.requires.retain(|edge| match edge.target {
            Target::Container(id) => id.index() < count,
            Target::Barrier(_) => true,
        });
    }
    taken(pod)
}

/// Two that wait for each other.
fn ring() -> Pod {
    pod([
        requires(service("one"), 1, Until::Started),
        requires(service("other"), 0, Until::Started),
    ])
}

/// One that starts after another and is still stopped after it.
fn crossed() -> Pod {
    let towards = |id, scope| Requirement {
        need: Need::Order,
        scope,
        ..Requirement::hard(Target::Container(ContainerId(id)), Until::Started)
    };
    pod([
        edge(service("one"), towards(1, Scope::StopOnly)),
        edge(service("other"), towards(0, Scope::StartOnly)),
    ])
}

/// The first container runs and fails, twice.
fn two_exits() -> Trace {
    let mut trace = Trace::default();
    let container = ContainerId(0);
    trace.push(Tick::ZERO, Item::Event(Event::SandboxReady));
    for attempt in [1, 2] {
        let at = Tick::ZERO + Duration::from_secs(attempt.into());
        let exit = Exit::code(1);
        trace.push(at, Item::Event(Event::Started { container, attempt }));
        let exited = Event::Exited {
            container,
            attempt,
            exit,
        };
        trace.push(at, Item::Event(exited));
    }
    trace
}
