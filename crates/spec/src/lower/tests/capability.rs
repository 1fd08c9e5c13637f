//! `provides`, `uses`, and the network that everybody uses.

use super::*;

#[test]
fn using_a_capability_requires_its_provider_by_the_default_of_its_kind() {
    let edges = edges(
        "
containers:
- {name: app, uses: [secrets, {name: devices, need: soft}]}
- {name: vault, provides: [secrets], stopTimeoutSeconds: 1}
- {name: mknod, provides: [devices], oneshot: true}
",
    );

    assert_snapshot!(edges, @"app: vault ready, mknod succeeded soft");
}

#[test]
fn no_provider_is_an_error_unless_the_use_is_soft() {
    assert_eq!(
        codes("containers: [{name: app, uses: [secrets]}]"),
        [Code::NoProvider]
    );
    assert_eq!(
        codes("containers: [{name: app, uses: [{name: secrets, need: soft}]}]"),
        []
    );
}

#[test]
fn two_providers_of_one_capability_are_an_error() {
    let found = codes("containers: [{name: a, provides: [x]}, {name: b, provides: [x]}]");
    assert_eq!(found, [Code::TwoProviders]);
}

#[test]
fn everybody_waits_for_the_network_and_its_provider_outlives_them() {
    let edges = edges(
        "
initContainers: [{name: init}]
containers:
- {name: proxy, sidecar: true, provides: [network]}
- {name: app}
- {name: logs, sidecar: true}
- {name: offline, network: none}
",
    );

    // The init container comes before the provider, so it cannot wait for it.
    assert_snapshot!(edges, @r"
    proxy: init succeeded
    app: init succeeded, proxy ready, [mains] stop-only
    logs: init succeeded, proxy ready
    offline: init succeeded, [mains] stop-only
    [mains]: proxy stop-only, logs stop-only
    ");
}

#[test]
fn init_containers_after_a_native_provider_wait_for_it() {
    let edges = edges(
        "
initContainers:
- {name: certs}
- {name: proxy, restartPolicy: Always, provides: [network]}
- {name: migrate}
containers: [{name: app}]
",
    );

    assert_snapshot!(edges, @r"
    proxy: certs succeeded
    migrate: proxy started order, certs succeeded, proxy ready, [mains] stop-only
    app: migrate succeeded, proxy ready, [mains] stop-only
    [mains]: proxy stop-only
    ");
}

#[test]
fn what_the_provider_requires_through_others_does_not_wait_for_it() {
    let edges = edges(
        "
containers:
- {name: proxy, provides: [network], requires: [{container: certs, need: soft}]}
- {name: certs, requires: [{container: hsm, need: order}]}
- {name: hsm, stopTimeoutSeconds: 1}
- {name: app, stopTimeoutSeconds: 1}
",
    );

    assert_snapshot!(edges, @r"
    proxy: certs ready soft
    certs: hsm ready order
    app: proxy ready
    ");
}

#[test]
fn an_explicit_edge_replaces_the_implicit_one_to_the_network() {
    let edges = edges(
        "
containers:
- {name: proxy, provides: [network]}
- {name: a, requires: [{container: proxy, until: started, need: soft}]}
- {name: b, uses: [{name: network, need: order}]}
",
    );

    assert_snapshot!(edges, @r"
    a: proxy started soft
    b: proxy ready order
    ");
}
