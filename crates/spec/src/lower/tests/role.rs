//! Sidecars are stopped after mains, unless they require one.

use super::*;

#[test]
fn all_mains_stop_before_all_sidecars() {
    let edges = edges(
        "
containers:
- {name: a, stopTimeoutSeconds: 1}
- {name: b, stopTimeoutSeconds: 1}
- {name: s, sidecar: true}
- {name: t, sidecar: true}
",
    );

    assert_snapshot!(edges, @r"
    a: [mains] stop-only
    b: [mains] stop-only
    [mains]: s stop-only, t stop-only
    ");
}

#[test]
fn a_sidecar_that_requires_a_main_stops_before_it() {
    let edges = edges(
        "
containers:
- {name: app, stopTimeoutSeconds: 1}
- {name: reader, sidecar: true, requires: [app]}
- {name: through, sidecar: true, requires: [{container: reader, need: soft}]}
- {name: proxy, sidecar: true}
",
    );

    assert_snapshot!(edges, @r"
    app: [mains] stop-only
    reader: app ready
    through: reader ready soft
    [mains]: proxy stop-only
    ");
}

#[test]
fn a_oneshot_that_a_sidecar_requires_stops_before_those_that_require_no_main() {
    let edges = edges(
        "
containers:
- {name: app, stopTimeoutSeconds: 1}
- {name: migrate, oneshot: true}
- {name: cache, sidecar: true, requires: [migrate]}
- {name: proxy, sidecar: true}
",
    );

    // In front of the first barrier it would be stopped before the cache, which requires it.
    assert_snapshot!(edges, @r"
    app: [mains] stop-only
    migrate: [oneshots] stop-only
    cache: migrate succeeded
    [mains]: cache stop-only, proxy stop-only
    [oneshots]: proxy stop-only
    ");
}

#[test]
fn a_sidecar_that_requires_a_oneshot_need_not_outlive_the_others() {
    // Each oneshot before the sidecar of the other would be a cycle of stops.
    let edges = edges(
        "
containers:
- {name: app, stopTimeoutSeconds: 1}
- {name: o1, oneshot: true}
- {name: o2, oneshot: true}
- {name: s1, sidecar: true, requires: [o1]}
- {name: s2, sidecar: true, requires: [o2]}
",
    );

    assert_snapshot!(edges, @r"
    app: [mains] stop-only
    s1: o1 succeeded
    s2: o2 succeeded
    [mains]: s1 stop-only, s2 stop-only
    ");
}

#[test]
fn a_pod_without_sidecars_has_no_barrier() {
    assert_eq!(edges("containers: [{name: a, stopTimeoutSeconds: 1}]"), "");
}
