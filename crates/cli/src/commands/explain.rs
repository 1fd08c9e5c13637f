//! `pillion explain`: what a code means.

use crate::args::ExplainArgs;
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::printer::Printer;
use crate::wrap::wrap;
use anyhow::Result;
use pillion_spec::{Code, Severity};
use pillion_timeline::{Line, Style, Tone};
use serde::Serialize;

/// Nothing is known under that name.
#[derive(Debug, thiserror::Error)]
#[error("there is no code `{topic}`")]
pub(crate) struct UnknownTopic {
    topic: String,
}

/// A code as JSON.
#[derive(Serialize)]
struct Explained {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    explanation: &'static str,
}

/// Tell what a code means, or list all of them.
pub(crate) fn explain(args: &ExplainArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let ExplainArgs { topic, json } = args;
    let style = Style {
        width: printer.style().width.min(READABLE),
        ..printer.style()
    };
    let codes = match topic {
        Some(topic) => vec![find(topic)?],
        None => Code::ALL.to_vec(),
    };
    if *json {
        codes
            .iter()
            .try_for_each(|code| printer.json(&Explained::new(*code)))?;
    } else if topic.is_some() {
        codes
            .iter()
            .try_for_each(|code| printer.lines(&page(*code, style)))?;
    } else {
        let entries = codes.iter().flat_map(|code| entry(*code, style));
        printer.lines(&entries.collect::<Vec<_>>())?;
    }
    Ok(ExitStatus::Success)
}

fn find(topic: &str) -> Result<Code, UnknownTopic> {
    topic.trim().parse().map_err(|_| UnknownTopic {
        topic: topic.to_owned(),
    })
}

/// Everything about one code.
fn page(code: Code, style: Style) -> Vec<Line> {
    let text = wrap(code.explanation(), style.width);
    let mut lines = entry(code, style);
    lines.push(Line::default());
    lines.extend(text.into_iter().map(|line| Line::new(Tone::Plain, line)));
    lines
}

/// `L0102  error    a container that does not exist is required`
fn entry(code: Code, style: Style) -> Vec<Line> {
    let severity = code.severity();
    let line = Line::new(Tone::Strong, code.id())
        .and(Tone::Plain, "  ")
        .and(tone(severity), format!("{:7}", severity.as_str()))
        .and(Tone::Plain, format!("  {}", code.title()));
    style.wrap(&line, ENTRY_INDENT)
}

const fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Waiting,
        Severity::Note => Tone::Dim,
    }
}

// === impl UnknownTopic ===

impl Hint for UnknownTopic {
    fn hint(&self) -> Option<String> {
        Some("`pillion explain` lists all codes".to_owned())
    }
}

// === impl Explained ===

impl Explained {
    fn new(code: Code) -> Self {
        Self {
            code: code.id(),
            severity: code.severity().as_str(),
            title: code.title(),
            explanation: code.explanation(),
        }
    }
}

/// Before the title in an entry.
const ENTRY_INDENT: usize = 16;
/// Longer lines are hard to read.
const READABLE: usize = 90;
