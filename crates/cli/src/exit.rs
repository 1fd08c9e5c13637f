//! How a command ended, as the shell sees it.

use std::process::ExitCode;

/// The end of a command, better ones first. Of several, the worst counts.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum ExitStatus {
    /// It did what was asked, and found nothing wrong.
    #[default]
    Success,
    /// It did what was asked, and found errors.
    Findings,
    /// It could not do it: wrong usage, or a file that cannot be read.
    Unusable,
    /// What it ran ended like this.
    Code(u8),
}

/// Pillion itself failed, and not what it ran.
pub(crate) const OWN_FAILURE: u8 = 125;
/// What it was to run is there, and cannot be run.
pub(crate) const NOT_RUN: u8 = 126;
/// What it was to run is not there.
pub(crate) const NOT_FOUND: u8 = 127;

// === impl ExitStatus ===

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        match status {
            ExitStatus::Success => Self::from(0),
            ExitStatus::Findings => Self::from(1),
            ExitStatus::Unusable => Self::from(2),
            ExitStatus::Code(code) => Self::from(code),
        }
    }
}
