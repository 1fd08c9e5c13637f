//! Keeps text from being taken for references to variables.
//!
//! In `command`, `args`, `env` and probes Kubernetes turns `$$` into `$`, and `$(NAME)` into the
//! value of a variable that the container has. Other formats do not, so `$` is doubled where one of
//! these would happen, and only there: `$(date)` in a script stays readable.

use std::collections::BTreeSet;

/// The text such that Kubernetes makes the given one of it.
pub(super) fn escape(text: &str, names: &BTreeSet<&str>) -> String {
    if !changes(text, names) {
        return text.to_owned();
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        escaped.push(c);
        if c == '$' && matches!(rest.peek(), Some('$' | '(')) {
            escaped.push('$');
        }
    }
    escaped
}

/// Each of some texts.
pub(super) fn escape_all(texts: &[String], names: &BTreeSet<&str>) -> Vec<String> {
    texts.iter().map(|text| escape(text, names)).collect()
}

/// Whether anything in it would be replaced.
fn changes(text: &str, names: &BTreeSet<&str>) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let rest = &text[at + 1..];
        rest.starts_with('$') || reference(rest).is_some_and(|name| names.contains(name))
    })
}

/// The name between the parentheses that the text begins with.
fn reference(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?;
    let end = inner
        .bytes()
        .take(LONGEST_NAME)
        .position(|byte| byte == b')')?;
    Some(&inner[..end])
}

/// Nobody has a variable with a longer name; without a limit a text full of `$(` would take for ever.
const LONGEST_NAME: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        escape(text, &BTreeSet::from(["PORT"]))
    }

    #[test]
    fn what_would_be_replaced_is_doubled() {
        assert_eq!(escaped("echo $$"), "echo $$$");
        assert_eq!(escaped("listen $(PORT)"), "listen $$(PORT)");
        assert_eq!(escaped("$$(PORT)"), "$$$$(PORT)");
    }

    #[test]
    fn what_would_stay_is_left_alone() {
        for text in ["$PORT", "${PORT}", "$(date)", "cost: 5$", "$", ""] {
            assert_eq!(escaped(text), text);
        }
    }
}
