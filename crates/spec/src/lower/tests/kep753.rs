//! Container types.

use super::*;

#[test]
fn mains_wait_for_the_readiness_of_the_sidecar_before_them_and_it_outlives_them() {
    for kind in ["Sidecar", "PreSidecar"] {
        let edges = edges(&format!(
            "
containers:
- {{name: app}}
- {{name: proxy, lifecycle: {{type: {kind}}}}}
"
        ));

        assert_eq!(
            edges, "app: proxy ready order, [mains] stop-only\n[mains]: proxy stop-only\n",
            "{kind}"
        );
    }
}

#[test]
fn several_sidecars_and_mains_meet_at_a_barrier() {
    let edges = edges(
        "
containers:
- {name: a}
- {name: b, lifecycle: {type: Standard}}
- {name: s, lifecycle: {type: PreSidecar}}
- {name: t, lifecycle: {type: PreSidecar}}
",
    );

    assert_snapshot!(edges, @r"
    a: [sidecars] order, [mains] stop-only
    b: [sidecars] order, [mains] stop-only
    [sidecars]: s ready order, t ready order
    [mains]: s stop-only, t stop-only
    ");
}

#[test]
fn a_post_sidecar_starts_when_the_app_is_ready_and_stops_after_it() {
    let edges = edges(
        "
containers:
- {name: app}
- {name: post, lifecycle: {type: PostSidecar}}
",
    );

    assert_snapshot!(edges, @r"
    app: [mains] stop-only
    post: app ready order start-only
    [mains]: post stop-only
    ");
}

#[test]
fn the_init_list_comes_before_the_sidecars() {
    let edges = edges(
        "
initContainers: [{name: init}]
containers:
- {name: app}
- {name: pre, lifecycle: {type: PreSidecar}}
",
    );

    assert_snapshot!(edges, @r"
    app: init succeeded, pre ready order, [mains] stop-only
    pre: init succeeded
    [mains]: pre stop-only
    ");
}

#[test]
fn sidecars_restart_by_the_policy_of_the_pod() {
    let containers = containers(
        "
restartPolicy: OnFailure
containers:
- {name: app}
- {name: pre, lifecycle: {type: Sidecar}}
- {name: post, lifecycle: {type: PostSidecar}}
- {name: also, sidecar: true, lifecycle: {type: Sidecar}}
",
    );

    assert_snapshot!(containers, @r"
    app: main service OnFailure, plain
    pre: sidecar service OnFailure
    post: sidecar service OnFailure
    also: sidecar service OnFailure
    ");
}

#[test]
fn a_type_that_contradicts_another_marker_is_refused() {
    for container in [
        "{name: a, sidecar: true, lifecycle: {type: Standard}}",
        "{name: a, sidecar: false, lifecycle: {type: Sidecar}}",
    ] {
        let codes = codes(&format!("containers: [{container}, {{name: b}}]"));
        assert_eq!(codes, [Code::MarkersDisagree], "{container}");
    }
}

#[test]
fn types_have_no_meaning_in_the_init_list() {
    let codes = codes(
        "
initContainers: [{name: r, restartPolicy: Always, lifecycle: {type: Sidecar}}]
containers: [{name: m}]
",
    );
    assert_eq!(codes, [Code::MarkerMisplaced]);
}
