//! Another file for a pod that runs: compared with what runs now, and taken container by container.
//!
//! ```text
//! file ─▶ Candidate ─▶ changes ─▶ prepared ─▶ batch by batch ─▶ Report
//!            │            └▶ refused, all at once
//!            └▶ findings             (nothing is touched before "prepared")
//! ```
//!
//! The engine exchanges containers and puts them back; here it is decided which, and in which order. If one of a batch
//! turns out bad, those after it are not begun, and those before it stay.

mod candidate;
mod changed;
mod difference;
mod order;
mod under_way;
mod volumes;

use super::leavings::Leavings;
use super::limits::limits;
use super::memory;
use super::server::object;
use crate::control::apply::{Apply, Plan, Problem, Report};
use crate::hint::Hint as _;
use candidate::Candidate;
use changed::{Changed, all_changed, in_batches, plan, present, users_of};
use difference::Side;
use pillion_engine::{ContainerId, Engine, Entry, Tick};
use pillion_runtime::causes::with_causes;
use pillion_runtime::process::volume::VolumePlan;
use pillion_runtime::process::volume::host_path::missing_host_paths;
use pillion_runtime::process::{Larder, Processes, hiding};
use pillion_runtime::pump::Driven;
use pillion_spec::difference::{self as graph, Refusal};
use pillion_spec::pod::Pod;
use pillion_spec::{Loaded, LowerOptions};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use under_way::UnderWay;

/// What the pod was made from, and the file that is being applied to it.
pub(super) struct Applier {
    /// Where the run keeps its file.
    file: PathBuf,
    /// What files become here.
    lowering: LowerOptions,
    /// The newest file of which something was taken.
    newest: Rc<Larder>,
    volumes: Vec<VolumePlan>,
    /// Everything that was made on the machine, of older files too.
    pub(super) leavings: Leavings,
    /// The beginning of the names of control groups.
    group: String,
    /// Containers that are not as the kept file has them, as they are.
    otherwise: BTreeMap<String, Json>,
    under_way: Option<UnderWay>,
    /// The paths that containers are restarted for, by the newest file.
    watch: BTreeMap<String, Vec<String>>,
    /// What people call the file that was begun last, until somebody has asked.
    begun: Option<String>,
}

/// Why a file is not applied. Nothing has changed.
#[derive(Debug)]
pub(super) enum Rejected {
    /// It has errors.
    Findings(Box<Loaded>),
    /// The pod that runs cannot be like that.
    Problems(Vec<Problem>),
    /// Another one is being applied.
    Busy,
}

/// What to do about what is drawn once for the whole life of a pod.
const RUN_AGAIN: &str = "stop the pod and run it again: `pillion stop`, then `pillion run`";

// === impl Applier ===

impl Applier {
    pub(super) fn new(
        file: PathBuf,
        lowering: LowerOptions,
        newest: Rc<Larder>,
        volumes: Vec<VolumePlan>,
        leavings: Leavings,
        group: String,
        watch: BTreeMap<String, Vec<String>>,
    ) -> Self {
        Self {
            file,
            lowering,
            newest,
            volumes,
            leavings,
            group,
            otherwise: BTreeMap::new(),
            under_way: None,
            watch,
            begun: None,
        }
    }

    /// The newest file of which something was taken: the pod, and what its containers are restarted for.
    pub(super) fn watched(&self) -> (&Pod, &BTreeMap<String, Vec<String>>) {
        (&self.newest.pod, &self.watch)
    }

    /// The file that has been begun since somebody asked last.
    pub(super) const fn take_begun(&mut self) -> Option<String> {
        self.begun.take()
    }

    /// Containers that are not as the kept file has them.
    pub(super) const fn otherwise(&self) -> &BTreeMap<String, Json> {
        &self.otherwise
    }

    /// Whether a file is being applied.
    pub(super) const fn is_busy(&self) -> bool {
        self.under_way.is_some()
    }

