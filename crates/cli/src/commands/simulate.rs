//! `pillion simulate`: the life of a pod in virtual time.

mod story;

use crate::args::SimulateArgs;
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::input;
use crate::pods::{self, Opened};
use crate::printer::Printer;
use anyhow::Result;
use pillion_engine::Pod;
use pillion_simulator::act::{Act, Deed};
use pillion_simulator::scenario::read::{self, Given, Reading};
use pillion_simulator::{Driver, Outcome, Played, Scenario, Violation, judge, play};
use pillion_spec::render::Renderer;
use pillion_spec::{LoadedPod, LowerOptions, Source};
use pillion_timeline::json;
use pillion_timeline::story::Detail;
use std::path::Path;

/// An act is about a container that the pod does not have.
#[derive(Debug, thiserror::Error)]
#[error("there is no container `{wanted}` in the pod")]
pub(crate) struct UnknownContainer {
    wanted: String,
    names: Vec<String>,
}

/// Either something to go on with, or the end of the command.
enum Step<T> {
    Go(T),
    End(ExitStatus),
}

/// Play a pod and print its timeline.
pub(crate) fn simulate(args: SimulateArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let SimulateArgs {
        file,
        pod,
        scenario,
        acts,
        all,
        json,
    } = args;
    let acts = acts.into_acts();
    let pod = match file {
        Some(file) => match pod_of(&file, pod.as_deref(), printer)? {
            Step::Go(pod) => Some(pod),
            Step::End(status) => return Ok(status),
        },
        None => None,
    };
    let scenario = match scenario_of(pod, scenario.as_deref(), printer)? {
        Step::Go(scenario) => with_acts(scenario, acts)?,
        Step::End(status) => return Ok(status),
    };
    let played = play(&scenario)?;
    if json {
        printer.bytes(json::write(&played.timeline()).as_bytes())?;
    } else {
        let detail = if all { Detail::Full } else { Detail::Brief };
        printer.lines(&story::tell(&played, detail, printer.style()))?;
    }
    note_in_vain(&played, printer)?;
    verdicts(&scenario, &played, printer)
}

fn pod_of(
    file: &Path,
    wanted: Option<&str>,
    printer: &mut Printer,
) -> Result<Step<(LoadedPod, Source)>> {
    Ok(match pods::open(file, LowerOptions::default(), printer)? {
        Opened::Good(loaded) => {
            let pod = pods::only(&loaded, wanted)?.clone();
            Step::Go((pod, loaded.source))
        }
        Opened::Refused(status) => Step::End(status),
    })
}

/// The scenario that is given, or the life that every pod hopes for.
fn scenario_of(
    pod: Option<(LoadedPod, Source)>,
    path: Option<&Path>,
    printer: &mut Printer,
) -> Result<Step<Scenario>> {
    let Some(path) = path else {
        let (pod, _) = pod.expect("a file is required where there is no scenario");
        return Ok(Step::Go(
            Scenario::whole_life(pod.lowered.pod).with_sleeps_of(&pod.file),
        ));
    };
    let input = input::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut open = |name: &str| match input::read(&folder.join(name)) {
        Ok(input) => Ok(input.bytes),
        Err(error) => {
            Err(std::error::Error::source(&error).map_or_else(String::new, ToString::to_string))
        }
    };
    let Reading {
        sources,
        findings,
        scenario,
        pod: _,
    } = match &pod {
        Some((pod, source)) => {
            let given = Given::new(&pod.lowered.pod).of_file(source);
            read::read_for(&given, &input.name, &input.bytes, &mut open)
        }
        None => read::read(&input.name, &input.bytes, &mut open),
    };
    let renderer = Renderer::coloured().width(printer.style().width);
    for of_file in findings.chunk_by(|(file, _), (next, _)| file == next) {
        if let Some(source) = of_file.first().and_then(|(file, _)| sources.get(*file)) {
            let findings: Vec<_> = of_file.iter().map(|(_, finding)| finding.clone()).collect();
            printer.note_text(&format!("{}\n", renderer.render_all(source, &findings)))?;
        }
    }
    let scenario = match (scenario, &pod) {
        (Some(scenario), Some((pod, _))) => Some(scenario.with_sleeps_of(&pod.file)),
        (scenario, _) => scenario,
    };
    Ok(scenario.map_or(Step::End(ExitStatus::Unusable), Step::Go))
}

