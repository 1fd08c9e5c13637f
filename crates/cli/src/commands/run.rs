//! `pillion run`: a pod on this machine, as host processes.

use crate::args::RunArgs;
use crate::commands::simulate::{UnknownContainer, named};
use crate::exit::{ExitStatus, OWN_FAILURE};
use crate::hint;
use crate::pods::{self, Opened};
use crate::printer::Printer;
use crate::running::{self, Followed, Options, Ready};
use anyhow::Result;
use pillion_spec::file::WorkloadKind;
use pillion_spec::restart::RestartPolicy;
use pillion_spec::{LoadedPod, LowerOptions};
use pillion_timeline::{Line, Tone};

/// Run a pod.
pub(crate) fn run(args: RunArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let RunArgs {
        file,
        pod,
        watch,
        json,
        quiet,
        only_logs,
        timestamps,
        max_backoff,
        faults,
    } = args;
    let lowering = LowerOptions {
        max_backoff,
        ..LowerOptions::WITHOUT_IMAGES
    };
    let watch = watch.then(|| Followed::new(&file)).transpose()?;
    // A file that is still being typed, or comes through a pipe, can be interrupted.
    let at_once = file.as_os_str() != "-" && file.is_file();
    let ready = at_once.then(Ready::new);
    let loaded = match pods::open(&file, lowering, printer)? {
        Opened::Good(loaded) => loaded,
        Opened::Refused(status) => return Ok(status),
    };
    let pod = pods::only(&loaded, pod.as_deref())?;
    let faults = faults.into_acts();
    let logs = only_logs.iter().map(String::as_str);
    UnknownContainer::check(&pod.lowered.pod, logs.chain(named(&faults)))?;
    note_kind(pod, printer)?;
    pods::note_warnings(&loaded, printer)?;
    let options = Options {
        lowering,
        json,
        quiet,
        only_logs,
        timestamps,
        faults,
        watch,
    };
    let ready = ready.unwrap_or_else(Ready::new);
    let ended = ready.and_then(|ready| running::run(ready, &loaded, pod, options, printer));
    ended.or_else(|error| {
        hint::report(&error);
        Ok(ExitStatus::Code(OWN_FAILURE))
    })
}

/// Only one pod is run, however many there would be.
fn note_kind(pod: &LoadedPod, printer: &mut Printer) -> Result<()> {
    let kind = pod.file.kind;
    let ignored = match kind {
        WorkloadKind::Pod | WorkloadKind::PodTemplate => return Ok(()),
        WorkloadKind::Deployment | WorkloadKind::StatefulSet | WorkloadKind::ReplicaSet => {
            "`replicas` do not count".to_owned()
        }
        WorkloadKind::DaemonSet => "nodes do not count".to_owned(),
        WorkloadKind::Job => format!("`completions` do not count, {}", retries(pod)),
        WorkloadKind::CronJob => format!("its schedule does not count, {}", retries(pod)),
    };
    let text = format!(": one pod of the {kind} is run, {ignored}");
    printer.note(&Line::new(Tone::Dim, "note").and(Tone::Plain, text))?;
    Ok(())
}

/// What becomes of failures in the pod of a Job.
fn retries(pod: &LoadedPod) -> String {
    match (pod.file.pod.spec.restart_policy, pod.file.retries) {
        (RestartPolicy::OnFailure, Some(max)) => {
            format!("`backoffLimit` ({max}) limits the restarts of all containers together")
        }
        (RestartPolicy::OnFailure, None) | (RestartPolicy::Never | RestartPolicy::Always, _) => {
            "no other pod is made if it fails".to_owned()
        }
    }
}
