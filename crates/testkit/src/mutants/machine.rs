//! The real engine behind a flaw, as a machine that can be explored.

use super::{Flaw, Sight};
use crate::subject::{Subject, engine};
use pillion_engine::fact::Change;
use pillion_engine::{
    Action, ContainerId, Engine, Entry, Event, Fact, Found, Pod, PodResult, PodStatus, Refused,
    Request, Tick,
};
use pillion_simulator::{Machine, Unplayable};
use std::collections::VecDeque;
use std::hash::Hasher;

/// An engine with a mistake.
#[derive(Clone, Debug)]
pub(super) struct Mutant<F> {
    engine: Engine,
    flaw: F,
    actions: VecDeque<Action>,
    result: Option<PodResult>,
}

// === impl Mutant ===

impl<F: Flaw> Mutant<F> {
    fn new(engine: Engine) -> Self {
        let mut mutant = Self {
            engine,
            flaw: F::default(),
            actions: VecDeque::new(),
            result: None,
        };
        mutant.listen(Tick::ZERO);
        mutant
    }

    /// Hears what the engine has to say, and makes of it what it makes.
    fn listen(&mut self, now: Tick) {
        while let Some(action) = self.engine.poll_action() {
            let engine = &self.engine;
            let said = self.flaw.says(Sight { engine, now }, action);
            self.actions.extend(said);
        }
        self.result = self.engine.result().cloned();
        if let Some(result) = &mut self.result {
            self.flaw.tells(&self.engine, result);
        }
    }
}

impl<F: Flaw> Machine for Mutant<F> {
    fn create(mut pod: Pod, now: Tick) -> Result<Self, Unplayable> {
        F::misreads(&mut pod);
        engine(pod, now).map(Self::new)
    }

    fn restore(mut pod: Pod, facts: Vec<Fact>) -> Result<Self, Unplayable> {
        F::misreads(&mut pod);
        let at = facts.last().map(|it| it.at).unwrap_or_default();
        let mut changes: Vec<Change> = facts.into_iter().flat_map(|it| it.changes).collect();
        F::remembers(&mut changes);
        let facts = vec![Fact { at, changes }];
        <Engine as Machine>::restore(pod, facts)
            .map(Engine::silent)
            .map(Self::new)
    }

    fn expected(&self) -> Vec<ContainerId> {
        let mut expected = Machine::expected(&self.engine);
        F::looks_for(&self.engine, &mut expected);
        expected
    }

    fn handle_found(&mut self, now: Tick, container: ContainerId, found: Found) {
        self.engine.handle_found(now, container, found);
    }

    fn handle_resume(&mut self, now: Tick) {
        self.engine.handle_resume(now);
        self.listen(now);
    }

    fn handle_event(&mut self, now: Tick, event: Event) {
        let engine = &self.engine;
        let sight = Sight { engine, now };
        let added = self.flaw.adds(sight, &event);
        if let Some(event) = self.flaw.hears(sight, event) {
            self.engine.handle_event(now, event);
        }
        self.listen(now);
        self.actions.extend(added);
    }

    fn handle_request(&mut self, now: Tick, request: Request) -> Result<(), Refused> {
        let understood = self.flaw.is_asked(request.clone());
        let answer = self.engine.handle_request(now, understood);
        self.listen(now);
        F::answers(&request, answer)
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.flaw.is_woken(now);
        self.engine.handle_timeout(now);
        self.listen(now);
    }

    fn poll_fact(&mut self) -> Option<Fact> {
        self.engine.poll_fact()
    }

    fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn poll_entry(&mut self) -> Option<Entry> {
        self.engine.poll_entry()
    }

    fn poll_deadline(&self) -> Option<Tick> {
        self.flaw.wakes(self.engine.poll_deadline())
    }

    fn pod(&self) -> &Pod {
        self.engine.pod()
    }

    fn status(&self) -> PodStatus {
        self.engine.status()
    }

    fn result(&self) -> Option<&PodResult> {
        self.result.as_ref()
    }
}

impl<F: Flaw> Subject for Mutant<F> {
    fn fingerprint(&self, now: Tick, hasher: &mut impl Hasher) {
        self.engine.fingerprint(now, hasher);
        self.flaw.hash(hasher);
    }
}
