//! `pillion trace`: the timeline of a run as text, JSON, a picture or a page.

mod source;
mod target;
mod text;

use crate::args::{TraceArgs, TraceFormat};
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::printer::Printer;
use anyhow::Result;
use pillion_timeline::json::{self, Reading};
use pillion_timeline::{Line, Tone, html, svg};
use source::Source;
use std::path::PathBuf;
use target::Target;

/// There is something, and it cannot be shown or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotShown {
    #[error("{name} is no timeline")]
    NoTimeline {
        name: String,
        source: json::ReadError,
    },
    #[error("{name} is larger than {} MiB", source::LARGEST >> 20)]
    TooLarge { name: String },
    #[error("`--output {word}` names a file, not a form")]
    FormAsFile { word: String },
    #[error("there is a file {} that is not from here", .path.display())]
    Foreign { path: PathBuf },
}

/// Show what happened in a run.
pub(crate) fn trace(args: TraceArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let TraceArgs {
        run,
        form,
        output,
        story,
        all,
        timestamps,
    } = args;
    let form = target::form(form, output.as_deref())?;
    let source = Source::find(run.as_deref())?;
    let is_over = source.is_over();
    let mut reading = source.read()?;
    if is_over && reading.timeline.ending().is_none() {
        reading.timeline = reading.timeline.cut_off();
    }
    let timeline = &reading.timeline;
    let target = Target::choose(form, output, &source, timeline)?;
    match form {
        TraceFormat::Text => {
            let telling = text::Telling::new(story, all, timestamps);
            let lines = text::screen(timeline, telling, printer.style());
            target.lines(&lines, printer)?;
        }
        TraceFormat::Json => target.text(&json::write(timeline), printer)?,
        TraceFormat::Svg => target.text(&svg::svg(timeline), printer)?,
        TraceFormat::Html => target.text(&html::page(timeline), printer)?,
    }
    note_damage(&source, &reading, printer)
}

/// What could not be read is said: a picture with a hole in it must not pass for the whole.
fn note_damage(source: &Source, reading: &Reading, printer: &mut Printer) -> Result<ExitStatus> {
    let name = source.name();
    if reading.torn {
        let why = "its last line is not whole: somebody is writing it, or was cut off";
        note(&format!("{name}: {why}"), printer)?;
    }
    for bad in reading.unreadable.iter().take(SHOWN) {
        let text = format!("{name}:{}: left out: {}", bad.line, bad.message);
        note(&text, printer)?;
    }
    let more = reading.unreadable.len().saturating_sub(SHOWN);
    if more > 0 {
        note(&format!("{name}: {more} lines more are left out"), printer)?;
    }
    Ok(if reading.unreadable.is_empty() {
        ExitStatus::Success
    } else {
        ExitStatus::Findings
    })
}

/// More lines of noise are told by their number.
const SHOWN: usize = 3;

fn note(text: &str, printer: &mut Printer) -> Result<()> {
    let line = Line::new(Tone::Waiting, "warning").and(Tone::Plain, format!(": {text}"));
    Ok(printer.note(&line)?)
}

// === impl NotShown ===

impl Hint for NotShown {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoTimeline { name, source } => match source {
                json::ReadError::NotATimeline => Some(format!(
                    "`pillion simulate {name}` plays a pod file; with `--json` it writes a timeline"
                )),
                json::ReadError::Empty => Some("the run may just have begun".to_owned()),
                json::ReadError::Version { .. } => Some("a later pillion can read it".to_owned()),
            },
            Self::FormAsFile { word } => Some(format!(
                "`-o {word}` chooses the form; `--output ./{word}` writes that file"
            )),
            Self::Foreign { .. } => Some("say where to write it: `--output FILE`".to_owned()),
            Self::TooLarge { .. } => None,
        }
    }
}
