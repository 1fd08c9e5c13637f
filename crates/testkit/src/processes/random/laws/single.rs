//! At most one live process per container, and none in the end.

use crate::processes::random::case::Case;
use pillion_simulator::line::Part;

/// No two processes of one container, its undo included, are there at the same time.
pub(super) fn lives_once(case: &Case) -> Vec<String> {
    let is_own = |part| matches!(part, Part::Itself | Part::Undo);
    let lives = case.lives().iter().filter(|life| is_own(life.who.part));
    let lives: Vec<_> = lives.collect();
    let mut breaches = Vec::new();
    for (place, one) in lives.iter().enumerate() {
        let others = lives[place + 1..].iter();
        let others = others.filter(|other| other.who.container == one.who.container);
        for other in others.filter(|other| other.from() < one.until()) {
            breaches.push(format!(
                "{} begins at {} while {} is there until {}",
                other.who,
                other.from(),
                one.who,
                one.until()
            ));
        }
    }
    breaches
}

/// When the pod has ended nobody is there any more, hooks and probes included.
pub(super) fn leaves_nobody(case: &Case) -> Vec<String> {
    let left = case.lives().iter().filter(|life| life.gone.is_none());
    let left = left.map(|life| format!("{} is there when the pod has ended", life.who));
    let endless = case.result.is_none();
    let endless = endless.then(|| "the pod did not end while it was watched".to_owned());
    left.chain(endless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::random::fixture::case;

    const POD: &str = "[{name: a}]";

    #[test]
    fn two_runs_at_a_time_are_one_too_many() {
        let twice = case(POD, "a: 0 Starting, 5 seen; a: 4 Starting, 6 seen");
        assert_eq!(lives_once(&twice).len(), 1);

        let in_turn = case(POD, "a: 0 Starting, 4 seen; a: 4 Starting, 6 seen");
        assert_eq!(lives_once(&in_turn), [""; 0]);
    }

    #[test]
    fn a_run_that_could_say_nothing_counts() {
        let twice = case(POD, "a: 0 Starting, 5 seen; a: 4 seen");
        assert_eq!(lives_once(&twice).len(), 1);
    }

    #[test]
    fn an_undo_is_a_process_of_its_container() {
        let twice = case(POD, "a: 0 Starting, 5 seen; a/undo: 4 Starting, 6 seen");
        assert_eq!(lives_once(&twice).len(), 1);
    }

    #[test]
    fn who_is_still_there_was_left() {
        let left = case(POD, "a: 0 Starting, 5 seen, stays").succeeded(0);
        assert_eq!(leaves_nobody(&left).len(), 1);

        let none = case(POD, "a: 0 Starting, 5 seen").succeeded(0);
        assert_eq!(leaves_nobody(&none), [""; 0]);
    }

    #[test]
    fn a_pod_that_goes_on_for_ever_is_told() {
        assert_eq!(leaves_nobody(&case(POD, "")).len(), 1);
    }
}
