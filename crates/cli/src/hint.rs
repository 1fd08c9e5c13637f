//! Errors as people see them: what could not be done, why, and what to do instead.

use crate::commands::explain::UnknownTopic;
use crate::commands::simulate::UnknownContainer;
use crate::input::ReadError;
use crate::pods::NoSuchPod;
use anstyle::{AnsiColor, Style};
use anyhow::Error;
use std::io::{self, Write};

/// A suggestion to print after an error.
pub(crate) trait Hint {
    /// What to do, if something can be done.
    fn hint(&self) -> Option<String>;
}

/// Prints an error with its causes, each on its line, and the hint that belongs to it.
pub(crate) fn report(error: &Error) {
    // If nobody can read it, the exit status still tells.
    let _ = write_report(error, &mut anstream::stderr());
}

fn write_report(error: &Error, err: &mut impl Write) -> io::Result<()> {
    writeln!(err, "{ERROR}error:{ERROR:#} {error}")?;
    for cause in error.chain().skip(1) {
        writeln!(err, "  because: {cause}")?;
    }
    if let Some(hint) = hint(error) {
        writeln!(err, "{HINT}help:{HINT:#} {hint}")?;
    }
    Ok(())
}

/// The hint of the first error in the chain that has one.
fn hint(error: &Error) -> Option<String> {
    error.chain().find_map(|cause| {
        let read = cause.downcast_ref::<ReadError>().and_then(Hint::hint);
        let topic = || cause.downcast_ref::<UnknownTopic>().and_then(Hint::hint);
        let pod = || cause.downcast_ref::<NoSuchPod>().and_then(Hint::hint);
        let container = || {
            cause
                .downcast_ref::<UnknownContainer>()
                .and_then(Hint::hint)
        };
        read.or_else(topic).or_else(pod).or_else(container)
    })
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
