//! Text with meaning instead of colours: pieces of lines, each with a tone.
//!
//! Whoever prints decides what a tone looks like; without any, the text reads the same.

use std::collections::BTreeSet;
use std::fmt;

/// What a piece of text says about the state of things.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Tone {
    /// Nothing in particular.
    Plain,
    /// Ready, done.
    Good,
    /// Waiting, starting.
    Waiting,
    /// Failed.
    Bad,
    /// Of less interest.
    Dim,
    /// The subject.
    Strong,
}

/// One line of text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Line {
    pieces: Vec<(Tone, String)>,
}

/// What the place where text is shown can do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Style {
    /// Columns.
    pub width: usize,
    /// Only plain ASCII.
    pub ascii: bool,
}

// === impl Line ===

impl Line {
    /// A line of one piece.
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        let mut line = Self::default();
        line.push(tone, text);
        line
    }

    /// Adds a piece at the end.
    pub fn push(&mut self, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        match self.pieces.last_mut() {
            Some((last, before)) if *last == tone => before.push_str(&text),
            Some(_) | None if text.is_empty() => {}
            Some(_) | None => self.pieces.push((tone, text)),
        }
    }

    /// The same line, longer by a piece.
    #[must_use]
    pub fn and(mut self, tone: Tone, text: impl Into<String>) -> Self {
        self.push(tone, text);
        self
    }

    /// Its pieces; neighbours differ in tone.
    pub fn pieces(&self) -> impl Iterator<Item = (Tone, &str)> {
        self.pieces
            .iter()
            .map(|(tone, text)| (*tone, text.as_str()))
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        self.pieces.iter().map(|(_, text)| columns(text)).sum()
    }

    /// How many spaces it begins with.
    fn indent(&self) -> usize {
        let characters = self.pieces().flat_map(|(_, text)| text.chars());
        characters.take_while(|c| *c == ' ').count()
    }

    fn trim_end(&mut self) {
        while let Some((_, text)) = self.pieces.last_mut() {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                break;
            }
            self.pieces.pop();
        }
    }

    /// Adds another line's pieces at the end.
    pub fn append(&mut self, other: &Self) {
        for (tone, text) in other.pieces() {
            self.push(tone, text);
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces
            .iter()
            .try_for_each(|(_, text)| f.write_str(text))
    }
}

// === impl Style ===

impl Style {
    /// Unicode, so many columns wide.
    pub const fn unicode(width: usize) -> Self {
        Self {
            width,
            ascii: false,
        }
    }

    /// ASCII, so many columns wide.
    pub const fn ascii(width: usize) -> Self {
        Self { width, ascii: true }
    }

