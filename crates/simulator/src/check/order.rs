//! Checks on the order of lines.

use super::Evidence;
use crate::line::{Line, Who, Word};

/// The lines of a record that a check looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'r> {
    pub(super) lines: &'r [Line],
    pub(super) in_run: u32,
}

type Result = std::result::Result<(), Evidence>;

// === impl View ===

impl<'r> View<'r> {
    pub(crate) fn new(lines: &'r [Line], in_run: u32) -> Self {
        Self { lines, in_run }
    }

    /// The numbers of the lines in which it says this, from a number on.
    pub(super) fn find(self, who: &Who, word: Word, from: usize) -> impl Iterator<Item = usize> {
        let lines = self.lines.iter().enumerate().skip(from);
        let found = lines.filter(move |(_, line)| {
            line.run >= self.in_run && line.word == word && line.who == *who
        });
        found.map(|(number, _)| number)
    }

    pub(super) fn first(self, who: &Who, word: Word, from: usize) -> Option<usize> {
        self.find(who, word, from).next()
    }

    /// The first line in which it says this, which must be there.
    fn must(self, who: &Who, word: Word) -> std::result::Result<usize, Evidence> {
        self.first(who, word, 0)
            .ok_or_else(|| Evidence::new(format!("there is no `{}`", who.says(word))).about(who))
    }

    pub(super) fn starts(self, a: &Who) -> Result {
        self.must(a, Word::Started).map(drop)
    }

    pub(super) fn exits(self, a: &Who) -> Result {
        self.must(a, Word::Exiting).map(drop)
    }

    pub(super) fn never_starts(self, a: &Who) -> Result {
        match self.first(a, Word::Started, 0) {
            None => Ok(()),
            Some(line) => Err(self.evidence(format!("{a} started"), [line])),
        }
    }

    pub(super) fn restarted(self, a: &Who) -> Result {
        let first = self.must(a, Word::Starting)?;
        match self.first(a, Word::Starting, first + 1) {
            Some(_) => Ok(()),
            None => Err(self.evidence(format!("{a} started only once"), [first])),
        }
    }

    pub(super) fn not_restarted(self, a: &Who) -> Result {
        let first = self.must(a, Word::Starting)?;
        match self.first(a, Word::Starting, first + 1) {
            None => Ok(()),
            Some(again) => Err(self.evidence(format!("{a} started again"), [first, again])),
        }
    }

    pub(super) fn starts_before(self, a: &Who, b: &Who) -> Result {
        let started = self.must(a, Word::Started)?;
        let first = self.must(b, Word::Starting)?;
        if first < started {
            let seen = format!("{b} was starting before {a} had started");
            return Err(self.evidence(seen, [first, started]));
        }
        Ok(())
    }

    pub(super) fn exits_before(self, a: &Who, b: &Who) -> Result {
        let exit = self.must(a, Word::Exiting)?;
        let first = self.must(b, Word::Exiting)?;
        if first < exit {
            return Err(self.evidence(format!("{b} exited before {a}"), [first, exit]));
        }
        self.follows(a, exit, b, Word::Exiting)
    }

    pub(super) fn any_start_after(self, a: &Who, b: &Who) -> Result {
        let started = self.must(a, Word::Started)?;
        self.follows(a, started, b, Word::Starting)
    }

    pub(super) fn any_exit_after(self, a: &Who, b: &Who) -> Result {
        let exit = self.must(a, Word::Exiting)?;
        self.follows(a, exit, b, Word::Exiting)
    }

    pub(super) fn runs_together_first(self, a: &Who, b: &Who) -> Result {
        let a_started = self.must(a, Word::Started)?;
        let a_exit = self.next(a, Word::Exiting, a_started)?;
        let b_started = self.next(b, Word::Started, a_started)?;
        if b_started > a_exit {
            let seen = format!("{b} started after {a} had exited");
            return Err(self.evidence(seen, [a_started, a_exit, b_started]));
        }
        self.next(b, Word::Exiting, b_started).map(drop)
    }

    fn follows(self, a: &Who, after: usize, b: &Who, word: Word) -> Result {
        self.next(b, word, after)
            .map(drop)
            .map_err(|no| no.about(a))
    }

    fn next(self, who: &Who, word: Word, after: usize) -> std::result::Result<usize, Evidence> {
        self.first(who, word, after + 1).ok_or_else(|| {
            let line = &self.lines[after];
            let seen = format!("after `{line}` there is no `{}`", who.says(word));
            self.evidence(seen, [after]).about(who)
        })
    }

    /// A sentence with the lines that show it.
    pub(super) fn evidence(
        self,
        seen: impl Into<String>,
        lines: impl IntoIterator<Item = usize> + Clone,
    ) -> Evidence {
        let mut evidence = Evidence::new(seen).lines(lines);
        let about = evidence
            .lines
            .iter()
            .map(|line| &self.lines[*line].who.container);
        evidence.about = about.cloned().collect();
        evidence
    }
}
