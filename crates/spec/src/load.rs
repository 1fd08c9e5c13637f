//! A file in, runnable pods out: reading, drawing and checking in one call.

use crate::check::check;
use crate::diagnostic::Diagnostic;
use crate::file::{ConfigMap, Outcome, PodFile, Secret, read};
use crate::lower::{LowerOptions, Lowered, lower};
use crate::source::Source;

/// Everything about one file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text, for showing findings.
    pub source: Source,
    /// Its pods in the order of the file.
    pub pods: Vec<LoadedPod>,
    /// `ConfigMap` objects beside them.
    pub config_maps: Vec<ConfigMap>,
    /// Secrets beside them.
    pub secrets: Vec<Secret>,
    /// Everything that is wrong, in the order of the file. If one of these is an error, no pod of
    /// the file must be run.
    pub diagnostics: Vec<Diagnostic>,
}

/// A pod as written and as it will be run.
#[derive(Clone, Debug)]
pub struct LoadedPod {
    /// As written.
    pub file: PodFile,
    /// As the engine takes it.
    pub lowered: Lowered,
}

/// Reads a file, draws the graphs of its pods and checks them.
pub fn load(name: &str, bytes: &[u8], options: LowerOptions) -> Loaded {
    let Outcome {
        source,
        pods,
        config_maps,
        secrets,
        mut diagnostics,
    } = read(name, bytes);
    let mut loaded = Vec::with_capacity(pods.len());
    for file in pods {
        let (lowered, findings) = lower_and_check(&file, options);
        diagnostics.extend(findings);
        loaded.push(LoadedPod { file, lowered });
    }
    sort(&mut diagnostics);
    Loaded {
        source,
        pods: loaded,
        config_maps,
        secrets,
        diagnostics,
    }
}

/// Draws and checks the graph of one pod. The findings of both are in the order of the file.
pub fn lower_and_check(file: &PodFile, options: LowerOptions) -> (Lowered, Vec<Diagnostic>) {
    let mut lowered = lower(file, options);
    let mut findings = std::mem::take(&mut lowered.diagnostics);
    findings.extend(check(file, &lowered));
    sort(&mut findings);
    (lowered, findings)
}

/// By place; what has none comes first.
fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(Diagnostic::place);
}

// === impl Loaded ===

impl Loaded {
    /// Whether something is so wrong that the file must not be run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
