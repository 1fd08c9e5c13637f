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
    if let Err(error) = heard(io::stdout().write_all(text.as_bytes())) {
        lost().get_or_insert(error);
    }
}

/// Says how far it has come, on the standard error. What of that is lost is no matter.
pub(crate) fn tell(what: &str) {
    let text = format!("    {what}\n");
    let _ = heard(io::stderr().write_all(text.as_bytes()));
}

/// Ends the chore if nobody is there to read what was written.
fn heard(written: io::Result<()>) -> io::Result<()> {
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    if written.as_ref().is_err_and(is_closed) {
        interruption::end(Signal::PIPE.as_raw());
    }
    written
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
