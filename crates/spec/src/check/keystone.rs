//! Keystones that cannot do what they are for.

use super::Subject;
use super::endings::{Decider, Ending, Endings, can_give_up};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{Dialect, Mark};
use crate::lower::container::is_kept_up;
use pillion_engine::pod::{Container, ContainerId, Keystone, OnGiveUp, Reaction};
use std::collections::BTreeSet;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, container, _) in subject.containers() {
        let Some(keystone) = container.keystone else {
            continue;
        };
        if !can_end(subject, id, keystone) {
            findings.push(never_ends(subject, id, keystone));
        }
        if container.on_give_up == OnGiveUp::Ignore {
            findings.push(ignored(subject, id));
        }
    }
}

/// Whether a container can end in the way that makes it a keystone. A rule that ends the pod with it
/// is as good.
fn can_end(subject: &Subject<'_>, id: ContainerId, keystone: Keystone) -> bool {
    let Endings { success, failure } = Endings::of(subject.pod, id);
    let succeeds = success > Ending::Never;
    let fails = failure > Ending::Never || can_give_up(subject.pod, id);
    match keystone {
        Keystone::Any => succeeds || fails,
        Keystone::Success => succeeds,
        Keystone::Failure => fails,
    }
}

fn never_ends(subject: &Subject<'_>, id: ContainerId, keystone: Keystone) -> Diagnostic {
    let name = subject.name(id);
    let way = match keystone {
        Keystone::Any => "never ends",
        Keystone::Success => "never ends with success",
        Keystone::Failure => "never ends with a failure",
    };
    let mark = mark(subject, id);
    let field = mark.map_or("keystone", |mark| &mark.field);
    let finding = Diagnostic::new(Code::KeystoneNeverEnds, format!("keystone `{name}` {way}"))
        .primary(
            subject.place(id, field),
            "its end would be the end of the pod",
        );
    let deciders = deciders(subject.container(id), keystone);
    let finding = if deciders.contains(&Decider::Policy) {
        let success = Decider::of_success(subject.container(id));
        restarted_by_policy(subject, id, finding).help(other_policy(keystone, success))
    } else {
        restarted_by_rules(subject, id, &deciders, finding)
    };
    // The drafts allow it and mean an ordinary container.
    if mark.is_some_and(|mark| mark.dialect == Dialect::KeystoneDraft) {
        return finding.severity(Severity::Warning);
    }
    finding
}

/// What starts a container again after the ends that would make it a keystone.
fn deciders(container: &Container, keystone: Keystone) -> BTreeSet<Decider> {
    let mut deciders = BTreeSet::new();
    if keystone != Keystone::Failure {
        deciders.insert(Decider::of_success(container));
    }
    if keystone != Keystone::Success {
        deciders.extend(Decider::of_failures(container));
    }
    deciders
}

/// The policies that let it end, if no rule comes before them.
fn other_policy(keystone: Keystone, success: Decider) -> &'static str {
    match (keystone, success) {
        (Keystone::Any | Keystone::Success, Decider::Policy | Decider::Phase) => {
            "give it `restartPolicy: OnFailure` or `Never`"
        }
        (Keystone::Any | Keystone::Success, Decider::Rule(_)) => "give it `restartPolicy: Never`",
        (Keystone::Failure, _) => {
            "give it `restartPolicy: Never`, or a limit by `backoff.maxRestarts`"
        }
    }
}

/// Points at the rules that start it again: where they match, the policy has nothing to say.
fn restarted_by_rules(
    subject: &Subject<'_>,
    id: ContainerId,
    deciders: &BTreeSet<Decider>,
    mut finding: Diagnostic,
) -> Diagnostic {
    let rules = deciders.iter().filter_map(|decider| match decider {
        Decider::Policy | Decider::Phase => None,
        Decider::Rule(index) => Some(*index),
    });
    for index in rules {
        let place = subject.rule_place(id, index, ".action");
        let reaction = subject.container(id).restart.rules[index].reaction;
        finding = finding.secondary(place, starts_again(reaction));
    }
    if !deciders.contains(&Decider::Phase) {
        return finding.help("let the rule say `Ignore`");
    }
    finding
        .secondary(
            subject.place(id, "phase"),
            "a failure in this phase starts the pod again",
        )
        .help("move it to the last phase, or let a rule say what its failure means")
}

fn starts_again(reaction: Reaction) -> &'static str {
    match reaction {
        Reaction::RestartAllContainers | Reaction::RestartPod => "starts the whole pod again",
        Reaction::Restart | Reaction::FailPod | Reaction::CompletePod | Reaction::Ignore => {
            "starts it again"
        }
    }
}

/// Points at what starts it again, if it is written down: its own policy, that it is a sidecar, or
/// the pod's policy, in this order.
fn restarted_by_policy(subject: &Subject<'_>, id: ContainerId, finding: Diagnostic) -> Diagnostic {
    let places = &subject.file.places;
    if subject.written[id.index()].restart_policy.is_some() {
        return finding.secondary(subject.place(id, "restartPolicy"), "starts it again");
    }
    let (drawn, traits) = (subject.container(id), &subject.lowered.traits[id.index()]);
    if is_kept_up(drawn.kind, drawn.role, traits) {
        let field = traits
            .role
            .as_ref()
            .map_or("phase", |said| &said.mark.field);
        return finding
            .secondary(
                subject.place(id, field),
                "a sidecar is always started again",
            )
            .help("if the pod shall end with it, it is hardly a sidecar: remove one of the two");
    }
    if places.contains("spec.restartPolicy") {
        return finding.secondary(places.value("spec.restartPolicy"), "starts it again");
    }
    finding.help("without a `restartPolicy` it is always started again")
}

fn ignored(subject: &Subject<'_>, id: ContainerId) -> Diagnostic {
    let name = subject.name(id);
    let message = format!("keystone `{name}` is ignored when it gives up");
    let field = mark(subject, id).map_or("keystone", |mark| &mark.field);
    Diagnostic::new(Code::KeystoneIgnored, message)
        .primary(
            subject.place(id, "onGiveUp"),
            "what happens to it shall not matter",
        )
        .secondary(
            subject.place(id, field),
            "yet its end is the end of the pod",
        )
        .help("remove one of the two")
}

fn mark<'a>(subject: &Subject<'a>, id: ContainerId) -> Option<&'a Mark> {
    let traits = &subject.lowered.traits[id.index()];
    traits.keystone.as_ref().map(|said| &said.mark)
}
