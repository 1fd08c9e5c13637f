//! A container starts when what it requires holds, waits for what may still come, and does not wait for anything else.

use crate::processes::random::case::Case;
use crate::processes::random::graph::Edge;
use crate::processes::random::holding::holdings;
use crate::processes::scale::LATE;
use crate::processes::witness::Life;
use pillion_engine::pod::{Need, Until};
use pillion_engine::{ContainerId, Tick};

/// Every start of a container comes when each of its hard requirements may hold. It was decided on after the run before it.
pub(super) fn requirements_hold(case: &Case) -> Vec<String> {
    let edges = case.graph.edges().filter(Edge::is_hard);
    edges.flat_map(|edge| broken_starts(case, &edge)).collect()
}

fn broken_starts(case: &Case, edge: &Edge<'_>) -> Vec<String> {
    let Some(held) = holdings(case, edge.target, edge.how.until) else {
        return Vec::new();
    };
    let mut decided = Tick::ZERO;
    let mut breaches = Vec::new();
    for run in case.runs(edge.who) {
        let start = run.from();
        if !held.iter().any(|holding| holding.touches(decided, start)) {
            breaches.push(sentence(case, edge, start));
        }
        decided = run.until();
    }
    breaches
}

fn sentence(case: &Case, edge: &Edge<'_>, start: Tick) -> String {
    let (who, target) = (case.graph.name(edge.who), case.graph.name(edge.target));
    let (need, until) = (edge.how.need, edge.how.until);
    format!("{who} starts at {start} though {target} is not {until:?} ({need:?})")
}

/// The first start of a container comes after each soft or ordering requirement has settled.
pub(super) fn waits_for_what_may_come(case: &Case) -> Vec<String> {
    let edges = case.graph.edges();
    let edges = edges.filter(|edge| matches!(edge.how.need, Need::Soft | Need::Order));
    let judged = edges.filter(|edge| !case.may_have_died_unseen(edge.target));
    let broken = judged.filter_map(|edge| {
        let start = case.runs(edge.who).first()?.from();
        let held = holdings(case, edge.target, edge.how.until)?;
        let held = held.iter().any(|holding| holding.from <= start);
        (!held && is_open(case, edge.target, start)).then(|| sentence(case, &edge, start))
    });
    broken.collect()
}

/// Whether it surely can still come up: its first run goes on, or nothing can keep it from having one.
fn is_open(case: &Case, target: ContainerId, at: Tick) -> bool {
    let told = case.turns(target).iter().any(|turn| *turn <= at);
    let runs = case.runs(target);
    match runs.first().filter(|run| run.from() <= at) {
        Some(first) => first.is_there(at) && !told,
        None => !case.graph.edges_of(target).any(|edge| edge.is_hard()),
    }
}

/// What surely may start does, as long as the pod runs on.
pub(super) fn nobody_waits_in_vain(case: &Case) -> Vec<String> {
    let waiting = case.graph.ids().filter(|id| case.runs(*id).is_empty());
    let waiting = waiting.filter(|id| !case.may_have_died_unseen(*id));
    let in_vain = waiting.filter(|id| {
        let edges = case.graph.edges_of(*id);
        let since: Option<Vec<_>> = edges.map(|edge| surely_since(case, &edge)).collect();
        let since = since.map(|all| all.into_iter().max().unwrap_or_default());
        since.is_some_and(|since| case.runs_on_until(since + LATE))
    });
    let sentence = |id| format!("{} is never started", case.graph.name(id));
    in_vain.map(sentence).collect()
}

/// Since when a requirement surely holds, and for long enough that somebody else can be started.
fn surely_since(case: &Case, edge: &Edge<'_>) -> Option<Tick> {
    let (graph, target) = (&case.graph, edge.target);
    let runs = case.runs(target);
    let only = runs.first().filter(|_| runs.len() == 1)?;
    match edge.how.until {
        Until::Started | Until::Ready => {
            let since = holdings(case, target, edge.how.until)?.first()?.from;
            let stays = only.is_there(since + LATE) && graph.stays_ready(target);
            stays.then_some(since)
        }
        Until::Succeeded | Until::Exited => {
            let good = only.code() == Some(0) && case.is_over(target, only);
            only.gone
                .filter(|_| good && !graph.goes_with_others(target))
        }
        Until::Attempted | Until::Settled => None,
    }
}

