//! A oneshot that succeeded is reversed, once; any other is not.

use crate::processes::random::case::Case;
use crate::processes::witness::Life;
use pillion_engine::ContainerId;
use pillion_simulator::line::Part;

/// The undo of a oneshot runs after its success, at most once, and does run unless time is up.
pub(super) fn only_success_is_reversed(case: &Case) -> Vec<String> {
    let graph = &case.graph;
    let with_undo = graph.ids().filter(|id| graph.container(*id).has_undo());
    with_undo.filter_map(|id| wrong(case, id)).collect()
}

fn wrong(case: &Case, id: ContainerId) -> Option<String> {
    let undos: Vec<_> = case.parts(id, Part::Undo).collect();
    let last = case.runs(id).last().copied();
    let good = last.is_some_and(|run| run.code() == Some(0));
    let in_time = case.lives().iter().map(Life::until).max() < Some(case.budget_end());
    // One that goes along with others may have given up just before it was done.
    let sure = in_time && !case.graph.goes_with_others(id);
    let owed = sure && good && last.is_some_and(|run| case.is_over(id, run));
    let name = case.graph.name(id);
    match (undos.len(), good) {
        (0, _) if owed && case.result.is_some() => Some(format!("{name} is not reversed")),
        (0, _) | (1, true) => None,
        (_, false) => Some(format!("{name} is reversed though it did not succeed")),
        (_, true) => Some(format!("{name} is reversed more than once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::random::fixture::case;

    const POD: &str = "[{name: a, oneshot: true, undo: [x]}, {name: b}]";
    const UNDO: &str = "a/undo: 5 Starting, 6 Exiting 0";

    fn wrongs(lives: &str) -> usize {
        only_success_is_reversed(&case(POD, lives).deleted(4).succeeded(0)).len()
    }

    #[test]
    fn a_failure_is_not_reversed() {
        assert_eq!(wrongs(&format!("a: 0 Starting, 1 Exiting 1; {UNDO}")), 1);
        assert_eq!(wrongs("a: 0 Starting, 1 Exiting 1"), 0);
    }

    #[test]
    fn what_was_killed_is_not_reversed() {
        assert_eq!(wrongs(&format!("a: 0 Starting, 1 seen; {UNDO}")), 1);
    }

    #[test]
    fn a_success_is_reversed_once() {
        let done = "a: 0 Starting, 1 Exiting 0";
        assert_eq!(wrongs(done), 1);
        assert_eq!(wrongs(&format!("{done}; {UNDO}")), 0);
        assert_eq!(wrongs(&format!("{done}; {UNDO}; {UNDO}")), 1);
    }

    #[test]
    fn there_may_be_no_time_for_it() {
        assert_eq!(
            wrongs("a: 0 Starting, 1 Exiting 0; b: 0 Starting, 50 seen"),
            0
        );
    }
}