    /// Begins to apply a file, or only says what it would change.
    pub(super) fn begin(
        &mut self,
        apply: &Apply,
        pod: &mut Driven<'_, Processes>,
    ) -> Result<Plan, Rejected> {
        if self.is_busy() {
            return Err(Rejected::Busy);
        }
        let mut candidate =
            Candidate::read(apply, &self.newest, self.leavings.volumes(), self.lowering)?;
        candidate.add_problems(&pod.runtime.rehearse(&candidate.larder.pod));
        candidate.add_problems(&hiding(candidate.definitions.values()));
        let missing = missing_host_paths(&candidate.larder.pod, &candidate.volumes);
        candidate.add_problems(&missing);
        let changes = self.changes(&candidate, apply.force, pod)?;
        let batches = in_batches(changes, pod.engine());
        let mut plan = plan(&batches, pod.engine());
        if apply.dry_run {
            return Ok(plan);
        }
        let all: Vec<_> = batches.iter().flatten().collect();
        let prepared = self.prepare(&candidate, &all, pod);
        plan.notes.extend(prepared.map_err(|problem| {
            self.tidy(pod);
            Rejected::Problems(vec![problem])
        })?);
        self.under_way = Some(UnderWay::new(candidate, batches, apply, pod.now));
        self.begun = Some(apply.file.clone());
        Ok(plan)
    }

    /// Something happened in the pod's life.
    pub(super) fn told(&mut self, entry: &Entry) {
        if let Some(under_way) = &mut self.under_way {
            under_way.told(entry);
        }
    }

    /// When something is to be done here, if nothing happens.
    pub(super) fn next_wake(&self) -> Option<Tick> {
        self.under_way.as_ref().and_then(UnderWay::next_wake)
    }

    /// Goes on as far as it can. Says what came of it when all is over.
    pub(super) fn wake(&mut self, pod: &mut Driven<'_, Processes>) -> Option<Report> {
        let report = self.under_way.as_mut()?.go_on(pod)?;
        let candidate = self.under_way.take()?.into_candidate();
        self.take_over(candidate, &report);
        self.tidy(pod);
        Some(report)
    }

    /// Everything that is different, or all that keeps it from being so.
    fn changes(
        &self,
        candidate: &Candidate,
        force: bool,
        pod: &Driven<'_, Processes>,
    ) -> Result<Vec<Changed>, Rejected> {
        let engine = pod.engine();
        let present: Vec<_> = ids(engine).filter_map(|id| present(id, pod)).collect();
        let mut problems = candidate.problems.clone();
        let refusals = self.refusals(candidate, engine, &present);
        let shape = refusals.is_empty();
        problems.extend(refusals.into_iter().map(Problem::from));
        if candidate.problems.is_empty() {
            let users = |volume: &str| users_of(volume, &present);
            problems.extend(volumes::refusals(&self.volumes, &candidate.volumes, users));
        }
        let mut changes = Vec::new();
        if shape && candidate.problems.is_empty() {
            changes = all_changed(candidate, &present);
            problems.extend(changes.iter().filter_map(|change| {
                let taken = engine.check_replacement(change.id, &change.def, force);
                taken.err().map(|why| change.refused(why, engine))
            }));
        }
        if problems.is_empty() {
            Ok(changes)
        } else {
            Err(Rejected::Problems(problems))
        }
    }

