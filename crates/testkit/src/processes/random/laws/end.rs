//! A pod ends with its mains, with a keystone or when it is deleted, within its budget, and has the right result.

use crate::processes::random::case::Case;
use crate::processes::random::graph::Edge;
use crate::processes::scale::LATE;
use crate::processes::witness::Life;
use pillion_engine::pod::{LAST_WINDOW, OnRestart, RestartPolicy, Role, Until};
use pillion_engine::status::Phase;
use pillion_engine::{ContainerId, Tick};
use pillion_simulator::line::Word;

/// When the pod has come to its end, everybody is gone within the budget: sidecars keep no pod alive.
pub(super) fn ends_in_time(case: &Case) -> Vec<String> {
    let keystone = keystone_that_decides(case).and_then(|(_, life)| life.gone);
    let causes = [
        ("was deleted", case.deleted),
        ("has lost its keystone", keystone),
        ("has completed", completed(case)),
    ];
    let causes = causes
        .into_iter()
        .filter_map(|(what, at)| Some((what, at?)));
    causes
        .flat_map(|(what, at)| {
            let limit = at + case.graph.grace() + LAST_WINDOW + LATE;
            let late = case.lives().iter().filter(move |life| life.until() > limit);
            late.map(move |life| format!("{} is there long after the pod {what} at {at}", life.who))
        })
        .collect()
}

/// When every main had surely ended for good by itself.
fn completed(case: &Case) -> Option<Tick> {
    let ends = case.graph.mains().map(|id| {
        let run = case.runs(id).last().copied()?;
        let sure = case.is_over(id, run) && !is_odd(case, id);
        run.gone.filter(|_| sure)
    });
    let ends: Option<Vec<_>> = ends.collect();
    ends?.into_iter().max()
}

/// Lines do not show what its ends mean: others may have had their part in it, or its probe.
fn is_odd(case: &Case, id: ContainerId) -> bool {
    case.graph.goes_with_others(id) || case.graph.may_fail_to_start(id)
}

/// The result is that of the keystone that decided, else that of the mains.
pub(super) fn has_the_right_result(case: &Case) -> Vec<String> {
    let (Some(result), Some((phase, code))) = (&case.result, expected(case)) else {
        return Vec::new();
    };
    if result.phase != phase {
        return vec![format!("the pod is {:?}, not {phase:?}", result.phase)];
    }
    let other = code.filter(|code| *code != result.code);
    let sentence = |code| format!("the pod ends with {}, not with {code}", result.code);
    other.map(sentence).into_iter().collect()
}

/// As far as it is certain, with the code if that is.
fn expected(case: &Case) -> Option<(Phase, Option<i32>)> {
    if let Some((id, life)) = keystone_that_decides(case) {
        let phase = phase(life.code() == Some(0));
        return Some((phase, life.code().filter(|_| !is_odd(case, id))));
    }
    let mut keystones = keystones(case);
    if keystones.any(|id| may_decide(case, id)) {
        return None;
    }
    let mains: Option<Vec<_>> = case.graph.mains().map(|id| ended_well(case, id)).collect();
    let phase = phase(mains?.into_iter().all(|well| well));
    Some((phase, (phase == Phase::Succeeded).then_some(0)))
}

fn phase(well: bool) -> Phase {
    if well {
        Phase::Succeeded
    } else {
        Phase::Failed
    }
}

/// Whether a main ended with 0, if that is certain. One that never ran did not.
fn ended_well(case: &Case, id: ContainerId) -> Option<bool> {
    if is_odd(case, id) {
        return None;
    }
    let Some(run) = case.runs(id).last().copied() else {
        return (!case.may_have_died_unseen(id)).then_some(false);
    };
    run.when(Word::Starting)?;
    // It may have been about to start again, and nobody met it.
    let policy = case.graph.container(id).restart.policy;
    let ends_for_good = run.when(Word::Stopping).is_some() || policy != RestartPolicy::Always;
    ends_for_good.then_some(run.code() == Some(0))
}

