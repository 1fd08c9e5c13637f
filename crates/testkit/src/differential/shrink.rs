//! Makes a pod that differs smaller, as long as two plays of it differ in the same way.
//!
//! ```text
//!   pod ─▶ each thing that can go, alone ─▶ those without which it still differs ─▶ as many of them as can go together
//!    ▲                                                                                          │
//!    └──────────────────────────── until nothing can go any more ◀──────────────────────────────┘
//! ```
//!
//! It plays nothing itself, and everything that counts is played twice: a busy machine is not taken for a rule.

use super::comparison::Comparison;
use super::draft::Draft;
use std::collections::BTreeSet;
use std::iter::successors;

/// What sentences are about, whichever container it is and whenever it happens.
pub(super) type Kinds = BTreeSet<String>;

/// Enough for every pod that was ever seen, and an end for those that differ now and then.
const ROUNDS: usize = 32;

/// Makes a pod smaller. Of each pod that it is handed, `differs` says what differs in one play.
pub(super) fn shrink(
    draft: Draft,
    comparison: Comparison,
    differs: impl Fn(&[Draft]) -> Vec<Comparison>,
) -> (Draft, Comparison) {
    let mut smallest = (draft, comparison);
    for _ in 0..ROUNDS {
        let (draft, Comparison { kinds, .. }) = &smallest;
        if kinds.is_empty() {
            // It cannot be played, and smaller ones would only be in other ways.
            break;
        }
        let smaller = twice(&draft.simpler(), kinds, &differs);
        let steps = together(smaller.iter().map(|(draft, _)| draft));
        let sizes = successors(Some(steps.len()), |size| Some(size / 2));
        let sizes = sizes.take_while(|size| *size > 1);
        let several: Vec<_> = sizes.map(|size| steps[size - 1].clone()).collect();
        let several = twice(&several, kinds, &differs).into_iter();
        let Some(next) = several.chain(smaller).next() else {
            break;
        };
        smallest = next;
    }
    smallest
}

/// The kind of a sentence: numbers and times are left out, and of the names of containers their role is kept.
pub(super) fn kind(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| {
        let number = word.find(|c: char| c.is_ascii_digit());
        number.map_or(word.to_owned(), |at| format!("{}#", &word[..at]))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Those that differ in one of these ways when they are played, and in the same way when they are played again. Only that
/// counts from then on, lest one difference lead to another.
fn twice(
    drafts: &[Draft],
    kinds: &Kinds,
    differs: &impl Fn(&[Draft]) -> Vec<Comparison>,
) -> Vec<(Draft, Comparison)> {
    let first = once(drafts.to_vec(), |_| kinds, differs);
    let (drafts, first): (Vec<_>, Vec<_>) = first.into_iter().unzip();
    once(drafts, |place| &first[place].kinds, differs)
}

fn once<'k>(
    drafts: Vec<Draft>,
    kinds: impl Fn(usize) -> &'k Kinds,
    differs: &impl Fn(&[Draft]) -> Vec<Comparison>,
) -> Vec<(Draft, Comparison)> {
    if drafts.is_empty() {
        return Vec::new();
    }
    let played = differs(&drafts).into_iter().enumerate();
    let played = played.map(|(place, mut comparison)| {
        comparison.kinds.retain(|kind| kinds(place).contains(kind));
        comparison
    });
    let both = drafts.into_iter().zip(played);
    both.filter(|(_, comparison)| !comparison.kinds.is_empty())
        .collect()
}

/// Of pods that lack one thing each: the first of them, then one that lacks what the first two lack, and so on. What is no
/// thing of its own beside those before it is passed over.
fn together<'d>(all: impl Iterator<Item = &'d Draft>) -> Vec<Draft> {
    let mut steps: Vec<Draft> = Vec::new();
    for one in all {
        let lacking = steps
            .iter()
            .try_fold(one.clone(), |lacking, step| meet(step, &lacking));
        steps.extend(lacking);
    }
    steps
}

/// The pod that lacks what each of two lacks of the same pod: both are one thing away from it.
fn meet(one: &Draft, two: &Draft) -> Option<Draft> {
    let below = two.simpler();
    let mut simpler = one.simpler().into_iter();
    simpler.find(|draft| below.contains(draft))
}

#[cfg(test)]
mod tests {
    use super::super::dice::Dice;
    use super::*;
    use std::cell::Cell;

