//! Restart rules that never decide: no exit is like what they say, or others are asked before them.

use super::Subject;
use super::endings::{Decider, is_possible};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use pillion_engine::pod::ContainerId;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, container, _) in subject.containers() {
        let rules = &container.restart.rules;
        if rules.is_empty() {
            continue;
        }
        let deciders = Decider::all(container);
        for (index, rule) in rules.iter().enumerate() {
            if !deciders.contains(&Decider::Rule(index)) {
                findings.push(idle(subject, id, index, is_possible(&rule.when)));
            }
        }
    }
}

fn idle(subject: &Subject<'_>, id: ContainerId, index: usize, possible: bool) -> Diagnostic {
    let name = subject.name(id);
    let message = format!("a restart rule of container `{name}` has no effect");
    let (why, help) = if possible {
        (
            "rules before it match all its exits",
            "the first rule that matches decides: move it up, or remove it",
        )
    } else {
        (
            "no exit is like this",
            "exit codes go from 0 to 255; give at least one, or remove the rule",
        )
    };
    Diagnostic::new(Code::SettingWithoutEffect, message)
        .primary(subject.rule_place(id, index, ""), why)
        .help(help)
}
