//! The file that a pod follows.

use super::absolute;
use crate::hint::Hint;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file, and where it was named.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    /// As it was named.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Where `pillion` was started.
    pub(super) folder: PathBuf,
}

/// A file cannot be followed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotFollowed {
    #[error("`--watch` cannot follow the standard input")]
    StandardInput,
    #[error("`--watch` cannot follow {}: it is no file that is kept", .0.display())]
    NoFile(PathBuf),
    #[error("`--watch` cannot tell where it is")]
    Nowhere(#[source] io::Error),
}

// === impl Followed ===

impl Followed {
    /// Whether it can be read is somebody else's question.
    pub(crate) fn new(file: &Path) -> Result<Self, NotFollowed> {
        if file == Path::new("-") {
            return Err(NotFollowed::StandardInput);
        }
        let other = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
        if fs::metadata(file).is_ok_and(other) {
            return Err(NotFollowed::NoFile(file.to_owned()));
        }
        let folder = env::current_dir().map_err(NotFollowed::Nowhere)?;
        Ok(Self {
            name: file.display().to_string(),
            path: absolute(file, &folder),
            folder,
        })
    }
}

// === impl NotFollowed ===

impl Hint for NotFollowed {
    fn hint(&self) -> Option<String> {
        match self {
            Self::StandardInput | Self::NoFile(_) => {
                Some("write the pod to a file and name that, or leave `--watch` out".to_owned())
            }
            Self::Nowhere(_) => None,
        }
    }
}
