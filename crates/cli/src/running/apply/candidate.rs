//! A file that somebody wants applied: read, checked and made into definitions. Nothing is touched for it.

use super::Rejected;
use super::volumes;
use crate::control::apply::{Apply, Problem};
use pillion_engine::pod::Pod as Graph;
use pillion_runtime::process::recipe::error::Subject;
use pillion_runtime::process::recipe::{self, RecipeError};
use pillion_runtime::process::volume::VolumePlan;
use pillion_runtime::process::{Definition, Draft, Larder};
use pillion_spec::{Loaded, LoadedPod, LowerOptions, load};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// What a file makes of the pod.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) text: String,
    /// As the engine would take it.
    pub(super) graph: Graph,
    pub(super) larder: Rc<Larder>,
    /// By the names of their containers. None is to be run if there is a problem.
    pub(super) definitions: BTreeMap<String, Definition>,
    pub(super) volumes: Vec<VolumePlan>,
    /// The paths that containers are restarted for.
    pub(super) watch: BTreeMap<String, Vec<String>>,
    /// What keeps containers from being run on this machine.
    pub(super) problems: Vec<Problem>,
}

// === impl Candidate ===

impl Candidate {
    /// Reads a file for the pod that was made from this larder, with these volumes on the machine.
    pub(super) fn read(
        apply: &Apply,
        newest: &Larder,
        placed: &[VolumePlan],
        options: LowerOptions,
    ) -> Result<Self, Rejected> {
        let mut loaded = load(&apply.file, apply.text.as_bytes(), options);
        if loaded.has_errors() || loaded.pods.is_empty() {
            return Err(Rejected::Findings(Box::new(loaded)));
        }
        let pod = take_pod(&mut loaded, newest)?;
        let larder = |moved| {
            Rc::new(Larder {
                pod: pod.file.pod.clone(),
                config_maps: loaded.config_maps.clone(),
                secrets: loaded.secrets.clone(),
                host: newest.host.clone(),
                run: recipe::Run {
                    moved,
                    ..newest.run.clone()
                },
            })
        };
        let mut candidate = Self {
            text: apply.text.clone(),
            graph: pod.lowered.pod,
            larder: larder(BTreeMap::new()),
            definitions: BTreeMap::new(),
            volumes: Vec::new(),
            watch: pod.file.watch,
            problems: Vec::new(),
        };
        candidate.define();
        let moved: BTreeMap<String, PathBuf> = volumes::moved(&candidate.volumes, placed);
        if !moved.is_empty() {
            candidate.larder = larder(moved);
            candidate.define();
        }
        Ok(candidate)
    }

    /// More that keeps containers from being run.
    pub(super) fn add_problems(&mut self, errors: &[RecipeError]) {
        self.problems.extend(errors.iter().map(problem));
    }

    fn define(&mut self) {
        let Draft {
            definitions,
            volumes,
            errors,
        } = self.larder.draft();
        let named = definitions.into_iter().map(|one| (one.name.clone(), one));
        self.definitions = named.collect();
        self.volumes = volumes;
        self.problems = errors.iter().map(problem).collect();
    }
}

/// The pod of the file that is the one that runs.
fn take_pod(loaded: &mut Loaded, newest: &Larder) -> Result<LoadedPod, Rejected> {
    let (namespace, name) = (&newest.run.namespace, &newest.run.name);
    let found = loaded.pods.iter().position(|pod| {
        let own = pod.file.pod.metadata.namespace.as_deref();
        *pod.lowered.pod.name == **name && own.unwrap_or("default") == namespace
    });
    match found {
        Some(index) => Ok(loaded.pods.swap_remove(index)),
        None => Err(Rejected::Problems(vec![Problem {
            container: None,
            fields: Vec::new(),
            message: format!("`{name}` of the namespace `{namespace}` is not in the file"),
            help: None,
        }])),
    }
}

fn problem(error: &RecipeError) -> Problem {
    let help = error.help();
    let container = match &error.subject {
        Subject::Container(container)
        | Subject::Variable { container, .. }
        | Subject::EnvFrom { container }
        | Subject::Mount { container, .. } => Some(container.clone()),
        Subject::Pod | Subject::Volume(_) => None,
    };
    Problem {
        container,
        fields: vec![error.field.clone()],
        message: error.to_string(),
        help,
    }
}
