//! A table of the kubelet's own tests, restated row by row.
//!
//! Rows keep the number that they have in the original, so that none can be forgotten: a table is
//! complete when every number is either played or left out with a reason.

use std::collections::BTreeSet;
use std::fmt::Debug;

/// One table.
pub(crate) struct Table<G, E> {
    /// The test that holds the original.
    pub(crate) original: &'static str,
    /// How many rows the original has.
    pub(crate) len: u32,
    /// Those that are played.
    pub(crate) rows: Vec<Row<G, E>>,
    /// Those that are not, and why.
    pub(crate) left_out: Vec<(u32, &'static str)>,
}

/// One row: in this situation, that must follow.
pub(crate) struct Row<G, E> {
    /// Its number in the original, from 1; `None` for a row that the original does not have.
    number: Option<u32>,
    claim: &'static str,
    how: How,
    given: G,
    then: E,
}

/// How a row of ours stands to the original.
enum How {
    /// It says the same.
    Same,
    /// An engine that owns its state is never in that situation; this is what it comes to here.
    Mapped(&'static str),
    /// Pillion does otherwise, on purpose.
    Differs(&'static str),
}

/// How the rows that are played stand to the original.
#[derive(Default)]
struct Count {
    same: u32,
    mapped: u32,
    differs: u32,
    extra: u32,
}

/// A row of the original.
pub(crate) fn row<G, E>(number: u32, claim: &'static str, given: G, then: E) -> Row<G, E> {
    Row {
        number: Some(number),
        claim,
        how: How::Same,
        given,
        then,
    }
}

/// A row that stands elsewhere: in a later version of the kubelet, in a proposal, among the known facts.
pub(crate) fn extra<G, E>(claim: &'static str, given: G, then: E) -> Row<G, E> {
    Row {
        number: None,
        ..row(0, claim, given, then)
    }
}

// === impl Row ===

impl<G, E> Row<G, E> {
    /// The situation of the original has no place here; `why` says what it was made into.
    pub(crate) fn mapped(mut self, why: &'static str) -> Self {
        self.how = How::Mapped(why);
        self
    }

    /// What follows is not what follows in the original, for this reason.
    pub(crate) fn differs(mut self, why: &'static str) -> Self {
        self.how = How::Differs(why);
        self
    }
}

// === impl Table ===

impl<G, E: Debug + PartialEq> Table<G, E> {
    /// Plays every row. `play` gives what follows in each way to get into the situation, and all must agree.
    pub(crate) fn check(&self, play: impl Fn(&G) -> Vec<E>) {
        self.assert_complete();
        let mut wrong = Vec::new();
        for row in &self.rows {
            for (way, seen) in play(&row.given).into_iter().enumerate() {
                if seen != row.then {
                    let number = row.number.map_or("extra".into(), |n| n.to_string());
                    let (claim, then) = (row.claim, &row.then);
                    wrong.push(format!(
                        "row {number}, way {way}: {claim}\n  must follow: {then:?}\n  follows:     {seen:?}"
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}\n{}", self.original, wrong.join("\n"));
        self.tell_count();
    }

    fn assert_complete(&self) {
        let played = self.rows.iter().filter_map(|row| row.number);
        let mut numbers: Vec<_> = played
            .chain(self.left_out.iter().map(|(n, _)| *n))
            .collect();
        numbers.sort_unstable();
        let all: Vec<_> = (1..=self.len).collect();
        assert_eq!(numbers, all, "{}: rows of the original", self.original);
        let claims: BTreeSet<_> = self.rows.iter().map(|row| row.claim).collect();
        assert_eq!(
            claims.len(),
            self.rows.len(),
            "{}: a claim stands twice",
            self.original
        );
    }

    /// For `cargo xtask conformance`, which reads these lines.
    #[expect(
        clippy::print_stdout,
        reason = "the count is what the reader asked for"
    )]
    fn tell_count(&self) {
        let original = self.original;
        let mut count = Count::default();
        for row in &self.rows {
            *match (row.number, &row.how) {
                (None, _) => &mut count.extra,
                (Some(_), How::Same) => &mut count.same,
                (Some(number), How::Mapped(why)) => {
                    println!("kubelet-row {original} {number} mapped: {why}");
                    &mut count.mapped
                }
                (Some(number), How::Differs(why)) => {
                    println!("kubelet-row {original} {number} differs: {why}");
                    &mut count.differs
                }
            } += 1;
        }
        for (number, why) in &self.left_out {
            println!("kubelet-row {original} {number} left out: {why}");
        }
        let Count {
            same,
            mapped,
            differs,
            extra,
        } = count;
        let (len, left_out) = (self.len, self.left_out.len());
        println!(
            "kubelet-table {original}: {len} rows, {same} same, {mapped} mapped, {differs} differ, {left_out} left out, {extra} extra",
        );
    }
}
