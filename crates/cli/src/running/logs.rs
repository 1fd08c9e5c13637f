//! What containers write, kept in files of limited size.
//!
//! A line is written as container runtimes write it, so that tools for those can read it:
//! `2026-11-16T08:30:00.250000Z stdout F serving`. What is too long for one line, or has not ended, is `P`, and goes on
//! in the next one. No line goes on in the next run of a container: what a run has left without an end gets one.

use pillion_runtime::runtime::Stream;
use pillion_timeline::Wall;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The log files of one run.
#[derive(Debug)]
pub(super) struct Logs {
    folder: PathBuf,
    files: BTreeMap<String, LogFile>,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct LogFile {
    file: File,
    size: u64,
    /// The streams whose last line has not ended.
    unfinished: Vec<Stream>,
}

/// A file that would be larger becomes the old one, and the old one goes.
const LARGEST: u64 = 10_000_000;

// === impl Logs ===

impl Logs {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            files: BTreeMap::new(),
            buffer: Vec::new(),
        }
    }

    /// Keeps what a container wrote.
    pub(super) fn keep(
        &mut self,
        container: &str,
        stream: Stream,
        at: Wall,
        bytes: &[u8],
    ) -> io::Result<()> {
        let path = self.path(container);
        if !self.files.contains_key(container) {
            let file = LogFile::open(&path)?;
            self.files.insert(container.to_owned(), file);
        }
        let Some(file) = self.files.get_mut(container) else {
            return Ok(());
        };
        self.buffer.clear();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, tag) = match line.split_last() {
                Some((b'\n', text)) => (text, 'F'),
                Some(_) | None => (line, 'P'),
            };
            write!(self.buffer, "{at} {} {tag} ", stream.as_str())?;
            self.buffer.extend(text);
            self.buffer.push(b'\n');
        }
        file.unfinished.retain(|one| *one != stream);
        if !bytes.ends_with(b"\n") {
            file.unfinished.push(stream);
        }
        file.write(&self.buffer, &path)
    }

    /// Ends the lines of a run that will write no more.
    pub(super) fn end(&mut self, container: &str, at: Wall) -> io::Result<()> {
        let path = self.path(container);
        let Some(file) = self.files.get_mut(container) else {
            return Ok(());
        };
        self.buffer.clear();
        for stream in file.unfinished.drain(..) {
            writeln!(self.buffer, "{at} {} F ", stream.as_str())?;
        }
        if self.buffer.is_empty() {
            return Ok(());
        }
        file.write(&self.buffer, &path)
    }

    fn path(&self, container: &str) -> PathBuf {
        self.folder.join(format!("{container}.log"))
    }
}

// === impl LogFile ===

impl LogFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        let size = file.metadata()?.len();
        Ok(Self {
            file,
            size,
            unfinished: Vec::new(),
        })
    }

    fn write(&mut self, bytes: &[u8], path: &Path) -> io::Result<()> {
        let size = bytes.len() as u64;
        if self.size > 0 && self.size + size > LARGEST {
            fs::rename(path, path.with_extension("log.1"))?;
            let unfinished = std::mem::take(&mut self.unfinished);
            *self = Self {
                unfinished,
                ..Self::open(path)?
            };
        }
        self.file.write_all(bytes)?;
        self.size += size;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn short_lines_take_no_more_room_than_is_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let mut logs = Logs::new(folder.path().to_owned());
        let chunk = b"y\n".repeat(32 << 10);
        for seconds in 0..20 {
            let at = Wall::from_unix(Duration::from_secs(seconds));
            logs.keep("app", Stream::Stdout, at, &chunk).unwrap();
        }

        let size = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
        for name in ["app.log", "app.log.1"] {
            assert!(size(name) <= LARGEST, "{name}: {}", size(name));
        }
    }

    #[test]
    fn what_a_run_leaves_without_an_end_does_not_go_on_in_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut logs = Logs::new(folder.path().to_owned());
        let at = Wall::from_unix(Duration::from_secs(1));

        logs.keep("app", Stream::Stderr, at, b"whole\n").unwrap();
        logs.keep("app", Stream::Stdout, at, b"first").unwrap();
        logs.end("app", at).unwrap();
        logs.end("app", at).unwrap();
        logs.keep("app", Stream::Stdout, at, b"second\n").unwrap();
        logs.end("nobody", at).unwrap();

        let written = fs::read_to_string(folder.path().join("app.log")).unwrap();
        let lines = written.lines().filter_map(|line| line.split_once("Z "));
        let lines: Vec<_> = lines.map(|(_, line)| line).collect();
        assert_eq!(
            lines,
            [
                "stderr F whole",
                "stdout P first",
                "stdout F ",
                "stdout F second"
            ]
        );
    }

    #[test]
    fn what_is_kept_of_a_container_that_never_stops_writing_is_limited_and_the_newest() {
        const CHUNK: u64 = 256 << 10;
        let folder = tempfile::tempdir().unwrap();
        let mut logs = Logs::new(folder.path().to_owned());
        let size = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
        let mut largest = 0;
        for number in 0..3 * LARGEST / CHUNK {
            let at = Wall::from_unix(Duration::from_secs(number));
            let mut line = vec![b'x'; usize::try_from(CHUNK).unwrap()];
            line.push(b'\n');

            logs.keep("app", Stream::Stdout, at, &line).unwrap();
            largest = largest.max(size("app.log"));
        }
        let names = fs::read_dir(folder.path()).unwrap().flatten();
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["app.log", "app.log.1"]);
        let most = LARGEST + 2 * CHUNK;
        assert!(largest <= most && size("app.log.1") <= most, "{largest}");
        let newest = fs::read_to_string(folder.path().join("app.log")).unwrap();
        assert!(newest.ends_with("x\n"));
        // Nothing is missing between the two.
        let all = size("app.log.1") + size("app.log");
        assert!(all > LARGEST, "{all}");
    }
}
