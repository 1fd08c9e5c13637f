//! Checks: what must be seen in a play.
//!
//! A check reads a [`Record`] and nothing else. "Before" and "after" mean the
//! order of the lines, which is also right for lines of the same instant.

pub mod count;
pub mod event;
pub mod order;
pub mod status;

use crate::line::{LineName, Who};
use crate::record::{End, Moment, Record};
use status::{StatusPart, Text};
use std::time::Duration;

/// One check, as it was written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Check {
    /// What must be seen.
    pub claim: Claim,
    /// Only lines from this run on count.
    pub in_run: u32,
    /// The check in the words of its file.
    pub text: Box<str>,
    /// The line of its file, if it has one.
    pub place: Option<usize>,
}

/// What a check says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Claim {
    // --- on lines ---
    /// There is a `Started`.
    Starts(Who),
    /// There is an `Exiting`.
    Exits(Who),
    /// There is no `Started`.
    NeverStarts(Who),
    /// There are two `Starting` or more.
    Restarted(Who),
    /// There is exactly one `Starting`.
    NotRestarted(Who),
    /// After a's first `Started` there is a `Starting` of b, and none before it.
    StartsBefore(Who, Who),
    /// After a's first `Exiting` there is an `Exiting` of b, and b's first is not earlier.
    ExitsBefore(Who, Who),
    /// After a's first `Started` there is a `Starting` of b.
    AnyStartAfter(Who, Who),
    /// After a's first `Exiting` there is an `Exiting` of b.
    AnyExitAfter(Who, Who),
    /// They overlap, whoever is first.
    RunsTogether(Who, Who),
    /// They overlap, and a is first.
    RunsTogetherFirst(Who, Who),
    /// The first of each of these lines lie close to each other.
    Together {
        /// Which lines.
        lines: Vec<LineName>,
        /// How close.
        within: Duration,
    },
    /// From `Starting` to `Exited`.
    Lasts {
        /// Of whom.
        of: Who,
        /// How long.
        range: Range<Duration>,
    },
    /// The number of lines between two points.
    Between {
        /// Which lines.
        line: LineName,
        /// After this.
        from: Point,
        /// Before this; `None` is until the end.
        to: Option<Point>,
        /// How many.
        range: Range<usize>,
    },
    /// The time between two points.
    Gap {
        /// From this.
        from: Point,
        /// To the first of these after it.
        to: Point,
        /// How long.
        range: Range<Duration>,
    },
    /// The number of lines over all.
    Count {
        /// Which lines.
        line: LineName,
        /// How many.
        range: Range<usize>,
    },

    // --- on the pod ---
    /// The pod's status, at certain times.
    Status {
        /// What it must be.
        want: Box<StatusPart>,
        /// When.
        time: Time,
        /// Counted from this act instead of the pod's creation.
        since: Option<Box<str>>,
    },
    /// The number of restarts never gets smaller.
    RestartsNeverFall(Box<str>),
    /// Everything has ended.
    Gone {
        /// So soon.
        within: Duration,
        /// Counted from this act instead of the pod's creation.
        since: Option<Box<str>>,
    },
    /// How the pod ended.
    Result {
        /// Succeeded or Failed.
        phase: Option<Text>,
        /// Whose end decided it.
        decided_by: Option<Text>,
        /// In one word.
        reason: Option<Text>,
    },
    /// The exit code that stands for the pod.
    ExitCode(i32),
    /// A Kubernetes event was told of a container, or was not.
    Event {
        /// Whether it must have been told.
        told: bool,
        /// The container.
        of: Box<str>,
        /// Its reason.
        reason: Option<Box<str>>,
        /// A part of its message.
        says: Option<Box<str>>,
    },
}

/// A line or an act.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Point {
    /// A line of this name.
    Line(LineName),
    /// The act of this name.
    Act(Box<str>),
}

/// Limits of a number or a time; each may be missing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Range<T> {
    /// Not less.
    pub at_least: Option<T>,
    /// Not more.
    pub at_most: Option<T>,
}

