//! What chores say, line by line.
//!
//! Whoever closes the output of a chore (`| head`) has seen enough. It ends then as if it had been interrupted, and its cluster
//! goes first; to go on for minutes for nobody would be a waste, and a panic an ugly end. If the output cannot be kept (a full
//! disk), the chore has failed, whatever it has done.

use crate::interruption;
use anyhow::Context as _;
use rustix::process::Signal;
use std::fmt::Arguments;
use std::io::{self, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why something that was said first is lost.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Says a line, in the manner of `println!`.
macro_rules! say {
    () => { $crate::terminal::write(format_args!("\n")) };
    ($($words:tt)+) => { $crate::terminal::write(format_args!("{}\n", format_args!($($words)+))) };
}

/// Writes this, all at once, and ends the chore if nobody is there to read it.
pub(crate) fn write(what: Arguments<'_>) {
    let text = what.to_string();
    let Err(error) = io::stdout().write_all(text.as_bytes()) else {
        return;
    };
    if error.kind() == io::ErrorKind::BrokenPipe {
        interruption::end(Signal::PIPE.as_raw());
    }
    lost().get_or_insert(error);
}

/// Fails if something that was said is lost.
pub(crate) fn check() -> anyhow::Result<()> {
    let lost = lost().take();
    lost.map_or(Ok(()), Err)
        .context("what this chore says cannot be written")
}

fn lost() -> MutexGuard<'static, Option<io::Error>> {
    // An error is whole, whoever panics.
    LOST.lock().unwrap_or_else(PoisonError::into_inner)
}
