//! Waves and stop times of small pods.

use super::stop::{StopPlan, stop_plan};
use super::*;
use crate::{LoadedPod, LowerOptions, load};
use insta::assert_snapshot;

fn pod(spec: &str) -> Pod {
    loaded(spec).lowered.pod
}

fn loaded(spec: &str) -> LoadedPod {
    let indented: Vec<_> = spec
        .trim()
        .lines()
        .map(|line| format!("  {line}"))
        .collect();
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: test}\nspec:\n";
    let text = head.to_owned() + &indented.join("\n");
    let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
    loaded.pods.into_iter().next().expect("there is a pod")
}

fn lines(pod: &Pod, waves: &[Vec<ContainerId>]) -> String {
    let name = |id: &ContainerId| pod.containers[id.index()].name.to_string();
    let wave = |wave: &Vec<ContainerId>| wave.iter().map(name).collect::<Vec<_>>().join(" ");
    waves.iter().map(wave).collect::<Vec<_>>().join("\n")
}

fn starts(spec: &str) -> String {
    let pod = pod(spec);
    lines(&pod, &start_waves(&pod))
}

fn stops(spec: &str) -> String {
    let loaded = loaded(spec);
    let pod = &loaded.lowered.pod;
    let StopPlan {
        waves,
        stops,
        worst_case,
    } = stop_plan(pod, &loaded.file.pod.spec);
    let of = |id: &ContainerId| {
        let stop = stops[id.index()].expect("what is in a wave is stopped");
        let cut = if stop.is_cut_short() {
            ", cut short"
        } else {
            ""
        };
        let name = &pod.containers[id.index()].name;
        format!(
            "{name} by {} s, has {} s{cut}",
            stop.begins_by.as_secs(),
            stop.has.as_secs()
        )
    };
    let waves = waves
        .iter()
        .map(|wave| wave.iter().map(of).collect::<Vec<_>>().join(" · "));
    format!(
        "{}\nworst case {} s",
        waves.collect::<Vec<_>>().join("\n"),
        worst_case.as_secs()
    )
}

const ORDERS: &str = "
restartPolicy: Never
terminationGracePeriodSeconds: 30
containers:
- {name: proxy, image: x, sidecar: true, provides: [network]}
- {name: migrate, image: x, oneshot: true}
- name: app
  image: x
  keystone: true
  requires: [migrate, {container: cache, until: started, need: soft}]
- {name: cache, image: x, sidecar: true, stopTimeoutSeconds: 5}
";

