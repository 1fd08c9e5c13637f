//! A small writer of YAML for people: keys in the order given, comments where something was decided.
//!
//! Every text comes back as the same text, whatever it looks like: quotes are put where needed.
//! Short lists stand in brackets, short maps too where it was asked for; all else in blocks.

mod scalar;

use crate::wrap::wrap;
use scalar::{literal, scalar};

/// Something that can be written.
#[derive(Clone, Debug)]
pub(crate) enum Yaml {
    /// A number or a boolean, as it is.
    Bare(String),
    /// Text.
    Text(String),
    /// A list; in brackets if it is short and has no comments.
    List(Vec<Yaml>),
    /// A map.
    Map(Map),
}

/// Keys with values, and comments between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    lines: Vec<Line>,
    braces: bool,
}

#[derive(Clone, Debug)]
enum Line {
    Comment(String),
    Pair {
        key: String,
        value: Yaml,
        aside: Option<String>,
    },
}

struct Writer {
    out: String,
}

/// As long as the project's own lines.
const WIDTH: usize = 100;

// === impl Yaml ===

impl Yaml {
    /// A list of texts.
    pub(crate) fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::List(
            texts
                .into_iter()
                .map(|text| Self::Text(text.into()))
                .collect(),
        )
    }

    /// As it would stand in one line; empty if it cannot.
    pub(crate) fn shown(&self) -> String {
        self.in_one_line().unwrap_or_default()
    }

    /// In one line, unless it holds comments or text of several lines.
    fn in_one_line(&self) -> Option<String> {
        match self {
            Self::Bare(text) => Some(text.clone()),
            Self::Text(text) if literal(text).is_some() => None,
            Self::Text(text) => Some(scalar(text)),
            Self::List(items) => {
                let items: Option<Vec<_>> = items.iter().map(Self::in_one_line).collect();
                Some(format!("[{}]", items?.join(", ")))
            }
            Self::Map(map) => map.in_one_line(),
        }
    }
}

impl From<&str> for Yaml {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Yaml {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Yaml {
    fn from(truth: bool) -> Self {
        Self::Bare(truth.to_string())
    }
}

impl From<u64> for Yaml {
    fn from(number: u64) -> Self {
        Self::Bare(number.to_string())
    }
}

impl From<Map> for Yaml {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

// === impl Map ===

impl Map {
    /// Whether it holds one word only: a long one does not get shorter in a line of its own.
    fn is_one_word(&self) -> bool {
        match &*self.lines {
            [Line::Pair { value, .. }] => matches!(value, Yaml::Bare(_) | Yaml::Text(_)),
            [] | [_, ..] => false,
        }
    }

    /// A map that stands in braces if it is short.
    pub(crate) fn in_braces() -> Self {
        Self {
            lines: Vec::new(),
            braces: true,
        }
    }

    /// Adds a key; keys that are there are not looked at.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Yaml>) -> Self {
        self.push(key, value);
        self
    }

    /// Adds a key.
    pub(crate) fn push(&mut self, key: &str, value: impl Into<Yaml>) {
        self.lines.push(Line::Pair {
            key: key.to_owned(),
            value: value.into(),
            aside: None,
        });
    }

    /// Adds a key with a comment on its line.
    pub(crate) fn push_with(&mut self, key: &str, value: impl Into<Yaml>, aside: Option<String>) {
        self.lines.push(Line::Pair {
            key: key.to_owned(),
            value: value.into(),
            aside,
        });
    }

