//! `pillion plan`: what a pod will do, without doing it.

mod json;
mod text;

use crate::args::{PlanArgs, PlanFormat};
use crate::commands::lint::judge;
use crate::exit::ExitStatus;
use crate::graph::dot::dot;
use crate::graph::mermaid::mermaid;
use crate::hint::Hint;
use crate::input;
use crate::printer::Printer;
use anyhow::Result;
use pillion_spec::render::Renderer;
use pillion_spec::{Diagnostic, Loaded, LoadedPod, LowerOptions, load};
use pillion_timeline::{Line, Tone};

/// The file has no pod of that name.
#[derive(Debug, thiserror::Error)]
#[error("there is no pod `{wanted}` in {file}")]
pub(crate) struct NoSuchPod {
    wanted: String,
    file: String,
    names: Vec<String>,
}

/// Show the plan of each pod.
pub(crate) fn plan(args: &PlanArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let PlanArgs { file, pod, output } = args;
    let input = input::read(file)?;
    let loaded = load(&input.name, &input.bytes, LowerOptions { images: true });
    if loaded.has_errors() || loaded.pods.is_empty() {
        return refuse(&loaded, printer);
    }
    for (number, pod) in chosen(&loaded, pod.as_deref())?.into_iter().enumerate() {
        show(pod, number, *output, printer)?;
    }
    note_warnings(&loaded, printer)?;
    Ok(ExitStatus::Success)
}

fn show(pod: &LoadedPod, number: usize, format: PlanFormat, printer: &mut Printer) -> Result<()> {
    match format {
        PlanFormat::Text => {
            if number > 0 {
                printer.text("")?;
            }
            printer.lines(&text::plan(pod, printer.style()))?;
        }
        PlanFormat::Mermaid => printer.bytes(mermaid(&pod.lowered.pod).as_bytes())?,
        PlanFormat::Dot => printer.bytes(dot(&pod.lowered.pod).as_bytes())?,
        PlanFormat::Json => printer.json(&json::plan(pod))?,
    }
    Ok(())
}

/// The pods to show: all, or the one of that name.
fn chosen<'a>(loaded: &'a Loaded, wanted: Option<&str>) -> Result<Vec<&'a LoadedPod>, NoSuchPod> {
    let Some(wanted) = wanted else {
        return Ok(loaded.pods.iter().collect());
    };
    let pods: Vec<_> = loaded
        .pods
        .iter()
        .filter(|pod| &*pod.lowered.pod.name == wanted)
        .collect();
    if pods.is_empty() {
        return Err(NoSuchPod {
            wanted: wanted.to_owned(),
            file: loaded.source.name().to_owned(),
            names: loaded
                .pods
                .iter()
                .map(|pod| pod.lowered.pod.name.to_string())
                .collect(),
        });
    }
    Ok(pods)
}

/// A file with errors has no plan: it must not be run.
fn refuse(loaded: &Loaded, printer: &mut Printer) -> Result<ExitStatus> {
    let renderer = Renderer::coloured().width(printer.style().width);
    printer.note_text(&renderer.render_all(&loaded.source, &loaded.diagnostics))?;
    Ok(judge(&loaded.diagnostics, false).max(ExitStatus::Findings))
}

fn note_warnings(loaded: &Loaded, printer: &mut Printer) -> Result<()> {
    let warns = |finding: &&Diagnostic| finding.severity == pillion_spec::Severity::Warning;
    let warnings = match loaded.diagnostics.iter().filter(warns).count() {
        0 => return Ok(()),
        1 => "1 warning".to_owned(),
        more => format!("{more} warnings"),
    };
    let how = format!(": `pillion lint {}` shows it", loaded.source.name());
    printer.note(&Line::new(Tone::Waiting, warnings).and(Tone::Plain, how))?;
    Ok(())
}

// === impl NoSuchPod ===

impl Hint for NoSuchPod {
    fn hint(&self) -> Option<String> {
        Some(format!("it has {}", self.names.join(", ")))
    }
}