/// Once a pod was deleted only sidecars begin, as long as somebody needs them.
pub(super) fn no_main_begins_in_an_ending_pod(case: &Case) -> Vec<String> {
    let Some(deleted) = case.deleted else {
        return Vec::new();
    };
    let runs = case.graph.mains().flat_map(|id| case.runs(id));
    let late = runs.filter(|run| run.from() > deleted + LATE);
    let sentence = |run: &Life| {
        let (who, at) = (&run.who, run.from());
        format!("{who} begins at {at} though the pod was deleted at {deleted}")
    };
    late.map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::random::fixture::{HOOK, PROBE, case};

    #[test]
    fn a_start_before_the_hook_of_a_target_returns_is_too_early() {
        let pod = format!("[{{name: a, {HOOK}}}, {{name: b, requires: [a]}}]");
        let a = "a: 0 Starting, 2 Started, 9 seen; a/postStart: 0 Starting, 3 Exiting 0";
        let lives = |b: u32| format!("{a}; b: {b} Starting, 9 seen");

        assert_eq!(requirements_hold(&case(&pod, &lives(2))).len(), 1);
        assert_eq!(requirements_hold(&case(&pod, &lives(3))), [""; 0]);
    }

    #[test]
    fn a_start_before_a_probe_has_passed_is_too_early() {
        let pod = format!("[{{name: a, readinessProbe: {PROBE}}}, {{name: b, requires: [a]}}]");
        let a = "a: 0 Starting, 1 Started, 9 seen; a/readiness: 2 Starting, 2 Exiting 1; a/readiness: 4 Starting, 4 Exiting 0";
        let lives = |b: u32| format!("{a}; b: {b} Starting, 9 seen");

        assert_eq!(requirements_hold(&case(&pod, &lives(3))).len(), 1);
        assert_eq!(requirements_hold(&case(&pod, &lives(4))), [""; 0]);
    }

    #[test]
    fn a_start_after_a_failed_oneshot_is_wrong() {
        let pod = "[{name: a, oneshot: true}, {name: b, requires: [a]}]";
        let lives = |code: u32| format!("a: 0 Starting, 1 Exiting {code}; b: 2 Starting, 9 seen");

        assert_eq!(requirements_hold(&case(pod, &lives(1))).len(), 1);
        assert_eq!(requirements_hold(&case(pod, &lives(0))), [""; 0]);
    }

    #[test]
    fn a_start_before_an_awaited_end_is_too_early() {
        let pod =
            "[{name: a, oneshot: true}, {name: b, requires: [{container: a, until: exited}]}]";
        let lives = |b: u32| format!("a: 0 Starting, 4 seen; b: {b} Starting, 9 seen");

        assert_eq!(requirements_hold(&case(pod, &lives(3))).len(), 1);
        assert_eq!(requirements_hold(&case(pod, &lives(4))), [""; 0]);
    }

    #[test]
    fn an_end_that_its_policy_does_not_leave_at_that_is_none() {
        let edge = "{container: a, until: exited}";
        let lives = "a: 0 Starting, 1 Exiting 1; b: 2 Starting, 9 seen";
        let pod = |policy: &str| {
            format!(
                "[{{name: a, oneshot: true, restartPolicy: {policy}}}, {{name: b, requires: [{edge}]}}]"
            )
        };
        assert_eq!(requirements_hold(&case(&pod("OnFailure"), lives)).len(), 1);
        assert_eq!(requirements_hold(&case(&pod("Never"), lives)), [""; 0]);
    }

    #[test]
    fn a_requirement_must_hold_at_a_later_start_too() {
        let pod = format!("[{{name: a, {HOOK}}}, {{name: b, requires: [a]}}]");
        let a = |told: &str| {
            format!("a: 0 Starting, 1 Started, {told}9 seen; a/postStart: 0 Starting, 1 Exiting 0")
        };
        let b = "b: 2 Starting, 5 seen; b: 8 Starting, 9 seen";
        let lives = |told: &str| format!("{}; {b}", a(told));

        let stopped = case(&pod, &lives("4 Stopping, "));
        assert_eq!(requirements_hold(&stopped).len(), 1);
        // It may have been decided on while it held.
        let just_now = case(&pod, &lives("6 Stopping, "));
        assert_eq!(requirements_hold(&just_now), [""; 0]);
    }

    #[test]
    fn a_soft_requirement_is_waited_for_until_it_settles() {
        let a = "a: 0 Starting, 4 Exiting 1";
        let lives = |b: u32| format!("{a}; b: {b} Starting, 9 seen");
        for need in ["soft", "order"] {
            let edge = format!("{{container: a, need: {need}}}");
            let pod = format!("[{{name: a, oneshot: true}}, {{name: b, requires: [{edge}]}}]");

            assert_eq!(waits_for_what_may_come(&case(&pod, &lives(3))).len(), 1);
            assert_eq!(waits_for_what_may_come(&case(&pod, &lives(4))), [""; 0]);
        }
    }

    #[test]
    fn a_soft_requirement_that_has_not_begun_is_waited_for() {
        let pod = "[{name: a, oneshot: true}, {name: b, requires: [{container: a, need: soft}]}]";
        let lives = "b: 1 Starting, 9 seen; a: 2 Starting, 4 Exiting 0";

        assert_eq!(waits_for_what_may_come(&case(pod, lives)).len(), 1);
        let unseen = case(pod, lives).killed("a", 0);
        assert_eq!(waits_for_what_may_come(&unseen), [""; 0]);
    }

    #[test]
    fn who_requires_nothing_is_started() {
        let pod = "[{name: a}, {name: b}]";
        let alone = case(pod, "a: 0 Starting, 9 seen");
        assert_eq!(nobody_waits_in_vain(&alone).len(), 1);
        assert_eq!(nobody_waits_in_vain(&alone.deleted(1)), [""; 0]);
    }

    #[test]
    fn who_may_start_is_started() {
        let pod = "[{name: a, oneshot: true}, {name: b, requires: [a]}, {name: c}]";
        let lives = |code: u32| format!("a: 0 Starting, 1 Exiting {code}; c: 0 Starting, 9 seen");

        assert_eq!(nobody_waits_in_vain(&case(pod, &lives(0))).len(), 1);
        assert_eq!(nobody_waits_in_vain(&case(pod, &lives(1))), [""; 0]);
    }

    #[test]
    fn only_sidecars_begin_in_a_deleted_pod() {
        let pod = "[{name: a}, {name: s, sidecar: true}]";
        let lives = "a: 5 Starting, 9 seen; s: 5 Starting, 9 seen";
        let late = case(pod, lives).deleted(2);
        assert_eq!(no_main_begins_in_an_ending_pod(&late).len(), 1);
        let just_now = case(pod, lives).deleted(4);
        assert_eq!(no_main_begins_in_an_ending_pod(&just_now), [""; 0]);
    }
}
