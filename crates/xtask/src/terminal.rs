//! What chores say, line by line.
//!
//! Whoever closes the output of a chore (`| head`) has seen enough. It ends then as if it had been interrupted, and its cluster
//! goes first; to go on for minutes for nobody would be a waste, and a panic an ugly end.

use crate::interruption;
use rustix::process::Signal;
use std::fmt::Arguments;
use std::io::{self, Write as _};

/// Says a line, in the manner of `println!`.
macro_rules! say {
    () => { $crate::terminal::write(format_args!("\n")) };
    ($($words:tt)+) => { $crate::terminal::write(format_args!("{}\n", format_args!($($words)+))) };
}

/// Writes this, all at once, and ends the chore if nobody is there to read it.
pub(crate) fn write(what: Arguments<'_>) {
    let text = what.to_string();
    let written = io::stdout().write_all(text.as_bytes());
    if written.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        interruption::end(Signal::PIPE.as_raw());
    }
}
