//! All that keeps a pod from being run on this machine: found out before anything starts, and told at once, with its places
//! in the file and what to do.

use crate::hint::Hint;
use pillion_runtime::guard::Guard;
use pillion_runtime::process::recipe::RecipeError;
use pillion_runtime::process::volume::VolumePlan;
use pillion_runtime::process::volume::host_path::missing_host_paths;
use pillion_runtime::process::{Definition, Draft, Larder, hiding, rehearse, taken_addresses};
use pillion_spec::source::Position;
use pillion_spec::{Loaded, LoadedPod};
use std::fmt::Write as _;
use std::rc::Rc;

/// A pod cannot be run on this machine.
#[derive(Debug, thiserror::Error)]
#[error("`{pod}` cannot be run on this machine{}", told(.refusals))]
pub(crate) struct NotRun {
    pod: String,
    /// In the order of the file.
    refusals: Vec<Refusal>,
}

/// One thing that keeps it from that.
#[derive(Debug)]
struct Refusal {
    file: String,
    position: Position,
    error: RecipeError,
}

/// What containers are run by, or everything that keeps them from it.
pub(super) fn define(
    larder: &Rc<Larder>,
    guard: &Guard,
    loaded: &Loaded,
    pod: &LoadedPod,
) -> Result<(Vec<Definition>, Vec<VolumePlan>), NotRun> {
    let Draft {
        definitions,
        volumes,
        mut errors,
    } = larder.draft();
    errors.extend(rehearse(guard, &larder.pod));
    errors.extend(hiding(&definitions));
    errors.extend(missing_host_paths(&larder.pod, &volumes));
    errors.extend(taken_addresses(&definitions, &volumes));
    if errors.is_empty() {
        Ok((definitions, volumes))
    } else {
        Err(NotRun::new(errors, loaded, pod))
    }
}

fn told(refusals: &[Refusal]) -> String {
    let mut told = String::new();
    for Refusal {
        file,
        position: Position { line, column },
        error,
    } in refusals
    {
        let _ = write!(told, "\n  {file}:{line}:{column}: {error}");
    }
    told
}

// === impl NotRun ===

impl NotRun {
    fn new(mut errors: Vec<RecipeError>, loaded: &Loaded, pod: &LoadedPod) -> Self {
        let span = |error: &RecipeError| pod.file.places.key(&error.field);
        errors.sort_by_key(span);
        let refusals = errors.into_iter().map(|error| Refusal {
            file: loaded.source.name().to_owned(),
            position: loaded.source.position(span(&error)),
            error,
        });
        Self {
            pod: pod.lowered.pod.name.to_string(),
            refusals: refusals.collect(),
        }
    }

    /// What to do, each thing once, and for which lines of the file.
    fn helps(&self) -> Vec<(Vec<usize>, String)> {
        let mut helps: Vec<(Vec<usize>, String)> = Vec::new();
        for Refusal {
            position, error, ..
        } in &self.refusals
        {
            let Some(help) = error.help() else { continue };
            match helps.iter_mut().find(|(_, known)| *known == help) {
                Some((lines, _)) => lines.push(position.line),
                None => helps.push((vec![position.line], help)),
            }
        }
        helps
    }
}

impl Hint for NotRun {
    fn hint(&self) -> Option<String> {
        let helps = match &self.helps()[..] {
            [] => return None,
            [(_, help)] => help.clone(),
            several => {
                let several = several.iter().map(|(lines, help)| of_lines(lines, help));
                several.collect::<Vec<_>>().join("\n")
            }
        };
        // Some are longer than a line.
        Some(helps.replace('\n', "\n      "))
    }
}

/// `lines 7, 12: make it first`
fn of_lines(lines: &[usize], help: &str) -> String {
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let lines: Vec<_> = lines.iter().map(usize::to_string).collect();
    format!("{word} {}: {help}", lines.join(", "))
}
