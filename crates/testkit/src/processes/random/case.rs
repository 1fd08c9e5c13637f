//! Everything that a judge may look at: the file, what was done to the pod, and what a witness saw.

use super::graph::Graph;
use crate::processes::witness::Life;
use pillion_engine::{ContainerId, PodResult, Tick};
use pillion_simulator::act::Deed;
use pillion_simulator::line::{Part, Word};
use pillion_simulator::{Record, Scenario};
use std::fmt;

/// One play.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) graph: Graph,
    lives: Vec<Life>,
    /// When the pod was told to go, if it was.
    pub(super) deleted: Option<Tick>,
    /// Who was killed from outside, and when. It may have ended before it could say anything.
    pub(super) killed: Option<(ContainerId, Tick)>,
    /// What the pod came to, if it ended.
    pub(super) result: Option<PodResult>,
}

// === impl Case ===

impl Case {
    pub(super) fn new(scenario: &Scenario, record: &Record, lives: Vec<Life>) -> Self {
        let graph = Graph::new(scenario);
        let moment = |name: &str| record.moments.get(name).map(|moment| moment.at);
        let deeds = scenario.acts.iter().filter_map(|act| act.deed.as_ref());
        let mut victims = deeds.filter_map(|deed| {
            let Deed::Kill { container, .. } = deed else {
                return None;
            };
            graph.named(container)
        });
        let killed = victims.next().zip(moment("killed"));
        let result = record.end.as_ref().and_then(|end| end.result.clone());
        Self {
            deleted: moment("deleted"),
            killed,
            result,
            ..Self::of_lives(graph, lives)
        }
    }

    pub(super) fn of_lives(graph: Graph, mut lives: Vec<Life>) -> Self {
        lives.sort_by_key(Life::from);
        Self {
            graph,
            lives,
            deleted: None,
            killed: None,
            result: None,
        }
    }

    /// Everybody.
    pub(super) fn lives(&self) -> &[Life] {
        &self.lives
    }

    /// The processes of one part of a container, those first that began first.
    pub(super) fn parts(
        &self,
        id: ContainerId,
        part: Part,
    ) -> impl DoubleEndedIterator<Item = &Life> {
        let name = self.graph.name(id);
        let lives = self.lives.iter();
        lives.filter(move |life| life.who.part == part && *life.who.container == *name)
    }

    /// The runs of a container.
    pub(super) fn runs(&self, id: ContainerId) -> Vec<&Life> {
        self.parts(id, Part::Itself).collect()
    }

    /// When its turn to stop was seen to have come: by a hook, by the signal, by its undo.
    pub(super) fn turns(&self, id: ContainerId) -> Vec<Tick> {
        let signal = self.parts(id, Part::Itself);
        let signal = signal.filter_map(|life| life.when(Word::Stopping));
        // Where it is Kubernetes' own, this hook runs when the pod begins to stop, whoever is up.
        let hook = (!self.graph.container(id).plain).then_some(Part::PreStop);
        let others = hook.into_iter().chain([Part::Undo]);
        let others = others.flat_map(|part| self.parts(id, part));
        signal.chain(others.map(Life::from)).collect()
    }

    /// When somebody was first told to stop, by a hook or by the signal.
    pub(super) fn first_told(&self) -> Option<Tick> {
        let signals = self.lives.iter();
        let signals = signals.filter_map(|life| life.when(Word::Stopping));
        let hooks = self.lives.iter();
        let hooks = hooks.filter(|life| life.who.part == Part::PreStop);
        signals.chain(hooks.map(Life::from)).min()
    }

    /// Whether a process of its own, or its undo, surely was there.
    pub(super) fn is_there(&self, id: ContainerId, at: Tick) -> bool {
        let own = [Part::Itself, Part::Undo];
        let mut own = own.iter().flat_map(|part| self.parts(id, *part));
        own.any(|life| life.is_there(at))
    }

    /// Whether it surely counted as up in a stop of the pod: it was there, or had something to reverse and had not.
    pub(super) fn is_up(&self, id: ContainerId, at: Tick) -> bool {
        let done = self.parts(id, Part::Itself).any(|life| {
            let exiting = life.when(Word::Exiting);
            exiting.is_some_and(|exiting| exiting <= at)
        });
        let owed = done && self.parts(id, Part::Undo).any(|undo| undo.from() > at);
        owed || self.is_there(id, at)
    }

    /// No stop of the pod or of a part of it was surely over its budget before then.
    pub(super) fn budget_end(&self) -> Tick {
        let ends = self
            .lives
            .iter()
            .filter(|life| life.who.part == Part::Itself);
        let ends = ends.filter(|life| life.gone.is_some()).map(Life::until);
        let begin = ends
            .chain(self.deleted)
            .chain(self.killed.map(|(_, at)| at))
            .min();
        begin.map_or(Tick::NEVER, |begin| begin + self.graph.grace())
    }

    /// Whether the pod surely ran until then: it was not deleted, nobody was told to stop, and a main was there.
    pub(super) fn runs_on_until(&self, at: Tick) -> bool {
        let is_later = |told: Option<Tick>| told.is_none_or(|told| told > at);
        let is_there = |id| self.runs(id).iter().any(|life| life.is_there(at));
        is_later(self.deleted) && is_later(self.first_told()) && self.graph.mains().any(is_there)
    }

    /// Whether it may have ended without a word, before a witness could meet it.
    pub(super) fn may_have_died_unseen(&self, id: ContainerId) -> bool {
        self.killed.is_some_and(|(victim, _)| victim == id)
    }

    /// Whether a run is known to be over by itself, and its policy wants no other.
    pub(super) fn is_over(&self, id: ContainerId, life: &Life) -> bool {
        let by_itself = life.when(Word::Starting).is_some() && life.when(Word::Stopping).is_none();
        life.gone.is_some() && by_itself && self.graph.is_final(id, life.code())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for life in &self.lives {
            writeln!(f, "{life}")?;
        }
        if let Some((victim, at)) = self.killed {
            writeln!(f, "{} was killed at {at}", self.graph.name(victim))?;
        }
        if let Some(at) = self.deleted {
            writeln!(f, "the pod was deleted at {at}")?;
        }
        match &self.result {
            Some(result) => writeln!(f, "the pod is {:?} with {}", result.phase, result.code),
            None => writeln!(f, "the pod has no result"),
        }
    }
}
