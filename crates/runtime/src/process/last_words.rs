//! A container's termination message: what it left in its file, or the end of what it wrote.

use super::env::volume::words;
use pillion_engine::Exit;
use pillion_spec::container::{Container, TerminationMessagePolicy};
use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// What there will be to say when a run has ended.
#[derive(Debug)]
pub(super) struct LastWords {
    file: PathBuf,
    /// The end of what it wrote, if that may have to do.
    written: Option<VecDeque<u8>>,
}

/// Where Kubernetes expects them unless it is told otherwise.
pub(super) const USUAL: &str = "/dev/termination-log";

/// Kubernetes takes so much of the file.
const LONGEST: usize = 4096;
/// And so much of what was written.
const LONGEST_WRITTEN: usize = 2048;
/// In so many lines.
const MOST_LINES: usize = 80;

/// Whether the file is to be found where the container expects it: it says another place, or speaks of the usual one in what
/// it runs, or has a view of the file system of its own anyway. All others have a variable that tells where it is, and cost
/// nothing.
pub(super) fn is_mounted(container: &Container) -> bool {
    let says = container.termination_message_path != USUAL;
    says || !container.volume_mounts.is_empty() || words(container).any(|word| word.contains(USUAL))
}

// === impl LastWords ===

impl LastWords {
    pub(super) fn new(file: PathBuf, policy: TerminationMessagePolicy) -> Self {
        let written = match policy {
            TerminationMessagePolicy::File => None,
            TerminationMessagePolicy::FallbackToLogsOnError => Some(VecDeque::new()),
        };
        Self { file, written }
    }

    /// Where it leaves them.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Remembers the end of what is written.
    pub(super) fn hear(&mut self, bytes: &[u8]) {
        let Some(written) = &mut self.written else {
            return;
        };
        let end = &bytes[bytes.len().saturating_sub(LONGEST_WRITTEN)..];
        written.extend(end);
        let too_much = written.len().saturating_sub(LONGEST_WRITTEN);
        written.drain(..too_much);
    }

    /// What it said.
    pub(super) fn take(&mut self, exit: &Exit) -> Option<String> {
        let left = self.left();
        if left.is_some() || exit.is_success() {
            return left;
        }
        let written: Vec<u8> = self.written.take()?.into();
        let text = String::from_utf8_lossy(&written);
        let lines: Vec<_> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(MOST_LINES)..].join("\n");
        (!last.is_empty()).then_some(last)
    }

    fn left(&self) -> Option<String> {
        let mut bytes = Vec::new();
        // The container may have put something else there: nothing here waits for somebody to write, or is led elsewhere.
        let mut options = OpenOptions::new();
        let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
        let file = options.read(true).custom_flags(flags).open(&self.file);
        let file = file.ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        file.take(LONGEST as u64).read_to_end(&mut bytes).ok()?;
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(policy: TerminationMessagePolicy, left: &str, written: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("last-words");
        std::fs::write(&file, left).unwrap();
        let mut words = LastWords::new(file, policy);
        words.hear(written.as_bytes());
        words.take(&Exit::code(3))
    }

    #[test]
    fn the_file_comes_before_what_was_written() {
        let policy = TerminationMessagePolicy::FallbackToLogsOnError;
        assert_eq!(words(policy, "left", "written").as_deref(), Some("left"));
        assert_eq!(words(policy, "", "a\nb\n").as_deref(), Some("a\nb"));
        assert_eq!(words(TerminationMessagePolicy::File, "", "a"), None);
    }

    #[test]
    fn only_the_end_is_kept() {
        let policy = TerminationMessagePolicy::FallbackToLogsOnError;
        let long = "0123456789\n".repeat(1000);
        let words = words(policy, "", &long).unwrap();
        assert_eq!(words.lines().count(), MOST_LINES);
        assert!(words.ends_with("0123456789"));
    }
}
