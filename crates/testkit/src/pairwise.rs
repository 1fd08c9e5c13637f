//! Tables in which every two values of every two factors meet in some row.

/// Rows of choices, one choice per factor, given how many choices each factor has.
///
/// Greedy and deterministic: not the shortest table, but a short one.
pub fn table(factors: &[usize]) -> Vec<Vec<usize>> {
    let mut open = pairs(factors);
    let mut rows = Vec::new();
    while let Some(&seed) = open.first() {
        let row = row(factors, seed, &open);
        open.retain(|pair| !pair.is_in(&row));
        rows.push(row);
    }
    rows
}

/// Two choices that must meet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Pair {
    first: (usize, usize),
    second: (usize, usize),
}

// === impl Pair ===

impl Pair {
    fn is_in(&self, row: &[usize]) -> bool {
        let Self { first, second } = self;
        row[first.0] == first.1 && row[second.0] == second.1
    }

    fn has(&self, factor: usize, choice: usize) -> bool {
        self.first == (factor, choice) || self.second == (factor, choice)
    }

    /// Whether it is in a row of which only some factors are chosen.
    fn is_in_part(&self, row: &[Option<usize>]) -> bool {
        let Self { first, second } = self;
        row[first.0] == Some(first.1) && row[second.0] == Some(second.1)
    }
}

fn pairs(factors: &[usize]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, &n) in factors.iter().enumerate() {
        for (j, &m) in factors.iter().enumerate().skip(i + 1) {
            let values = (0..n).flat_map(|a| (0..m).map(move |b| (a, b)));
            pairs.extend(values.map(|(a, b)| Pair {
                first: (i, a),
                second: (j, b),
            }));
        }
    }
    pairs
}

/// Begins with one pair and chooses for each other factor what meets most that has not met.
fn row(factors: &[usize], seed: Pair, open: &[Pair]) -> Vec<usize> {
    let mut row = vec![None; factors.len()];
    row[seed.first.0] = Some(seed.first.1);
    row[seed.second.0] = Some(seed.second.1);
    for (factor, &choices) in factors.iter().enumerate() {
        if row[factor].is_some() {
            continue;
        }
        let mut gain = |choice: usize| {
            row[factor] = Some(choice);
            let met = open.iter().filter(|pair| pair.is_in_part(&row)).count();
            let hoped = open.iter().filter(|pair| pair.has(factor, choice)).count();
            (met, hoped)
        };
        // The first of the best, so that the same factors always give the same table.
        let best = (0..choices).rev().max_by_key(|&choice| gain(choice));
        row[factor] = best;
    }
    row.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_values_meet() {
        let factors = [2, 3, 4, 2, 5];
        let rows = table(&factors);
        let met = |pair: &Pair| rows.iter().any(|row| pair.is_in(row));
        assert!(pairs(&factors).iter().all(met));
    }

    #[test]
    fn a_table_is_much_shorter_than_all_combinations() {
        let rows = table(&[3; 13]).len();
        assert!(rows < 30, "{rows} rows");
    }
}
