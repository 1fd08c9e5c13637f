//! Which pods differ for sure: those that do so again. It plays nothing itself.

use super::comparison::Comparison;
use super::draft::Draft;

/// A pod, its number, and what differed.
pub(super) type Differing = ((u64, Draft), Comparison);

/// A pod that differs is played up to so many times more: what depends on the moment differs now and then, too.
const AGAIN: usize = 4;

/// Of pods that have differed once, those that did so again, each with what differed then, and those that did not. One that our
/// program could not play at all is not played again: that is no matter of the moment.
pub(super) fn again(
    first: Vec<Differing>,
    mut play: impl FnMut(&[(u64, Draft)]) -> anyhow::Result<Vec<Comparison>>,
) -> anyhow::Result<(Vec<Differing>, Vec<Differing>)> {
    let (mut sure, mut doubtful): (Vec<_>, Vec<_>) = first
        .into_iter()
        .partition(|(_, first)| first.is_our_failure);
    for _ in 0..AGAIN {
        if doubtful.is_empty() {
            break;
        }
        let drafts: Vec<_> = doubtful.iter().map(|(draft, _)| draft.clone()).collect();
        let played = play(&drafts)?;
        let mut left = Vec::new();
        for ((draft, first), again) in doubtful.into_iter().zip(played) {
            if again.found.is_empty() {
                left.push((draft, first));
            } else {
                sure.push((draft, again));
            }
        }
        doubtful = left;
    }
    Ok((sure, doubtful))
}

#[cfg(test)]
mod tests {
    use super::super::dice::Dice;
    use super::*;

    fn differing(seed: u64, found: &[&str]) -> Differing {
        let draft = Draft::random(&mut Dice::new(seed));
        ((seed, draft), comparison(found))
    }

    fn comparison(found: &[&str]) -> Comparison {
        let found = found.iter().map(|word| (*word).to_owned()).collect();
        Comparison::new(found, String::new())
    }

    fn seeds(all: &[Differing]) -> Vec<u64> {
        all.iter().map(|((seed, _), _)| *seed).collect()
    }

    #[test]
    fn who_differs_again_differs_for_sure_and_is_not_played_any_more() {
        let mut plays = 0;
        let (sure, once) = again(
            vec![differing(1, &["m1 ends"]), differing(2, &["m2 waits"])],
            |drafts| {
                plays += 1;
                assert_eq!(drafts.len(), if plays > 2 { 1 } else { 2 });
                let differs = |seed| {
                    if seed == 1 && plays == 2 {
                        &["m1 waits"][..]
                    } else {
                        &[]
                    }
                };
                Ok(drafts
                    .iter()
                    .map(|(seed, _)| comparison(differs(*seed)))
                    .collect())
            },
        )
        .unwrap();
        assert_eq!((seeds(&sure), seeds(&once)), (vec![1], vec![2]));
        assert_eq!(sure[0].1.found, ["m1 waits"]);
        assert_eq!(once[0].1.found, ["m2 waits"]);
        assert_eq!(plays, AGAIN);
    }

    #[test]
    fn who_cannot_be_played_here_differs_at_once() {
        let failed = Comparison {
            is_our_failure: true,
            ..comparison(&["it cannot be played here"])
        };
        let draft = Draft::random(&mut Dice::new(3));
        let (sure, once) =
            again(vec![((3, draft), failed)], |_| panic!("it is played again")).unwrap();
        assert_eq!((seeds(&sure), seeds(&once)), (vec![3], vec![]));
    }

    #[test]
    fn a_play_that_fails_is_an_error() {
        let failed = again(vec![differing(1, &["m1 ends"])], |_| {
            anyhow::bail!("the cluster has come apart")
        });
        assert!(failed.is_err());
    }
}
