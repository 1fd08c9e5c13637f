//! Who comes back and who does not, and who goes when another does.

use crate::processes::random::case::Case;
use crate::processes::random::graph::Edge;
use crate::processes::scale::LATE;
use crate::processes::witness::Life;
use pillion_engine::pod::{Need, OnRestart, Until};
use pillion_engine::{ContainerId, Tick};
use pillion_simulator::line::Word;
use std::time::Duration;

/// Who was told to stop is down for good, unless it says that it restarts with what it requires.
pub(super) fn nobody_returns_after_a_stop(case: &Case) -> Vec<String> {
    let graph = &case.graph;
    let restarts = |id| {
        let mut edges = graph.edges_of(id);
        edges.any(|edge| edge.how.on_restart == OnRestart::Restart)
    };
    let judged = graph
        .ids()
        .filter(|id| !restarts(*id) && !graph.may_fail_to_start(*id));
    judged
        .flat_map(|id| later_runs(case, id, |run| run.when(Word::Stopping).is_some()))
        .map(|run| {
            format!(
                "{} begins at {} though it was told to stop",
                run.who,
                run.from()
            )
        })
        .collect()
}

/// Who has ended for good by its policy is not started again.
pub(super) fn what_is_over_stays_over(case: &Case) -> Vec<String> {
    let graph = &case.graph;
    // One that is about to be stopped may end by itself just then, and comes back as if it had been.
    let judged = graph
        .ids()
        .filter(|id| !graph.goes_with_others(*id) && !graph.may_fail_to_start(*id));
    judged
        .flat_map(|id| later_runs(case, id, move |run| case.is_over(id, run)))
        .map(|run| {
            format!(
                "{} begins at {} though it had ended for good",
                run.who,
                run.from()
            )
        })
        .collect()
}

/// The runs that directly follow such a run.
fn later_runs(case: &Case, id: ContainerId, is_such: impl Fn(&Life) -> bool) -> Vec<&Life> {
    let runs = case.runs(id);
    let pairs = runs.windows(2).filter(|pair| is_such(pair[0]));
    pairs.map(|pair| pair[1]).collect()
}

/// Whoever its policy wants back after its first end is started again at once, if it has nothing to wait for.
pub(super) fn what_failed_comes_back(case: &Case) -> Vec<String> {
    let free = |id: &ContainerId| {
        let mut edges = case.graph.edges_of(*id);
        edges.all(|edge| edge.how.need == Need::Order && !edge.goes_along())
    };
    let wanted = |id: &ContainerId| {
        let runs = case.runs(*id);
        let [only] = runs.as_slice() else {
            return false;
        };
        let by_itself = only.when(Word::Starting).is_some() && only.when(Word::Stopping).is_none();
        let again = by_itself && !case.graph.is_final(*id, only.code());
        let gone = only.gone.filter(|_| again);
        gone.is_some_and(|gone| case.runs_on_until(gone + LATE))
    };
    let missing = case.graph.ids().filter(free).filter(wanted);
    let sentence = |id| format!("{} is not started again", case.graph.name(id));
    missing.map(sentence).collect()
}

/// Who says that it stops or restarts with a service that it requires does so when that goes down.
pub(super) fn goes_with_its_target(case: &Case) -> Vec<String> {
    let edges = case.graph.edges();
    let edges = edges.filter(|edge| edge.is_hard() && edge.goes_along());
    let edges = edges.filter(|edge| matches!(edge.how.until, Until::Started | Until::Ready));
    let edges = edges.filter(|edge| !case.graph.container(edge.target).is_oneshot());
    edges.filter_map(|edge| stays(case, &edge)).collect()
}

