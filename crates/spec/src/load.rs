//! A file in, runnable pods out: reading, drawing and checking in one call.

use crate::check::check;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::file::{ConfigMap, Outcome, PodFile, Secret, read_into};
use crate::findings::Findings;
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
    let mut findings = Findings::default();
    let Outcome {
        source,
        pods,
        config_maps,
        secrets,
        diagnostics: _,
    } = read_into(name, bytes, &mut findings);
    let mut load_pod = |file| {
        let lowered = lower_into(&file, options, &mut findings);
        LoadedPod { file, lowered }
    };
    Loaded {
        source,
        pods: pods.into_iter().map(&mut load_pod).collect(),
        config_maps,
        secrets,
        diagnostics: findings.finish(),
    }
}

/// Draws and checks the graph of one pod. The findings of both are in the order of the file.
pub fn lower_and_check(file: &PodFile, options: LowerOptions) -> (Lowered, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let lowered = lower_into(file, options, &mut findings);
    (lowered, findings.finish())
}

fn lower_into(file: &PodFile, options: LowerOptions, findings: &mut Findings) -> Lowered {
    let mut lowered = lower(file, options);
    let found = std::mem::take(&mut lowered.diagnostics);
    for finding in found.into_iter().chain(check(file, &lowered)) {
        findings.push(finding);
    }
    lowered
}

// === impl Loaded ===

impl Loaded {
    /// Whether something is so wrong that the file must not be run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

// === impl LoadedPod ===

impl LoadedPod {
    /// Whether checking the pod's graph finds something of this kind. Whoever names a code should
    /// do so only where `pillion lint` shows it.
    pub fn reports(&self, code: Code) -> bool {
        let findings = check(&self.file, &self.lowered);
        findings.iter().any(|finding| finding.code == code)
    }
}
