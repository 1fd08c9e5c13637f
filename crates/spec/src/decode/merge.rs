//! What a container says itself and what the annotation says about it, made one.
//!
//! A field may stand in both places while both say the same.

use super::container::lifecycle;
use super::{pillion, restart, word};
use crate::code::Code;
use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::pillion::PillionFields;
use crate::source::Span;
use crate::tree::Node;

/// The two places.
#[derive(Clone, Copy)]
pub(super) struct Sides<'t> {
    pub(super) inline: Node<'t>,
    pub(super) annotated: Node<'t>,
}

/// Adds what the annotation says to a container.
pub(super) fn merge(container: &mut Container, sides: Sides<'_>, findings: &mut Findings) {
    let node = sides.annotated;
    let fields = pillion::pillion(node, findings);
    let hooks = lifecycle(node, findings);
    let rules = restart::rules(node, findings);
    sides.pick(
        "restartPolicy",
        &mut container.restart_policy,
        word(node, "restartPolicy"),
        findings,
    );
    let own = &mut container.lifecycle;
    sides.pick(
        "lifecycle.podStopping",
        &mut own.pod_stopping,
        hooks.pod_stopping,
        findings,
    );
    sides.pick("lifecycle.type", &mut own.kind, hooks.kind, findings);
    sides.pick(
        "lifecycle.onCompletion",
        &mut own.on_completion,
        hooks.on_completion,
        findings,
    );
    let given = sides.inline.get("restartPolicyRules").is_some();
    let mut own = given.then(|| std::mem::take(&mut container.restart_policy_rules));
    sides.pick("restartPolicyRules", &mut own, rules, findings);
    container.restart_policy_rules = own.unwrap_or_default();
    merge_fields(&mut container.pillion, fields, sides, findings);
}

fn merge_fields(
    own: &mut PillionFields,
    annotated: PillionFields,
    sides: Sides<'_>,
    findings: &mut Findings,
) {
    let PillionFields {
        requires,
        oneshot,
        undo,
        rerun,
        sidecar,
        keystone,
        backoff,
        on_give_up,
        provides,
        uses,
        network,
        phase,
        ready_on,
        start_timeout_seconds,
        stop_timeout_seconds,
        listen,
    } = annotated;
    sides.pick("requires", &mut own.requires, requires, findings);
    sides.pick("oneshot", &mut own.oneshot, oneshot, findings);
    sides.pick("undo", &mut own.undo, undo, findings);
    sides.pick("rerun", &mut own.rerun, rerun, findings);
    sides.pick("sidecar", &mut own.sidecar, sidecar, findings);
    sides.pick("keystone", &mut own.keystone, keystone, findings);
    sides.pick("backoff", &mut own.backoff, backoff, findings);
    sides.pick("onGiveUp", &mut own.on_give_up, on_give_up, findings);
    sides.pick("provides", &mut own.provides, provides, findings);
    sides.pick("uses", &mut own.uses, uses, findings);
    sides.pick("network", &mut own.network, network, findings);
    sides.pick("phase", &mut own.phase, phase, findings);
    sides.pick("readyOn", &mut own.ready_on, ready_on, findings);
    let timeout = &mut own.start_timeout_seconds;
    sides.pick(
        "startTimeoutSeconds",
        timeout,
        start_timeout_seconds,
        findings,
    );
    let timeout = &mut own.stop_timeout_seconds;
    sides.pick(
        "stopTimeoutSeconds",
        timeout,
        stop_timeout_seconds,
        findings,
    );
    sides.pick("listen", &mut own.listen, listen, findings);
}

// === impl Sides ===

impl Sides<'_> {
    /// Takes the annotation's value if the container has none, and objects if they differ.
    fn pick<T: PartialEq>(
        self,
        field: &str,
        own: &mut Option<T>,
        annotated: Option<T>,
        findings: &mut Findings,
    ) {
        match (&own, annotated) {
            (_, None) => {}
            (None, annotated) => *own = annotated,
            (Some(own), Some(annotated)) if *own == annotated => {}
            (Some(_), Some(_)) => findings.push(
                Diagnostic::new(
                    Code::FieldsDisagree,
                    format!("`{field}` is given twice, with different values"),
                )
                .primary(key_span(self.annotated, field), "the annotation says this")
                .secondary(key_span(self.inline, field), "the container says this")
                .help("keep one of them"),
            ),
        }
    }
}

/// The place of a key, one or two levels deep.
fn key_span(node: Node<'_>, field: &str) -> Span {
    match field.split_once('.') {
        Some((first, second)) => node
            .get(first)
            .map_or_else(|| node.span(), |inner| key_span(inner, second)),
        None => node
            .entry(field)
            .map_or_else(|| node.span(), |(span, _)| span),
    }
}
