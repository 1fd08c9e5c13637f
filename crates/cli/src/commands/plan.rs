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
    let loaded = match pods::open(file, LowerOptions::default(), printer)? {
        Opened::Good(loaded) => loaded,
        Opened::Refused(status) => return Ok(status),
    };
    let chosen = pods::chosen(&loaded, pod.as_deref())?;
    show(&chosen, *output, printer)?;
    pods::note_warnings(&loaded, printer)?;
    Ok(ExitStatus::Success)
}

fn show(pods: &[&LoadedPod], format: PlanFormat, printer: &mut Printer) -> Result<()> {
    match format {
        PlanFormat::Text => {
            for (number, pod) in pods.iter().enumerate() {
                if number > 0 {
                    printer.text("")?;
                }
                printer.lines(&text::plan(pod, printer.style()))?;
            }
        }
        PlanFormat::Mermaid => {
            let pods: Vec<_> = pods.iter().map(|pod| &pod.lowered.pod).collect();
            printer.bytes(mermaid(&pods).as_bytes())?;
        }
        PlanFormat::Dot => {
            for pod in pods {
                printer.bytes(dot(&pod.lowered.pod).as_bytes())?;
            }
        }
        PlanFormat::Json => {
            for pod in pods {
                printer.json(&json::plan(pod))?;
            }
        }
    }
    Ok(())
}