/// When a status must hold.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Time {
    /// At some moment in that time.
    Within(Duration),
    /// At every moment in that time, its last instant left out.
    Throughout(Duration),
    /// When the pod has ended.
    AtEnd,
    /// At that time.
    At(Duration),
    /// At every moment at which this holds.
    Whenever(Box<StatusPart>),
}

/// What became of a check.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Finding {
    /// It holds.
    Holds,
    /// This driver cannot say, for this reason.
    PassedOver(&'static str),
    /// It does not hold.
    Fails(Evidence),
}

/// Why a check does not hold.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    /// What was seen instead, in a sentence.
    pub seen: String,
    /// Lines of the record that show it, by number.
    pub lines: Vec<usize>,
    /// The containers that it is about.
    pub about: Vec<Box<str>>,
}

// === impl Check ===

impl Check {
    /// A check that stands in no file.
    pub fn new(claim: Claim) -> Self {
        let text = format!("{claim:?}").into();
        Self {
            claim,
            in_run: 1,
            text,
            place: None,
        }
    }

    /// Looks whether it holds.
    pub fn look(&self, record: &Record) -> Finding {
        if let Some(why) = self.claim.untold(record) {
            return Finding::PassedOver(why);
        }
        let view = order::View::new(record.log.lines(), self.in_run);
        let result = match &self.claim {
            Claim::Starts(a) => view.starts(a),
            Claim::Exits(a) => view.exits(a),
            Claim::NeverStarts(a) => view.never_starts(a),
            Claim::Restarted(a) => view.restarted(a),
            Claim::NotRestarted(a) => view.not_restarted(a),
            Claim::StartsBefore(a, b) => view.starts_before(a, b),
            Claim::ExitsBefore(a, b) => view.exits_before(a, b),
            Claim::AnyStartAfter(a, b) => view.any_start_after(a, b),
            Claim::AnyExitAfter(a, b) => view.any_exit_after(a, b),
            Claim::RunsTogether(a, b) => view
                .runs_together_first(a, b)
                .or_else(|no| view.runs_together_first(b, a).map_err(|_| no)),
            Claim::RunsTogetherFirst(a, b) => view.runs_together_first(a, b),
            Claim::Together { lines, within } => view.together(lines, *within),
            Claim::Lasts { of, range } => view.lasts(of, range),
            Claim::Between {
                line,
                from,
                to,
                range,
            } => view.between(record, line, from, to.as_ref(), range),
            Claim::Gap { from, to, range } => view.gap(record, from, to, range),
            Claim::Count { line, range } => view.count(line, range),
            Claim::Status { want, time, since } => {
                status::look(record, want, time, since.as_deref())
            }
            Claim::RestartsNeverFall(name) => status::restarts_never_fall(record, name),
            Claim::Gone { within, since } => gone(record, *within, since.as_deref()),
            Claim::Result {
                phase,
                decided_by,
                reason,
            } => result(record, [phase, decided_by, reason]),
            Claim::ExitCode(code) => exit_code(record, *code),
            Claim::Event {
                told,
                of,
                reason,
                says,
            } => {
                let part = event::Part {
                    of,
                    reason: reason.as_deref(),
                    says: says.as_deref(),
                };
                event::look(record, &part, *told)
            }
        };
        match result {
            Ok(()) => Finding::Holds,
            Err(evidence) => Finding::Fails(evidence),
        }
    }
}

// === impl Claim ===