fn keystones(case: &Case) -> impl Iterator<Item = ContainerId> {
    let graph = &case.graph;
    let all = graph.ids();
    all.filter(|id| graph.container(*id).keystone.is_some())
}

/// Its last run, if it ended for good by itself in the way that it names.
fn named_end(case: &Case, id: ContainerId) -> Option<&Life> {
    let run = case.runs(id).last().copied()?;
    let way = case.graph.container(id).keystone?;
    let named = way.names(run.code() == Some(0));
    (case.is_over(id, run) && named).then_some(run)
}

/// Whether lines leave open that it has ended the pod: by its end, by giving up, or unseen.
fn may_decide(case: &Case, id: ContainerId) -> bool {
    let waits = case.runs(id).is_empty() && case.graph.edges_of(id).any(|edge| edge.is_hard());
    let gives_up = case
        .graph
        .edges_of(id)
        .any(|edge| edge.how.on_restart == OnRestart::Stop);
    let unseen = case.may_have_died_unseen(id) && case.runs(id).is_empty();
    let again = case.graph.container(id).role == Role::Sidecar && waits;
    named_end(case, id).is_some() || is_odd(case, id) || gives_up || unseen || again
}

/// The keystone whose end was surely the first cause of the end of the pod.
fn keystone_that_decides(case: &Case) -> Option<(ContainerId, &Life)> {
    let ended = keystones(case).filter_map(|id| Some((id, named_end(case, id)?)));
    let (id, life) = ended.min_by_key(|(_, life)| life.gone)?;
    let gone = life.gone?;
    let others = keystones(case).filter(|other| *other != id);
    let mut rivals = others.filter(|other| may_decide(case, *other));
    let rivalled = rivals.any(|other| {
        let end = named_end(case, other);
        end.is_none_or(|end| end.until() <= gone)
    });
    let in_time = case.deleted.is_none_or(|deleted| gone < deleted);
    let sure = in_time && !rivalled && !is_odd(case, id) && !may_have_completed(case, id, gone);
    (sure && !somebody_may_have_given_up(case, gone)).then_some((id, life))
}

/// Whether all mains may have ended before this one did.
fn may_have_completed(case: &Case, id: ContainerId, at: Tick) -> bool {
    let goes_on = |main| {
        let runs = case.runs(main);
        runs.iter()
            .any(|run| run.is_there(at) && run.when(Word::Stopping).is_none())
    };
    let is_main = case.graph.container(id).role == Role::Main;
    !is_main && !case.graph.mains().any(goes_on)
}

