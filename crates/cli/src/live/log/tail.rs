//! Cuts what comes out of a pipe into lines, whatever pieces it comes in.
//!
//! Memory is bounded: a line that is longer than [`LONGEST`] is handed out in pieces, and of one
//! that is written over again and again (a progress bar) only the newest text is kept.

use memchr::{memchr, memrchr};
use pillion_engine::Tick;

/// The beginning of a line whose end has not come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail {
    held: Vec<u8>,
    /// When the newest of it came.
    touched: Tick,
}

/// A line, or a piece of one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Piece<'a> {
    /// Its bytes, without the line feed.
    pub(crate) bytes: &'a [u8],
    /// The line goes on in the next piece, or has no end yet.
    pub(crate) partial: bool,
}

/// What a line may hold before it is cut.
pub(crate) const LONGEST: usize = 16 * 1024;

// === impl Tail ===

impl Tail {
    /// Takes bytes in; hands out each line that is whole.
    pub(crate) fn take(&mut self, now: Tick, mut bytes: &[u8], mut emit: impl FnMut(Piece<'_>)) {
        while let Some(end) = memchr(b'\n', bytes) {
            let line = &bytes[..end];
            bytes = &bytes[end + 1..];
            if self.held.is_empty() && line.len() <= LONGEST {
                emit(Piece::whole(line));
            } else {
                self.hold(line, &mut emit);
                emit(Piece::whole(&self.held));
                self.held.clear();
            }
        }
        if !bytes.is_empty() {
            self.touched = now;
            self.hold(bytes, &mut emit);
        }
    }

    /// Hands out what is held, though its line has no end: nothing more will come, or not soon.
    pub(crate) fn flush(&mut self, mut emit: impl FnMut(Piece<'_>)) {
        if !self.held.is_empty() {
            emit(Piece::part(&self.held));
            self.held.clear();
        }
    }

    /// Since when a text waits for its end that somebody may want to see: a prompt. A text that is
    /// written over is not worth a line for each of its states.
    pub(crate) fn waiting_since(&self) -> Option<Tick> {
        let worth = !self.held.is_empty() && memchr(b'\r', &self.held).is_none();
        worth.then_some(self.touched)
    }

    fn hold(&mut self, mut bytes: &[u8], emit: &mut impl FnMut(Piece<'_>)) {
        while !bytes.is_empty() {
            if self.held.len() >= LONGEST {
                self.make_room(emit);
            }
            let room = LONGEST - self.held.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.held.extend_from_slice(now);
            bytes = later;
        }
    }

    /// There is more to come, and no room for it.
    fn make_room(&mut self, emit: &mut impl FnMut(Piece<'_>)) {
        // The last byte may be half of a line's end, and what stands before it still shows.
        let before_last = self.held.len().saturating_sub(1);
        if let Some(over) = memrchr(b'\r', &self.held[..before_last]) {
            self.held.drain(..=over);
            return;
        }
        let cut = whole_characters(&self.held);
        emit(Piece::part(&self.held[..cut]));
        self.held.drain(..cut);
    }
}

// === impl Piece ===

impl<'a> Piece<'a> {
    const fn whole(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            partial: false,
        }
    }

    const fn part(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            partial: true,
        }
    }
}

/// How many bytes there are before a last character that is not whole.
fn whole_characters(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let start = tail.iter().rposition(|byte| *byte >= 0xc0);
    match start.map(|start| &tail[start..]) {
        Some(last) if last.len() < length_of(last[0]) => bytes.len() - last.len(),
        Some(_) | None => bytes.len(),
    }
}

/// How many bytes a character has that begins like this.
const fn length_of(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0..=0xef => 3,
        0xc0..=0xdf => 2,
        0..=0xbf => 1,
    }
}
