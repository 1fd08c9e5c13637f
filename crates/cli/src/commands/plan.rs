//! `pillion plan`: what a pod will do, without doing it.

mod conditions;
mod json;
mod names;
mod text;

use crate::args::{PlanArgs, PlanFormat};
use crate::exit::ExitStatus;
use crate::graph::dot::dot;
use crate::graph::mermaid::mermaid;
use crate::pods::{self, Opened};
use crate::printer::Printer;
use anyhow::Result;
use pillion_spec::LoadedPod;
use pillion_spec::LowerOptions;

/// Show the plan of each pod.
pub(crate) fn plan(args: &PlanArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let PlanArgs { file, pod, output } = args;
    let loaded = match pods::open(file, LowerOptions { images: true }, printer)? {
        Opened::Good(loaded) => loaded,
        Opened::Refused(status) => return Ok(status),
    };
    for (number, pod) in pods::chosen(&loaded, pod.as_deref())?
        .into_iter()
        .enumerate()
    {
        show(pod, number, *output, printer)?;
    }
    pods::note_warnings(&loaded, printer)?;
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
