//! How a run ends for whoever started it.

use crate::exit::ExitStatus;
use pillion_engine::PodResult;

/// The status to exit with: the signal that ended the pod, or what its containers made of it.
pub(super) fn status(result: &PodResult, ended_by: Option<i32>) -> ExitStatus {
    let code = match ended_by {
        Some(signal) => of_signal(signal),
        None => result.code,
    };
    // As a shell sees it: the lowest eight bits.
    let code = u8::try_from(code & 0xff).unwrap_or(u8::MAX);
    match code {
        0 => ExitStatus::Success,
        code => ExitStatus::Code(code),
    }
}

/// What a shell makes of a signal.
pub(super) const fn of_signal(signal: i32) -> i32 {
    128 + signal
}
