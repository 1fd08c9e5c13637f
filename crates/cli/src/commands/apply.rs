//! `pillion apply`: another file for a pod that runs.

mod progress;
pub(crate) mod text;

use crate::args::ApplyArgs;
use crate::control::apply::{Apply, Problem};
use crate::control::client::{Client, NotAnswered};
use crate::control::find;
use crate::control::message::{Answer, Request};
use crate::exit::{ExitStatus, OWN_FAILURE};
use crate::hint::{self, Hint};
use crate::pods::{self, Opened};
use crate::printer::Printer;
use anyhow::Result;
use pillion_spec::{LoadedPod, LowerOptions};
use progress::Progress;

/// The pod that runs cannot be like the file.
#[derive(Debug, thiserror::Error)]
#[error("{pod} cannot be changed like this while it runs{}", text::problems(.problems))]
pub(crate) struct NotApplied {
    pod: String,
    problems: Vec<Problem>,
}

/// Change a pod that runs.
pub(crate) fn apply(args: &ApplyArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let ApplyArgs {
        file,
        pod,
        dry_run,
        force,
        timeout,
        json,
    } = args;
    let loaded = match pods::open_as(file, LowerOptions::WITHOUT_IMAGES, *json, printer)? {
        Opened::Good(loaded) => loaded,
        Opened::Refused(status) => return Ok(status),
    };
    let chosen = pods::only(&loaded, pod.as_deref())?;
    if !*json {
        pods::note_warnings(&loaded, printer)?;
    }
    let mut client = find::one(Some(&full_name(chosen)))?;
    let timeout = timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let request = Apply {
        file: loaded.source.name().to_owned(),
        text: loaded.source.text().to_owned(),
        force: *force,
        dry_run: *dry_run,
        timeout,
    };
    let progress = Progress::new(client.pod(), *dry_run, *json, printer);
    talk(&mut client, request, progress).or_else(|error| {
        hint::report(&error);
        Ok(match error.downcast_ref() {
            Some(NotAnswered::Refused { .. }) => ExitStatus::Unusable,
            Some(_) | None => ExitStatus::Code(OWN_FAILURE),
        })
    })
}

/// Brings the file to the pod, and shows how it goes until all is over.
fn talk(client: &mut Client, request: Apply, mut progress: Progress<'_>) -> Result<ExitStatus> {
    let dry_run = request.dry_run;
    client.say(&Request::Apply(Box::new(request)))?;
    client.be_patient()?;
    loop {
        match client.hear() {
            Ok(Answer::Plan(plan)) => {
                progress.begin(&plan)?;
                if dry_run {
                    return Ok(ExitStatus::Success);
                }
            }
            Ok(Answer::Look(look)) => progress.show(&look)?,
            Ok(Answer::Applied(report)) => return progress.end(&report),
            Ok(Answer::NotApplied(problems)) => return progress.refused(problems),
            // Nothing else is told to those who brought a file.
            Ok(_) => {}
            Err(NotAnswered::Gone { .. }) => return progress.gone(),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The pod that the file is about, with its namespace.
fn full_name(pod: &LoadedPod) -> String {
    format!("{}/{}", pod.file.namespace(), pod.file.name())
}

// === impl NotApplied ===

impl NotApplied {
    pub(crate) const fn new(pod: String, problems: Vec<Problem>) -> Self {
        Self { pod, problems }
    }
}

impl Hint for NotApplied {
    fn hint(&self) -> Option<String> {
        let mut helps: Vec<&str> = Vec::new();
        for problem in &self.problems {
            let help = problem.help.as_deref();
            helps.extend(help.filter(|help| !helps.contains(help)));
        }
        (!helps.is_empty()).then(|| helps.join("\n      "))
    }
}