    /// What a play of a pod finds, by the pod's text.
    fn play(drafts: &[Draft], find: impl Fn(&str) -> Option<&'static str>) -> Vec<Comparison> {
        let found = |draft: &Draft| find(&draft.to_string()).map(str::to_owned);
        let drafts = drafts.iter();
        drafts
            .map(|draft| Comparison::new(found(draft).into_iter().collect(), String::new()))
            .collect()
    }

    /// Pods whose text has these words.
    fn drafts(words: &'static [&str]) -> impl Iterator<Item = Draft> {
        let all = (0..2_000).map(|seed| Draft::random(&mut Dice::new(seed)));
        all.filter(move |draft| words.iter().all(|word| draft.to_string().contains(word)))
    }

    fn first(draft: &Draft, find: impl Fn(&str) -> Option<&'static str>) -> Comparison {
        play(std::slice::from_ref(draft), find).remove(0)
    }

    const STOPS: &str = "m1 ends twice";
    const STARTS: &str = "m1 starts twice";

    #[test]
    fn what_is_not_needed_goes_in_few_rounds() {
        let find = |text: &str| text.contains("preStop").then_some(STOPS);
        for draft in drafts(&["preStop"]).take(20) {
            let calls = Cell::new(0);
            let begun = first(&draft, find);

            let (small, comparison) = shrink(draft, begun, |drafts| {
                calls.set(calls.get() + 1);
                play(drafts, find)
            });

            assert_eq!(comparison.found, [STOPS]);
            let still = |draft: &Draft| find(&draft.to_string()).is_some();
            assert!(
                still(&small) && !small.simpler().iter().any(still),
                "{small}"
            );
            // Five rounds, of four plays each.
            assert!(calls.get() <= 20, "{} plays", calls.get());
        }
    }

    #[test]
    fn another_difference_is_not_followed() {
        // Without a hook, the pod differs in another way.
        let find = |text: &str| {
            Some(if text.contains("preStop") {
                STOPS
            } else {
                STARTS
            })
        };
        for draft in drafts(&["preStop"]).take(20) {
            let begun = first(&draft, find);
            let (small, comparison) = shrink(draft, begun, |drafts| play(drafts, find));
            assert_eq!(comparison.found, [STOPS]);
            assert!(small.to_string().contains("preStop"));
        }
    }

    #[test]
    fn a_pod_that_cannot_be_played_is_no_smaller_one() {
        let draft = drafts(&["preStop"]).next().unwrap();
        let begun = first(&draft, |_| Some(STOPS));
        let failed = |drafts: &[Draft]| {
            let failed = drafts.iter();
            failed
                .map(|_| Comparison::failed("here", &anyhow::anyhow!("no")))
                .collect()
        };
        assert_eq!(shrink(draft.clone(), begun, failed).0, draft);
        let begun = Comparison::failed("here", &anyhow::anyhow!("no"));
        let never = |_: &[Draft]| unreachable!("it is not made smaller");
        assert_eq!(shrink(draft.clone(), begun, never).0, draft);
    }

    #[test]
    fn what_differs_once_is_no_smaller_one() {
        let draft = drafts(&["preStop"]).next().unwrap();
        let begun = first(&draft, |_| Some(STOPS));
        let calls = Cell::new(0);
        let now_and_then = |drafts: &[Draft]| {
            calls.set(calls.get() + 1);
            play(drafts, |_| (calls.get() % 2 == 1).then_some(STOPS))
        };
        assert_eq!(shrink(draft.clone(), begun, now_and_then).0, draft);
    }

    #[test]
    fn things_that_are_needed_together_stay_together() {
        // Either of two hooks can go, and not both.
        let find = |text: &str| {
            let hooks = text.contains("preStop") || text.contains("postStart");
            hooks.then_some(STOPS)
        };
        for draft in drafts(&["preStop", "postStart"]).take(20) {
            let begun = first(&draft, find);
            let (small, _) = shrink(draft, begun, |drafts| play(drafts, find));
            let still = |draft: &Draft| find(&draft.to_string()).is_some();
            assert!(
                still(&small) && !small.simpler().iter().any(still),
                "{small}"
            );
        }
    }

    #[test]
    fn a_kind_has_no_numbers_and_no_times() {
        let one =
            "m1 is started 2 times on the kubelet and 3 times here: run 3 begins here at 4.200s";
        let two = "m3 is started 1 times on the kubelet and 2 times here: run 2 begins here at 14s";
        assert_eq!(kind(one), kind(two));
        assert_ne!(kind(one), kind(&one.replace("m1", "i1")));
        assert_ne!(kind(one), kind(&one.replace("begins here", "begins there")));
        assert_eq!(kind("the pod is Failed"), "the pod is Failed");
    }
}
