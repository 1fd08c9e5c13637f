//! Lines that actors write, and how they are named.
//!
//! A line is a time, a name and a word: `5.000s r1/preStop Started`. The name is a container, or a
//! container and the hook or probe that speaks in it. All that a judge knows of a container's life
//! comes from these lines.

use pillion_engine::Tick;
use pillion_engine::pod::{HookKind, ProbeKind};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// One line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    /// When it was written.
    pub at: Tick,
    /// By whom.
    pub who: Who,
    /// What.
    pub word: Word,
    /// In which run of the container, from 1: the number of its `Starting` lines so far.
    pub run: u32,
}

/// Who writes: a container, or a hook or probe of it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Who {
    /// The container's name.
    pub container: Box<str>,
    /// Itself, or a part of it.
    pub part: Part,
}

/// A part of a container that can write.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Part {
    /// The container's own process.
    Itself,
    /// The hook after its start.
    PostStart,
    /// The hook before its stop signal.
    PreStop,
    /// The hook at the beginning of the pod's stop.
    PodStopping,
    /// The command that reverses a oneshot.
    Undo,
    /// An attempt of its startup probe.
    Startup,
    /// An attempt of its readiness probe.
    Readiness,
    /// An attempt of its liveness probe.
    Liveness,
}

/// What a line can say.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Word {
    /// The process is there.
    Starting,
    /// It has come up.
    Started,
    /// A stop signal arrived.
    Stopping,
    /// It ends by itself, now.
    Exiting,
    /// The process is gone, killed or not.
    Exited,
}

/// The name of a line: `r1/preStop Started`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LineName {
    /// Who writes it.
    pub who: Who,
    /// What it says.
    pub word: Word,
}

/// A text that names no line, or nobody who writes lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum UnknownLine {
    /// The part after the slash is none.
    #[error(
        "after the `/` stands one of postStart, preStop, podStopping, undo, startup, readiness, liveness"
    )]
    Part,
    /// The word is none.
    #[error("a line is a name and one of Starting, Started, Stopping, Exiting, Exited")]
    Word,
    /// There is no name.
    #[error("a name is a container, or a container and its hook or probe such as `app/preStop`")]
    Name,
}

/// All lines of a play, in the order in which they were written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Log {
    lines: Vec<Line>,
    runs: BTreeMap<Box<str>, u32>,
}

// === impl Line ===

impl Line {
    /// Whether it is a line of that name.
    pub fn is(&self, name: &LineName) -> bool {
        self.word == name.word && self.who == name.who
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.at, self.who, self.word)
    }
}

// === impl Who ===

impl Who {
    /// The container itself.
    pub fn container(name: &str) -> Self {
        Self::part(name, Part::Itself)
    }

    /// A part of a container.
    pub fn part(name: &str, part: Part) -> Self {
        Self {
            container: name.into(),
            part,
        }
    }

    /// The line in which it says this.
    pub fn says(&self, word: Word) -> LineName {
        LineName {
            who: self.clone(),
            word,
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.container)?;
        if self.part == Part::Itself {
            return Ok(());
        }
        write!(f, "/{}", self.part.as_str())
    }
}

impl FromStr for Who {
    type Err = UnknownLine;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (container, part) = match text.split_once('/') {
            Some((container, part)) => (container, Part::named(part).ok_or(UnknownLine::Part)?),
            None => (text, Part::Itself),
        };
        if container.is_empty() || container.contains(char::is_whitespace) {
            return Err(UnknownLine::Name);
        }
        Ok(Self::part(container, part))
    }
}

// === impl Part ===

impl Part {
    const PARTS: [Self; 7] = [
        Self::PostStart,
        Self::PreStop,
        Self::PodStopping,
        Self::Undo,
        Self::Startup,
        Self::Readiness,
        Self::Liveness,
    ];

    /// As it is written after the slash; nothing for the container itself.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Itself => "",
            Self::PostStart => "postStart",
            Self::PreStop => "preStop",
            Self::PodStopping => "podStopping",
            Self::Undo => "undo",
            Self::Startup => "startup",
            Self::Readiness => "readiness",
            Self::Liveness => "liveness",
        }
    }

    fn named(text: &str) -> Option<Self> {
        Self::PARTS.into_iter().find(|part| part.as_str() == text)
    }
}

impl From<HookKind> for Part {
    fn from(hook: HookKind) -> Self {
        match hook {
            HookKind::PostStart => Self::PostStart,
            HookKind::PreStop => Self::PreStop,
            HookKind::PodStopping => Self::PodStopping,
        }
    }
}

impl From<ProbeKind> for Part {
    fn from(probe: ProbeKind) -> Self {
        match probe {
            ProbeKind::Startup => Self::Startup,
            ProbeKind::Readiness => Self::Readiness,
            ProbeKind::Liveness => Self::Liveness,
        }
    }
}

// === impl Word ===

impl Word {
    const ALL: [Self; 5] = [
        Self::Starting,
        Self::Started,
        Self::Stopping,
        Self::Exiting,
        Self::Exited,
    ];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "Starting",
            Self::Started => "Started",
            Self::Stopping => "Stopping",
            Self::Exiting => "Exiting",
            Self::Exited => "Exited",
        }
    }

    fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.as_str() == text)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Word {
    type Err = UnknownLine;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or(UnknownLine::Word)
    }
}

// === impl LineName ===

impl fmt::Display for LineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.who, self.word)
    }
}

impl FromStr for LineName {
    type Err = UnknownLine;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (who, word) = text.rsplit_once(' ').ok_or(UnknownLine::Word)?;
        let word = word.parse()?;
        Ok(who.trim().parse::<Who>()?.says(word))
    }
}

// === impl Log ===

impl Log {
    /// Adds a line at the end.
    pub fn write(&mut self, at: Tick, who: Who, word: Word) {
        let run = self.runs.entry(who.container.clone()).or_default();
        if who.part == Part::Itself && word == Word::Starting {
            *run += 1;
        }
        let run = (*run).max(1);
        self.lines.push(Line { at, who, word, run });
    }

    /// All lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether there is a line of that name.
    pub fn has(&self, name: &LineName) -> bool {
        self.lines.iter().any(|line| line.is(name))
    }

    /// How many lines of that name there are.
    pub fn count(&self, name: &LineName) -> usize {
        self.lines.iter().filter(|line| line.is(name)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lines_read_back_from_their_text() {
        for text in ["m1 Started", "r1/preStop Exiting", "a-b/liveness Exited"] {
            assert_eq!(text.parse::<LineName>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_names_no_line_says_why() {
        assert_eq!("m1".parse::<LineName>(), Err(UnknownLine::Word));
        assert_eq!("m1 started".parse::<LineName>(), Err(UnknownLine::Word));
        assert_eq!(
            "m1/prestop Started".parse::<LineName>(),
            Err(UnknownLine::Part)
        );
        assert_eq!(" Started".parse::<LineName>(), Err(UnknownLine::Name));
    }

    #[test]
    fn hooks_belong_to_the_run_of_their_container() {
        let mut log = Log::default();
        let (app, hook) = (Who::container("app"), Who::part("app", Part::PreStop));
        for _ in 0..2 {
            log.write(Tick::ZERO, app.clone(), Word::Starting);
            log.write(Tick::ZERO, hook.clone(), Word::Starting);
        }
        let runs: Vec<_> = log.lines().iter().map(|line| line.run).collect();
        assert_eq!(runs, [1, 1, 2, 2]);
    }
}