    fn refusals(
        &self,
        candidate: &Candidate,
        engine: &Engine,
        present: &[(ContainerId, Side<'_>)],
    ) -> Vec<Refusal> {
        let written = present.iter().filter_map(|(_, side)| {
            let definition = side.definition;
            let mut all = definition.larder().pod.spec.all_containers();
            let (list, _, one) = all.find(|(_, _, one)| one.name == definition.name)?;
            Some((definition.name.as_str(), (list, one)))
        });
        let old = graph::Side {
            graph: engine.pod(),
            spec: &self.newest.pod.spec,
            written: written.collect(),
        };
        let new = graph::Side::of_file(&candidate.graph, &candidate.larder.pod.spec);
        graph::refusals(&old, &new)
    }

    /// Makes all that the new containers need, beside what the old ones have. Says what is to be known about it.
    fn prepare(
        &mut self,
        candidate: &Candidate,
        changes: &[&Changed],
        pod: &mut Driven<'_, Processes>,
    ) -> Result<Vec<String>, Problem> {
        let memory = candidate.larder.run.memory_volumes.as_deref();
        for volume in &candidate.volumes {
            let placed = self.leavings.place(volume, memory);
            placed.map_err(|error| Problem {
                fields: vec![format!("volumes.{}", volume.name)],
                help: error.hint(),
                ..Problem::of_pod(with_causes(&error))
            })?;
        }
        for change in changes {
            let held = pod.runtime.listen_for(change.id, &change.definition);
            held.map_err(|error| Problem {
                container: Some(change.name.clone()),
                fields: vec!["listen".to_owned()],
                help: error.help().map(str::to_owned),
                ..Problem::of_pod(with_causes(&error))
            })?;
        }
        let definitions = changes.iter().map(|change| &change.definition);
        let (limits, note) = limits(definitions);
        if !limits.is_empty() {
            self.leavings.group(&self.group);
            pod.runtime.limit(limits);
        }
        let on_disk = memory::missing(&candidate.volumes, memory);
        let too_large = memory::unlimited(&candidate.volumes);
        let notes = [note, on_disk, too_large].into_iter().flatten();
        Ok(notes.collect())
    }

    /// The file is what the pod was made from now, but for what was put back.
    fn take_over(&mut self, candidate: Candidate, report: &Report) {
        let (good, bad): (Vec<_>, Vec<_>) =
            (report.containers.iter()).partition(|done| done.outcome.is_good());
        if good.is_empty() && !bad.is_empty() {
            return;
        }
        let before = object::containers(&self.file, &self.newest.run.name);
        for done in &bad {
            if let Some(entry) = before.get(&done.container) {
                let entry = || entry.clone();
                self.otherwise
                    .entry(done.container.clone())
                    .or_insert_with(entry);
            }
        }
        for done in good {
            self.otherwise.remove(&done.container);
        }
        let names: Vec<_> = self.otherwise.keys().map(String::as_str).collect();
        let text = match names[..] {
            [] => candidate.text,
            _ => format!("# not like this: {}\n{}", names.join(", "), candidate.text),
        };
        // If it cannot be written, that of before stays.
        let new = self.file.with_extension("new");
        if fs::write(&new, text).is_ok() {
            let _ = fs::rename(&new, &self.file);
        }
        self.newest = candidate.larder;
        self.watch = candidate.watch;
        self.volumes = candidate.volumes;
    }

    /// Lets go of definitions, sockets and volumes that nobody can need any more.
    fn tidy(&mut self, pod: &mut Driven<'_, Processes>) {
        let all: Vec<_> = ids(pod.engine()).collect();
        for id in all {
            let engine = pod.engine();
            let mut kept: Vec<_> = engine
                .record(id)
                .map(|one| one.version)
                .into_iter()
                .collect();
            let replacing = engine.replacing(id);
            kept.extend(
                replacing
                    .into_iter()
                    .flat_map(|one| [one.old_version, one.new_version]),
            );
            pod.runtime.keep_versions(id, &kept);
        }
        let definitions = pod.runtime.definitions();
        let mut used: BTreeSet<_> = definitions.flat_map(|one| one.reachable_paths()).collect();
        used.extend(self.volumes.iter().map(|volume| volume.path.clone()));
        self.leavings.keep_volumes(&used);
    }
}

fn ids(engine: &Engine) -> impl Iterator<Item = ContainerId> + use<> {
    let count = u32::try_from(engine.pod().containers.len()).unwrap_or(u32::MAX);
    (0..count).map(ContainerId)
}

// === impl Problem ===

impl Problem {
    fn of_pod(message: String) -> Self {
        Self {
            container: None,
            fields: Vec::new(),
            message,
            help: None,
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let Refusal {
            container,
            fields,
            message,
        } = refusal;
        Self {
            container,
            fields: fields.into_iter().map(str::to_owned).collect(),
            message,
            help: Some(RUN_AGAIN.to_owned()),
        }
    }
}
