//! The lines of a file that a finding talks about.

use super::wrap::is_dangerous;
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use std::ops::Range;

/// Some lines of a file, made fit for a terminal, and the findings' places in them.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The number of the first line.
    pub(super) first_line: usize,
    /// One per label, in their order: bytes of `text`.
    pub(super) ranges: Vec<Range<usize>>,
    /// The line of the mistake, its column in `text`, and its column in the file.
    location: (usize, usize, usize),
}

/// A place on one line: its number from 0, and bytes of the file.
struct Spot {
    line: usize,
    range: Range<usize>,
}

/// How many characters around a place are kept of a line that is too long to be shown.
const KEPT: usize = 400;

/// Lines that may be shown because they are between two places.
const NEAR: usize = 2;

// === impl Excerpt ===

impl Excerpt {
    /// The lines from the first label to the last; none if there are no labels.
    pub(super) fn of(source: &Source, diagnostic: &Diagnostic) -> Option<Self> {
        let place = diagnostic.place()?;
        let spots: Vec<_> = diagnostic
            .labels
            .iter()
            .map(|label| spot(source, label.span))
            .collect();
        let first = spots.iter().map(|spot| spot.line).min()?;
        let last = spots.iter().map(|spot| spot.line).max()?;
        let mut text = String::new();
        let mut ranges = vec![0..0; spots.len()];
        for line in first..=last {
            // What is far from all places is left out of the picture, and need not be copied.
            if spots.iter().all(|spot| spot.line.abs_diff(line) > NEAR) {
                text.push('\n');
                continue;
            }
            let here: Vec<_> = (0..spots.len())
                .filter(|at| spots[*at].line == line)
                .collect();
            let window = window(source, line, here.iter().map(|at| &spots[*at].range));
            for at in here {
                let Range { start, end } = spots[at].range;
                // A place in what ends a line (a row of carriage returns) is shown at its end.
                let shown = |byte: usize| {
                    text.len() + shown_length(source, window.start..byte.min(window.end))
                };
                ranges[at] = shown(start)..shown(end);
            }
            text.extend(source.text()[window].chars().map(shown_character));
            text.push('\n');
        }
        let position = source.position(place);
        let primary = diagnostic
            .labels
            .iter()
            .position(|label| label.span == place)?;
        let line_start = text[..ranges[primary].start]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let column = text[line_start..ranges[primary].start].chars().count() + 1;
        let location = (position.line, column, position.column);
        Some(Self {
            text,
            first_line: first + 1,
            ranges,
            location,
        })
    }

    /// Whether a label fits behind its place.
    pub(super) fn leaves_room(&self, range: &Range<usize>, label: &str, width: usize) -> bool {
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let gutter = self.first_line.to_string().len() + 4;
        let room = width.saturating_sub(gutter + label.chars().count() + 1);
        if line.chars().count() + gutter <= width {
            self.text[start..range.end].chars().count() <= room
        } else {
            // The line will be cut, with the place somewhere in its middle. Lines that are cut
            // together with others are not moved as far as one alone.
            let middle = self.text[range.clone()].chars().count() + width / 2;
            let behind = (start + line.len()).saturating_sub(range.end);
            let together = if self.ranges.len() > 1 {
                width.saturating_sub(gutter + behind)
            } else {
                0
            };
            middle.max(together) <= room
        }
    }

    /// A line that was cut on its left has its places too far left.
    pub(super) fn restore_column(&self, rendered: String, name: &str) -> String {
        let (line, shown, real) = self.location;
        if shown == real {
            return rendered;
        }
        rendered.replacen(
            &format!("{name}:{line}:{shown}"),
            &format!("{name}:{line}:{real}"),
            1,
        )
    }
}

/// The first line of a span, without what is behind its last visible character.
fn spot(source: &Source, span: Span) -> Spot {
    let text = source.text();
    let start = text.floor_char_boundary(span.range().start);
    let line = source.position(span).line - 1;
    let line_end = text[start..]
        .find(['\n', '\r'])
        .map_or(text.len(), |at| start + at);
    let end = text
        .floor_char_boundary(span.range().end.min(line_end))
        .max(start);
    let end = start + text[start..end].trim_end().len();
    // A place without width is shown as one character.
    let next = text[start..line_end]
        .chars()
        .next()
        .map_or(start, |c| start + c.len_utf8());
    Spot {
        line,
        range: start..end.max(next),
    }
}

/// The part of a line that is kept: all of it, or what is around the places on it.
fn window<'r>(
    source: &Source,
    line: usize,
    places: impl Iterator<Item = &'r Range<usize>> + Clone,
) -> Range<usize> {
    let text = source.text();
    let Range { start, end } = source.line_range(line);
    let from = places
        .clone()
        .map(|range| range.start)
        .min()
        .unwrap_or(start);
    let to = places
        .map(|range| range.end)
        .max()
        .unwrap_or(start)
        .min(from + KEPT);
    let from = text.floor_char_boundary(from.saturating_sub(KEPT).max(start));
    let to = text.floor_char_boundary((to + KEPT).min(end));
    from..to.max(from)
}

fn shown_length(source: &Source, range: Range<usize>) -> usize {
    let text = source.text().get(range).unwrap_or_default();
    text.chars()
        .map(|character| shown_character(character).len_utf8())
        .sum()
}

/// Every character is shown as one, so that places stay right.
fn shown_character(character: char) -> char {
    match character {
        '\t' => ' ',
        _ if is_dangerous(character) => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}
