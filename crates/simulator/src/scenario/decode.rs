//! Takes values apart and notes what is wrong with them.

use super::item::{Item, Place, Value};
use crate::actor::PerRun;
use pillion_spec::{Code, Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// What is wrong, in the order in which it was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) found: Vec<(usize, Diagnostic)>,
    /// Containers that are named somewhere.
    pub(super) named: Vec<(Box<str>, Place)>,
    /// Containers that the acts add, and where.
    pub(super) added: BTreeMap<Box<str>, Place>,
    /// The names of acts.
    pub(super) acts: BTreeSet<Box<str>>,
}

/// A map whose keys are taken out one by one; what is left over is unknown.
pub(super) struct Keys<'i> {
    map: &'i Item,
    known: Vec<&'static str>,
}

// === impl Findings ===

impl Findings {
    pub(super) fn add(&mut self, file: usize, diagnostic: Diagnostic) {
        self.found.push((file, diagnostic));
    }

    fn at(&mut self, code: Code, place: Place, message: String, label: &str) -> &mut Diagnostic {
        let diagnostic = Diagnostic::new(code, message)
            .primary(place.span, label)
            .severity(Severity::Error);
        self.found.push((place.file, diagnostic));
        &mut self.found.last_mut().expect("it was just put in").1
    }

    /// The value is of another kind than it must be.
    pub(super) fn wrong_type(&mut self, item: &Item, wanted: &str) {
        let message = format!("this must be {wanted}, and is {}", item.value.kind());
        self.at(Code::WrongType, item.place, message, "");
    }

    /// The text does not say anything that is known here.
    pub(super) fn unknown_value(&mut self, item: &Item, wanted: &str) {
        let message = format!("this must be {wanted}");
        self.at(Code::UnknownValue, item.place, message, "");
    }

    /// The text has the wrong form.
    pub(super) fn bad_format(&mut self, item: &Item, why: &dyn Display) {
        self.at(Code::BadFormat, item.place, why.to_string(), "");
    }

    /// A key must be there.
    pub(super) fn missing(&mut self, item: &Item, key: &str) {
        let message = format!("`{key}` is missing");
        self.at(Code::MissingField, item.place, message, "");
    }

    /// Anything else.
    pub(super) fn refused(&mut self, place: Place, message: String) {
        self.at(Code::NotAllowedHere, place, message, "");
    }

    // --- values ---

