//! A terminal in memory, as much of one as the screen relies on.
//!
//! It keeps lines as they were written and breaks them by its width when it looks at them, so a
//! change of its size breaks them anew, as terminals do.

use unicode_width::UnicodeWidthChar as _;

/// A terminal that scrolls, moves its cursor and erases.
pub(super) struct Terminal {
    width: usize,
    height: usize,
    /// Each cell is a character; the second cell of a wide one is empty.
    lines: Vec<Vec<char>>,
    line: usize,
    column: usize,
    /// The last thing that happened was that a character was written.
    printed: bool,
    /// The first row that can be reached: those above have scrolled away.
    top: usize,
    pub(super) cursor_shown: bool,
}

// === impl Terminal ===

impl Terminal {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            lines: vec![Vec::new()],
            line: 0,
            column: 0,
            printed: false,
            top: 0,
            cursor_shown: true,
        }
    }

    /// Everything that was written and not erased, what has scrolled away included.
    pub(super) fn text(&self) -> Vec<String> {
        let line = |cells: &Vec<char>| {
            let text: String = cells.iter().filter(|c| **c != WIDE).collect();
            text.trim_end().to_owned()
        };
        self.lines.iter().map(line).collect()
    }

    pub(super) fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        let rows: usize = (0..self.lines.len()).map(|line| self.rows_of(line)).sum();
        self.top = rows.saturating_sub(height);
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        let mut rest = std::str::from_utf8(bytes).expect("only text is written");
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '\n' => self.line_feed(),
                '\r' => {
                    self.column -= self.column_in_row();
                    self.printed = false;
                }
                '\x1b' => rest = self.sequence(rest.strip_prefix('[').expect("a sequence")),
                c => self.print(c),
            }
        }
    }

    fn sequence<'t>(&mut self, text: &'t str) -> &'t str {
        let end = text
            .find(|c: char| c.is_ascii_alphabetic())
            .expect("an end");
        let (numbers, rest) = text.split_at(end);
        let number = numbers.parse().unwrap_or(1);
        match (&rest[..1], numbers) {
            ("A", _) => self.go_to(self.row().saturating_sub(number).max(self.top)),
            ("B", _) => self.go_to(self.row() + number),
            ("G", _) => self.column = self.column - self.column_in_row() + number - 1,
            ("J", "") => {
                self.lines.truncate(self.line + 1);
                self.lines[self.line].truncate(self.column);
            }
            ("K", "") => self.lines[self.line].truncate(self.column),
            ("h", "?25") => self.cursor_shown = true,
            ("l", "?25") => self.cursor_shown = false,
            ("h" | "l", "?2026") | ("m", _) => {}
            other => panic!("the screen relies on {other:?}"),
        }
        &rest[1..]
    }

    fn line_feed(&mut self) {
        self.line += 1;
        self.column = 0;
        self.printed = false;
        if self.line == self.lines.len() {
            self.lines.push(Vec::new());
        }
        self.top = self.top.max((self.row() + 1).saturating_sub(self.height));
    }

    fn print(&mut self, c: char) {
        let cells = &mut self.lines[self.line];
        for cell in std::iter::once(c).chain((1..c.width().unwrap_or(0)).map(|_| WIDE)) {
            if cells.len() <= self.column {
                cells.resize(self.column + 1, ' ');
            }
            cells[self.column] = cell;
            self.column += 1;
        }
        self.printed = true;
        self.top = self.top.max((self.row() + 1).saturating_sub(self.height));
    }

    fn rows_of(&self, line: usize) -> usize {
        self.lines[line].len().div_ceil(self.width).max(1)
    }

    /// The cursor waits behind the last column until something else is written.
    fn waits(&self) -> bool {
        self.printed && self.column > 0 && self.column.is_multiple_of(self.width)
    }

    fn row(&self) -> usize {
        let above: usize = (0..self.line).map(|line| self.rows_of(line)).sum();
        above + self.column / self.width - usize::from(self.waits())
    }

    fn column_in_row(&self) -> usize {
        if self.waits() {
            self.width
        } else {
            self.column % self.width
        }
    }

    fn go_to(&mut self, row: usize) {
        let column = self.column_in_row().min(self.width - 1);
        let mut rest = row;
        for line in 0..self.lines.len() {
            let rows = self.rows_of(line);
            if rest < rows {
                self.line = line;
                self.column = rest * self.width + column;
                self.printed = false;
                return;
            }
            rest -= rows;
        }
        panic!("there is no row {row}");
    }
}

const WIDE: char = '\0';
