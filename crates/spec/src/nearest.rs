//! The known word that somebody probably meant.

/// The candidate that is most like `word`, if any is like it enough: at most a third of the
/// letters differ. Of equals the first one is taken.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    nearest_with_distance(word, candidates).map(|(candidate, _)| candidate)
}

/// The same, with how far the candidate is from the word.
pub(crate) fn nearest_with_distance<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<(&'c str, usize)> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).collect();
    let allowed = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.chars().count().abs_diff(word.len()) <= allowed)
        .map(|candidate| (candidate, distance(&word, candidate)))
        .filter(|(candidate, distance)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(_, distance)| *distance)
}

/// Among more than these nobody looks for a word, and looking would take too long.
const MOST_CANDIDATES: usize = 1000;

/// Longer words are no typing mistakes; the comparison takes time by the square of the length.
const LONGEST: usize = 253;

/// How many letters must be changed, added, left out or swapped with their neighbour to turn one
/// word into the other. Upper and lower case are the same.
fn distance(word: &[char], other: &str) -> usize {
    let other: Vec<char> = other.chars().take(LONGEST + 1).collect();
    let same = |a: char, b: char| a.eq_ignore_ascii_case(&b);
    let width = other.len() + 1;
    let mut rows = [vec![0; width], (0..width).collect(), vec![0; width]];
    for (i, letter) in word.iter().enumerate() {
        let [before_last, last, row] = &mut rows;
        row[0] = i + 1;
        for (j, against) in other.iter().enumerate() {
            let replaced = last[j] + usize::from(!same(*letter, *against));
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            let swapped =
                i > 0 && j > 0 && same(word[i - 1], *against) && same(*letter, other[j - 1]);
            if swapped {
                row[j + 1] = row[j + 1].min(before_last[j - 1] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
        nearest(word, candidates.iter().copied())
    }

    #[test]
    fn a_slip_of_the_finger_finds_its_word() {
        for word in ["proxi", "porxy", "prxy", "pproxy", "Proxy"] {
            assert_eq!(
                found(word, &["cache", "proxy", "app"]),
                Some("proxy"),
                "{word}"
            );
        }
    }

    #[test]
    fn another_word_finds_nothing() {
        assert_eq!(found("vault", &["cache", "proxy", "app"]), None);
        assert_eq!(found("b", &["a", "c"]), None);
        assert_eq!(found("", &["a"]), None);
    }

    #[test]
    fn the_nearer_of_two_wins() {
        assert_eq!(found("app-2", &["app-11", "app-1"]), Some("app-1"));
    }
}
