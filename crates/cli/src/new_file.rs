//! Files that a command writes for people: never over one that exists, unless it was asked to.

use crate::hint::Hint;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", .path.display())]
pub(crate) struct WriteError {
    path: PathBuf,
    source: io::Error,
}

/// Writes a file. One that exists is replaced only by `force`.
pub(crate) fn write(path: &Path, text: &str, force: bool) -> Result<(), WriteError> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| WriteError {
        path: path.to_owned(),
        source,
    })
}

// === impl WriteError ===

impl Hint for WriteError {
    fn hint(&self) -> Option<String> {
        let exists = self.source.kind() == io::ErrorKind::AlreadyExists;
        exists.then(|| "`--force` writes over it, `-` prints instead".to_owned())
    }
}
