//! Findings as text for people.
//!
//! The text is the same with and without colour, fits the width it is given, and never lets a
//! control character of the file or its name reach the terminal. Lines that are too long are cut
//! around the place that matters; a place that covers several lines is shown by its first.

mod excerpt;
mod wrap;

use crate::diagnostic::{Diagnostic, Role, Severity};
use crate::source::Source;
use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use excerpt::Excerpt;
use std::collections::BTreeSet;
use wrap::{sanitize, wrap};

/// Turns findings into text.
#[derive(Clone, Debug)]
pub struct Renderer {
    inner: annotate_snippets::Renderer,
    width: usize,
}

/// What terminals have had since there are terminals.
const DEFAULT_WIDTH: usize = 80;

/// Narrower than this, texts are broken into confetti; they run over instead.
const MIN_WIDTH: usize = 40;

// === impl Renderer ===

impl Renderer {
    /// Text without colour, 80 columns wide.
    pub fn plain() -> Self {
        Self {
            inner: annotate_snippets::Renderer::plain(),
            width: DEFAULT_WIDTH,
        }
    }

    /// The same text with colours.
    pub fn coloured() -> Self {
        Self {
            inner: annotate_snippets::Renderer::styled(),
            width: DEFAULT_WIDTH,
        }
    }

    /// For a terminal of another width.
    #[must_use]
    pub fn width(mut self, columns: usize) -> Self {
        self.width = columns.max(MIN_WIDTH);
        self
    }

    /// One finding, without a line break at its end.
    pub fn render(&self, source: &Source, diagnostic: &Diagnostic) -> String {
        self.render_with(source, diagnostic, true)
    }

    /// All findings with empty lines between them. How to learn more is said once per code.
    pub fn render_all(&self, source: &Source, diagnostics: &[Diagnostic]) -> String {
        let mut explained = BTreeSet::new();
        let texts = diagnostics.iter().map(|diagnostic| {
            let first = explained.insert(diagnostic.code);
            self.render_with(source, diagnostic, first)
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }

    fn render_with(&self, source: &Source, diagnostic: &Diagnostic, explain: bool) -> String {
        let excerpt = Excerpt::of(source, diagnostic, self.width);
        let name = sanitize(source.name());
        let unplaced = excerpt.is_none().then(|| format!("{name}: "));
        let mut group = self.title(diagnostic, &unplaced.unwrap_or_default());
        let mut notes = Vec::new();
        if let Some(excerpt) = &excerpt {
            let mut snippet = Snippet::source(excerpt.text.as_str())
                .line_start(excerpt.first_line)
                .path(name.clone());
            for (label, range) in diagnostic.labels.iter().zip(&excerpt.ranges) {
                let kind = match label.role {
                    Role::Primary => AnnotationKind::Primary,
                    Role::Secondary => AnnotationKind::Context,
                };
                let text = sanitize(&label.text);
                let mut annotation = kind.span(range.clone());
                if excerpt.leaves_room(range, &text, self.width) {
                    annotation = annotation.label((!text.is_empty()).then_some(text));
                } else if !text.is_empty() {
                    notes.push(wrap(&text, self.width - NOTE_INDENT));
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
        group = group.elements(notes.into_iter().map(|note| Level::NOTE.message(note)));
        let help = self.help(diagnostic, explain);
        // Lines are cut already: the library's own way of cutting loses places that are far apart.
        let renderer = self.inner.clone().term_width(usize::from(u16::MAX));
        if let Some(excerpt) = &excerpt {
            let report: Vec<_> = std::iter::once(group).chain(help).collect();
            return excerpt.restore_column(renderer.render(&report), &name);
        }
        // Rendered together they would be joined by the gutter of a picture that is not there.
        let parts = std::iter::once(group)
            .chain(help)
            .map(|part| renderer.render(&[part]));
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The first line. A finding without a place begins with the file's name.
    fn title<'d>(&self, diagnostic: &'d Diagnostic, prefix: &str) -> Group<'d> {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let indent = diagnostic.severity.as_str().len() + "[L0000]: ".len();
        let message = format!("{prefix}{}", sanitize(&diagnostic.message));
        let message = wrap(&message, self.width - indent);
        Group::with_title(level.primary_title(message).id(diagnostic.code.id()))
    }

    fn help(&self, diagnostic: &Diagnostic, explain: bool) -> Option<Group<'static>> {
        let mut lines = Vec::new();
        for line in diagnostic.help.iter().flat_map(|help| help.lines()) {
            lines.push(wrap(&sanitize(line), self.width - HELP_INDENT));
        }
        if explain {
            lines.push(format!("`pillion explain {}` tells more", diagnostic.code));
        }
        let title = (!lines.is_empty()).then(|| Level::HELP.secondary_title(lines.join("\n")))?;
        Some(Group::with_title(title))
    }
}

const HELP_INDENT: usize = "help: ".len();
const NOTE_INDENT: usize = "      = note: ".len();

#[cfg(test)]
mod tests;
