//! Timeouts that end before what they wait for can happen.
//!
//! A probe is not tried before its initial delay, readiness not before the startup probe has passed,
//! and a container has not started while its postStart hook sleeps. Successes that must come in a row
//! are a period apart, unless somebody waits: then extra attempts are made in between, and count. A
//! timeout within that time always passes. Anything beyond depends on the program, and is not judged.

use super::Subject;
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Hook;
use crate::lower::seconds;
use crate::lower::sketch::{edges, nodes};
use crate::probe::Probe;
use pillion_engine::pod::{self as engine, ContainerId, Need, Target, Until};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let awaited = awaited(subject.pod);
    for (id, drawn, written) in subject.containers() {
        let awaited = awaited.contains(&id);
        findings.extend(start_timeout(subject, id, drawn, written, awaited));
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

/// What must pass before a container can fulfil a condition that somebody waits for, or nobody.
fn delay(written: &Container, until: Until, awaited: bool) -> Option<Delay> {
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
    let probes = match until {
        Until::Started => startup,
        Until::Ready => match &written.readiness_probe {
            Some(probe) => Some(readiness(probe, startup, awaited)),
            None => startup,
        },
        Until::Attempted | Until::Succeeded | Until::Exited | Until::Settled => return None,
    };
    let delays = [hook, probes].into_iter().flatten();
    delays.max_by_key(|delay| delay.time)
}

/// The containers that somebody waits for to be ready.
fn awaited(pod: &engine::Pod) -> BTreeSet<ContainerId> {
    let edges = nodes(pod).flat_map(|node| edges(pod, node));
    let waits = edges.filter(|edge| edge.until == Until::Ready && edge.gates_start());
    let target = |edge: &engine::Requirement| match edge.target {
        Target::Container(id) => Some(id),
        Target::Barrier(_) => None,
    };
    waits.filter_map(target).collect()
}

/// The first attempt is made after the delay and not before the startup probe has passed, and the
/// others that must succeed as well a period after one another, or at once if somebody waits.
fn readiness(probe: &Probe, startup: Option<Delay>, awaited: bool) -> Delay {
    let own = Delay {
        time: seconds(probe.initial_delay_seconds),
        field: "readinessProbe.initialDelaySeconds",
    };
    let first = match startup {
        Some(startup) if startup.time > own.time => startup,
        Some(_) | None => own,
    };
    let more = probe.success_threshold.saturating_sub(1);
    if awaited || more == 0 {
        return first;
    }
    let others = seconds(probe.period_seconds).saturating_mul(more);
    Delay {
        time: first.time.saturating_add(others),
        field: "readinessProbe.successThreshold",
    }
}

fn start_timeout(
    subject: &Subject<'_>,
    id: ContainerId,
    drawn: &engine::Container,
    written: &Container,
    awaited: bool,
) -> Option<Diagnostic> {
    let timeout = drawn.start_timeout.filter(|_| !drawn.is_oneshot())?;
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
