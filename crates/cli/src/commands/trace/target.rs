//! Where a timeline goes to: the terminal, a pipe, or a file.
//!
//! A picture in a terminal would be a thousand lines of noise, so there it goes to a file whose name
//! is told. A file that was there before is overwritten only if it is named by the user, or was
//! written by this command.

use super::NotShown;
use super::source::Source;
use crate::args::TraceFormat;
use crate::new_file;
use crate::printer::Printer;
use anyhow::Result;
use clap::ValueEnum as _;
use pillion_timeline::{Line, Timeline, Tone};
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

/// Where to write.
pub(super) enum Target {
    /// The standard output.
    Out,
    /// A file.
    File(PathBuf),
}

/// The form that is asked for, or that the name of the file says.
pub(super) fn form(
    form: Option<TraceFormat>,
    output: Option<&Path>,
) -> Result<TraceFormat, NotShown> {
    let name = output.and_then(Path::to_str).unwrap_or_default();
    if TraceFormat::from_str(name, true).is_ok() {
        return Err(NotShown::FormAsFile {
            word: name.to_owned(),
        });
    }
    let end = output
        .and_then(Path::extension)
        .and_then(|end| end.to_str());
    Ok(form.unwrap_or(match end {
        Some("html" | "htm") => TraceFormat::Html,
        Some("svg") => TraceFormat::Svg,
        Some("json" | "jsonl" | "ndjson") => TraceFormat::Json,
        Some(_) | None => TraceFormat::Text,
    }))
}

// === impl Target ===

impl Target {
    pub(super) fn choose(
        form: TraceFormat,
        output: Option<PathBuf>,
        source: &Source,
        timeline: &Timeline,
    ) -> Result<Self, NotShown> {
        let end = match form {
            TraceFormat::Svg => Some("svg"),
            TraceFormat::Html => Some("html"),
            TraceFormat::Text | TraceFormat::Json => None,
        };
        match (output, end) {
            (Some(path), _) if path == Path::new("-") => Ok(Self::Out),
            (Some(path), _) => Ok(Self::File(path)),
            (None, Some(end)) if io::stdout().is_terminal() => {
                let path = PathBuf::from(format!("{}.{end}", stem(source, timeline)));
                if is_foreign(&path) {
                    return Err(NotShown::Foreign { path });
                }
                Ok(Self::File(path))
            }
            (None, _) => Ok(Self::Out),
        }
    }

    /// Writes what is meant for another program.
    pub(super) fn text(&self, text: &str, printer: &mut Printer) -> Result<()> {
        match self {
            Self::Out => Ok(printer.bytes(text.as_bytes())?),
            Self::File(path) => write(path, text, printer),
        }
    }

    /// Writes what is meant for people.
    pub(super) fn lines(&self, lines: &[Line], printer: &mut Printer) -> Result<()> {
        match self {
            Self::Out => Ok(printer.lines(lines)?),
            Self::File(path) => {
                let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
                write(path, &text, printer)
            }
        }
    }
}

fn write(path: &Path, text: &str, printer: &mut Printer) -> Result<()> {
    new_file::write(path, text, true)?;
    let line = Line::new(Tone::Dim, "written to ").and(Tone::Plain, path.display().to_string());
    Ok(printer.note(&line)?)
}

/// The pod's name and the number of its run: `orders-3`.
fn stem(source: &Source, timeline: &Timeline) -> String {
    // The name stands in a file that anybody may have written.
    let good = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = timeline
        .header()
        .pod
        .chars()
        .filter(good)
        .take(80)
        .collect();
    let name = if name.is_empty() { "timeline" } else { &name };
    match source {
        Source::Run(run) => format!("{name}-{}", run.number),
        Source::File(_) | Source::Stdin => name.to_owned(),
    }
}

/// Whether there is a file that this command did not write.
fn is_foreign(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return path.exists();
    };
    let mut head = Vec::new();
    let read = file.take(HEAD).read_to_end(&mut head);
    let ours = String::from_utf8_lossy(&head).contains(pillion_timeline::svg::GENERATOR);
    read.is_err() || !ours
}

/// Within so much of the beginning a picture says where it comes from.
const HEAD: u64 = 1024;
