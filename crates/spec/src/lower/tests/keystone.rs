//! The drafts of a container whose end is the end of the pod.

use super::*;

#[test]
fn both_drafts_mean_a_keystone_by_any_end() {
    let containers = containers(
        "
restartPolicy: OnFailure
containers:
- {name: a, lifecycle: {type: Keystone}}
- {name: b, lifecycle: {onCompletion: TerminatePod}}
- {name: c, keystone: success}
- {name: d, keystone: failure}
- {name: e, keystone: true}
",
    );

    assert_snapshot!(containers, @r"
    a: main service OnFailure, keystone any
    b: main service OnFailure, keystone any
    c: main service OnFailure, keystone success
    d: main service OnFailure, keystone failure
    e: main service OnFailure, keystone any
    ");
}

#[test]
fn completion_can_end_the_pod_from_a_sidecar_too() {
    let containers = containers(
        "
restartPolicy: Never
containers:
- {name: app}
- {name: guard, restartPolicy: Never, sidecar: true, lifecycle: {onCompletion: TerminatePod}}
",
    );

    assert_snapshot!(containers, @r"
    app: main service Never, plain
    guard: sidecar service Never, keystone any
    ");
}

#[test]
fn keystones_bring_no_order() {
    let edges = edges(
        "
restartPolicy: Never
containers: [{name: a, lifecycle: {type: Keystone}}, {name: b}]
",
    );
    assert_eq!(edges, "");
}

#[test]
fn keystone_markers_that_say_the_same_go_together() {
    for (marker, expected) in [
        ("keystone: any", vec![]),
        ("keystone: success", vec![Code::MarkersDisagree]),
        ("keystone: false", vec![Code::MarkersDisagree]),
        ("sidecar: true", vec![Code::MarkersDisagree]),
    ] {
        let codes = codes(&format!(
            "
restartPolicy: Never
containers: [{{name: a, {marker}, lifecycle: {{type: Keystone}}}}, {{name: b}}]
"
        ));
        assert_eq!(codes, expected, "{marker}");
    }
}
