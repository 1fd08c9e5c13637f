//! Variables in values: `$NAME`, `${NAME}`, with a default, an alternative or a complaint; `$$` is
//! a dollar sign.

use std::collections::BTreeMap;

/// The variables of one text, and what was found out about them.
pub(super) struct Interpolation<'v> {
    variables: &'v BTreeMap<String, String>,
    /// Those that had a value.
    pub(super) used: Vec<String>,
    /// Those that have none, and no default.
    pub(super) missing: Vec<String>,
    /// Those that have none although the file asks for one, and what it says to that.
    pub(super) demanded: Vec<(String, String)>,
}

/// Deeper defaults in defaults are not written by people.
const DEEPEST: usize = 16;

// === impl Interpolation ===

impl<'v> Interpolation<'v> {
    pub(super) fn new(variables: &'v BTreeMap<String, String>) -> Self {
        Self {
            variables,
            used: Vec::new(),
            missing: Vec::new(),
            demanded: Vec::new(),
        }
    }

    /// The text with its variables replaced. What is no reference stays as it is.
    pub(super) fn text(&mut self, text: &str) -> String {
        self.replace(text, 0)
    }

    fn replace(&mut self, text: &str, depth: usize) -> String {
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            replaced.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('$') {
                replaced.push('$');
                rest = after;
            } else if let Some((inner, after)) = braced(rest).filter(|_| depth < DEEPEST) {
                replaced.push_str(&self.reference(inner, depth));
                rest = after;
            } else if rest.starts_with('{') {
                // It is not closed, and neither is anything behind it; or nobody means it so deep.
                replaced.push('$');
                break;
            } else {
                let (name, after) = rest.split_at(name_length(rest));
                replaced.push_str(&self.named(name));
                rest = after;
            }
        }
        replaced + rest
    }

    fn named(&mut self, name: &str) -> String {
        if name.is_empty() {
            return "$".to_owned();
        }
        self.value(name).unwrap_or_else(|| self.miss(name))
    }

    /// What stands between braces.
    fn reference(&mut self, inner: &str, depth: usize) -> String {
        let (name, operation) = inner.split_at(name_length(inner));
        let value = self.value(name);
        let filled = value.clone().filter(|value| !value.is_empty());
        if let Some(default) = operation.strip_prefix(":-") {
            filled.unwrap_or_else(|| self.replace(default, depth + 1))
        } else if let Some(default) = operation.strip_prefix('-') {
            value.unwrap_or_else(|| self.replace(default, depth + 1))
        } else if let Some(other) = operation.strip_prefix(":+") {
            filled.map_or_else(String::new, |_| self.replace(other, depth + 1))
        } else if let Some(other) = operation.strip_prefix('+') {
            value.map_or_else(String::new, |_| self.replace(other, depth + 1))
        } else if name.is_empty() {
            format!("${{{inner}}}")
        } else if let Some(complaint) = operation.strip_prefix(":?") {
            filled.unwrap_or_else(|| self.demand(name, complaint, depth))
        } else if let Some(complaint) = operation.strip_prefix('?') {
            value.unwrap_or_else(|| self.demand(name, complaint, depth))
        } else if operation.is_empty() {
            value.unwrap_or_else(|| self.miss(name))
        } else {
            format!("${{{inner}}}")
        }
    }

    fn value(&mut self, name: &str) -> Option<String> {
        let value = self.variables.get(name)?.clone();
        self.used.push(name.to_owned());
        Some(value)
    }

    fn miss(&mut self, name: &str) -> String {
        self.missing.push(name.to_owned());
        String::new()
    }

    fn demand(&mut self, name: &str, complaint: &str, depth: usize) -> String {
        let complaint = self.replace(complaint, depth + 1);
        self.demanded.push((name.to_owned(), complaint));
        String::new()
    }
}

/// What stands in the braces that the text begins with, and what comes after them.
fn braced(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let mut open = 1usize;
    let end = inner.bytes().position(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    Some((&inner[..end], &inner[end + 1..]))
}

/// How many bytes at the beginning are a name.
fn name_length(text: &str) -> usize {
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    let other = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if digit {
        0
    } else {
        other.unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> BTreeMap<String, String> {
        let set = [("A", "1"), ("E", "")];
        set.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    fn replaced(text: &str) -> (String, Vec<String>) {
        let variables = variables();
        let mut interpolation = Interpolation::new(&variables);
        let text = interpolation.text(text);
        (text, interpolation.missing)
    }

    fn demanded(text: &str) -> Vec<(String, String)> {
        let variables = variables();
        let mut interpolation = Interpolation::new(&variables);
        interpolation.text(text);
        interpolation.demanded
    }

    #[test]
    fn every_form_means_what_it_means_to_compose() {
        let cases = [
            ("$A${A}x", "11x"),
            ("$$A $$", "$A $"),
            ("${A:-d} ${B:-d} ${E:-d}", "1 d d"),
            ("${A-d} ${B-d} ${E-d}", "1 d "),
            ("${A:+o}${E:+o}${B:+o}", "o"),
            ("${A+o}${E+o}${B+o}", "oo"),
            ("${B:-${A}}", "1"),
            ("${B:-{x}}", "{x}"),
            ("${A:?no}", "1"),
            ("5$ $(x) ${", "5$ $(x) ${"),
            ("$1", "$1"),
            ("${}", "${}"),
        ];
        for (text, expected) in cases {
            assert_eq!(replaced(text), (expected.to_owned(), vec![]), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_told() {
        assert_eq!(
            replaced("a$B-${C}"),
            ("a-".to_owned(), vec!["B".to_owned(), "C".to_owned()])
        );
    }

    #[test]
    fn what_must_have_a_value_and_has_none_is_told_with_what_the_file_says() {
        let told = |name: &str, complaint: &str| vec![(name.to_owned(), complaint.to_owned())];
        assert_eq!(demanded("${B:?set $A} x"), told("B", "set 1"));
        assert_eq!(demanded("${B?no}"), told("B", "no"));
        assert_eq!(demanded("${B:?}"), told("B", ""));
        assert_eq!(demanded("${E:?no}"), told("E", "no"));
        assert_eq!(demanded("${C:-${B:?no}}"), told("B", "no"));
        for fine in [
            "${A:?no}",
            "${A?no}",
            "${E?no}",
            "${A:-${B:?no}}",
            "${:?no}",
        ] {
            assert_eq!(demanded(fine), [], "{fine}");
        }
    }

    #[test]
    fn deep_and_unclosed_braces_end() {
        let deep = "${B:-".repeat(100_000);
        assert_eq!(replaced(&deep).0, deep);
        replaced(&format!("{deep}{}", "}".repeat(100_000)));
    }
}
