//! Findings as data for programs: what the text says, under stable names.

use crate::diagnostic::{Diagnostic, Role};
use crate::source::{Source, Span};
use serde::Serialize;

/// A finding with its places resolved, ready to be written as JSON.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding<'d> {
    /// The code, such as `L0102`.
    pub code: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// What the code means, in a few words.
    pub title: &'static str,
    /// What is wrong here.
    pub message: &'d str,
    /// The file.
    pub file: &'d str,
    /// The places, the mistake first.
    pub labels: Vec<FindingLabel<'d>>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'d str>,
}

/// A place of a finding. Lines and columns count from 1, columns in characters; the end is just
/// behind the place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingLabel<'d> {
    /// Whether the mistake is here, or something that explains it.
    pub primary: bool,
    /// What is to be said about it; may be empty.
    pub text: &'d str,
    /// The line where it starts.
    pub line: usize,
    /// The column where it starts.
    pub column: usize,
    /// The line where it ends.
    pub end_line: usize,
    /// The column where it ends.
    pub end_column: usize,
    /// The first byte.
    pub offset: u32,
    /// How many bytes.
    pub length: usize,
}

// === impl Finding ===

impl<'d> Finding<'d> {
    /// A finding about a source.
    pub fn new(source: &'d Source, diagnostic: &'d Diagnostic) -> Self {
        let Diagnostic {
            code,
            severity,
            message,
            labels,
            help,
        } = diagnostic;
        let label = |label: &'d crate::diagnostic::Label| {
            FindingLabel::new(source, label.span, &label.text, label.role)
        };
        let mut labels: Vec<_> = labels.iter().map(label).collect();
        labels.sort_by_key(|label| !label.primary);
        Self {
            code: code.id(),
            severity: severity.as_str(),
            title: code.title(),
            message,
            file: source.name(),
            labels,
            help: help.as_deref(),
        }
    }
}

// === impl FindingLabel ===

impl<'d> FindingLabel<'d> {
    fn new(source: &Source, span: Span, text: &'d str, role: Role) -> Self {
        let (start, end) = (source.position(span), source.end_position(span));
        Self {
            primary: role == Role::Primary,
            text,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            offset: span.start,
            length: span.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn the_json_of_a_finding_is_stable() {
        let source = Source::new("pod.yaml", "a: 1\nä: 1\na: 2\n".as_bytes()).unwrap();
        let diagnostic = Diagnostic::new(Code::DuplicateKey, "the key `a` is given twice")
            .secondary(Span::new(0, 1), "first given here")
            .primary(Span::new(11, 12), "given again")
            .help("keep one");
        let json = serde_json::to_string_pretty(&Finding::new(&source, &diagnostic)).unwrap();
        insta::assert_snapshot!(json, @r#"
        {
          "code": "L0005",
          "severity": "error",
          "title": "a key is given twice",
          "message": "the key `a` is given twice",
          "file": "pod.yaml",
          "labels": [
            {
              "primary": true,
              "text": "given again",
              "line": 3,
              "column": 1,
              "endLine": 3,
              "endColumn": 2,
              "offset": 11,
              "length": 1
            },
            {
              "primary": false,
              "text": "first given here",
              "line": 1,
              "column": 1,
              "endLine": 1,
              "endColumn": 2,
              "offset": 0,
              "length": 1
            }
          ],
          "help": "keep one"
        }
        "#);
    }
}
