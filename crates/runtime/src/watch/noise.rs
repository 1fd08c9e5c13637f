//! What comes and goes in a folder of sources without being one: nobody means it who names the folder.

use std::ffi::OsStr;
use std::path::Path;

/// Folders that tools fill.
const FOLDERS: &[&str] = &["__pycache__", "node_modules", "target"];

/// What editors and compilers leave for a moment, or beside the real thing.
const ENDINGS: &[&str] = &[".pyc", ".swp", ".swx", ".tmp", "~"];

/// What vim makes to see whether it may, and what `JetBrains`' editors write first.
const NAMES: &[&str] = &["4913", "___jb_old___", "___jb_tmp___"];

/// The file by which tools mark a folder that can be made again.
const MARK: &str = "CACHEDIR.TAG";

/// Whether something below a folder that is watched does not count.
pub(super) fn is_noise(below: &Path) -> bool {
    below.iter().any(is_noise_name)
}

/// Whether a file or folder of this name does not count, with all that is in it.
pub(super) fn is_noise_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let hidden = name.starts_with(['.', '#']);
    let listed = FOLDERS.contains(&&*name) || NAMES.iter().any(|part| name.ends_with(part));
    hidden || listed || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a folder says that it holds nothing of anybody's own.
pub(super) fn is_cache(folder: &Path) -> bool {
    folder.join(MARK).exists()
}
