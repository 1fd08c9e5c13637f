//! Checks that count lines and measure times between them.

use super::order::View;
use super::{Evidence, Point, Range, seconds};
use crate::line::{LineName, Who, Word};
use crate::record::Record;
use pillion_engine::Tick;
use std::time::Duration;

/// A point among the lines.
#[derive(Clone, Copy)]
struct Spot {
    at: Tick,
    /// How many lines stand before it.
    before: usize,
    /// The first line after it.
    after: usize,
}

type Result = std::result::Result<(), Evidence>;

// === impl View ===

impl View<'_> {
    pub(super) fn together(self, names: &[LineName], within: Duration) -> Result {
        let mut numbers = Vec::new();
        for name in names {
            let first = self.first(&name.who, name.word, 0);
            numbers.push(first.ok_or_else(|| missing(name))?);
        }
        let times = || numbers.iter().map(|number| self.lines[*number].at);
        let (Some(first), Some(last)) = (times().min(), times().max()) else {
            return Ok(());
        };
        if last.since(first) <= within {
            return Ok(());
        }
        let seen = format!("they are {} apart", seconds(last.since(first)));
        Err(self.evidence(seen, numbers))
    }

    pub(super) fn lasts(self, of: &Who, range: &Range<Duration>) -> Result {
        let start = self.first(of, Word::Starting, 0);
        let start = start.ok_or_else(|| missing(&of.says(Word::Starting)))?;
        let Some(end) = self.first(of, Word::Exited, start + 1) else {
            return Err(self.evidence(format!("{of} never ended"), [start]));
        };
        let took = self.lines[end].at.since(self.lines[start].at);
        if range.contains(took) {
            return Ok(());
        }
        Err(self.evidence(format!("{of} lasted {}", seconds(took)), [start, end]))
    }

    pub(super) fn between(
        self,
        record: &Record,
        line: &LineName,
        from: &Point,
        to: Option<&Point>,
        range: &Range<usize>,
    ) -> Result {
        let from = self.spot(record, from, 0)?;
        let to = match to {
            Some(to) => self.spot(record, to, from.after)?.before,
            None => self.lines.len(),
        };
        let found = self.find(&line.who, line.word, from.after);
        let found: Vec<_> = found.take_while(|number| *number < to).collect();
        self.counted(line, found, range)
    }

    pub(super) fn gap(
        self,
        record: &Record,
        from: &Point,
        to: &Point,
        range: &Range<Duration>,
    ) -> Result {
        let from = self.spot(record, from, 0)?;
        let to = self.spot(record, to, from.after)?;
        let took = to.at.since(from.at);
        if range.contains(took) {
            return Ok(());
        }
        let shown = [from, to].map(|spot| spot.before);
        let shown = shown.into_iter().filter(|line| *line < self.lines.len());
        let seen = format!("from {} to {} it is {}", from.at, to.at, seconds(took));
        Err(self.evidence(seen, shown))
    }

    pub(super) fn count(self, line: &LineName, range: &Range<usize>) -> Result {
        let found = self.find(&line.who, line.word, 0).collect();
        self.counted(line, found, range)
    }

    fn counted(self, line: &LineName, found: Vec<usize>, range: &Range<usize>) -> Result {
        let number = found.len();
        if range.contains(number) {
            return Ok(());
        }
        let seen = match number {
            0 => format!("there is no `{line}`"),
            1 => format!("there is one `{line}`"),
            _ => format!("there are {number} of `{line}`"),
        };
        Err(self.evidence(seen, found).about(&line.who))
    }

    /// The first such line, from a number on, or the act.
    fn spot(
        self,
        record: &Record,
        point: &Point,
        from: usize,
    ) -> std::result::Result<Spot, Evidence> {
        match point {
            Point::Act(act) => {
                let moment = record.moments.get(act);
                let moment = moment.filter(|moment| moment.lines >= from);
                let moment = moment.ok_or_else(|| never_done(act))?;
                Ok(Spot {
                    at: moment.at,
                    before: moment.lines,
                    after: moment.lines,
                })
            }
            Point::Line(name) => {
                let number = self.first(&name.who, name.word, from);
                let number = number.ok_or_else(|| missing(name))?;
                Ok(Spot {
                    at: self.lines[number].at,
                    before: number,
                    after: number + 1,
                })
            }
        }
    }
}

fn missing(name: &LineName) -> Evidence {
    Evidence::new(format!("there is no `{name}`")).about(&name.who)
}

fn never_done(act: &str) -> Evidence {
    Evidence::new(format!("the act `{act}` was not done then"))
}
