//! One finding about a file: what is wrong, where, and what to do about it.
//!
//! A [`Diagnostic`] is plain data. The renderer turns it into text or JSON; its
//! [`Code`] carries the longer explanation. Texts are lower case, without a full stop, and name
//! things in backticks.

use crate::code::Code;
use crate::source::Span;
use std::fmt;

/// A finding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// How bad it is; the code's own severity unless it was changed.
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// The places it talks about, in the order they were added.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
}

/// How bad a finding is, worst first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// The file means nothing, or something nobody wants.
    Error,
    /// The file can be run, and probably does not do what its author thinks.
    Warning,
    /// Good to know.
    Note,
}

/// A place and what is to be said about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words, or nothing.
    pub text: String,
    /// Whether this is the place of the mistake, or one that explains it.
    pub role: Role,
}

/// What a label is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// The mistake is here.
    Primary,
    /// This explains the mistake.
    Secondary,
}

// === impl Diagnostic ===

impl Diagnostic {
    /// A finding with the code's own severity and no place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let severity = code.severity();
        Self {
            code,
            severity,
            message: one_line(message.into()),
            labels: Vec::new(),
            help: None,
        }
    }

    /// Points at the mistake.
    #[must_use]
    pub fn primary(self, span: Span, text: impl Into<String>) -> Self {
        self.label(span, text, Role::Primary)
    }

    /// Points at something that explains the mistake.
    #[must_use]
    pub fn secondary(self, span: Span, text: impl Into<String>) -> Self {
        self.label(span, text, Role::Secondary)
    }

    /// Says what to do. Several helps become several lines.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        let text = one_line(text.into());
        self.help = Some(match self.help {
            Some(before) => format!("{before}\n{text}"),
            None => text,
        });
        self
    }

    /// Replaces the severity that the code brings.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Whether the file cannot be used because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The place of the mistake, if it has one.
    pub fn place(&self) -> Option<Span> {
        let primary = self.labels.iter().find(|label| label.role == Role::Primary);
        primary.or(self.labels.first()).map(|label| label.span)
    }

    fn label(mut self, span: Span, text: impl Into<String>, role: Role) -> Self {
        self.labels.push(Label {
            span,
            text: one_line(text.into()),
            role,
        });
        self
    }
}

/// Values of a file stand in texts, and some have several lines. They are shown as one writes them
/// in quotes.
fn one_line(text: String) -> String {
    if !text.contains(['\n', '\r', '\t']) {
        return text;
    }
    text.replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
}

// === impl Severity ===

impl Severity {
    /// The word people see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_several_lines_stays_in_its_line() {
        let diagnostic = Diagnostic::new(Code::BadName, "`a\n\tb`")
            .primary(Span::default(), "`c\r\n`")
            .help("`d\n`")
            .help("e");
        assert_eq!(diagnostic.message, r"`a\n\tb`");
        assert_eq!(diagnostic.labels[0].text, r"`c\r\n`");
        assert_eq!(diagnostic.help.as_deref(), Some("`d\\n`\ne"));
    }
}
