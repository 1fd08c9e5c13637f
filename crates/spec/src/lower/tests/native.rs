//! The init list, native sidecars and plain containers.

use super::*;

#[test]
fn plain_containers_start_in_list_order_and_stop_in_none() {
    let edges = edges("containers: [{name: a}, {name: b}, {name: c}]");

    assert_snapshot!(edges, @r"
    b: a attempted order start-only
    c: b attempted order start-only
    ");
}

#[test]
fn init_containers_are_a_chain_that_all_regular_containers_wait_for() {
    let edges = edges(
        "
initContainers: [{name: i1}, {name: i2}]
containers: [{name: a}, {name: b}]
",
    );

    assert_snapshot!(edges, @r"
    i2: i1 succeeded
    a: i2 succeeded
    b: i2 succeeded, a attempted order start-only
    ");
}

#[test]
fn a_failed_init_container_still_holds_back_what_comes_after_the_next_sidecar() {
    let edges = edges(
        "
initContainers:
- {name: i1}
- {name: r1, restartPolicy: Always}
- {name: r2, restartPolicy: Always}
- {name: i2}
containers: [{name: m}]
",
    );

    assert_snapshot!(edges, @r"
    r1: i1 succeeded
    r2: r1 started order, i1 succeeded
    i2: r2 started order, i1 succeeded, [mains] stop-only
    m: i2 succeeded, [mains] stop-only
    [mains]: r1 stop-only, r2 stop-only
    ");
}

#[test]
fn native_sidecars_are_kept_up_and_init_containers_run_to_completion() {
    let containers = containers(
        "
restartPolicy: Never
initContainers: [{name: i}, {name: r, restartPolicy: Always}]
containers: [{name: m}, {name: own, restartPolicy: OnFailure}]
",
    );

    assert_snapshot!(containers, @r"
    i: main oneshot Never, plain
    r: sidecar service Always, plain
    m: main service Never, plain
    own: main service OnFailure, plain
    ");
}

#[test]
fn an_own_policy_other_than_always_makes_no_sidecar_of_an_init_container() {
    let containers = containers(
        "
initContainers: [{name: i, restartPolicy: OnFailure}, {name: j, restartPolicy: Never}]
containers: [{name: m}]
",
    );

    assert_snapshot!(containers, @r"
    i: main oneshot OnFailure, plain
    j: main oneshot Never, plain
    m: main service Always, plain
    ");
}

#[test]
fn the_order_of_the_list_yields_to_what_is_written() {
    // The helper requires `b`, and `a` requires the helper: the list says the opposite.
    let edges = edges(
        "
containers:
- {name: a}
- {name: b}
- {name: c}
- {name: net, provides: [network], requires: [b]}
",
    );

    assert_snapshot!(edges, @r"
    a: net ready
    c: net ready, b attempted order start-only
    net: b ready
    ");
}

#[test]
fn only_plain_containers_are_started_in_list_order() {
    let edges = edges("containers: [{name: a}, {name: b, stopTimeoutSeconds: 5}, {name: c}]");

    assert_snapshot!(edges, @"c: a attempted order start-only");
}

#[test]
fn a_marker_against_the_init_list_is_refused() {
    for init in [
        "{name: i, oneshot: false}",
        "{name: i, restartPolicy: Always, oneshot: true}",
        "{name: i, restartPolicy: Always, sidecar: false}",
    ] {
        let codes = codes(&format!(
            "initContainers: [{init}]\ncontainers: [{{name: m}}]"
        ));
        assert_eq!(codes, [Code::MarkersDisagree], "{init}");
    }
}