#[test]
fn a_pod_starts_in_waves_and_stops_in_reverse() {
    assert_snapshot!(starts(ORDERS), @r"
    proxy
    migrate cache
    app
    ");
    assert_snapshot!(stops(ORDERS), @r"
    app by 0 s, has 30 s
    cache by 30 s, has 2 s, cut short
    proxy by 30 s, has 2 s, cut short
    worst case 32 s
    ");
}

#[test]
fn limits_that_fit_leave_something_for_everybody() {
    let stops = stops(
        "
terminationGracePeriodSeconds: 30
containers:
- {name: app, image: x, stopTimeoutSeconds: 10, requires: [cache]}
- {name: cache, image: x, stopTimeoutSeconds: 5, requires: [proxy]}
- {name: proxy, image: x, sidecar: true}
- {name: fast, image: x, stopTimeoutSeconds: 1}
",
    );

    assert_snapshot!(stops, @r"
    app by 0 s, has 10 s · fast by 0 s, has 1 s
    cache by 10 s, has 5 s
    proxy by 15 s, has 15 s
    worst case 30 s
    ");
}

#[test]
fn a_pod_without_a_grace_period_has_one_second() {
    let spec = "
terminationGracePeriodSeconds: 0
containers:
- {name: app, image: x, requires: [proxy]}
- {name: proxy, image: x, sidecar: true}
";
    assert_snapshot!(stops(spec), @r"
    app by 0 s, has 2 s
    proxy by 1 s, has 2 s, cut short
    worst case 3 s
    ");
}

#[test]
fn a_oneshot_is_stopped_only_to_be_undone() {
    let spec = "
containers:
- {name: mount, image: x, oneshot: true, undo: [umount], stopTimeoutSeconds: 3}
- {name: migrate, image: x, oneshot: true}
- {name: app, image: x, stopTimeoutSeconds: 4, requires: [mount, migrate]}
";
    assert_snapshot!(stops(spec), @r"
    app by 0 s, has 4 s
    mount by 4 s, has 3 s
    worst case 9 s
    ");
}

#[test]
fn plain_containers_are_one_wave_after_the_init_list() {
    let starts = starts(
        "
initContainers: [{name: i, image: x}, {name: r, image: x, restartPolicy: Always}]
containers: [{name: a, image: x}, {name: b, image: x}, {name: c, image: x}]
",
    );

    assert_snapshot!(starts, @r"
    i
    r
    a b c
    ");
}

#[test]
fn barriers_are_looked_through() {
    let starts = starts(
        "
containers:
- {name: late, image: x}
- {name: early, image: x, phase: network, restartPolicy: Always}
- {name: next, image: x, phase: clusterEnv, restartPolicy: Always}
",
    );

    assert_snapshot!(starts, @r"
    early
    next
    late
    ");
}

#[test]
fn containers_on_a_cycle_and_behind_it_are_in_no_wave() {
    let spec = "
containers:
- {name: a, image: x, requires: [b]}
- {name: b, image: x, requires: [a]}
- {name: c, image: x, requires: [a]}
- {name: d, image: x, stopTimeoutSeconds: 1}
";
    assert_eq!(starts(spec), "d");
}

#[test]
fn words_say_what_a_container_is() {
    let pod = pod(ORDERS);
    let words: Vec<_> = pod.containers.iter().map(container_words).collect();
    assert_eq!(
        words,
        [
            vec!["sidecar"],
            vec!["oneshot"],
            vec!["main", "keystone"],
            vec!["sidecar"]
        ]
    );
}

#[test]
fn an_undo_without_time_is_skipped_and_one_under_way_is_told_at_the_end() {
    let pod = |app: &str| {
        stops(&format!(
            "
terminationGracePeriodSeconds: 10
containers:
- {{name: app, image: x, requires: [gpu]{app}}}
- {{name: gpu, image: x, oneshot: true, undo: [release]}}
"
        ))
    };

    // Just before the end of the budget it may still begin.
    assert_snapshot!(pod(""), @r"
    app by 0 s, has 10 s
    gpu by 10 s, has 0 s, cut short
    worst case 12 s
    ");
    assert_snapshot!(pod(", stopTimeoutSeconds: 4"), @r"
    app by 0 s, has 4 s
    gpu by 4 s, has 6 s
    worst case 12 s
    ");
}

const HANGS: &str = "lifecycle: {preStop: {exec: {command: [x]}}}";

#[test]
fn after_a_hook_that_hangs_there_is_a_last_moment() {
    let pod = |grace: u32| {
        stops(&format!(
            "
terminationGracePeriodSeconds: {grace}
containers:
- {{name: a, image: x, requires: [b], stopTimeoutSeconds: 5, {HANGS}}}
- {{name: b, image: x, stopTimeoutSeconds: 5, {HANGS}}}
"
        ))
    };

    assert_snapshot!(pod(30), @r"
    a by 0 s, has 5 s
    b by 7 s, has 5 s
    worst case 14 s
    ");
    assert_snapshot!(pod(10), @r"
    a by 0 s, has 5 s
    b by 7 s, has 3 s, cut short
    worst case 12 s
    ");
}

#[test]
fn a_hook_that_sleeps_cannot_hang() {
    let pod = |seconds: u32| {
        stops(&format!(
            "
terminationGracePeriodSeconds: 10
containers:
- {{name: a, image: x, requires: [], lifecycle: {{preStop: {{sleep: {{seconds: {seconds}}}}}}}}}
"
        ))
    };

    assert_snapshot!(pod(8), @r"
    a by 0 s, has 10 s
    worst case 10 s
    ");
    assert_snapshot!(pod(9), @r"
    a by 0 s, has 10 s
    worst case 11 s
    ");
}

#[test]
fn no_limit_takes_the_last_moment_away() {
    assert_snapshot!(stops("
terminationGracePeriodSeconds: 0
containers:
- {name: a, image: x, requires: [b], stopTimeoutSeconds: 0}
- {name: b, image: x}
"), @r"
    a by 0 s, has 2 s
    b by 1 s, has 2 s, cut short
    worst case 3 s
    ");
    assert_snapshot!(stops("
terminationGracePeriodSeconds: 5
containers:
- {name: a, image: x}
- {name: b, image: x, sidecar: true, stopTimeoutSeconds: 1}
"), @r"
    a by 0 s, has 5 s
    b by 5 s, has 2 s
    worst case 7 s
    ");
}
