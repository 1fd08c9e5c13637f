//! Settings that change nothing where they stand, and settings that contradict each other.

use super::Subject;
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::lower::capability::NETWORK;
use crate::pillion::Network;
use pillion_engine::pod::{
    self as engine, ContainerId, Kind, List, OnRestart, Reaction, RestartPolicy, Until,
};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, drawn, written) in subject.containers() {
        for useless in useless(drawn, written) {
            findings.push(finding(subject, id, &useless));
        }
        for (index, target, edge) in subject.written_edges(id) {
            if edge.on_restart != OnRestart::Keep
                && let Some(why) = stays_fulfilled(subject.container(target), edge.until)
            {
                findings.push(useless_on_restart(subject, id, index, target, why));
            }
        }
        findings.extend(network_contradiction(subject, id, written));
        findings.extend(restless(subject, id, drawn));
    }
}

/// A setting without effect.
struct Useless {
    field: &'static str,
    why: &'static str,
    help: &'static str,
}

fn useless(drawn: &engine::Container, written: &Container) -> Vec<Useless> {
    let fields = &written.pillion;
    let service = drawn.kind == Kind::Service;
    let backoff = fields.backoff.as_ref();
    let table = [
        (
            service && fields.undo.is_some(),
            "undo",
            "only a oneshot can be undone",
            "add `oneshot: true`, or use `lifecycle.preStop` of a service",
        ),
        (
            service && fields.rerun.is_some(),
            "rerun",
            "only a oneshot is run again or not",
            "add `oneshot: true`, or remove it",
        ),
        (
            !service && fields.ready_on.is_some(),
            "readyOn",
            "a oneshot runs to completion and is never ready",
            "remove it: those that require a oneshot wait for its success",
        ),
        (
            // In the init list Kubernetes refuses it, which has been reported.
            !service && drawn.list == List::Regular && written.readiness_probe.is_some(),
            "readinessProbe",
            "a oneshot runs to completion and is never ready",
            "remove it: those that require a oneshot wait for its success",
        ),
        (
            backoff.is_some() && !restarts(drawn),
            "backoff",
            "the container is never restarted",
            "change its `restartPolicy`, or remove it",
        ),
    ];
    let given = table.into_iter().filter(|(useless, ..)| *useless);
    let useless = given.map(|(_, field, why, help)| Useless { field, why, help });
    useless.collect()
}

/// Whether a policy or a rule ever restarts the container.
fn restarts(drawn: &engine::Container) -> bool {
    let by_rule = drawn.restart.rules.iter().any(|rule| match rule.reaction {
        Reaction::Restart | Reaction::RestartAllContainers | Reaction::RestartPod => true,
        Reaction::FailPod | Reaction::CompletePod | Reaction::Ignore => false,
    });
    by_rule || drawn.restart.failure_restarts_pod || drawn.restart.policy != RestartPolicy::Never
}

fn finding(subject: &Subject<'_>, id: ContainerId, useless: &Useless) -> Diagnostic {
    let Useless { field, why, help } = useless;
    let name = subject.name(id);
    let message = format!("`{field}` of container `{name}` has no effect");
    Diagnostic::new(Code::SettingWithoutEffect, message)
        .primary(subject.place(id, field), *why)
        .help(*help)
}

/// Why a condition that was once fulfilled stays so.
fn stays_fulfilled(target: &engine::Container, until: Until) -> Option<&'static str> {
    match (target.kind, until) {
        (Kind::Oneshot { .. }, _) => Some("a oneshot stays done"),
        (Kind::Service, Until::Succeeded | Until::Exited) => Some("what has ended stays so"),
        (Kind::Service, Until::Attempted | Until::Started | Until::Ready | Until::Settled) => None,
    }
}

fn useless_on_restart(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
    why: &str,
) -> Diagnostic {
    let [from, to] = [id, target].map(|id| subject.name(id));
    let message = format!("`onRestart` of `{from}` towards `{to}` has no effect");
    Diagnostic::new(Code::SettingWithoutEffect, message)
        .primary(subject.edge_field(id, index, "onRestart"), why)
        .help("remove it")
}

/// A back-off that never makes anybody wait, and never ends.
fn restless(
    subject: &Subject<'_>,
    id: ContainerId,
    drawn: &engine::Container,
) -> Option<Diagnostic> {
    let engine::Restart { backoff, limit, .. } = &drawn.restart;
    let fields = [
        (backoff.initial, "backoff.initialSeconds"),
        (backoff.max, "backoff.maxSeconds"),
    ];
    let (_, field) = fields.into_iter().find(|(time, _)| time.is_zero())?;
    if limit.is_some() || !restarts(drawn) {
        return None;
    }
    let name = subject.name(id);
    let message = format!("container `{name}` is restarted without a pause, for ever");
    let finding = Diagnostic::new(Code::RestartsWithoutPause, message)
        .primary(subject.place(id, field), "no time between restarts")
        .help("give it a second, or a `maxRestarts`");
    Some(finding)
}

fn network_contradiction(
    subject: &Subject<'_>,
    id: ContainerId,
    written: &Container,
) -> Option<Diagnostic> {
    let fields = &written.pillion;
    let mut uses = fields.uses.iter().flatten();
    let index = uses.position(|used| used.name == NETWORK)?;
    if fields.network != Some(Network::None) {
        return None;
    }
    let name = subject.name(id);
    let message = format!("container `{name}` uses the network and has none");
    let finding = Diagnostic::new(Code::MarkersDisagree, message)
        .primary(subject.place(id, "network"), "says that it has no network")
        .secondary(
            subject.place(id, &format!("uses[{index}]")),
            "says that it uses it",
        )
        .help("keep the one that is meant and remove the other");
    Some(finding)
}
