//! The terminal: logs scroll above, the pod stays below.
//!
//! The area below is erased, the new log lines are written in its place, and it is drawn again
//! behind them, all in one write that the terminal shows at once. If there are no log lines, only
//! the lines that changed are written; if nothing changed, nothing is. Between two drawings there
//! is a tenth of a second at least, however much happens.
//!
//! When the terminal is made narrower it breaks lines that are too wide now, so the area takes more
//! rows than it has lines: how many is told by their widths.

use super::clip::width;
use super::frame::{frame, last_frame};
use super::view::View;
use crate::printer::Painted;
use pillion_engine::Tick;
use pillion_timeline::{Line, Style};
use std::io::{self, Write};
use std::time::Duration;

/// A terminal, and what stands in it.
#[derive(Debug)]
pub(crate) struct Screen<W: Write> {
    out: W,
    look: Look,
    /// The area as the terminal has it.
    area: Vec<Line>,
    /// Log lines that are to be written above it.
    logs: Vec<u8>,
    /// What is drawn may not be what is so.
    stale: bool,
    /// What is drawn may not be where it was.
    moved: bool,
    /// When what is drawn changes by itself.
    next: Option<Tick>,
    drawn_at: Option<Tick>,
    cursor_hidden: bool,
    buffer: Vec<u8>,
}

/// What the terminal can do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Look {
    /// Columns and characters.
    pub(crate) style: Style,
    /// Rows.
    pub(crate) height: usize,
    /// Whether there are colours.
    pub(crate) colour: bool,
}

/// Nobody reads faster, and less often would look as if it were stuck.
const PAUSE: Duration = Duration::from_millis(100);
/// So many bytes of logs are not held back.
const FLOOD: usize = 64 * 1024;

const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
/// What comes between these two is shown at once; terminals that do not know them skip them.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
const ERASE_BELOW: &[u8] = b"\x1b[J";
const ERASE_LINE: &[u8] = b"\x1b[K";

// === impl Screen ===

impl<W: Write> Screen<W> {
    /// A terminal whose cursor is at the beginning of a line. Nothing is written yet.
    pub(crate) const fn new(out: W, look: Look) -> Self {
        Self {
            out,
            look,
            area: Vec::new(),
            logs: Vec::new(),
            stale: true,
            moved: false,
            next: None,
            drawn_at: None,
            cursor_hidden: false,
            buffer: Vec::new(),
        }
    }

    /// Where to put whole lines that are to be shown above the area.
    pub(crate) const fn logs(&mut self) -> &mut Vec<u8> {
        &mut self.logs
    }

    /// Something happened in the pod.
    pub(crate) const fn changed(&mut self) {
        self.stale = true;
    }

    /// The terminal has another size.
    pub(crate) const fn resize(&mut self, width: usize, height: usize) {
        self.look.style.width = width;
        self.look.height = height;
        self.moved = true;
    }

    /// When to draw; never if nothing happens and nothing runs on.
    #[must_use]
    pub(crate) fn next_redraw(&self, now: Tick) -> Option<Tick> {
        if self.logs.len() >= FLOOD {
            return Some(now);
        }
        let wanted = if self.stale || self.moved || !self.logs.is_empty() {
            now
        } else {
            self.next?
        };
        let allowed = self.drawn_at.map_or(now, |drawn| drawn + PAUSE);
        Some(wanted.max(allowed))
    }

    /// Writes the log lines that have come, and the pod as it is now.
    pub(crate) fn draw(&mut self, now: Tick, view: &View) -> io::Result<()> {
        let area = frame(view, self.look.style, self.look.height);
        let same_place = !self.moved && self.logs.is_empty() && self.area.len() == area.len();
        if same_place {
            self.change_lines(&area);
        } else {
            self.write_all(&area);
        }
        self.area = area;
        self.drawn_at = Some(now);
        self.next = view.next;
        self.stale = false;
        self.moved = false;
        self.flush()
    }

    /// Writes the log lines that have come and takes the area away, for somebody else to use the
    /// terminal. The next drawing brings it back.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        self.erase();
        self.buffer.append(&mut self.logs);
        self.restore_cursor();
        self.area.clear();
        self.stale = true;
        self.flush()
    }

    /// Writes what is left, and the pod as it ended; that stays.
    pub(crate) fn finish(&mut self, view: &View, result: &Line) -> io::Result<()> {
        let Look { style, height, .. } = self.look;
        self.erase();
        self.buffer.append(&mut self.logs);
        for line in last_frame(view, result, style, height) {
            self.paint(&line);
            self.buffer.push(b'\n');
        }
        self.restore_cursor();
        self.area.clear();
        self.flush()
    }

    fn write_all(&mut self, area: &[Line]) {
        self.buffer.extend_from_slice(BEGIN);
        if !std::mem::replace(&mut self.cursor_hidden, true) {
            self.buffer.extend_from_slice(HIDE_CURSOR);
        }
        self.erase();
        self.buffer.append(&mut self.logs);
        for (number, line) in area.iter().enumerate() {
            if number > 0 {
                self.buffer.extend_from_slice(b"\r\n");
            }
            self.paint(line);
        }
        self.buffer.extend_from_slice(END);
    }

    /// Writes the lines that are not as they were; the cursor goes back to the end of the last.
    fn change_lines(&mut self, area: &[Line]) {
        let last = area.len().saturating_sub(1);
        let mut row = last;
        let before = std::mem::take(&mut self.area);
        let changed = area.iter().zip(&before).enumerate();
        for (number, (line, _)) in changed.filter(|(_, (line, before))| line != before) {
            self.go(row, number);
            self.buffer.push(b'\r');
            self.paint(line);
            self.buffer.extend_from_slice(ERASE_LINE);
            row = number;
        }
        if !self.buffer.is_empty() && row != last {
            self.go(row, last);
            let _ = write!(self.buffer, "\x1b[{}G", width(&area[last]) + 1);
        }
    }

    /// Moves the cursor from one row to another.
    fn go(&mut self, from: usize, to: usize) {
        if from > to {
            let _ = write!(self.buffer, "\x1b[{}A", from - to);
        } else if to > from {
            let _ = write!(self.buffer, "\x1b[{}B", to - from);
        }
    }

    /// From the end of the area back to its beginning, and everything away.
    fn erase(&mut self) {
        let columns = self.look.style.width.max(1);
        let rows = self
            .area
            .iter()
            .map(|line| width(line).div_ceil(columns).max(1));
        let rows: usize = rows.sum();
        if rows > 0 {
            self.buffer.push(b'\r');
            self.go(rows - 1, 0);
            self.buffer.extend_from_slice(ERASE_BELOW);
        }
    }

    fn paint(&mut self, line: &Line) {
        let _ = if self.look.colour {
            write!(self.buffer, "{}", Painted(line))
        } else {
            write!(self.buffer, "{line}")
        };
    }

    fn restore_cursor(&mut self) {
        if std::mem::take(&mut self.cursor_hidden) {
            self.buffer.extend_from_slice(SHOW_CURSOR);
        }
    }

    /// In one write, so that nothing else comes in between.
    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.out.write_all(&self.buffer);
        self.buffer.clear();
        written.and_then(|()| self.out.flush())
    }
}

/// Whatever happens, a terminal without a cursor is no good to anybody.
impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        if self.cursor_hidden {
            self.buffer.clear();
            self.buffer.extend_from_slice(b"\r\n");
            self.restore_cursor();
            let _ = self.flush();
        }
    }
}
