//! A container is told to stop when everything that requires it is down; sidecars when all mains are; nobody without a reason.

use crate::processes::random::case::Case;
use crate::processes::random::graph::Edge;
use crate::processes::witness::Life;
use pillion_engine::{ContainerId, Tick};
use pillion_simulator::line::{Part, Word};

/// Its turn comes when everybody who requires it, directly or through others, is down.
pub(super) fn outlives_who_requires_it(case: &Case) -> Vec<String> {
    let ids = case.graph.ids();
    let turns = ids.flat_map(|id| judged_turns(case, id).map(move |at| (id, at)));
    let early = turns.map(|(id, at)| {
        if may_go_with_others(case, id, at) {
            // Only those who surely go with it have to go before it, and nothing is reversed for that.
            let goes_along = |edge: &Edge<'_>| edge.is_hard() && edge.goes_along();
            let mut above = case.graph.above(id, goes_along);
            above.retain(|other| case.is_there(*other, at));
            sentences(case, id, at, above)
        } else {
            let mut above = case.graph.above(id, |_| true);
            above.retain(|other| case.is_up(*other, at));
            sentences(case, id, at, above)
        }
    });
    early.flatten().collect()
}

/// The turn of a sidecar that requires no main comes when all mains are down.
pub(super) fn sidecars_outlive_mains(case: &Case) -> Vec<String> {
    let sidecars = case.graph.sidecars();
    let sidecars = sidecars.filter(|id| !case.graph.requires_main(*id));
    let turns = sidecars.flat_map(|id| judged_turns(case, id).map(move |at| (id, at)));
    let turns = turns.filter(|(id, at)| !may_go_with_others(case, *id, *at));
    let early = turns.map(|(id, at)| {
        let up = case.graph.mains().filter(|main| case.is_up(*main, at));
        sentences(case, id, at, up)
    });
    early.flatten().collect()
}

/// When the budget is used up there is no order any more, and a failed probe knows none.
fn judged_turns(case: &Case, id: ContainerId) -> impl Iterator<Item = Tick> + use<> {
    let own = case.graph.may_fail_to_start(id);
    let turns = if own { Vec::new() } else { case.turns(id) };
    let end = case.budget_end();
    turns.into_iter().filter(move |at| *at < end)
}

/// Whether somebody whom it goes along with may have gone since its run began, or go along with others in turn, so that it
/// is not the pod that stops.
fn may_go_with_others(case: &Case, id: ContainerId, at: Tick) -> bool {
    let runs = case.runs(id);
    let begun = runs.iter().map(|run| run.from()).filter(|from| *from <= at);
    let begun = begun.max().unwrap_or_default();
    let stays = |run: &&Life| {
        let told = run.when(Word::Stopping);
        run.from() <= begun && run.is_there(at) && told.is_none_or(|told| told > at)
    };
    let mut edges = case.graph.edges_of(id).filter(Edge::goes_along);
    edges.any(|edge| {
        let target = edge.target;
        !case.runs(target).iter().any(stays) || may_go_with_others(case, target, at)
    })
}

fn sentences(
    case: &Case,
    id: ContainerId,
    at: Tick,
    up: impl IntoIterator<Item = ContainerId>,
) -> Vec<String> {
    let turn = format!("the turn of {} to stop comes at {at}", case.graph.name(id));
    let up = up.into_iter().map(|other| case.graph.name(other));
    up.map(|other| format!("{turn}, and {other} is up"))
        .collect()
}