    /// A map's keys.
    pub(super) fn map<'i>(&mut self, item: &'i Item) -> Option<Keys<'i>> {
        if let Value::Map(_) = item.value {
            return Some(Keys {
                map: item,
                known: Vec::new(),
            });
        }
        self.wrong_type(item, "a map");
        None
    }

    pub(super) fn list<'i>(&mut self, item: &'i Item) -> &'i [Item] {
        if let Value::List(items) = &item.value {
            return items;
        }
        self.wrong_type(item, "a list");
        &[]
    }

    /// A text; numbers and booleans must be quoted to be one.
    pub(super) fn text<'i>(&mut self, item: &'i Item) -> Option<&'i str> {
        if let Value::Text(text) = &item.value {
            return Some(text);
        }
        self.wrong_type(item, "text");
        None
    }

    pub(super) fn owned(&mut self, item: &Item) -> Option<Box<str>> {
        self.text(item).map(Box::from)
    }

    pub(super) fn truth(&mut self, item: &Item) -> Option<bool> {
        if let Value::Bool(truth) = item.value {
            return Some(truth);
        }
        self.wrong_type(item, "true or false");
        None
    }

    pub(super) fn number<T: TryFrom<i128>>(&mut self, item: &Item) -> Option<T> {
        let Value::Int(number) = item.value else {
            self.wrong_type(item, "a whole number");
            return None;
        };
        let number = T::try_from(number).ok();
        if number.is_none() {
            self.at(
                Code::OutOfRange,
                item.place,
                "the number is out of range".into(),
                "",
            );
        }
        number
    }

    /// A whole number between two others.
    pub(super) fn within(&mut self, item: &Item, range: RangeInclusive<i32>) -> Option<i32> {
        let number = self.number(item)?;
        if range.contains(&number) {
            return Some(number);
        }
        let message = format!(
            "{number} is out of range: {} to {}",
            range.start(),
            range.end()
        );
        self.at(Code::OutOfRange, item.place, message, "");
        None
    }

    /// A text that can be read as something.
    pub(super) fn parsed<T: FromStr<Err: Display>>(&mut self, item: &Item) -> Option<T> {
        let text = self.text(item)?;
        text.parse().map_err(|why| self.bad_format(item, &why)).ok()
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, item: &Item, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(item)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let all: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.unknown_value(item, &format!("one of {}", all.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    /// `5s`, `500ms`, `2m`, or a number of seconds.
    pub(super) fn duration(&mut self, item: &Item) -> Option<Duration> {
        let duration = match &item.value {
            Value::Int(secs) => u64::try_from(*secs).ok().map(Duration::from_secs),
            Value::Float(secs) => Duration::try_from_secs_f64(*secs).ok(),
            Value::Text(text) => duration(text),
            Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => None,
        };
        if duration.is_none() {
            self.bad_format(
                item,
                &"a time is written as 5s, 500ms, 2m, or a number of seconds",
            );
        }
        duration
    }

    /// A time, or a word in the place of one.
    pub(super) fn duration_or<T: Copy>(
        &mut self,
        item: &Item,
        word: (&str, T),
        time: impl FnOnce(Duration) -> T,
    ) -> Option<T> {
        match &item.value {
            Value::Text(text) if **text == *word.0 => Some(word.1),
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Map(_) => self.duration(item).map(time),
        }
    }

    /// A value for all runs, or a list with one for each.
    pub(super) fn per_run<T>(
        &mut self,
        item: &Item,
        mut read: impl FnMut(&mut Self, &Item) -> Option<T>,
    ) -> Option<PerRun<T>> {
        let Value::List(items) = &item.value else {
            return read(self, item).map(PerRun::same);
        };
        let values: Option<Vec<_>> = items.iter().map(|item| read(self, item)).collect();
        let mut values = values?.into_iter();
        let Some(first) = values.next() else {
            self.unknown_value(item, "a value for at least one run");
            return None;
        };
        Some(PerRun::each(first, values.collect()))
    }
}

// === impl Keys ===

impl<'i> Keys<'i> {
    /// The map itself.
    pub(super) fn item(&self) -> &'i Item {
        self.map
    }

    /// The value of a key, if it is there.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'i Item> {
        self.known.push(key);
        self.map.get(key)
    }

    /// The value of a key that must be there.
    pub(super) fn need(&mut self, key: &'static str, findings: &mut Findings) -> Option<&'i Item> {
        let value = self.take(key);
        if value.is_none() {
            findings.missing(self.map, key);
        }
        value
    }

    /// Every key that was not taken is unknown.
    pub(super) fn end(self, findings: &mut Findings) {
        let known = |key: &str| self.known.contains(&key);
        for field in self.map.fields().iter().filter(|field| !known(&field.key)) {
            let message = format!("a scenario has no `{}` here", field.key);
            let help = format!("known here: {}", self.known.join(", "));
            let place = field.place;
            let diagnostic = findings.at(Code::UnknownField, place, message, "");
            *diagnostic = diagnostic.clone().help(help);
        }
    }
}

// === impl Value ===

impl Value {
    /// For people.
    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// Reads `5s`, `500ms`, `2m`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let mut found = units.into_iter().filter_map(|(unit, secs)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(number * secs)
    });
    Duration::try_from_secs_f64(found.next()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        for (text, millis) in [
            ("5s", 5000),
            ("500ms", 500),
            ("2m", 120_000),
            ("30.5s", 30_500),
        ] {
            assert_eq!(
                duration(text),
                Some(Duration::from_millis(millis)),
                "{text}"
            );
        }
        for text in ["", "s", "-1s", "5", "5 s", "infs", "1e300s", "NaNs"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
