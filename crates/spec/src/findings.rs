//! Where findings are collected while a file is read.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use std::collections::HashSet;

/// Findings, each once: a value behind an anchor is looked at in every place that repeats it, and
/// is still wrong only once.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    diagnostics: Vec<Diagnostic>,
    seen: HashSet<(Code, Option<Span>, String)>,
    left_out: usize,
    /// One of those left out is an error, or might have been.
    left_out_error: bool,
}

/// Nobody reads more, and a file of 3 MB can be wrong in very many places.
pub(crate) const MAX_FINDINGS: usize = 1000;

// === impl Findings ===

impl Findings {
    /// Adds a finding, unless it is known. Where there is no room for an error, something that is none makes it.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() >= MAX_FINDINGS {
            self.left_out += 1;
            let mut others = self.diagnostics.iter();
            match others.rposition(|other| !other.is_error()) {
                Some(place) if diagnostic.is_error() => self.diagnostics.swap_remove(place),
                Some(_) => return,
                None => {
                    self.left_out_error |= diagnostic.is_error();
                    return;
                }
            };
        }
        let key = (
            diagnostic.code,
            diagnostic.place(),
            diagnostic.message.clone(),
        );
        if self.seen.insert(key) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Adds some, or one that there may be.
    pub(crate) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }

    /// Whether more findings would only be counted. Whoever would work hard for one need not.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_FINDINGS && self.diagnostics.iter().all(Diagnostic::is_error)
    }

    /// Whether something is so wrong that the file cannot be used.
    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Counts a finding that is not shown, and of which nobody knows how bad it is.
    pub(crate) fn left_out(&mut self) {
        self.left_out += 1;
        self.left_out_error = true;
    }

    /// All findings in the order of the file.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let Self {
            mut diagnostics,
            seen: _,
            left_out,
            left_out_error,
        } = self;
        diagnostics.sort_by_key(Diagnostic::place);
        if left_out > 0 {
            let message = match left_out {
                1 => "1 more finding is not shown".to_owned(),
                more => format!("{more} more findings are not shown"),
            };
            let many = Diagnostic::new(Code::ManyFindings, message);
            diagnostics.push(if left_out_error {
                many.severity(Severity::Error)
            } else {
                many
            });
        }
        diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_one_more(first: Code, last: Code) -> Vec<Diagnostic> {
        let mut findings = Findings::default();
        for number in 0..MAX_FINDINGS {
            findings.push(Diagnostic::new(first, format!("number {number}")));
        }
        findings.push(Diagnostic::new(last, "one more"));
        findings.finish()
    }

    #[test]
    fn an_error_that_is_not_shown_is_still_an_error() {
        let last = |first, last| with_one_more(first, last).pop().unwrap();
        assert!(last(Code::MissingField, Code::MissingField).is_error());
        assert!(!last(Code::UnknownField, Code::UnknownField).is_error());
    }

    #[test]
    fn an_error_is_shown_however_much_else_there_is() {
        let found = with_one_more(Code::UnknownField, Code::MissingField);
        assert!(found.iter().any(|one| one.code == Code::MissingField));
        assert_eq!(found.len(), MAX_FINDINGS + 1);
        let many = found.last().unwrap();
        assert_eq!(many.message, "1 more finding is not shown");
        assert!(!many.is_error());
    }
}
