//! Errors as people see them: what could not be done, why, and what to do instead.

use crate::commands::apply::NotApplied;
use crate::commands::explain::UnknownTopic;
use crate::commands::get::NotKept;
use crate::commands::init::UnknownExample;
use crate::commands::inside::NotInside;
use crate::commands::logs::{NoPrevious, NoSuchLog};
use crate::commands::simulate::UnknownContainer;
use crate::commands::trace::NotShown;
use crate::control::client::NotAnswered;
use crate::control::find::NotRunning;
use crate::input::ReadError;
use crate::new_file::WriteError;
use crate::pods::NoSuchPod;
use crate::running::{MemoryError, NotFollowed, NotPlaced, NotRun, RoomError};
use crate::state::{NoSuchRun, NotBegun};
use anstyle::{AnsiColor, Style};
use anyhow::Error;
use std::error::Error as StdError;
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
        let hints = [
            of::<ReadError>,
            of::<WriteError>,
            of::<UnknownTopic>,
            of::<UnknownExample>,
            of::<NoSuchPod>,
            of::<UnknownContainer>,
            of::<NoSuchRun>,
            of::<NotBegun>,
            of::<NotApplied>,
            of::<NotFollowed>,
            of::<NotRun>,
            of::<NotPlaced>,
            of::<MemoryError>,
            of::<RoomError>,
            of::<NotShown>,
            of::<NotRunning>,
            of::<NotAnswered>,
            of::<NotInside>,
            of::<NoSuchLog>,
            of::<NoPrevious>,
            of::<NotKept>,
            of::<io::Error>,
        ];
        hints.into_iter().find_map(|hint| hint(cause))
    })
}

/// What to do about a folder that cannot be used. This variable names another one.
pub(crate) fn of_folder(variable: &str, source: &io::Error) -> String {
    let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
    if let Some(hint) = source.hint() {
        hint
    } else if full.contains(&source.kind()) {
        format!("make room there, or set `{variable}` to a folder that has some")
    } else {
        format!("set `{variable}` to a folder that you can write to")
    }
}

impl Hint for io::Error {
    fn hint(&self) -> Option<String> {
        // An error that is wrapped in one of these is not in the chain.
        let wrapped = self.get_ref().and_then(|inner| of::<RoomError>(inner));
        let no_files = self.raw_os_error() == Some(libc::EMFILE);
        let more_files = || "let a process open more files: `ulimit -n 1024`".to_owned();
        wrapped.or_else(|| no_files.then(more_files))
    }
}

/// The hint of an error, if it is one of this kind.
fn of<E: Hint + StdError + 'static>(error: &(dyn StdError + 'static)) -> Option<String> {
    error.downcast_ref::<E>().and_then(Hint::hint)
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
