//! When a requirement may have held, by what its target and the hooks and probes of that have said.

use super::case::Case;
use crate::processes::witness::Life;
use pillion_engine::pod::{Container, Until};
use pillion_engine::{ContainerId, Tick};
use pillion_simulator::line::{Part, Word};

/// It may have held from one moment to another, and did not before the first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Holding {
    pub(super) from: Tick,
    pub(super) until: Tick,
}

/// Every such time, or nothing if lines do not show it.
pub(super) fn holdings(case: &Case, target: ContainerId, until: Until) -> Option<Vec<Holding>> {
    let container = case.graph.container(target);
    match until {
        Until::Started if container.is_oneshot() => was_started(case, target),
        Until::Started => was_up(case, target, &started_by(container)),
        Until::Ready => was_up(case, target, &ready_by(container)),
        Until::Succeeded => has_succeeded(case, target),
        Until::Exited => has_ended(case, target),
        Until::Attempted | Until::Settled => None,
    }
}

// === impl Holding ===

impl Holding {
    fn since(from: Tick) -> Self {
        let until = Tick::NEVER;
        Self { from, until }
    }

    /// Whether it may have held at some moment between these.
    pub(super) fn touches(&self, begin: Tick, end: Tick) -> bool {
        self.from <= end && begin <= self.until
    }
}

/// The hooks and probes without whose success it has not started.
fn started_by(container: &Container) -> Vec<Part> {
    let hook = container.hooks.post_start.then_some(Part::PostStart);
    let probe = container.probes.startup.map(|_| Part::Startup);
    hook.into_iter().chain(probe).collect()
}

fn ready_by(container: &Container) -> Vec<Part> {
    let probe = container.probes.readiness.map(|_| Part::Readiness);
    started_by(container).into_iter().chain(probe).collect()
}

/// A process that nothing is asked of is up before it can say so.
fn was_up(case: &Case, target: ContainerId, marks: &[Part]) -> Option<Vec<Holding>> {
    if marks.is_empty() {
        return None;
    }
    let mut before = Tick::ZERO;
    let mut all = Vec::new();
    for run in case.runs(target) {
        all.extend(held_in(case, target, marks, run, before));
        before = run.until();
    }
    Some(all)
}

fn held_in(
    case: &Case,
    target: ContainerId,
    marks: &[Part],
    run: &Life,
    before: Tick,
) -> Option<Holding> {
    let gone = run.gone.unwrap_or(Tick::NEVER);
    let mut from = run.when(Word::Started)?;
    for part in marks {
        let passed = case
            .parts(target, *part)
            .filter(|life| life.code() == Some(0));
        let mut passed = passed.filter_map(|life| life.when(Word::Exiting));
        from = from.max(passed.find(|at| (before..=gone).contains(at))?);
    }
    let told = run.when(Word::Stopping).unwrap_or(Tick::NEVER);
    let until = told.min(gone);
    Some(Holding { from, until })
}

/// A oneshot that ran stays started.
fn was_started(case: &Case, target: ContainerId) -> Option<Vec<Holding>> {
    if !case.graph.container(target).hooks.post_start || case.may_have_died_unseen(target) {
        return None;
    }
    let runs = case.runs(target).into_iter();
    let since = |run: &Life| Holding::since(run.when(Word::Started).unwrap_or_else(|| run.until()));
    Some(runs.map(since).collect())
}

/// A service that goes along with others may count as ended with 0 whatever its code.
fn has_succeeded(case: &Case, target: ContainerId) -> Option<Vec<Holding>> {
    let graph = &case.graph;
    if !graph.container(target).is_oneshot() && graph.goes_with_others(target) {
        return None;
    }
    let runs = case.runs(target).into_iter();
    let well = runs.filter(|run| run.code() == Some(0));
    let well = well.filter_map(|run| run.when(Word::Exiting));
    Some(well.map(Holding::since).collect())
}

fn has_ended(case: &Case, target: ContainerId) -> Option<Vec<Holding>> {
    if case.graph.goes_with_others(target) || case.may_have_died_unseen(target) {
        return None;
    }
    let runs = case.runs(target).into_iter();
    let over = runs.filter(|run| run.gone.is_some());
    // Whether one that was told to stop is started again is not for its policy to say.
    let over = over.filter(|run| {
        run.when(Word::Stopping).is_some() || case.graph.is_final(target, run.code())
    });
    Some(over.map(|run| Holding::since(run.until())).collect())
}
