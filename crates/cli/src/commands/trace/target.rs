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
use pillion_timeline::svg::GENERATOR;
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
                unless_foreign(path).map(Self::File)
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

/// The path, if there is nothing yet or only what this command wrote.
fn unless_foreign(path: PathBuf) -> Result<PathBuf, NotShown> {
    let ours = match File::open(&path) {
        Ok(file) => is_ours(file),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if ours {
        Ok(path)
    } else {
        Err(NotShown::Foreign { path })
    }
}

fn is_ours(file: File) -> bool {
    let mut head = Vec::new();
    let read = file.take(HEAD).read_to_end(&mut head);
    read.is_ok() && String::from_utf8_lossy(&head).contains(GENERATOR)
}

/// Within so much of the beginning a picture says where it comes from.
const HEAD: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Run;
    use pillion_timeline::{Header, html, svg};

    fn of_pod(name: &str) -> Timeline {
        Timeline::new(Header {
            pod: name.into(),
            ..Header::default()
        })
    }

    #[test]
    fn a_picture_is_named_after_its_pod_and_run() {
        let run = Source::Run(Run {
            namespace: "default".to_owned(),
            name: "orders".to_owned(),
            number: 3,
            folder: PathBuf::new(),
        });
        assert_eq!(stem(&run, &of_pod("orders")), "orders-3");
        assert_eq!(stem(&Source::Stdin, &of_pod("orders")), "orders");
    }

    #[test]
    fn a_hostile_name_stays_in_the_folder() {
        assert_eq!(
            stem(&Source::Stdin, &of_pod("../../etc/passwd")),
            "etcpasswd"
        );
        assert_eq!(stem(&Source::Stdin, &of_pod("..")), "timeline");
    }

    #[test]
    fn only_what_was_written_here_is_written_over() {
        let folder = std::env::temp_dir().join(format!("pillion-trace-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let timeline = of_pod("orders");
        for (text, ours) in [
            (svg::svg(&timeline), true),
            (html::page(&timeline), true),
            ("<p>my notes</p>".to_owned(), false),
            (String::new(), false),
        ] {
            let path = folder.join("orders.html");
            std::fs::write(&path, text).unwrap();
            assert_eq!(unless_foreign(path).is_ok(), ours);
        }
        assert!(unless_foreign(folder.join("new.html")).is_ok());
        assert!(
            unless_foreign(folder.clone()).is_err(),
            "a folder is not ours"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
