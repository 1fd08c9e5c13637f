//! Lines that fit: how many columns they take, and what is left out of those that are too wide.

use pillion_timeline::{Line, Style};
use unicode_width::UnicodeWidthChar as _;

/// How many columns a character takes. One that has no width of its own takes none.
pub(crate) fn columns_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// How many columns a line takes.
pub(crate) fn width(line: &Line) -> usize {
    let characters = line.pieces().flat_map(|(_, text)| text.chars());
    characters.map(columns_of).sum()
}

/// The line, or as much of it as fits, with a sign that there was more. One column at the end stays
/// free: some terminals go on to the next line when the last one is written.
pub(crate) fn clip(line: &Line, style: Style) -> Line {
    let room = style.width.saturating_sub(1).max(1);
    if width(line) <= room {
        return line.clone();
    }
    let mut clipped = Line::default();
    let mut left = room - 1;
    'pieces: for (tone, text) in line.pieces() {
        for (at, c) in text.char_indices() {
            let columns = columns_of(c);
            if columns > left {
                clipped.push(tone, &text[..at]);
                clipped.push(tone, style.ellipsis());
                break 'pieces;
            }
            left -= columns;
        }
        clipped.push(tone, text);
    }
    clipped
}
