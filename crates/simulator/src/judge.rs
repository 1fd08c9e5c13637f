//! The verdicts on a play: case by case, and for each check that fails, why.

use crate::check::{Check, Evidence, Finding};
use crate::line::Line;
use crate::record::Record;
use crate::scenario::{Case, Driver, Scenario};
use std::collections::BTreeSet;
use std::fmt;

/// What became of one case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// The case's name.
    pub case: Box<str>,
    /// Its title.
    pub title: Box<str>,
    /// What became of it.
    pub outcome: Outcome,
    /// Checks that this driver cannot make.
    pub passed_over: Vec<PassedOver>,
}

/// A check that a driver cannot make.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PassedOver {
    /// In the words of its file.
    pub check: Box<str>,
    /// Why.
    pub why: &'static str,
}

/// What can become of a case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// Every check holds.
    Passed,
    /// Some do not.
    Failed(Vec<Failure>),
    /// It does not count on this driver.
    NotOn(Box<str>),
}

/// Why a case failed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    /// The check in the words of its file, or what else must hold.
    pub check: Box<str>,
    /// The line of the file.
    pub place: Option<usize>,
    /// What was seen instead.
    pub seen: String,
    /// Lines around it.
    pub excerpt: Vec<Excerpt>,
    /// Acts that were never done, which may be why.
    pub left_undone: Vec<String>,
}

/// A line shown as evidence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Excerpt {
    /// The line.
    pub line: Line,
    /// It is one of those that the failure is about.
    pub marked: bool,
}

/// More lines than this do not help anybody.
const EXCERPT: usize = 12;

/// Judges every case of a scenario by what was seen.
pub fn judge(scenario: &Scenario, record: &Record, driver: Driver) -> Vec<Verdict> {
    let not_on = scenario.not_on.get(&driver);
    let cases = scenario.cases.iter();
    cases
        .map(|case| match case.not_on.get(&driver).or(not_on) {
            Some(reason) => verdict(case, Outcome::NotOn(reason.clone()), Vec::new()),
            None => judge_case(case, record),
        })
        .collect()
}

fn judge_case(case: &Case, record: &Record) -> Verdict {
    let mut failures: Vec<_> = record.violations.iter().map(Failure::violation).collect();
    let mut passed_over = Vec::new();
    for check in &case.checks {
        match check.look(record) {
            Finding::Holds => {}
            Finding::PassedOver(why) => passed_over.push(PassedOver {
                check: check.text.clone(),
                why,
            }),
            Finding::Fails(evidence) => failures.push(Failure::new(check, evidence, record)),
        }
    }
    // A case of which nothing could be checked has shown nothing.
    if failures.is_empty() && passed_over.len() == case.checks.len() {
        failures.push(Failure::nothing_checked());
    }
    let outcome = if failures.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(failures)
    };
    verdict(case, outcome, passed_over)
}

fn verdict(case: &Case, outcome: Outcome, passed_over: Vec<PassedOver>) -> Verdict {
    Verdict {
        case: case.id.clone(),
        title: case.title.clone(),
        outcome,
        passed_over,
    }
}

/// The marked lines, and others of the same containers around them.
fn excerpt(evidence: &Evidence, record: &Record) -> Vec<Excerpt> {
    let lines = record.log.lines();
    let about = |line: &Line| evidence.about.contains(&line.who.container);
    let near: Vec<_> = (0..lines.len())
        .filter(|number| about(&lines[*number]))
        .collect();
    let marked: BTreeSet<_> = evidence.lines.iter().take(EXCERPT / 2).copied().collect();
    let mut shown = marked.clone();
    let centre = marked.first().copied().unwrap_or(0);
    let at = near.partition_point(|number| *number < centre);
    // Evenly around the first marked line; from the beginning if there is none.
    for distance in 0..EXCERPT {
        let around = [at.checked_sub(distance + 1), Some(at + distance)];
        let around = around.into_iter().flatten().filter_map(|at| near.get(at));
        for number in around {
            if shown.len() < EXCERPT {
                shown.insert(*number);
            }
        }
    }
    let excerpt = shown.into_iter().map(|number| Excerpt {
        line: lines[number].clone(),
        marked: marked.contains(&number),
    });
    excerpt.collect()
}

// === impl Verdict ===

impl Verdict {
    /// Whether it counts and holds.
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            case,
            title,
            outcome,
            passed_over,
        } = self;
        let word = match outcome {
            Outcome::Passed => "passed",
            Outcome::NotOn(_) => "left out",
            Outcome::Failed(_) => "failed",
        };
        write!(f, "{case} {word}")?;
        if !title.is_empty() {
            write!(f, ": {title}")?;
        }
        match outcome {
            Outcome::Passed => {}
            Outcome::NotOn(reason) => write!(f, "\n  {reason}")?,
            Outcome::Failed(failures) => {
                for failure in failures {
                    write!(f, "\n\n{failure}")?;
                }
            }
        }
        for PassedOver { check, why } in passed_over {
            write!(f, "\n  passed over: {check} ({why})")?;
        }
        Ok(())
    }
}

// === impl Failure ===

impl Failure {
    fn new(check: &Check, evidence: Evidence, record: &Record) -> Self {
        Self {
            check: check.text.clone(),
            place: check.place,
            excerpt: excerpt(&evidence, record),
            seen: evidence.seen,
            left_undone: record.left_undone.clone(),
        }
    }

    fn violation(violation: &crate::world::Violation) -> Self {
        Self::bare("what must hold in every play", violation.to_string())
    }

    fn nothing_checked() -> Self {
        Self::bare(
            "a case has checks",
            "none of its checks can be made here".into(),
        )
    }

    fn bare(check: &str, seen: String) -> Self {
        Self {
            check: check.into(),
            place: None,
            seen,
            excerpt: Vec::new(),
            left_undone: Vec::new(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            check,
            place,
            seen,
            excerpt,
            left_undone,
        } = self;
        write!(f, "  {check}")?;
        if let Some(line) = place {
            write!(f, "   (line {line})")?;
        }
        write!(f, "\n  but {seen}")?;
        for Excerpt { line, marked } in excerpt {
            let mark = if *marked { '>' } else { ' ' };
            let at = line.at.to_string();
            write!(f, "\n  {mark} {at:>10}  {} {}", line.who, line.word)?;
        }
        if !left_undone.is_empty() {
            write!(f, "\n  never done: {}", left_undone.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
