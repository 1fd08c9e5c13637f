//! Phases.

use super::*;

const FOUR: &str = "
containers:
- {name: setup, phase: network, restartPolicy: OnFailure}
- {name: creds, phase: clusterEnv, restartPolicy: Always}
- {name: migrate, phase: appInit, restartPolicy: Never}
- {name: app}
";

#[test]
fn each_phase_waits_for_all_of_the_one_before() {
    assert_snapshot!(edges(FOUR), @r"
    creds: [phase network]
    migrate: [phase clusterEnv], [mains] stop-only
    app: [phase appInit], [mains] stop-only
    [phase network]: setup succeeded
    [phase clusterEnv]: creds ready
    [phase appInit]: migrate succeeded
    [mains]: creds stop-only
    ");
}

#[test]
fn before_the_last_phase_the_own_policy_says_what_a_container_is_for() {
    assert_snapshot!(containers(FOUR), @r"
    setup: main oneshot OnFailure
    creds: sidecar service Always
    migrate: main oneshot Never
    app: main service Always, plain
    ");
}

#[test]
fn in_the_last_phase_a_policy_is_only_a_policy() {
    let containers = containers(
        "
containers:
- {name: a, phase: 1, restartPolicy: Never}
- {name: b, phase: 50, restartPolicy: Never}
- {name: c, phase: 50, restartPolicy: Always}
",
    );

    assert_snapshot!(containers, @r"
    a: main oneshot Never
    b: main service Never
    c: main service Always
    ");
}

#[test]
fn an_inherited_policy_makes_neither_a_oneshot_nor_a_sidecar() {
    let containers = containers(
        "
restartPolicy: Never
containers: [{name: a, phase: network}, {name: b, phase: clusterEnv, sidecar: false}, {name: c}]
",
    );

    assert_snapshot!(containers, @r"
    a: main service Never
    b: main service Never
    c: main service Never, plain
    ");
}

#[test]
fn a_resident_can_be_a_main() {
    let containers = containers(
        "
containers: [{name: a, phase: network, restartPolicy: Always, sidecar: false}, {name: b}]
",
    );
    assert!(
        containers.starts_with("a: main service Always\n"),
        "{containers}"
    );
}

#[test]
fn the_failure_of_a_single_attempt_restarts_the_pod_by_its_policy() {
    let pod = |policy: &str| {
        let spec = format!(
            "
restartPolicy: {policy}
containers: [{{name: a, phase: appInit, restartPolicy: Never}}, {{name: b}}]
"
        );
        let containers = PodText::new(&spec).lower().pod.containers;
        [0, 1].map(|index: usize| containers[index].restart.failure_restarts_pod)
    };

    assert_eq!(pod("Always"), [true, false]);
    assert_eq!(pod("OnFailure"), [true, false]);
    assert_eq!(pod("Never"), [false, false]);
}

#[test]
fn the_failure_of_a_helper_that_may_be_missing_restarts_nothing() {
    let containers = PodText::new(
        "
restartPolicy: Always
containers:
- {name: a, phase: appInit, restartPolicy: Never, onGiveUp: ignore}
- {name: b}
",
    );

    assert!(
        !containers.lower().pod.containers[0]
            .restart
            .failure_restarts_pod
    );
}

#[test]
fn a_phase_that_is_not_written_means_the_same_as_a_written_one() {
    for policy in ["Always", "OnFailure", "Never"] {
        let containers = |phase: &str| {
            let spec = format!(
                "
restartPolicy: OnFailure
containers: [{{name: app{phase}, restartPolicy: {policy}}}, {{name: last, phase: 50}}]
"
            );
            PodText::new(&spec).lower().pod.containers
        };

        assert_eq!(containers(""), containers(", phase: appRun"));
    }
}

#[test]
fn the_init_list_is_in_app_init_and_holds_back_nothing_of_earlier_phases() {
    let edges = edges(
        "
initContainers: [{name: i1}, {name: i2}]
containers:
- {name: proxy, phase: network, restartPolicy: Always}
- {name: also, phase: appInit, restartPolicy: OnFailure}
- {name: app}
",
    );

    assert_snapshot!(edges, @r"
    i1: [phase network], [mains] stop-only
    i2: i1 succeeded, [phase network], [mains] stop-only
    also: i2 succeeded, [phase network], [mains] stop-only
    app: i2 succeeded, [phase appInit], [mains] stop-only
    [phase network]: proxy ready
    [phase appInit]: i1 succeeded, i2 succeeded, also succeeded
    [mains]: proxy stop-only
    ");
}

#[test]
fn a_phase_does_not_insist_on_what_may_be_ignored() {
    let edges = edges(
        "
containers:
- {name: metrics, phase: clusterEnv, onGiveUp: ignore}
- {name: app, stopTimeoutSeconds: 1}
",
    );

    assert_snapshot!(edges, @r"
    app: [phase clusterEnv]
    [phase clusterEnv]: metrics ready soft
    ");
}

#[test]
fn the_phase_that_prepares_the_network_does_not_wait_for_it() {
    let edges = edges(
        "
containers:
- {name: proxy, phase: network, provides: [network], restartPolicy: Always}
- {name: iptables, phase: 10, restartPolicy: OnFailure}
- {name: asks, phase: network, restartPolicy: Always, network: required}
- {name: app}
",
    );

    assert_snapshot!(edges, @r"
    iptables: [mains] stop-only
    asks: proxy ready
    app: [phase network], proxy ready, [mains] stop-only
    [phase network]: proxy ready, iptables succeeded, asks ready
    [mains]: proxy stop-only, asks stop-only
    ");
}

#[test]
fn a_policy_that_means_oneshot_contradicts_a_service() {
    let codes = codes(
        "
containers: [{name: a, phase: network, restartPolicy: Never, oneshot: false}, {name: b}]
",
    );
    assert_eq!(codes, [Code::MarkersDisagree]);
}