/// It is there when its target is long gone, and nobody was told to stop.
fn stays(case: &Case, edge: &Edge<'_>) -> Option<String> {
    let (runs, targets) = (case.runs(edge.who), case.runs(edge.target));
    let left = targets.iter().enumerate().find_map(|(place, target)| {
        let gone = target.gone?;
        let known = known_by(gone, targets.get(place + 1).copied());
        let knew = |run: &&&Life| run.from() < target.until() && run.is_there(known);
        let run = runs.iter().find(knew)?;
        case.runs_on_until(known).then_some((run, gone))
    });
    let (run, gone) = left?;
    let target = case.graph.name(edge.target);
    Some(format!(
        "{} stays though {target} has gone at {gone}",
        run.who
    ))
}

/// By when everybody who has to go with a run is told. A next run that is up shows that its end was seen to before, and how
/// busy the machine is.
fn known_by(gone: Tick, next: Option<&Life>) -> Tick {
    let up = next.and_then(|next| next.when(Word::Started));
    up.map_or(gone + LATE, |up| up.max(gone + SOON))
}

/// So long may a signal take that was sent before something else has happened.
const SOON: Duration = Duration::from_millis(300);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::random::fixture::case;

    #[test]
    fn who_was_told_to_stop_stays_down() {
        let lives = "a: 0 Starting, 2 Started, 3 Stopping, 4 Exiting 0; a: 5 Starting, 6 seen";
        let pod = "[{name: a}]";
        assert_eq!(nobody_returns_after_a_stop(&case(pod, lives)).len(), 1);

        let along = "[{name: x}, {name: a, requires: [{container: x, onRestart: restart}]}]";
        assert_eq!(nobody_returns_after_a_stop(&case(along, lives)), [""; 0]);
    }

    #[test]
    fn its_policy_says_who_comes_back() {
        let lives = |code: u32| format!("a: 0 Starting, 2 Exiting {code}; a: 3 Starting, 6 seen");
        let pod = |policy: &str| format!("[{{name: a, oneshot: false, restartPolicy: {policy}}}]");
        let wrong =
            |policy: &str, code| what_is_over_stays_over(&case(&pod(policy), &lives(code))).len();

        assert_eq!((wrong("Never", 0), wrong("Never", 1)), (1, 1));
        assert_eq!((wrong("OnFailure", 0), wrong("OnFailure", 1)), (1, 0));
        assert_eq!((wrong("Always", 0), wrong("Always", 1)), (0, 0));
    }

    #[test]
    fn a_sidecar_that_died_is_missed() {
        let pod = "[{name: s, sidecar: true}, {name: m}]";
        let dead = case(pod, "s: 0 Starting, 2 Exiting 0; m: 0 Starting, 9 seen");
        assert_eq!(what_failed_comes_back(&dead).len(), 1);
        assert_eq!(what_failed_comes_back(&dead.deleted(3)), [""; 0]);

        let lives = "s: 0 Starting, 2 Exiting 0; s: 3 Starting, 9 seen; m: 0 Starting, 9 seen";
        assert_eq!(what_failed_comes_back(&case(pod, lives)), [""; 0]);
    }

    #[test]
    fn who_goes_along_does_not_stay() {
        let pod = |on_restart: &str| {
            format!(
                "[{{name: a}}, {{name: b, requires: [{{container: a, onRestart: {on_restart}}}]}}]"
            )
        };
        let lives = "a: 0 Starting, 4 seen; b: 1 Starting, 9 seen";
        for on_restart in ["restart", "stop"] {
            assert_eq!(
                goes_with_its_target(&case(&pod(on_restart), lives)).len(),
                1
            );
        }
        assert_eq!(goes_with_its_target(&case(&pod("keep"), lives)), [""; 0]);
        let again =
            "a: 0 Starting, 4 seen; a: 4 Starting, 4 Started, 5 seen; b: 1 Starting, 5 seen";
        assert_eq!(goes_with_its_target(&case(&pod("restart"), again)).len(), 1);
        let told = "a: 0 Starting, 4 seen; b: 1 Starting, 5 Stopping, 9 seen";
        assert_eq!(goes_with_its_target(&case(&pod("stop"), told)), [""; 0]);
    }
}
