//! The log of one container, read from its files from the oldest line on.
//!
//! A file that has become too large is renamed, and a new one begun. Whoever reads the old one goes on with the new one
//! when there is nothing left in it; so a log can be followed for as long as its container lives.

use crate::live::log::Stream;
use pillion_engine::Tick;
use pillion_timeline::Wall;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The log of one container.
#[derive(Debug)]
pub(super) struct Source {
    /// The number of the container in its pod.
    pub(super) container: usize,
    /// Where the newest lines are.
    path: PathBuf,
    file: Option<BufReader<File>>,
    /// The beginning of a line that is being written.
    line: Vec<u8>,
    next: Option<Piece>,
    latest: Option<Wall>,
    during: During,
}

/// When the pieces were written that are wanted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct During {
    pub(super) from: Option<Wall>,
    /// Not any more then.
    pub(super) until: Option<Wall>,
}

/// Something that was written at once.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Piece {
    pub(super) at: Wall,
    pub(super) stream: Stream,
    /// With the end of the line, if it has one.
    pub(super) bytes: Vec<u8>,
}

// === impl Source ===

impl Source {
    /// Opens the log of a container, at the beginning or at its last lines.
    pub(super) fn open(
        folder: &Path,
        name: &str,
        container: usize,
        tail: Option<usize>,
        during: During,
    ) -> io::Result<Self> {
        let new = || Self::at_beginning(folder, name, container, during);
        let Some(tail) = tail else {
            return new();
        };
        let mut lines = 0_usize;
        let mut all = new()?;
        while all.peek()?.is_some() {
            lines += usize::from(all.take().1.is_some_and(|piece| piece.ends()));
        }
        let mut source = new()?;
        let mut skipped = lines.saturating_sub(tail);
        while skipped > 0 && source.peek()?.is_some() {
            skipped -= usize::from(source.take().1.is_some_and(|piece| piece.ends()));
        }
        Ok(source)
    }

    fn at_beginning(
        folder: &Path,
        name: &str,
        container: usize,
        during: During,
    ) -> io::Result<Self> {
        let path = folder.join(format!("{name}.log"));
        Ok(Self {
            container,
            file: open(&path.with_extension("log.1"))?,
            path,
            line: Vec::new(),
            next: None,
            latest: None,
            during,
        })
    }

    /// When what comes next was written; nothing if there is no more for now.
    pub(super) fn peek(&mut self) -> io::Result<Option<Wall>> {
        while self.next.is_none() {
            if !self.read_line()? {
                return Ok(None);
            }
            // What is no line of a log is passed over.
            let piece = Piece::parse(&self.line);
            self.next = piece.filter(|piece| self.during.has(piece.at));
            self.line.clear();
        }
        Ok(self.next.as_ref().map(|piece| piece.at))
    }

    /// What comes next, and whose it is.
    pub(super) fn take(&mut self) -> (usize, Option<Piece>) {
        self.latest = self.next.as_ref().map(|piece| piece.at).or(self.latest);
        (self.container, self.next.take())
    }

    /// When the latest piece was written, in a pod that began then.
    pub(super) fn last(&self, began: Wall) -> Tick {
        let latest = self.latest.unwrap_or(began);
        Tick::ZERO + latest.as_unix().saturating_sub(began.as_unix())
    }

    /// Says whether there is a whole line.
    fn read_line(&mut self) -> io::Result<bool> {
        loop {
            if let Some(file) = &mut self.file {
                file.read_until(b'\n', &mut self.line)?;
                if self.line.last() == Some(&b'\n') {
                    self.line.pop();
                    return Ok(true);
                }
            }
            if !self.move_on()? {
                return Ok(false);
            }
            self.line.clear();
        }
    }

    /// Goes on with the newest file, if that is another one.
    fn move_on(&mut self) -> io::Result<bool> {
        let newest = match fs::metadata(&self.path) {
            Ok(newest) => newest.ino(),
            Err(_) => return Ok(false),
        };
        if let Some(file) = &self.file
            && file.get_ref().metadata()?.ino() == newest
        {
            return Ok(false);
        }
        self.file = open(&self.path)?;
        Ok(self.file.is_some())
    }
}

// === impl During ===

impl During {
    fn has(self, at: Wall) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
}

fn open(path: &Path) -> io::Result<Option<BufReader<File>>> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(BufReader::new).map(Some),
    }
}

// === impl Piece ===

impl Piece {
    /// `2026-11-16T08:30:00.250000Z stdout F serving`
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.splitn(4, |byte| *byte == b' ');
        let at = str::from_utf8(words.next()?).ok()?.parse().ok()?;
        let stream = match words.next()? {
            b"stdout" => Stream::Stdout,
            b"stderr" => Stream::Stderr,
            _ => return None,
        };
        let tag = words.next()?;
        let mut bytes = words.next()?.to_vec();
        match tag {
            b"F" => bytes.push(b'\n'),
            b"P" => {}
            _ => return None,
        }
        Some(Self { at, stream, bytes })
    }

    fn ends(&self) -> bool {
        self.bytes.ends_with(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_parts_of_lines_are_told_apart() {
        let piece = |line: &[u8]| Piece::parse(line).map(|piece| (piece.stream, piece.bytes));
        let whole = piece(b"2026-11-16T08:30:00.250000Z stdout F two words");
        assert_eq!(whole, Some((Stream::Stdout, b"two words\n".to_vec())));
        let part = piece(b"2026-11-16T08:30:00.250000Z stderr P ");
        assert_eq!(part, Some((Stream::Stderr, Vec::new())));
        for wrong in [
            &b""[..],
            b"now stdout F x",
            b"2026-11-16T08:30:00Z stdin F x",
        ] {
            assert_eq!(piece(wrong), None);
        }
    }
}
