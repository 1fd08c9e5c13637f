//! What did not fit, collected while a file is converted.

use pillion_spec::{Code, Diagnostic, Span};

/// Findings, in the order they were made.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Diagnostic>);

// === impl Notes ===

impl Notes {
    /// Something has no counterpart, and somebody should look at it.
    pub(super) fn left_out(&mut self, span: Span, message: impl Into<String>, label: &str) {
        self.push(Diagnostic::new(Code::NotConverted, message).primary(span, label));
    }

    /// Something is said in another way, or need not be said.
    pub(super) fn otherwise(&mut self, span: Span, message: impl Into<String>, label: &str) {
        self.push(Diagnostic::new(Code::ConvertedOtherwise, message).primary(span, label));
    }

    /// Something is wrong, and the file cannot be converted.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>, label: &str) {
        self.push(Diagnostic::new(Code::NotConvertible, message).primary(span, label));
    }

    /// Adds a finding.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        if self.0.len() < MOST {
            self.0.push(finding);
        }
    }

    /// All of them, in the order of the file.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let Self(mut found) = self;
        found.sort_by_key(Diagnostic::place);
        found.dedup();
        found
    }
}

/// Nobody reads more, and a file of 3 MB can be wrong in very many places.
const MOST: usize = 1000;