/// Whether a requirement may have become impossible by then.
fn somebody_may_have_given_up(case: &Case, at: Tick) -> bool {
    let broken = |edge: &Edge<'_>| {
        let target = edge.target;
        let runs = case.runs(target);
        let mut ended = runs
            .iter()
            .filter(|run| run.until() <= at && run.gone.is_some());
        let wrong = |run: &&Life| match edge.how.until {
            Until::Succeeded => run.code() != Some(0),
            Until::Exited => false,
            Until::Attempted | Until::Started | Until::Ready | Until::Settled => {
                !case.graph.container(target).is_oneshot()
            }
        };
        let stops = edge.how.on_restart == OnRestart::Stop;
        let counts = edge.is_hard() || stops;
        counts && (case.may_have_died_unseen(target) || ended.any(|run| stops || wrong(run)))
    };
    case.graph.edges().any(|edge| broken(&edge))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::random::fixture::case;

    const SIDECAR: &str = "[{name: m}, {name: s, sidecar: true}]";

    #[test]
    fn a_sidecar_does_not_keep_a_pod_alive() {
        let lives = |s: u32| format!("m: 0 Starting, 4 Exiting 0; s: 0 Starting, {s} seen");
        assert_eq!(ends_in_time(&case(SIDECAR, &lives(50))).len(), 1);
        assert_eq!(ends_in_time(&case(SIDECAR, &lives(30))), [""; 0]);
    }

    #[test]
    fn a_keystone_ends_the_pod() {
        let pod = |way: &str| format!("[{{name: k, keystone: {way}}}, {{name: m}}]");
        let lives = "k: 0 Starting, 4 Exiting 0; m: 0 Starting, 50 seen";
        for (way, late) in [("any", 1), ("success", 1), ("failure", 0)] {
            assert_eq!(ends_in_time(&case(&pod(way), lives)).len(), late, "{way}");
        }
    }

    #[test]
    fn a_deleted_pod_ends_in_time() {
        let late = case("[{name: m}]", "m: 0 Starting, 50 seen").deleted(1);
        assert_eq!(ends_in_time(&late).len(), 1);
    }

    #[test]
    fn mains_decide_and_sidecars_do_not() {
        let lives = |m: u32, s: u32| {
            format!("m: 0 Starting, 4 Exiting {m}; s: 0 Starting, 5 Stopping, 6 Exiting {s}")
        };
        assert_eq!(
            has_the_right_result(&case(SIDECAR, &lives(0, 1)).failed(1)).len(),
            1
        );
        assert_eq!(
            has_the_right_result(&case(SIDECAR, &lives(0, 1)).succeeded(0)),
            [""; 0]
        );
        assert_eq!(
            has_the_right_result(&case(SIDECAR, &lives(1, 0)).succeeded(0)).len(),
            1
        );
        assert_eq!(
            has_the_right_result(&case(SIDECAR, &lives(1, 0)).failed(1)),
            [""; 0]
        );
    }

    #[test]
    fn a_main_that_never_ran_is_a_failure() {
        let pod = "[{name: m}, {name: o}]";
        let lives = "m: 0 Starting, 4 Exiting 0";
        assert_eq!(
            has_the_right_result(&case(pod, lives).succeeded(0)).len(),
            1
        );
        assert_eq!(has_the_right_result(&case(pod, lives).failed(1)), [""; 0]);
        assert_eq!(
            has_the_right_result(&case(pod, lives).killed("o", 0).succeeded(0)),
            [""; 0]
        );
    }

    #[test]
    fn a_keystone_decides() {
        let pod = "[{name: k, keystone: true}, {name: m}]";
        let lives = |k: u32| {
            format!("k: 0 Starting, 4 Exiting {k}; m: 0 Starting, 5 Stopping, 6 Exiting 1")
        };
        assert_eq!(
            has_the_right_result(&case(pod, &lives(0)).failed(1)).len(),
            1
        );
        assert_eq!(
            has_the_right_result(&case(pod, &lives(0)).succeeded(0)),
            [""; 0]
        );
        assert_eq!(
            has_the_right_result(&case(pod, &lives(3)).failed(1)).len(),
            1
        );
        assert_eq!(
            has_the_right_result(&case(pod, &lives(3)).failed(3)),
            [""; 0]
        );
    }

    #[test]
    fn of_two_keystones_the_first_decides_if_it_surely_was() {
        let pod = "[{name: k, keystone: true}, {name: l, keystone: true}]";
        let lives = |k: u32| format!("k: 0 Starting, {k} Exiting 3; l: 0 Starting, 5 Exiting 0");
        assert_eq!(
            has_the_right_result(&case(pod, &lives(4)).succeeded(0)).len(),
            1
        );
        assert_eq!(
            has_the_right_result(&case(pod, &lives(5)).succeeded(0)),
            [""; 0]
        );
    }

    #[test]
    fn a_keystone_that_a_deletion_came_before_does_not_decide() {
        let pod = "[{name: k, keystone: true}, {name: m}]";
        let lives = "k: 0 Starting, 4 Exiting 0; m: 0 Starting, 5 Stopping, 6 Exiting 1";
        assert_eq!(
            has_the_right_result(&case(pod, lives).deleted(3).failed(1)),
            [""; 0]
        );
    }
}