    /// The separator between things that belong together.
    pub const fn dot(self) -> &'static str {
        if self.ascii { "|" } else { "·" }
    }

    /// From one thing to the next.
    pub const fn arrow(self) -> &'static str {
        if self.ascii { "->" } else { "→" }
    }

    /// Where something was left out.
    pub const fn ellipsis(self) -> &'static str {
        if self.ascii { "~" } else { "…" }
    }

    /// A name that fits: its middle is left out, because names mostly differ at their ends.
    pub fn shorten(self, name: &str, width: usize) -> String {
        let length = columns(name);
        if length <= width {
            return name.to_owned();
        }
        let kept = width.saturating_sub(1);
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let head: String = name.chars().take(head).collect();
        let tail: String = name.chars().skip(length - tail).collect();
        format!("{head}{}{tail}", self.ellipsis())
    }

    /// Names that fit; `None` if two of them would look the same.
    pub fn shorten_all(self, names: &[String], width: usize) -> Option<Vec<String>> {
        let short: Vec<_> = names.iter().map(|name| self.shorten(name, width)).collect();
        let distinct = short.iter().collect::<BTreeSet<_>>().len() == short.len();
        distinct.then_some(short)
    }

    /// Names as a list; of more than a few, the first and how many there are.
    pub fn names(self, names: &[String]) -> String {
        const SHOWN: usize = 8;
        const OF_MANY: usize = 3;
        if names.len() <= SHOWN {
            return names.join(", ");
        }
        let more = if self.ascii { "..." } else { "…" };
        format!(
            "{} containers: {}, {more}",
            names.len(),
            names[..OF_MANY].join(", ")
        )
    }

    /// Breaks a line between words where it is too wide, and goes on below with an indent. A word
    /// that is wider than a line is broken too: nothing is ever left out.
    pub fn wrap(self, line: &Line, indent: usize) -> Vec<Line> {
        if line.width() <= self.width {
            return vec![line.clone()];
        }
        let mut wrapped = Wrapped::new(self.width, indent);
        for (tone, text) in line.pieces() {
            for word in words(text) {
                wrapped.word(tone, word);
            }
        }
        wrapped.end_line();
        wrapped.lines
    }

    /// Puts parts after a head, with a separator between two, and goes on in a new line below the
    /// first part where one would not fit. If there is no room below the first part either, the
    /// parts stand below the head.
    pub fn flow(self, head: Line, separator: &str, parts: &[Line]) -> Vec<Line> {
        let widest = parts.iter().map(Line::width).max().unwrap_or_default();
        let beside = head.width() + widest <= self.width;
        let indent = if beside {
            head.width()
        } else {
            head.indent() + FLOW_INDENT
        };
        let gap = columns(separator);
        let mut lines = Vec::new();
        let mut line = head;
        for (number, part) in parts.iter().enumerate() {
            let gap = if number > 0 { gap } else { 0 };
            if line.width() + gap + part.width() > self.width {
                line.trim_end();
                lines.push(std::mem::take(&mut line));
                line.push(Tone::Plain, " ".repeat(indent));
            } else if number > 0 {
                line.push(Tone::Dim, separator);
            }
            line.append(part);
        }
        lines.push(line);
        let wrapped = lines
            .iter()
            .flat_map(|line| self.wrap(line, indent + FLOW_INDENT));
        wrapped.collect()
    }
}

/// Behind the line above, where there is no better place.
const FLOW_INDENT: usize = 2;

/// The words of a text, each with the space behind it. A number stays with its unit.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.find(' ').map_or(rest.len(), |space| space + 1);
        let is_number = rest[..end]
            .trim_end()
            .ends_with(|c: char| c.is_ascii_digit());
        let next = rest[end..].split_inclusive(' ').next().unwrap_or_default();
        let unit = next.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if is_number && UNITS.contains(&unit) {
            end += next.len();
        }
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// The units of lengths of time.
const UNITS: [&str; 5] = ["ms", "s", "min", "h", "d"];

/// A line that is being broken into several.
struct Wrapped {
    width: usize,
    indent: usize,
    lines: Vec<Line>,
    current: Line,
    /// There is more in the current line than its indent.
    has_words: bool,
}

// === impl Wrapped ===

impl Wrapped {
    /// The indent leaves room for a word.
    fn new(width: usize, indent: usize) -> Self {
        let width = width.max(2);
        let room = (width / 3).max(10);
        Self {
            width,
            indent: indent.min(width.saturating_sub(room)),
            lines: Vec::new(),
            current: Line::default(),
            has_words: false,
        }
    }

    /// Adds a word, and the space behind it.
    fn word(&mut self, tone: Tone, word: &str) {
        let shown = columns(word.trim_end());
        if shown == 0 {
            return self.current.push(tone, word);
        }
        if self.has_words && self.current.width() + shown > self.width {
            self.end_line();
        }
        let mut rest = word;
        while self.current.width() + columns(rest.trim_end()) > self.width {
            let room = self.width.saturating_sub(self.current.width());
            let end = rest.char_indices().nth(room).map_or(0, |(end, _)| end);
            self.current.push(tone, &rest[..end]);
            rest = &rest[end..];
            self.end_line();
        }
        self.current.push(tone, rest);
        self.has_words = true;
    }

    fn end_line(&mut self) {
        self.current.trim_end();
        let line = std::mem::take(&mut self.current);
        // Of a first line that was all indent nothing is left.
        if line.width() > 0 {
            self.lines.push(line);
        }
        self.current.push(Tone::Plain, " ".repeat(self.indent));
        self.has_words = false;
    }
}

/// How many columns a text takes, one a character: names are ASCII in every pod that was checked.
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

/// A text from outside as it may be shown: in one line, without control characters, not endless.
pub fn tame(text: &str) -> String {
    const LIMIT: usize = 200;
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let text = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
