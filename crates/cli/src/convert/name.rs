//! Names as Kubernetes takes them: at most 63 of a-z, 0-9 and `-`, not at the ends.

use std::collections::{BTreeMap, BTreeSet};

/// Gives out names, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: BTreeSet<String>,
    /// The number to try next for a name that was wanted more than once.
    next: BTreeMap<String, u64>,
}

// === impl Names ===

impl Names {
    /// The name that is most like the given one, and nobody has yet.
    pub(super) fn give(&mut self, wanted: &str) -> String {
        let base = label(wanted);
        let mut name = base.clone();
        while !self.given.insert(name.clone()) {
            let number = self.next.entry(base.clone()).or_insert(2);
            let end = format!("-{number}");
            *number += 1;
            let kept = base[..base.len().min(LONGEST - end.len())].trim_end_matches('-');
            name = format!("{kept}{end}");
        }
        name
    }
}

/// The text with everything replaced that a name cannot have.
pub(super) fn label(text: &str) -> String {
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = text.chars().map(allowed).take(LONGEST).collect();
    let name = name.trim_matches('-');
    if name.is_empty() {
        "pod".to_owned()
    } else {
        name.to_owned()
    }
}

const LONGEST: usize = 63;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_cannot_have_is_replaced() {
        assert_eq!(label("My_Shop.app"), "my-shop-app");
        assert_eq!(label("--"), "pod");
        assert_eq!(label(&"x".repeat(80)).len(), 63);
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Names::default();
        let given = ["a_b", "a-b", "a.b"].map(|name| names.give(name));
        assert_eq!(given, ["a-b", "a-b-2", "a-b-3"]);
    }
}
