//! One process, from when it was met to when it was gone, and its own words.

use pillion_engine::Tick;
use pillion_simulator::line::{Who, Word};
use std::fmt;

/// One process.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Life {
    /// What it is: a container, or a hook or probe of one.
    pub who: Who,
    /// What it said, in order.
    pub lines: Vec<Said>,
    /// When its connection was seen open, if it was.
    pub seen: Option<Seen>,
    /// When its connection was seen closed, if it was.
    pub gone: Option<Tick>,
}

/// When somebody looked, and it was there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seen {
    /// The first time.
    pub first: Tick,
    /// The last time.
    pub last: Tick,
}

/// One line of a process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Said {
    /// When it was written.
    pub at: Tick,
    /// What.
    pub word: Word,
    /// The code with which it ends, beside that it does.
    pub code: Option<i32>,
}

// === impl Life ===

impl Life {
    /// From the bytes of its connection. The last line may be half written.
    pub(super) fn read(said: &[u8], seen: Option<Seen>, gone: Option<Tick>) -> Option<Self> {
        let who = Self::name(said)?;
        let text = String::from_utf8_lossy(said);
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().skip(1).filter_map(Said::read).collect();
        Some(Self {
            who,
            lines,
            seen,
            gone,
        })
    }

    /// The first line, when it is whole.
    pub(super) fn name(said: &[u8]) -> Option<Who> {
        let text = std::str::from_utf8(said).ok()?;
        text.split_once('\n')?.0.parse().ok()
    }

    /// When it said this first.
    pub fn when(&self, word: Word) -> Option<Tick> {
        let mut lines = self.lines.iter();
        lines.find(|line| line.word == word).map(|line| line.at)
    }

    /// The code with which it ended by itself, if it did.
    pub fn code(&self) -> Option<i32> {
        self.lines.iter().find_map(|line| line.code)
    }

    /// It was surely there from then on, if it was surely there at all.
    pub fn from(&self) -> Tick {
        let said = self.lines.first().map(|line| line.at);
        let seen = self.seen.map(|seen| seen.first);
        said.or(seen).or(self.gone).unwrap_or_default()
    }

    /// And surely until then.
    pub fn until(&self) -> Tick {
        let said = self.lines.last().map(|line| line.at);
        let seen = self.seen.map(|seen| seen.last);
        said.max(seen).unwrap_or_else(|| self.from())
    }

    /// Whether it was surely there at that moment.
    pub fn is_there(&self, at: Tick) -> bool {
        self.from() <= at && at < self.until()
    }

    /// With all times counted from a later beginning.
    #[must_use]
    pub(in crate::processes) fn counted_from(mut self, beginning: Tick) -> Self {
        let count = |at: Tick| Tick::ZERO + at.since(beginning);
        for line in &mut self.lines {
            line.at = count(line.at);
        }
        self.seen = self.seen.map(|seen| Seen {
            first: count(seen.first),
            last: count(seen.last),
        });
        self.gone = self.gone.map(count);
        self
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.who)?;
        for Said { at, word, code } in &self.lines {
            write!(f, " {at} {word}")?;
            if let Some(code) = code {
                write!(f, " {code}")?;
            }
            f.write_str(",")?;
        }
        if let Some(Seen { first, last }) = self.seen {
            write!(f, " seen {first} to {last},")?;
        }
        match self.gone {
            Some(gone) => write!(f, " gone {gone}"),
            None => f.write_str(" still there"),
        }
    }
}

// === impl Seen ===

impl Seen {
    pub(super) fn at(moment: Tick) -> Self {
        Self {
            first: moment,
            last: moment,
        }
    }
}

// === impl Said ===

impl Said {
    fn read(line: &str) -> Option<Self> {
        let (at, rest) = line.split_once(' ')?;
        let (word, code) = rest.split_once(' ').map_or((rest, None), |(word, code)| {
            let code = code.parse().ok();
            (word, code)
        });
        Some(Self {
            at: Tick::from_nanos(at.parse().ok()?),
            word: word.parse().ok()?,
            code,
        })
    }
}

impl fmt::Display for Said {
    /// As it goes over the connection.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, word, code } = self;
        write!(f, "{} {word}", at.as_nanos())?;
        code.map_or(Ok(()), |code| write!(f, " {code}"))
    }
}
