//! What containers write, kept in files of limited size.
//!
//! A line is written as container runtimes write it, so that tools for those can read it:
//! `2026-11-16T08:30:00.250000Z stdout F serving`. What is too long for one line, or has not ended, is `P`, and goes on
//! in the next one.

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
}

/// A file that is larger becomes the old one, and the old one goes.
const LARGEST: u64 = 10 << 20;

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
        let path = self.folder.join(format!("{container}.log"));
        if !self.files.contains_key(container) {
            let file = LogFile::open(&path)?;
            self.files.insert(container.to_owned(), file);
        }
        match self.files.get_mut(container) {
            Some(file) => file.write(&self.buffer, &path),
            None => Ok(()),
        }
    }
}

// === impl LogFile ===

impl LogFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }

    fn write(&mut self, bytes: &[u8], path: &Path) -> io::Result<()> {
        if self.size >= LARGEST {
            fs::rename(path, path.with_extension("log.1"))?;
            *self = Self::open(path)?;
        }
        self.file.write_all(bytes)?;
        self.size += bytes.len() as u64;
        Ok(())
    }
}
