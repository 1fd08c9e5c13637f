//! Engines with one mistake each, to show that every law catches somebody.
//!
//! A law that no broken engine violates is no law. Each mutant is the real engine with one
//! mistake of the kind that a good engineer makes: it misreads the pod, does not listen, says a
//! thing too early, too late, twice or not at all, or forgets. None of them panics.
//!
//! ```text
//!   Flaw ─▶ Mutant (the engine behind it) ─▶ explore ─▶ the violation found first
//! ```

mod changing;
mod ending;
mod machine;
mod outside;
mod readiness;
mod restarting;
mod starting;
mod stopping;

use crate::environment::Limits;
use crate::explore::{Explored, explore};
use crate::laws::{Promise, Violation};
use machine::Mutant;
use pillion_engine::fact::Change;
use pillion_engine::{Action, ContainerId, Engine, Event, Pod, PodResult, Refused, Request, Tick};
use pillion_simulator::{Record, Scenario, Setup, play_on};
use std::fmt;
use std::hash::Hash;

/// A mutant, and where its mistake shows.
#[derive(Debug)]
pub struct Exhibit {
    /// In a few words.
    pub name: &'static str,
    /// Which mistake it makes.
    pub mistake: &'static str,
    /// The promise that it breaks.
    pub promise: Promise,
    pod: Pod,
    with_mistake: Trial,
    without: Trial,
    play: Option<Play>,
}

/// What became of a pod in the hands of a machine.
#[derive(Debug)]
pub struct Outcome {
    /// So many states were seen.
    pub states: usize,
    /// What was wrong, if anything was.
    pub violation: Option<Violation>,
}

/// Puts a pod through everything, in the hands of one machine.
type Trial = fn(&Pod) -> Outcome;

/// Plays a scenario in virtual time, in the hands of one machine.
type Play = fn(&Scenario) -> Option<Record>;

/// One mistake. Every method has a default that makes none.
pub(crate) trait Flaw: Clone + fmt::Debug + Default + Hash + 'static {
    /// In a few words.
    const NAME: &'static str;
    /// Which mistake it is.
    const MISTAKE: &'static str;
    /// The promise that it breaks.
    const PROMISE: Promise;
    /// The trouble in which it shows.
    const TROUBLE: Limits;

    /// A pod in which it shows.
    fn pod() -> Pod;

    /// What the engine makes of the pod.
    fn misreads(_pod: &mut Pod) {}

    /// What the engine hears of an event.
    fn hears(&mut self, _sight: Sight<'_>, event: Event) -> Option<Event> {
        Some(event)
    }

    /// What is done beside what the engine asks for, when it has heard of an event.
    fn adds(&mut self, _sight: Sight<'_>, _event: &Event) -> Option<Action> {
        None
    }

    /// What is done instead of an action.
    fn says(&mut self, _sight: Sight<'_>, action: Action) -> Vec<Action> {
        vec![action]
    }

    /// What the engine understands of a request.
    fn is_asked(&mut self, request: Request) -> Request {
        request
    }

    /// What a request is answered.
    fn answers(_request: &Request, answer: Result<(), Refused>) -> Result<(), Refused> {
        answer
    }

    /// What is told of the pod's result.
    fn tells(&self, _engine: &Engine, _result: &mut PodResult) {}

    /// When the engine wants to be woken.
    fn wakes(&self, deadline: Option<Tick>) -> Option<Tick> {
        deadline
    }

    /// It is woken.
    fn is_woken(&mut self, _now: Tick) {}

    /// What is left of what was kept.
    fn remembers(_changes: &mut Vec<Change>) {}

    /// Whom it looks for when it comes back.
    fn looks_for(_engine: &Engine, _expected: &mut Vec<ContainerId>) {}
}

/// What a flaw can see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight<'e> {
    /// The engine behind it, which has not heard of the latest event yet.
    pub(crate) engine: &'e Engine,
    /// The time.
    pub(crate) now: Tick,
}

// === impl Exhibit ===

impl Exhibit {
    fn of<F: Flaw>() -> Self {
        Self {
            name: F::NAME,
            mistake: F::MISTAKE,
            promise: F::PROMISE,
            pod: F::pod(),
            with_mistake: |pod| Outcome::of(explore::<Mutant<F>>(pod, F::TROUBLE, MOST)),
            without: |pod| Outcome::of(explore::<Engine>(pod, F::TROUBLE, MOST)),
            play: Some(|scenario| {
                let played = play_on::<Mutant<F>>(scenario, Setup::default()).ok();
                played.map(|played| played.record)
            }),
        }
    }

    /// What becomes of its pod in the hands of the mutant.
    pub fn try_mutant(&self) -> Outcome {
        (self.with_mistake)(&self.pod)
    }

    /// What becomes of a scenario in the hands of the mutant, if it can play one.
    pub fn play(&self, scenario: &Scenario) -> Option<Record> {
        (self.play?)(scenario)
    }

    /// What becomes of its pod in the hands of the engine.
    pub fn try_engine(&self) -> Outcome {
        (self.without)(&self.pod)
    }
}

// === impl Outcome ===

impl Outcome {
    fn of(explored: Result<Explored, Box<crate::explore::Counterexample>>) -> Self {
        match explored {
            Ok(explored) => Self {
                states: explored.states,
                violation: None,
            },
            Err(found) => Self {
                states: found.explored.states,
                violation: Some(found.violation),
            },
        }
    }

    fn judged(answer: Result<(), Violation>) -> Self {
        Self {
            states: 1,
            violation: answer.err(),
        }
    }
}

/// Every mutant, in the order of the promises.
pub fn all() -> Vec<Exhibit> {
    let groups = [
        starting::exhibits(),
        stopping::exhibits(),
        ending::exhibits(),
        restarting::exhibits(),
        readiness::exhibits(),
        changing::exhibits(),
        outside::exhibits(),
    ];
    let mut all: Vec<_> = groups.into_iter().flatten().collect();
    all.sort_by_key(|exhibit| exhibit.promise);
    all
}

/// Enough to catch every mutant. Pods without probes have fewer states, and those with probes
/// never come to rest.
const MOST: usize = 10_000;