fn with_acts(scenario: Scenario, acts: Vec<Act>) -> Result<Scenario, UnknownContainer> {
    UnknownContainer::check(&scenario.pod, named(&acts))?;
    // A pod that somebody deletes is not deleted once more at the usual time.
    let deletes = acts
        .iter()
        .any(|act| matches!(act.deed, Some(Deed::Delete { .. })));
    let mut scenario = scenario;
    if deletes {
        scenario
            .acts
            .retain(|act| !matches!(act.deed, Some(Deed::Delete { .. })));
    }
    Ok(scenario.with_timed_acts(acts))
}

/// The containers that these acts are about.
pub(crate) fn named(acts: &[Act]) -> impl Iterator<Item = &str> {
    let deeds = acts.iter().filter_map(|act| act.deed.as_ref());
    deeds.filter_map(container_of)
}

/// The container that a deed of the command line is about.
fn container_of(deed: &Deed) -> Option<&str> {
    match deed {
        Deed::SetImage { container, .. }
        | Deed::Kill { container, .. }
        | Deed::Exit { container, .. }
        | Deed::SetProbe { container, .. } => Some(container),
        Deed::Replace(replacement) => Some(&replacement.container),
        Deed::Ask { by, .. } => by.as_deref(),
        Deed::Delete { .. }
        | Deed::RestartDriver { .. }
        | Deed::Reboot
        | Deed::AddEphemeral { .. } => None,
    }
}

/// What was asked for and changed nothing is said, lest somebody take silence for success.
fn note_in_vain(played: &Played, printer: &mut Printer) -> Result<()> {
    let mut in_vain = played.record.in_vain.iter();
    Ok(in_vain.try_for_each(|act| printer.note_text(act))?)
}

/// Says which expectations hold, if there are any.
fn verdicts(scenario: &Scenario, played: &Played, printer: &mut Printer) -> Result<ExitStatus> {
    let mut status = ExitStatus::Success;
    if let Some(reason) = scenario.not_on.get(&Driver::Virtual) {
        printer.note_text(&format!(
            "the scenario is not meant for virtual time: {reason}"
        ))?;
    }
    for violation in &played.record.violations {
        let Violation { at, what } = violation;
        printer.note_text(&format!("at {at}, what must never happen: {what}"))?;
        status = ExitStatus::Findings;
    }
    for verdict in judge(scenario, &played.record, Driver::Virtual) {
        printer.note_text(&verdict.to_string())?;
        if matches!(verdict.outcome, Outcome::Failed(_)) {
            status = ExitStatus::Findings;
        }
    }
    Ok(status)
}

// === impl UnknownContainer ===

impl UnknownContainer {
    /// Refuses the first name that no container of the pod has.
    pub(crate) fn check<'a>(
        pod: &Pod,
        wanted: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Self> {
        let names = || pod.containers.iter().map(|container| &*container.name);
        let mut wanted = wanted.into_iter();
        let unknown = wanted.find(|wanted| !names().any(|name| name == *wanted));
        unknown.map_or(Ok(()), |unknown| Err(Self::new(unknown, names())))
    }

    pub(crate) fn new(wanted: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            wanted: wanted.to_owned(),
            names: names.into_iter().map(Into::into).collect(),
        }
    }
}

impl Hint for UnknownContainer {
    fn hint(&self) -> Option<String> {
        Some(format!("it has {}", self.names.join(", ")))
    }
}
