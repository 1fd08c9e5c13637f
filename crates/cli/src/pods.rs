//! The pods of a file: read, refused with all that is wrong, or chosen by name.

use crate::commands::lint::{judge, show_json};
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::input;
use crate::printer::Printer;
use anyhow::Result;
use pillion_spec::render::Renderer;
use pillion_spec::{Code, Diagnostic, Loaded, LoadedPod, LowerOptions, Severity, load};
use pillion_timeline::{Line, Tone};
use std::path::Path;

/// What came of opening a file.
pub(crate) enum Opened {
    /// Its pods can be run.
    Good(Box<Loaded>),
    /// Something is wrong with it, and was shown.
    Refused(ExitStatus),
}

/// A pod is meant that the file does not have, or it is not clear which.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoSuchPod {
    #[error("there is no pod `{wanted}` in {file}")]
    Unknown {
        wanted: String,
        file: String,
        names: Vec<String>,
    },
    #[error("there are {} pods in {file}", .names.len())]
    Several { file: String, names: Vec<String> },
}

/// Reads a file. Its errors are shown, because a file with errors must not be run.
pub(crate) fn open(path: &Path, options: LowerOptions, printer: &mut Printer) -> Result<Opened> {
    open_as(path, options, false, printer)
}

/// The same, with its errors for people or as JSON.
pub(crate) fn open_as(
    path: &Path,
    options: LowerOptions,
    json: bool,
    printer: &mut Printer,
) -> Result<Opened> {
    let input = input::read(path)?;
    let loaded = load(&input.name, &input.bytes, options);
    if !loaded.has_errors() && !loaded.pods.is_empty() {
        return Ok(Opened::Good(Box::new(loaded)));
    }
    if json {
        show_json(&loaded.source, &loaded.diagnostics, printer)?;
    } else {
        show(&loaded, printer)?;
    }
    let status = judge(&loaded.diagnostics, false).max(ExitStatus::Findings);
    Ok(Opened::Refused(status))
}

/// Why a file cannot be used: its errors, if it has some, and fields that nobody knows: what is missing may be misspelt.
fn show(loaded: &Loaded, printer: &mut Printer) -> Result<()> {
    let is_why = |one: &&Diagnostic| {
        !loaded.has_errors() || one.is_error() || one.code == Code::UnknownField
    };
    let shown: Vec<_> = loaded.diagnostics.iter().filter(is_why).cloned().collect();
    let renderer = Renderer::coloured().width(printer.style().width);
    printer.note_text(&renderer.render_all(&loaded.source, &shown))?;
    let name = loaded.source.name();
    if !loaded.has_errors() {
        let what = Line::new(Tone::Bad, "error").and(Tone::Plain, format!(": {name} has no pod"));
        printer.note(&what)?;
    }
    let more = loaded.diagnostics.len() - shown.len();
    if more > 0 && name != "<stdin>" {
        let more = match more {
            1 => "1 more finding that is no error".to_owned(),
            more => format!("{more} more findings that are no errors"),
        };
        let how = format!("{more}: `pillion lint {name}`");
        printer.note(&Line::new(Tone::Dim, how))?;
    }
    Ok(())
}

/// The pods that are meant: all, or those of that name.
pub(crate) fn chosen<'a>(
    loaded: &'a Loaded,
    wanted: Option<&str>,
) -> Result<Vec<&'a LoadedPod>, NoSuchPod> {
    let meant = |pod: &&LoadedPod| wanted.is_none_or(|wanted| *pod.lowered.pod.name == *wanted);
    let pods: Vec<_> = loaded.pods.iter().filter(meant).collect();
    match wanted {
        Some(wanted) if pods.is_empty() => Err(NoSuchPod::Unknown {
            wanted: wanted.to_owned(),
            file: loaded.source.name().to_owned(),
            names: names(loaded),
        }),
        Some(_) | None => Ok(pods),
    }
}

/// The one pod that is meant.
pub(crate) fn only<'a>(
    loaded: &'a Loaded,
    wanted: Option<&str>,
) -> Result<&'a LoadedPod, NoSuchPod> {
    match chosen(loaded, wanted)?.as_slice() {
        [pod] => Ok(pod),
        _ => Err(NoSuchPod::Several {
            file: loaded.source.name().to_owned(),
            names: names(loaded),
        }),
    }
}

/// Says that there are warnings, and how to see them.
pub(crate) fn note_warnings(loaded: &Loaded, printer: &mut Printer) -> Result<()> {
    let warns = |finding: &&Diagnostic| finding.severity == Severity::Warning;
    let (warnings, them) = match loaded.diagnostics.iter().filter(warns).count() {
        0 => return Ok(()),
        1 => ("1 warning".to_owned(), "it"),
        more => (format!("{more} warnings"), "them"),
    };
    let how = format!(": `pillion lint {}` shows {them}", loaded.source.name());
    printer.note(&Line::new(Tone::Waiting, warnings).and(Tone::Plain, how))?;
    Ok(())
}

fn names(loaded: &Loaded) -> Vec<String> {
    loaded
        .pods
        .iter()
        .map(|pod| pod.lowered.pod.name.to_string())
        .collect()
}

// === impl NoSuchPod ===

impl Hint for NoSuchPod {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { names, .. } => format!("it has {}", names.join(", ")),
            Self::Several { names, .. } => {
                format!("say which one: `--pod` with {}", names.join(" or "))
            }
        })
    }
}
