//! Requirements that can never be fulfilled, and ones that contradict their target.

use super::Subject;
use super::endings::{Decider, Ending, Endings};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::plan::until_word;
use pillion_engine::pod::{
    Container, ContainerId, Kind, Need, OnGiveUp, Requirement, Role, Target, Until,
};
use std::collections::HashSet;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, _, _) in subject.containers() {
        let mut seen: HashSet<&Requirement> = HashSet::new();
        for (index, target, edge) in subject.written_edges(id) {
            findings.extend(never_holds(subject, id, index, target, edge));
            findings.extend(hard_on_ignored(subject, id, index, target, edge));
            if !seen.insert(edge) {
                findings.push(repeated(subject, id, index, target));
            }
        }
    }
}

fn never_holds(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
    edge: &Requirement,
) -> Option<Diagnostic> {
    let (reason, help) = impossible(subject, target, edge.until)?;
    let [from, to] = [id, target].map(|id| subject.name(id));
    let has = if edge.until == Until::Ready {
        "is"
    } else {
        "has"
    };
    let until = until_word(edge.until);
    let message =
        format!("container `{from}` waits until `{to}` {has} {until}, which never happens");
    let finding = Diagnostic::new(Code::NeverHolds, message)
        .primary(subject.edge_field(id, index, "until"), reason)
        .secondary(
            subject.name_place(target),
            format!("`{to}` is defined here"),
        )
        .help(help);
    // Who goes on after a while starts late, but starts.
    let goes_on = edge.need != Need::Hard && edge.timeout.is_some();
    Some(if goes_on {
        finding.severity(Severity::Warning)
    } else {
        finding
    })
}

/// Why a condition on a container never holds, and what to do.
pub(super) fn impossible(
    subject: &Subject<'_>,
    target: ContainerId,
    until: Until,
) -> Option<(&'static str, &'static str)> {
    let container = subject.container(target);
    if container.role == Role::Ephemeral {
        return Some((
            "ephemeral: it is in no order",
            "remove the requirement: ephemeral containers come and go for debugging",
        ));
    }
    match (until, container.kind) {
        (Until::Ready, Kind::Oneshot { .. }) => Some((
            "a oneshot is never ready",
            "wait until it has `succeeded`, or until it has `started`",
        )),
        (Until::Succeeded | Until::Exited, _) => unseen_end(subject, target, until),
        (
            Until::Attempted | Until::Started | Until::Ready | Until::Settled,
            Kind::Service | Kind::Oneshot { .. },
        ) => None,
    }
}

/// Why nobody ever sees a container end in this way.
fn unseen_end(
    subject: &Subject<'_>,
    target: ContainerId,
    until: Until,
) -> Option<(&'static str, &'static str)> {
    let Endings { success, failure } = Endings::of(subject.pod, target);
    let ending = if until == Until::Succeeded {
        success
    } else {
        success.max(failure)
    };
    let container = subject.container(target);
    let by_rule = container.is_oneshot() || is_restarted_by_rule(container, until);
    let restarted = if until == Until::Succeeded {
        "it is restarted when it succeeds"
    } else {
        "it is always restarted"
    };
    match ending {
        Ending::Seen => None,
        Ending::WithPod => Some((
            "a rule ends the pod with it",
            "let the rule say `Ignore`, or wait for something that comes before that end",
        )),
        Ending::Never if by_rule => Some((
            restarted,
            "change the rule in `restartPolicyRules` that starts it again",
        )),
        Ending::Never => Some((
            restarted,
            "wait until it is `ready`, or give it `oneshot: true` or another `restartPolicy`",
        )),
    }
}

/// Whether rules start a container again after every end that is waited for, so that another
/// policy would change nothing.
fn is_restarted_by_rule(container: &Container, until: Until) -> bool {
    let by_rule = |decider: &Decider| *decider != Decider::Policy;
    let success = by_rule(&Decider::of_success(container));
    success && (until == Until::Succeeded || Decider::of_failures(container).iter().all(by_rule))
}

fn hard_on_ignored(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
    edge: &Requirement,
) -> Option<Diagnostic> {
    let ignored = subject.container(target).on_give_up == OnGiveUp::Ignore;
    let itself_ignored = subject.container(id).on_give_up == OnGiveUp::Ignore;
    let is_ephemeral = subject.container(target).role == Role::Ephemeral;
    if !ignored || itself_ignored || is_ephemeral || edge.need != Need::Hard {
        return None;
    }
    let [from, to] = [id, target].map(|id| subject.name(id));
    let message = format!("container `{from}` insists on `{to}`, which may fail without notice");
    let place = subject.edge_place(Target::Container(id), index);
    let finding = Diagnostic::new(Code::HardOnIgnored, message)
        .primary(place, format!("if `{to}` gives up, `{from}` gives up too"))
        .secondary(
            subject.place(target, "onGiveUp"),
            "yet this says that it does not matter",
        )
        .help(format!(
            "write `{{container: {to}, need: soft}}` if `{from}` can do without"
        ));
    Some(finding)
}

fn repeated(
    subject: &Subject<'_>,
    id: ContainerId,
    index: usize,
    target: ContainerId,
) -> Diagnostic {
    let [from, to] = [id, target].map(|id| subject.name(id));
    let message = format!("container `{from}` requires `{to}` twice");
    let place = subject.edge_place(Target::Container(id), index);
    Diagnostic::new(Code::RequiredTwice, message)
        .primary(place, "the same requirement again")
        .help("remove one of the two")
}
