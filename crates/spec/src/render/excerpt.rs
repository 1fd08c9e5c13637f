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
    /// The columns before the text of each line.
    gutter: usize,
    /// The line of the mistake, its column in `text`, and its column in the file.
    location: (usize, usize, usize),
}

/// A place on one line: its number from 0, and bytes of the file.
struct Spot {
    line: usize,
    range: Range<usize>,
}

/// What is shown of a line: the pieces around its places, in their order.
struct Cut {
    line: Range<usize>,
    pieces: Vec<Range<usize>>,
}

/// What stands for the rest of a line that is too long.
const ELLIPSIS: &str = "...";

/// Lines that may be shown because they are between two places.
const NEAR: usize = 2;

// === impl Excerpt ===

impl Excerpt {
    /// The lines from the first label to the last, cut to fit that width; none if there are no
    /// labels.
    pub(super) fn of(source: &Source, diagnostic: &Diagnostic, width: usize) -> Option<Self> {
        let place = diagnostic.place()?;
        let spots: Vec<_> = diagnostic
            .labels
            .iter()
            .map(|label| spot(source, label.span))
            .collect();
        let first = spots.iter().map(|spot| spot.line).min()?;
        let last = spots.iter().map(|spot| spot.line).max()?;
        let gutter = gutter(last);
        let room = width.saturating_sub(gutter);
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
            let places = here.iter().map(|at| spots[*at].range.clone()).collect();
            let cut = Cut::of(source, line, places, room);
            for at in here {
                let Range { start, end } = spots[at].range;
                let [start, end] = [start, end].map(|byte| text.len() + cut.shown(source, byte));
                ranges[at] = start..end;
            }
            cut.write(source, &mut text);
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
            gutter,
            location,
        })
    }

    /// Whether a label fits behind its place.
    pub(super) fn leaves_room(&self, range: &Range<usize>, label: &str, width: usize) -> bool {
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let before = self.gutter + self.text[start..range.end].chars().count();
        before + 1 + label.chars().count() <= width
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

// === impl Cut ===

impl Cut {
    /// The whole line if there is room for it, else the places with what is around them.
    fn of(source: &Source, line: usize, mut places: Vec<Range<usize>>, room: usize) -> Self {
        let text = source.text();
        let line = source.line_range(line);
        let Range { start, end } = line;
        if on(text, end, start, room) == end {
            let pieces = Vec::from([line.clone()]);
            return Self { line, pieces };
        }
        if places.is_empty() {
            places.push(start..start);
        }
        places.sort_by_key(|place| place.start);
        let each = room.saturating_sub(ELLIPSIS.len() * (places.len() + 1)) / places.len();
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for place in places {
            let piece = around(text, &line, &place, each.max(1));
            match pieces.last_mut() {
                Some(last) if piece.start <= on(text, end, last.end, ELLIPSIS.len()) => {
                    last.end = last.end.max(piece.end);
                }
                Some(_) | None => pieces.push(piece),
            }
        }
        Self { line, pieces }
    }

    /// How many bytes of what is shown stand before a byte of the file.
    fn shown(&self, source: &Source, byte: usize) -> usize {
        let mut before = 0;
        for piece in &self.pieces {
            before += self.gap_before(piece);
            if byte <= piece.end {
                return before + shown_length(source, piece.start..byte.max(piece.start));
            }
            before += shown_length(source, piece.clone());
        }
        // A place in what ends a line (a row of carriage returns) is shown at its end.
        before
    }

    fn write(&self, source: &Source, text: &mut String) {
        for piece in &self.pieces {
            if self.gap_before(piece) > 0 {
                text.push_str(ELLIPSIS);
            }
            let shown = &source.text()[piece.clone()];
            text.extend(shown.chars().map(shown_character));
        }
        if self
            .pieces
            .last()
            .is_some_and(|last| last.end < self.line.end)
        {
            text.push_str(ELLIPSIS);
        }
    }

    fn gap_before(&self, piece: &Range<usize>) -> usize {
        if piece.start > self.line.start {
            ELLIPSIS.len()
        } else {
            0
        }
    }
}

/// A place with so many characters in all; a place that is longer is shown by its beginning.
fn around(text: &str, line: &Range<usize>, place: &Range<usize>, room: usize) -> Range<usize> {
    let count = |range: Range<usize>| text[range].chars().count();
    let start = place.start.min(line.end);
    let end = place.end.min(on(text, line.end, start, room));
    let context = room.saturating_sub(count(start..end));
    let from = back(text, line.start, start, context / 3);
    let to = on(text, line.end, end, context - count(from..start));
    // At the end of a line there is more room before the place.
    let left = context - count(from..start) - count(end..to);
    back(text, line.start, from, left)..to
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

/// The columns before the text of a line, if this is the last one shown.
fn gutter(last: usize) -> usize {
    (last + 1).to_string().len() + " | ".len()
}

/// That many characters back from a byte of a text, and no further than a limit.
fn back(text: &str, limit: usize, from: usize, characters: usize) -> usize {
    let before = text[limit..from].char_indices().rev().take(characters);
    before.last().map_or(from, |(at, _)| limit + at)
}

/// That many characters on from a byte of a text, and no further than a limit.
fn on(text: &str, limit: usize, from: usize, characters: usize) -> usize {
    let next = text[from..limit].char_indices().nth(characters);
    next.map_or(limit, |(at, _)| from + at)
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
