//! Restart rules and back-off.

use super::{bad_format, count, items, two_given, word};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::restart::{Backoff, Factor, Operator, Reaction, RestartRule, Signal, Trigger};
use crate::tree::{Node, Value};

/// Kubernetes takes no more.
const MAX_RULES: usize = 20;
const MAX_CODES: usize = 255;

/// The rules of a container; none if the field is not there.
pub(super) fn rules(container: Node<'_>, findings: &mut Findings) -> Option<Vec<RestartRule>> {
    let list = container.get("restartPolicyRules")?;
    if list.items().len() > MAX_RULES {
        findings.push(too_many(list, "restart rules", MAX_RULES));
    }
    let rules = list.items().enumerate().filter(|(_, it)| !it.is_null());
    let rules = rules.filter_map(|(entry, node)| rule(node, entry, findings));
    Some(rules.collect())
}

fn rule(node: Node<'_>, entry: usize, findings: &mut Findings) -> Option<RestartRule> {
    let when = trigger(node, findings)?;
    let action: Reaction = word(node, "action")?;
    Some(RestartRule {
        entry,
        when,
        action,
    })
}

fn trigger(node: Node<'_>, findings: &mut Findings) -> Option<Trigger> {
    let ways = ["exitCodes", "oomKilled", "signals"];
    let mut given = ways.iter().filter_map(|way| Some((*way, node.get(way)?)));
    let Some((way, value)) = given.next() else {
        let message = "a restart rule does not say when it holds";
        let diagnostic = Diagnostic::new(Code::MissingField, message);
        let diagnostic = diagnostic.primary(node.span(), "no condition");
        findings.push(diagnostic.help("give one of `exitCodes`, `signals`, `oomKilled`"));
        return None;
    };
    if let Some((second, _)) = given.next() {
        let diagnostic = two_given(node, "a restart rule", way, second);
        findings.push(diagnostic.help("two conditions are two rules"));
    }
    match way {
        "exitCodes" => exit_codes(value, findings),
        "signals" => Some(Trigger::Signals(signals(node, findings))),
        _ => oom_killed(value, findings),
    }
}

fn exit_codes(node: Node<'_>, findings: &mut Findings) -> Option<Trigger> {
    if let Some(list) = node
        .get("values")
        .filter(|list| list.items().len() > MAX_CODES)
    {
        findings.push(too_many(list, "exit codes", MAX_CODES));
    }
    let codes = items(node, "values").filter_map(Node::as_int);
    let values = codes.filter_map(|code| i32::try_from(code).ok()).collect();
    let operator: Operator = word(node, "operator")?;
    Some(Trigger::ExitCodes { operator, values })
}

fn oom_killed(node: Node<'_>, findings: &mut Findings) -> Option<Trigger> {
    if node.as_bool()? {
        return Some(Trigger::OomKilled);
    }
    let message = "a rule for every exit but an out-of-memory kill cannot be written so".to_owned();
    let diagnostic = bad_format(node.span(), message, "only `true` means something");
    findings.push(diagnostic.help("put a rule with `oomKilled: true` before the others"));
    None
}

fn signals(rule: Node<'_>, findings: &mut Findings) -> Vec<Signal> {
    let mut found = Vec::new();
    for node in items(rule, "signals") {
        let signal = match node.as_str() {
            Some(name) => Signal::from_name(name),
            None => node.as_int().and_then(Signal::from_number),
        };
        match signal {
            Some(signal) => found.push(signal),
            None => findings.push(not_a_signal(node)),
        }
    }
    found
}

fn not_a_signal(node: Node<'_>) -> Diagnostic {
    let message = "an entry of `signals` is no signal".to_owned();
    let diagnostic = bad_format(node.span(), message, "no signal of Linux");
    diagnostic.help("write its name, `SIGSEGV`, or its number, 11")
}

pub(super) fn backoff(container: Node<'_>, findings: &mut Findings) -> Option<Backoff> {
    let node = container.get("backoff").filter(|node| node.is_mapping())?;
    let backoff = Backoff {
        initial_seconds: count(node, "initialSeconds", 0, findings),
        factor: factor(node, findings),
        max_seconds: count(node, "maxSeconds", 0, findings),
        reset_seconds: count(node, "resetSeconds", 1, findings),
        max_restarts: count(node, "maxRestarts", 0, findings),
        window_seconds: count(node, "windowSeconds", 1, findings),
    };
    if backoff.window_seconds.is_some() && node.get("maxRestarts").is_none() {
        let message = "`windowSeconds` means nothing without `maxRestarts`";
        let span = node
            .entry("windowSeconds")
            .map_or_else(|| node.span(), |(span, _)| span);
        let diagnostic =
            Diagnostic::new(Code::MissingField, message).primary(span, "no number to go with");
        findings.push(diagnostic.help("say how many restarts in this time are too many"));
    }
    findings.extend(initial_over_max(node, &backoff));
    Some(backoff)
}

/// The first pause is never longer than the longest.
fn initial_over_max(node: Node<'_>, backoff: &Backoff) -> Option<Diagnostic> {
    let (initial, max) = (backoff.initial_seconds?, backoff.max_seconds?);
    let [initial_place, max_place] =
        ["initialSeconds", "maxSeconds"].map(|key| node.get(key).map_or(node.span(), Node::span));
    let message = format!("`initialSeconds` of {initial} is over `maxSeconds` of {max}");
    let diagnostic = Diagnostic::new(Code::SettingWithoutEffect, message)
        .primary(initial_place, "has no effect")
        .secondary(max_place, "is never passed")
        .help("raise `maxSeconds`, or remove one of the two");
    (initial > max).then_some(diagnostic)
}

fn factor(node: Node<'_>, findings: &mut Findings) -> Option<Factor> {
    let value = node.get("factor")?;
    let thousandths = match value.value() {
        Value::Int(number) => u32::try_from(*number)
            .ok()
            .and_then(|number| number.checked_mul(1000)),
        Value::Float(number) => thousandths(*number),
        Value::Null
        | Value::Bool(_)
        | Value::String(_)
        | Value::Sequence(_)
        | Value::Mapping(_) => return None,
    };
    let factor = thousandths
        .filter(|most| *most <= MAX_FACTOR)
        .and_then(Factor::from_thousandths);
    if factor.is_none() {
        let diagnostic =
            Diagnostic::new(Code::OutOfRange, "`factor` must be a number from 1 to 1000");
        findings.push(diagnostic.primary(value.span(), "out of range"));
    }
    factor
}

const MAX_FACTOR: u32 = 1_000_000;

fn thousandths(number: f64) -> Option<u32> {
    let scaled = (number * 1000.0).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked first"
    )]
    (0.0..=f64::from(MAX_FACTOR))
        .contains(&scaled)
        .then_some(scaled as u32)
}

fn too_many(list: Node<'_>, what: &str, most: usize) -> Diagnostic {
    let found = list.items().len();
    let message = format!("{found} {what} are more than the {most} that Kubernetes takes");
    Diagnostic::new(Code::TooMany, message).primary(list.span(), "too many")
}
