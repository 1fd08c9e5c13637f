//! The terminal that somebody sits at, while something else is in it.

pub(crate) mod raw;
pub(crate) mod typing;

use pillion_runtime::terminal::Size;
use rustix::termios::{isatty, tcgetwinsize};

/// How large the terminal is; the usual size if there is none, or if it does not say.
pub(crate) fn size() -> Size {
    let known = tcgetwinsize(rustix::stdio::stdin()).ok().map(|size| Size {
        columns: size.ws_col,
        rows: size.ws_row,
    });
    let known = known.filter(|size| size.columns > 0 && size.rows > 0);
    known.unwrap_or(Size::USUAL)
}

/// Whether there is a terminal on all sides.
pub(crate) fn is_on_all_sides() -> bool {
    let (input, output, error) = (
        rustix::stdio::stdin(),
        rustix::stdio::stdout(),
        rustix::stdio::stderr(),
    );
    isatty(input) && isatty(output) && isatty(error)
}