impl Claim {
    /// Why the record cannot say whether it holds, if it cannot.
    fn untold(&self, record: &Record) -> Option<&'static str> {
        match self {
            Self::Event { .. } => record.events.is_none().then_some(NO_EVENTS),
            Self::Result { .. } | Self::ExitCode(_) => {
                let is_untold = |end: &End| end.result.is_none();
                record
                    .end
                    .as_ref()
                    .is_some_and(is_untold)
                    .then_some(NO_RESULT)
            }
            Self::Starts(_)
            | Self::Exits(_)
            | Self::NeverStarts(_)
            | Self::Restarted(_)
            | Self::NotRestarted(_)
            | Self::StartsBefore(..)
            | Self::ExitsBefore(..)
            | Self::AnyStartAfter(..)
            | Self::AnyExitAfter(..)
            | Self::RunsTogether(..)
            | Self::RunsTogetherFirst(..)
            | Self::Together { .. }
            | Self::Lasts { .. }
            | Self::Between { .. }
            | Self::Gap { .. }
            | Self::Count { .. }
            | Self::Status { .. }
            | Self::RestartsNeverFall(_)
            | Self::Gone { .. } => None,
        }
    }
}

/// Why a check on events is passed over.
const NO_EVENTS: &str = "nobody tells Kubernetes events here";

/// Why a check on the end is passed over.
const NO_RESULT: &str = "only Pillion says who decided the end of a pod, and with which code";

/// When an act was done; the pod's creation without one.
fn since(record: &Record, act: Option<&str>) -> Result<Moment, Evidence> {
    let Some(act) = act else {
        return Ok(Moment::default());
    };
    let moment = record.moments.get(act);
    moment
        .copied()
        .ok_or_else(|| Evidence::new(format!("the act `{act}` was never done")))
}

fn gone(record: &Record, within: Duration, act: Option<&str>) -> Result<(), Evidence> {
    let from = since(record, act)?;
    let Some(end) = &record.end else {
        return Err(still_there(record));
    };
    let took = end.at.since(from.at);
    if took <= within {
        return Ok(());
    }
    Err(Evidence::new(format!(
        "the pod was gone at {}, after {}",
        end.at,
        seconds(took)
    )))
}

fn still_there(record: &Record) -> Evidence {
    let phase = record.status().map_or("unknown", |s| s.phase.as_str());
    Evidence::new(format!(
        "the pod had not ended when watching stopped at {}; its phase was {phase}",
        record.until
    ))
}

fn result(record: &Record, want: [&Option<Text>; 3]) -> Result<(), Evidence> {
    let end = record.end.as_ref().ok_or_else(|| still_there(record))?;
    let result = end.result.as_ref();
    let reason = result.and_then(|result| result.reason);
    let seen = [
        ("phase", result.map(|result| result.phase.as_str())),
        ("decidedBy", end.decided_by.as_deref()),
        ("reason", reason.map(pillion_engine::PodReason::as_str)),
    ];
    let pairs = want.into_iter().zip(seen);
    let misses = pairs.filter_map(|(want, (what, seen))| want.as_ref()?.miss(what, seen));
    let misses: Vec<_> = misses.collect();
    if misses.is_empty() {
        return Ok(());
    }
    Err(Evidence::new(misses.join("; ")))
}

fn exit_code(record: &Record, code: i32) -> Result<(), Evidence> {
    let end = record.end.as_ref().ok_or_else(|| still_there(record))?;
    match end.result.as_ref().map(|result| result.code) {
        Some(seen) if seen == code => Ok(()),
        Some(seen) => Err(Evidence::new(format!("it was {seen}"))),
        None => Err(Evidence::new("nobody said which it was")),
    }
}

/// A time as people read it.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.3}s", duration.as_secs_f64())
}

// === impl Evidence ===

impl Evidence {
    pub(crate) fn new(seen: impl Into<String>) -> Self {
        Self {
            seen: seen.into(),
            ..Self::default()
        }
    }

    pub(crate) fn lines(mut self, lines: impl IntoIterator<Item = usize>) -> Self {
        self.lines.extend(lines);
        self
    }

    pub(crate) fn about(mut self, who: &Who) -> Self {
        self.about.push(who.container.clone());
        self
    }
}

// === impl Range ===

impl<T: Copy + PartialOrd> Range<T> {
    /// Whether the value lies in it.
    pub fn contains(&self, value: T) -> bool {
        self.at_least.is_none_or(|least| value >= least)
            && self.at_most.is_none_or(|most| value <= most)
    }
}

#[cfg(test)]
mod tests;
