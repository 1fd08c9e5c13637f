//! The only way to the terminal: data to the standard output, everything else to standard error.
//!
//! Colours are always written here and taken out again where they are not wanted: by `--color`, by
//! `NO_COLOR`, or because nobody is looking.
//!
//! A reader that has seen enough, as in `pillion lint … | head`, closes its end. That is no error,
//! and no reason to forget what was found: the rest goes nowhere, and the exit status stays.

use crate::args::OutputArgs;
use anstyle::{AnsiColor, Style as Ansi};
use pillion_timeline::{Line, Style, Tone};
use serde::Serialize;
use std::borrow::Cow;
use std::env;
use std::fmt;
use std::io::{self, Write};

/// Prints, and knows what the terminal can show.
pub(crate) struct Printer {
    style: Style,
    out: anstream::Stdout,
    err: anstream::Stderr,
}

/// A line with the codes of its colours.
pub(crate) struct Painted<'a>(pub(crate) &'a Line);

// === impl Printer ===

impl Printer {
    pub(crate) fn new(output: OutputArgs) -> Self {
        let OutputArgs { color: _, ascii } = output;
        let style = Style {
            width: terminal_width(),
            ascii: ascii || wants_ascii(),
        };
        Self {
            style,
            out: anstream::stdout(),
            err: anstream::stderr(),
        }
    }

    /// The width and the characters that can be used.
    pub(crate) const fn style(&self) -> Style {
        self.style
    }

    /// Whether colours are shown on the standard output.
    pub(crate) fn has_colours(&self) -> bool {
        self.out.current_choice() != anstream::ColorChoice::Never
    }

    /// Prints text as it is; it may hold colours.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        let text = self.shown(text);
        unless_closed(writeln!(self.out, "{text}"), OUT)
    }

    /// The text in characters that can be used: messages have a few that are not ASCII.
    fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.style.ascii || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let plain = [
            ('→', "->"),
            ('…', "..."),
            ('·', "|"),
            ('–', "-"),
            ('×', "x"),
        ];
        let text = plain
            .into_iter()
            .fold(text.to_owned(), |text, (sign, plain)| {
                text.replace(sign, plain)
            });
        Cow::Owned(text)
    }

    /// Prints lines in the colours of their tones.
    pub(crate) fn lines(&mut self, lines: &[Line]) -> io::Result<()> {
        let mut lines = lines.iter();
        unless_closed(
            lines.try_for_each(|line| writeln!(self.out, "{}", Painted(line))),
            OUT,
        )
    }

    /// Prints a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        unless_closed(writeln!(self.out, "{}", serde_json::to_string(value)?), OUT)
    }

    /// Prints what is meant for another program.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        unless_closed(
            self.out.write_all(bytes).and_then(|()| self.out.flush()),
            OUT,
        )
    }

    /// Says something longer beside the data; it may hold colours.
    pub(crate) fn note_text(&mut self, text: &str) -> io::Result<()> {
        let text = self.shown(text);
        unless_closed(writeln!(self.err, "{text}"), ERR)
    }

    /// Moves the cursor of the terminal that notes are shown in.
    pub(crate) fn note_raw(&mut self, codes: &str) -> io::Result<()> {
        unless_closed(write!(self.err, "{codes}"), ERR)
    }

    /// Says something beside the data.
    pub(crate) fn note(&mut self, line: &Line) -> io::Result<()> {
        unless_closed(writeln!(self.err, "{}", Painted(line)), ERR)
    }
}

/// That nobody reads any more is not a failure to write. Any other says where it was.
fn unless_closed(written: io::Result<()>, to: &str) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => {
            let text = format!("cannot write to the {to}: {error}");
            Err(io::Error::new(error.kind(), text))
        }
        Ok(()) => Ok(()),
    }
}

const OUT: &str = "standard output";
const ERR: &str = "standard error";

// === impl Painted ===

impl fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.pieces().try_for_each(|(tone, piece)| {
            let style = ansi(tone);
            write!(f, "{style}{piece}{style:#}")
        })
    }
}

/// Colours are for states only: green ready, yellow waiting, red failed, dim for the rest.
const fn ansi(tone: Tone) -> Ansi {
    match tone {
        Tone::Plain => Ansi::new(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Waiting => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default(),
        Tone::Dim => Ansi::new().dimmed(),
        Tone::Strong => Ansi::new().bold(),
    }
}

/// What `COLUMNS` says, else the terminal, else what terminals have always had.
fn terminal_width() -> usize {
    let told = env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = told.filter(|columns| *columns > 0).or_else(seen);
    width.unwrap_or(80).clamp(20, 400)
}

/// Whether the locale, or the terminal, says that anything but ASCII would be garbled.
fn wants_ascii() -> bool {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL")
        .or_else(|| set("LC_CTYPE"))
        .or_else(|| set("LANG"));
    let garbles = |locale: String| {
        !locale
            .to_ascii_lowercase()
            .replace('-', "")
            .contains("utf8")
    };
    locale.is_some_and(garbles) || set("TERM").as_deref() == Some("dumb")
}
