//! Timeouts that end before what they wait for can happen.
//!
//! A probe is not tried before its initial delay, and a container has not started while its postStart
//! hook sleeps. Successes that must come in a row are a period apart, unless somebody waits: then extra
//! attempts are made in between, and count. A timeout within that time always passes. Anything beyond
//! depends on the program, and is not judged.

use super::Subject;
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Hook;
use crate::lower::seconds;
use crate::probe::Probe;
use pillion_engine::pod::{self as engine, ContainerId, Need, Target, Until};
use std::time::Duration;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, drawn, written) in subject.containers() {
        findings.extend(start_timeout(subject, id, drawn, written));
        for (index, target, edge) in subject.written_edges(id) {
            findings.extend(edge_timeout(subject, id, index, target, edge));
        }
    }
}

/// Something that takes time for certain: how long, which field says so.
struct Delay {
    time: Duration,
    field: &'static str,
}

/// The longest of what must pass before a container can fulfil a condition that somebody waits for, or nobody.
fn delay(written: &Container, until: Until, awaited: bool) -> Option<Delay> {
    let (started, ready) = match until {
        Until::Started => (true, false),
        Until::Ready => (true, true),
        Until::Attempted | Until::Succeeded | Until::Exited | Until::Settled => (false, false),
    };
    let hook = match &written.lifecycle.post_start {
        Some(Hook::Sleep { seconds }) => Some(Delay {
            time: Duration::from_secs(*seconds),
            field: "lifecycle.postStart.sleep.seconds",
        }),
        Some(Hook::Exec(_) | Hook::HttpGet(_) | Hook::TcpSocket(_)) | None => None,
    };
    let startup = written.startup_probe.as_ref().map(|probe| Delay {
        time: seconds(probe.initial_delay_seconds),
        field: "startupProbe.initialDelaySeconds",
    });
    let readiness = written
        .readiness_probe
        .as_ref()
        .map(|probe| readiness(probe, awaited));
    let delays = [
        hook.filter(|_| started),
        startup.filter(|_| started),
        readiness.filter(|_| ready),
    ];
    delays.into_iter().flatten().max_by_key(|delay| delay.time)
}

/// Whether somebody waits for a container to be ready.
fn is_awaited(subject: &Subject<'_>, id: ContainerId) -> bool {
    let pod = subject.pod;
    let of_containers = pod.containers.iter().flat_map(|it| &it.requires);
    let of_barriers = pod.barriers.iter().flat_map(|it| &it.requires);
    let mut edges = of_containers.chain(of_barriers);
    edges.any(|edge| {
        edge.target == Target::Container(id) && edge.until == Until::Ready && edge.gates_start()
    })
}

/// The first attempt is made after the delay, and the others that must succeed as well a period
/// after one another, or at once if somebody waits.
fn readiness(probe: &Probe, awaited: bool) -> Delay {
    let more = if awaited {
        0
    } else {
        probe.success_threshold.saturating_sub(1)
    };
    let delay = seconds(probe.initial_delay_seconds);
    Delay {
        time: delay.saturating_add(seconds(probe.period_seconds).saturating_mul(more)),
        field: if more > 0 {
            "readinessProbe.successThreshold"
        } else {
            "readinessProbe.initialDelaySeconds"
        },
    }
}

fn start_timeout(
    subject: &Subject<'_>,
    id: ContainerId,
    drawn: &engine::Container,
    written: &Container,
) -> Option<Diagnostic> {
    let timeout = drawn.start_timeout.filter(|_| !drawn.is_oneshot())?;
    let awaited = is_awaited(subject, id);
    let delay = delay(written, Until::Ready, awaited).filter(|delay| delay.time >= timeout)?;
    let name = subject.name(id);
    let message = format!("container `{name}` is killed before it can be ready");
    let finding = Diagnostic::new(Code::StartTimeoutTooShort, message)
        .primary(
            subject.place(id, "startTimeoutSeconds"),
            "it has this long to be ready",
        )
        .secondary(subject.place(id, delay.field), "needs at least this long")
        .help(format!(
            "allow more than {} s, or shorten the delay",
            delay.time.as_secs()
        ));
    Some(finding)
}

fn edge_timeout(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
    edge: &engine::Requirement,
) -> Option<Diagnostic> {
    let timeout = edge.timeout?;
    let written = subject.written[target.index()];
    let delay = delay(written, edge.until, true).filter(|delay| delay.time >= timeout)?;
    let [from, to] = [id, target].map(|id| subject.name(id));
    let message = format!("container `{from}` stops waiting for `{to}` before it can be there");
    let finding = Diagnostic::new(Code::WaitTooShort, message)
        .primary(
            subject.edge_field(id, index, "timeoutSeconds"),
            "waits this long",
        )
        .secondary(
            subject.place(target, delay.field),
            "takes at least this long",
        )
        .help(format!(
            "allow more than {} s, or shorten the delay",
            delay.time.as_secs()
        ));
    Some(match edge.need {
        Need::Hard => finding,
        Need::Soft | Need::Order => finding.severity(Severity::Warning),
    })
}