    /// Adds a key if there is a value for it.
    pub(crate) fn push_some(&mut self, key: &str, value: Option<impl Into<Yaml>>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    /// Adds a comment, one line unless it is too long.
    pub(crate) fn comment(&mut self, text: impl Into<String>) {
        self.lines.push(Line::Comment(text.into()));
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn in_one_line(&self) -> Option<String> {
        if self.lines.is_empty() {
            return Some("{}".to_owned());
        }
        if !self.braces {
            return None;
        }
        let pair = |line: &Line| match line {
            Line::Pair {
                key,
                value,
                aside: None,
            } => Some(format!("{}: {}", scalar(key), value.in_one_line()?)),
            Line::Pair { aside: Some(_), .. } | Line::Comment(_) => None,
        };
        let pairs: Option<Vec<_>> = self.lines.iter().map(pair).collect();
        Some(format!("{{{}}}", pairs?.join(", ")))
    }
}

// === impl Writer ===

impl Writer {
    /// The lines of a map. The first one stands where the writer is: after a dash, or on a new line.
    fn map(&mut self, map: &Map, indent: usize, mut first: bool) {
        for line in &map.lines {
            match line {
                Line::Comment(text) => self.comment(text, indent),
                Line::Pair { key, value, aside } => {
                    if !first {
                        self.indent(indent);
                    }
                    self.pair(key, value, aside.as_deref(), indent);
                }
            }
            first = false;
        }
    }

    fn pair(&mut self, key: &str, value: &Yaml, aside: Option<&str>, indent: usize) {
        let key = scalar(key);
        self.out.push_str(&key);
        self.out.push(':');
        let aside = aside.map(|text| format!("  # {}", harmless(text)));
        let aside = aside.unwrap_or_default();
        if let Some(text) = fitting(value, indent + key.len() + 2) {
            self.out.push(' ');
            self.out.push_str(&text);
            self.end_line(&aside);
        } else {
            self.block(value, &aside, indent);
        }
    }

    fn block(&mut self, value: &Yaml, aside: &str, indent: usize) {
        match value {
            Yaml::Text(text) => self.literal(text, indent),
            Yaml::List(items) => {
                self.end_line(aside);
                self.list(items, indent + 2);
            }
            Yaml::Map(map) => {
                self.end_line(aside);
                self.map(map, indent + 2, false);
            }
            Yaml::Bare(text) => self.out.push_str(text),
        }
    }

    fn list(&mut self, items: &[Yaml], indent: usize) {
        for item in items {
            self.indent(indent);
            self.out.push('-');
            if let Some(text) = fitting(item, indent + 2) {
                self.out.push(' ');
                self.out.push_str(&text);
                self.end_line("");
            } else if let Yaml::Map(map) = item {
                self.out.push(' ');
                self.map(map, indent + 2, true);
            } else {
                self.block(item, "", indent);
            }
        }
    }

    fn literal(&mut self, text: &str, indent: usize) {
        let Some((header, lines)) = literal(text) else {
            return self.out.push_str(&scalar(text));
        };
        self.out.push(' ');
        self.end_line(header);
        for line in lines {
            if !line.is_empty() {
                self.indent(indent + 2);
            }
            self.end_line(line);
        }
    }

    fn comment(&mut self, text: &str, indent: usize) {
        for line in wrap(text, WIDTH - 2 - indent) {
            self.indent(indent);
            self.end_line(&format!("# {}", harmless(&line)));
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn end_line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }
}

/// The value for the rest of a line, if it belongs there. A text that cannot be broken always does.
fn fitting(value: &Yaml, used: usize) -> Option<String> {
    let text = value.in_one_line()?;
    let is_map = |item: &&Yaml| matches!(item, Yaml::Map(_));
    let breaks = match value {
        // Several maps in one line are hard to read, however short they are.
        Yaml::List(items) if items.iter().filter(is_map).count() > 1 => return None,
        Yaml::List(items) => !items.is_empty(),
        Yaml::Map(map) => !map.is_empty() && !map.is_one_word(),
        Yaml::Bare(_) | Yaml::Text(_) => false,
    };
    (!breaks || used + text.chars().count() <= WIDTH).then_some(text)
}

/// The text of a comment, which must not end where it should not.
pub(crate) fn harmless(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.chars().filter(|c| scalar::is_printable(*c)).collect()
}

/// A whole document.
pub(crate) fn document(map: &Map) -> String {
    let mut writer = Writer { out: String::new() };
    writer.map(map, 0, false);
    writer.out
}

#[cfg(test)]
mod tests;
