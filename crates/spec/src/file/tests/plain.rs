//! Any one field of Pillion's makes a container more than plain.

use super::*;
use crate::lower::{LowerOptions, lower};

/// Every field, alone in a container, and what it is called.
const FIELDS: &[(&str, &str)] = &[
    ("requires", "requires: [db]"),
    ("oneshot", "oneshot: false"),
    ("undo", "undo: [umount, /data]"),
    ("rerun", "rerun: never"),
    ("sidecar", "sidecar: false"),
    ("keystone", "keystone: false"),
    ("backoff", "backoff: {maxRestarts: 3}"),
    ("onGiveUp", "onGiveUp: unready"),
    ("provides", "provides: [secrets]"),
    ("uses", "uses: [secrets]"),
    ("network", "network: none"),
    ("phase", "phase: 40"),
    ("readyOn", "readyOn: notify"),
    ("startTimeoutSeconds", "startTimeoutSeconds: 5"),
    ("stopTimeoutSeconds", "stopTimeoutSeconds: 5"),
    ("listen", "listen: [\"8080\"]"),
    (
        "lifecycle.podStopping",
        "lifecycle: {podStopping: {exec: {command: [drain]}}}",
    ),
    ("lifecycle.type", "lifecycle: {type: Standard}"),
    (
        "lifecycle.onCompletion",
        "lifecycle: {onCompletion: TerminatePod}",
    ),
    (
        "restartPolicyRules",
        "restartPolicyRules: [{oomKilled: true, action: Restart}]",
    ),
];

/// The fields that make the container more than plain, and whether the engine takes it for plain.
/// What else is wrong with such a pod is of no matter here.
fn taken(lines: &str) -> (Vec<&'static str>, bool) {
    let mut outcome = read_text(&container(lines));
    assert_eq!(outcome.pods.len(), 1, "{:#?}", outcome.diagnostics);
    let file = outcome.pods.remove(0);
    let plain = lower(&file, LowerOptions::default()).pod.containers[0].plain;
    (file.pod.spec.containers[0].pillion_fields(), plain)
}

#[test]
fn each_field_alone_makes_a_container_more_than_plain() {
    for (name, lines) in FIELDS {
        assert_eq!(taken(lines), (vec![*name], false), "{lines}");
    }
}

#[test]
fn a_container_of_kubernetes_own_fields_is_plain() {
    let lines = "restartPolicy: OnFailure
lifecycle: {preStop: {exec: {command: [drain]}}}
restartPolicyRules: [{exitCodes: {operator: In, values: [3]}, action: Restart}]";

    assert_eq!(taken(lines), (Vec::new(), true));
}
