//! Values of a compose file: with their variables replaced, and refused if they are of a wrong type.

use super::interpolate::Interpolation;
use crate::convert::Surroundings;
use crate::convert::notes::Notes;
use pillion_spec::tree::{Node, Value};
use pillion_spec::{Code, Diagnostic, Source, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Reads values, and notes what does not fit.
pub(super) struct Reader<'a> {
    source: &'a Source,
    pub(super) around: &'a Surroundings,
    pub(super) notes: &'a mut Notes,
    /// Variables whose values went into the pod.
    pub(super) used: BTreeSet<String>,
    /// Some service says `restart: unless-stopped`.
    pub(super) unless_stopped: bool,
}

// === impl Reader ===

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source, around: &'a Surroundings, notes: &'a mut Notes) -> Self {
        Self {
            source,
            around,
            notes,
            used: BTreeSet::new(),
            unless_stopped: false,
        }
    }

    /// A scalar as text. What stands without quotes is taken as it is written.
    pub(super) fn text(&mut self, node: Node<'_>) -> Option<String> {
        let written = match node.value() {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
                self.source.slice(node.span()).to_owned()
            }
            Value::Null | Value::Sequence(_) | Value::Mapping(_) => {
                self.refuse(node, "text");
                return None;
            }
        };
        Some(self.interpolated(&written, node.span()))
    }

    /// The text with its variables replaced.
    pub(super) fn interpolated(&mut self, text: &str, span: Span) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut interpolation = Interpolation::new(&self.around.variables);
        let text = interpolation.text(text);
        self.used.extend(interpolation.used);
        let missing: BTreeSet<_> = interpolation.missing.into_iter().collect();
        for name in missing {
            let message = format!("the variable `{name}` has no value");
            let finding =
                Diagnostic::new(Code::NotConverted, message).primary(span, "taken as empty");
            self.notes.push(finding.help(how_to_set(&name)));
        }
        let demanded: BTreeMap<_, _> = interpolation.demanded.into_iter().collect();
        for (name, complaint) in demanded {
            let colon = if complaint.is_empty() { "" } else { ": " };
            let message = format!("the variable `{name}` must have a value{colon}{complaint}");
            let finding = Diagnostic::new(Code::NotConvertible, message).primary(span, "has none");
            self.notes.push(finding.help(how_to_set(&name)));
        }
        text
    }

    /// A list of texts, or one text alone.
    pub(super) fn texts(&mut self, node: Node<'_>) -> Vec<String> {
        if node.is_sequence() {
            return node.items().filter_map(|item| self.text(item)).collect();
        }
        self.text(node).into_iter().collect()
    }

    /// A whole number, not negative.
    pub(super) fn number(&mut self, node: Node<'_>) -> Option<u64> {
        let number = self.text(node)?.parse().ok();
        if number.is_none() {
            self.refuse(node, "a whole number");
        }
        number
    }

    /// A boolean, quoted or not.
    pub(super) fn truth(&mut self, node: Node<'_>) -> bool {
        match self
            .text(node)
            .as_deref()
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("true" | "yes" | "on" | "y") => true,
            Some("false" | "no" | "off" | "n") | None => false,
            Some(_) => {
                self.refuse(node, "true or false");
                false
            }
        }
    }

    /// A time in whole seconds, rounded up.
    pub(super) fn seconds(&mut self, node: Node<'_>) -> Option<u64> {
        let text = self.text(node)?;
        let time = duration(&text);
        if time.is_none() {
            self.refuse(node, "a time such as `1m30s`");
        }
        time.map(|time| time.as_secs() + u64::from(time.subsec_nanos() > 0))
    }

    /// The entries of a map with their places; none if it is no map, which is told.
    pub(super) fn entries<'t>(&mut self, node: Node<'t>) -> Vec<(&'t str, Span, Node<'t>)> {
        if !node.is_mapping() && !node.is_null() {
            self.refuse(node, "a map");
        }
        node.entries().collect()
    }

    /// Says that a value is not what it should be.
    pub(super) fn refuse(&mut self, node: Node<'_>, expected: &str) {
        let found = match node.value() {
            Value::Null => "nothing".to_owned(),
            Value::Sequence(_) => "a list".to_owned(),
            Value::Mapping(_) => "a map".to_owned(),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => {
                let text: String = self.source.slice(node.span()).chars().take(40).collect();
                format!("`{text}`")
            }
        };
        let message = format!("expected {expected}, found {found}");
        self.notes
            .refuse(node.span(), message, &format!("not {expected}"));
    }
}

fn how_to_set(variable: &str) -> String {
    format!("set it: `{variable}=… pillion convert …`, or in a `.env` beside the file")
}

/// `1m30s`, `500ms`, `1.5h`, as Go and compose write times.
pub(super) fn duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let end = rest
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(rest.len());
        let seconds = number * unit(&rest[..end])?;
        total = total.checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
        rest = &rest[end..];
    }
    (!text.is_empty() && total <= LONGEST).then_some(total)
}

fn unit(name: &str) -> Option<f64> {
    Some(match name {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        "w" => 604_800.0,
        _ => return None,
    })
}

/// Ten years; a pod counts seconds in 32 bits.
const LONGEST: Duration = Duration::from_hours(87_600);

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn times_are_read_as_go_reads_them() {
        assert_eq!(duration("1m30s"), Some(Duration::from_secs(90)));
        assert_eq!(duration("1.5h"), Some(Duration::from_mins(90)));
        assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(duration("0"), Some(Duration::ZERO));
        for text in [
            "",
            "10",
            "s",
            "1x",
            "1.2.3s",
            "-5s",
            "9e99s",
            "99999999999h",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
