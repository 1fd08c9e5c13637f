//! Files that are given on the command line, or the standard input.

use crate::hint::Hint;
use pillion_spec::source::MAX_SIZE;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What was read, and under which name to speak of it.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", .path.display())]
pub(crate) struct ReadError {
    path: PathBuf,
    source: io::Error,
}

/// Reads a file; `-` is the standard input.
///
/// Of a file that is too large only the beginning is read: enough for the reader to see that it is.
pub(crate) fn read(path: &Path) -> Result<Input, ReadError> {
    let error = |source| ReadError::new(path.to_owned(), source);
    if path == Path::new("-") {
        let bytes = read_some(io::stdin().lock()).map_err(error)?;
        return Ok(Input {
            name: "<stdin>".to_owned(),
            bytes,
        });
    }
    let bytes = File::open(path).and_then(read_some).map_err(error)?;
    Ok(Input {
        name: path.display().to_string(),
        bytes,
    })
}

fn read_some(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_SIZE)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    reader.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

// === impl ReadError ===

impl ReadError {
    pub(crate) const fn new(path: PathBuf, source: io::Error) -> Self {
        Self { path, source }
    }
}

impl Hint for ReadError {
    fn hint(&self) -> Option<String> {
        let kind = self.source.kind();
        if kind == io::ErrorKind::IsADirectory {
            return Some(format!("name its files: `{}/*.yaml`", self.path.display()));
        }
        let missing = kind == io::ErrorKind::NotFound;
        missing.then(|| "`-` reads the standard input".to_owned())
    }
}