/// As long as the pod is not deleted and nobody has ended, nobody is told to stop.
pub(super) fn nobody_is_told_for_nothing(case: &Case) -> Vec<String> {
    let runs = case
        .lives()
        .iter()
        .filter(|life| life.who.part == Part::Itself);
    let ends = runs.filter(|life| life.gone.is_some()).map(Life::until);
    let killed = case.killed.map(|(_, at)| at);
    let reason = ends.chain(case.deleted).chain(killed).min();
    let reason = reason.unwrap_or(Tick::NEVER);
    let judged = case.graph.ids();
    let judged = judged.filter(|id| !case.graph.may_fail_to_start(*id));
    judged
        .flat_map(|id| case.turns(id).into_iter().map(move |at| (id, at)))
        .filter(|(_, at)| *at < reason)
        .map(|(id, at)| {
            format!(
                "{} is told to stop at {at} for no reason",
                case.graph.name(id)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::random::fixture::{PROBE, case, case_of};

    const CHAIN: &str = "[{name: a}, {name: b, requires: [a]}, {name: c, requires: [b]}]";

    #[test]
    fn who_is_required_is_told_last() {
        let lives = |b: u32| {
            format!("a: 0 Starting, 6 Stopping, 7 seen; b: 1 Starting, 5 Stopping, {b} seen")
        };

        let early = case(CHAIN, &lives(8)).deleted(5);
        assert_eq!(outlives_who_requires_it(&early).len(), 1);
        let late = case(CHAIN, &lives(6)).deleted(5);
        assert_eq!(outlives_who_requires_it(&late), [""; 0]);
    }

    #[test]
    fn who_is_required_through_others_is_told_last_too() {
        let lives = "a: 0 Starting, 6 Stopping, 7 seen; c: 1 Starting, 5 Stopping, 8 seen";
        let early = case(CHAIN, lives).deleted(5);
        assert_eq!(outlives_who_requires_it(&early).len(), 1);
    }

    #[test]
    fn a_hook_before_the_stop_waits_as_the_signal_does() {
        let pod = "[{name: a, sidecar: false}, {name: b, requires: [a]}]";
        let lives = "a: 0 Starting, 9 seen; a/preStop: 6 Starting, 9 seen; b: 1 Starting, 5 Stopping, 8 seen";
        let early = case(pod, lives).deleted(5);
        assert_eq!(outlives_who_requires_it(&early).len(), 1);
    }

    #[test]
    fn the_hook_of_a_plain_container_waits_for_nobody() {
        let pod = "[{name: a}, {name: b, requires: [a]}]";
        let lives = "a: 0 Starting, 9 seen; a/preStop: 6 Starting, 9 seen; b: 1 Starting, 5 Stopping, 8 seen";
        let early = case(pod, lives).deleted(5);
        assert_eq!(outlives_who_requires_it(&early), [""; 0]);
    }

    #[test]
    fn a_oneshot_counts_as_up_until_it_is_reversed() {
        let pod = "[{name: a}, {name: b, oneshot: true, undo: [x], requires: [a]}]";
        let lives = |undo: u32| {
            format!(
                "a: 0 Starting, 6 Stopping, 9 seen; b: 1 Starting, 2 Exiting 0; b/undo: {undo} Starting, {undo} Exiting 0"
            )
        };
        let early = case(pod, &lives(7)).deleted(5);
        assert_eq!(outlives_who_requires_it(&early).len(), 1);
        let late = case(pod, &lives(5)).deleted(5);
        assert_eq!(outlives_who_requires_it(&late), [""; 0]);
    }

    #[test]
    fn a_oneshot_is_reversed_when_nobody_needs_it() {
        let pod = "[{name: a, oneshot: true, undo: [x]}, {name: b, requires: [a]}]";
        let lives = |b: u32| {
            format!(
                "a: 0 Starting, 1 Exiting 0; a/undo: 7 Starting, 8 Exiting 0; b: 2 Starting, 5 Stopping, {b} seen"
            )
        };
        let early = case(pod, &lives(8)).deleted(5);
        assert_eq!(outlives_who_requires_it(&early).len(), 1);
        let late = case(pod, &lives(7)).deleted(5);
        assert_eq!(outlives_who_requires_it(&late), [""; 0]);
    }

    #[test]
    fn there_is_no_order_when_the_budget_is_used_up() {
        let lives = "a: 0 Starting, 36 Stopping, 37 seen; b: 1 Starting, 5 Stopping, 38 seen";
        let late = case(CHAIN, lives).deleted(5);
        assert_eq!(outlives_who_requires_it(&late), [""; 0]);
    }

    #[test]
    fn those_who_go_along_go_in_order_among_themselves() {
        let pod = |b: &str| {
            let go = "onRestart: restart";
            format!(
                "[{{name: x}}, {{name: a, requires: [{{container: x, {go}}}]}}, {{name: b, requires: [{{container: a, onRestart: {b}}}]}}]"
            )
        };
        let lives =
            "x: 0 Starting, 4 seen; a: 1 Starting, 6 Stopping, 7 seen; b: 2 Starting, 8 seen";

        assert_eq!(
            outlives_who_requires_it(&case(&pod("restart"), lives)).len(),
            1
        );
        // It stays, and has no say in the restart of what it requires.
        assert_eq!(
            outlives_who_requires_it(&case(&pod("keep"), lives)),
            [""; 0]
        );
    }

    #[test]
    fn who_goes_along_may_be_told_before_its_target_is() {
        let along =
            |target: &str| format!("requires: [{{container: {target}, onRestart: restart}}]");
        let (a, b) = (along("x"), along("a"));
        let pod = format!(
            "[{{name: x}}, {{name: a, {a}}}, {{name: b, {b}}}, {{name: c, requires: [b]}}]"
        );
        let lives = "x: 0 Starting, 4 seen; a: 1 Starting, 9 seen; b: 2 Starting, 5 Stopping, 6 seen; \
                     c: 3 Starting, 9 seen";
        assert_eq!(outlives_who_requires_it(&case(&pod, lives)), [""; 0]);
    }

    #[test]
    fn who_goes_along_may_be_told_when_its_target_is_back() {
        let along = "requires: [{container: x, onRestart: restart}]";
        let pod = format!("[{{name: x}}, {{name: a, {along}}}, {{name: b, requires: [a]}}]");
        let lives = "x: 0 Starting, 4 seen; x: 5 Starting, 9 seen; \
                     a: 1 Starting, 6 Stopping, 7 seen; b: 2 Starting, 8 seen";
        assert_eq!(outlives_who_requires_it(&case(&pod, lives)), [""; 0]);
    }

    #[test]
    fn a_failed_probe_stops_its_container_alone() {
        let pod = format!(
            "[{{name: a, startupProbe: {PROBE}}}, {{name: b, requires: [{{container: a, need: order}}]}}]"
        );
        let lives = "a: 0 Starting, 6 Stopping, 7 seen; b: 1 Starting, 9 seen";
        assert_eq!(outlives_who_requires_it(&case(&pod, lives)).len(), 1);
        let own = case_of(&pod, "a: {startup: fail}", lives);
        assert_eq!(outlives_who_requires_it(&own), [""; 0]);
    }

    #[test]
    fn sidecars_are_told_after_mains() {
        let pod = |requires: &str| format!("[{{name: m}}, {{name: s, sidecar: true{requires}}}]");
        let lives = "m: 0 Starting, 5 Stopping, 7 seen; s: 0 Starting, 6 Stopping, 7 seen";

        let early = case(&pod(""), lives).deleted(5);
        assert_eq!(sidecars_outlive_mains(&early).len(), 1);
        let free = case(&pod(", requires: [m]"), lives).deleted(5);
        assert_eq!(sidecars_outlive_mains(&free), [""; 0]);
        let in_order = "m: 0 Starting, 5 Stopping, 6 seen; s: 0 Starting, 6 Stopping, 7 seen";
        let late = case(&pod(""), in_order).deleted(5);
        assert_eq!(sidecars_outlive_mains(&late), [""; 0]);
    }

    #[test]
    fn a_stop_has_a_reason() {
        let lives = "a: 0 Starting, 6 Stopping, 7 seen; b: 0 Starting, 9 seen";
        let pod = "[{name: a}, {name: b}]";
        assert_eq!(nobody_is_told_for_nothing(&case(pod, lives)).len(), 1);
        assert_eq!(
            nobody_is_told_for_nothing(&case(pod, lives).deleted(5)),
            [""; 0]
        );
        assert_eq!(
            nobody_is_told_for_nothing(&case(pod, lives).killed("b", 4)),
            [""; 0]
        );
    }
}
