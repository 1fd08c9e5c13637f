//! What people write: `requires`, `uses`, `oneshot`, `sidecar`, `keystone`.

use super::*;
use crate::diagnostic::Severity;
use crate::lower::LowerOptions;
use pillion_engine::pod::{OnRestart, Reaction, When};
use std::time::Duration;

#[test]
fn a_requirement_waits_for_readiness_of_a_service_and_success_of_a_oneshot() {
    let edges = edges(
        "
containers:
- {name: app, requires: [proxy, migrate]}
- {name: proxy, sidecar: true}
- {name: migrate, oneshot: true}
",
    );

    assert_snapshot!(edges, @r"
    app: proxy ready, migrate succeeded, [mains] stop-only
    migrate: [mains] stop-only
    [mains]: proxy stop-only
    ");
}

#[test]
fn a_requirement_can_say_until_need_and_timeout() {
    let text = "
containers:
- name: app
  requires:
  - {container: cache, until: started, need: soft, timeoutSeconds: 7, onRestart: restart}
- {name: cache, stopTimeoutSeconds: 1}
";
    let pod = PodText::new(text).lower().pod;
    let edge = &pod.containers[0].requires[0];

    assert_snapshot!(edges(text), @"app: cache started soft");
    assert_eq!(edge.timeout, Some(Duration::from_secs(7)));
    assert_eq!(edge.on_restart, OnRestart::Restart);
}

#[test]
fn a_hard_requirement_on_nobody_is_an_error_and_a_soft_one_a_note() {
    for (need, severity) in [
        ("hard", Severity::Error),
        ("soft", Severity::Note),
        ("order", Severity::Note),
    ] {
        let spec = format!("containers: [{{name: a, requires: [{{container: x, need: {need}}}]}}]");
        let lowered = PodText::new(&spec).lower();
        let found: Vec<_> = lowered
            .diagnostics
            .iter()
            .map(|d| (d.code, d.severity))
            .collect();

        assert_eq!(found, [(Code::UnknownContainer, severity)]);
        assert!(lowered.pod.containers[0].requires.is_empty());
    }
}

#[test]
fn sidecars_are_kept_up_unless_they_run_to_completion() {
    let containers = containers(
        "
restartPolicy: Never
containers:
- {name: app, keystone: true}
- {name: proxy, sidecar: true}
- {name: own, sidecar: true, restartPolicy: OnFailure}
- {name: setup, sidecar: true, oneshot: true}
- {name: metrics, sidecar: true, onGiveUp: ignore}
",
    );

    assert_snapshot!(containers, @r"
    app: main service Never, keystone any
    proxy: sidecar service Always
    own: sidecar service OnFailure
    setup: sidecar oneshot Never
    metrics: sidecar service Always, ignored
    ");
}

#[test]
fn images_can_be_left_to_the_driver() {
    let text = PodText::new("containers: [{name: a, image: shop/app}]");
    assert_eq!(
        text.lower().pod.containers[0].image.as_deref(),
        Some("shop/app")
    );

    let without = text.lower_with(LowerOptions::WITHOUT_IMAGES);
    assert_eq!(without.pod.containers[0].image, None);
}

#[test]
fn back_off_fields_override_the_defaults_one_by_one() {
    let pod = PodText::new(
        "
containers:
- {name: a, backoff: {initialSeconds: 1, factor: 1.5, maxRestarts: 3, windowSeconds: 60}}
- {name: b}
",
    );
    let [a, b] = &pod.lower().pod.containers[..] else {
        panic!("two containers")
    };

    assert_eq!(a.restart.backoff.initial, Duration::from_secs(1));
    assert_eq!(
        (a.restart.backoff.factor, b.restart.backoff.factor),
        (1500, 2000)
    );
    assert_eq!(a.restart.backoff.max, b.restart.backoff.max);
    let limit = a.restart.limit.expect("a limit was given");
    assert_eq!((limit.max, limit.window), (3, Some(Duration::from_mins(1))));
    assert_eq!(b.restart.limit, None);
}

#[test]
fn a_node_can_shorten_the_back_off_of_those_who_say_nothing_of_it() {
    let pod = PodText::new("containers: [{name: a}, {name: b, backoff: {maxSeconds: 60}}]");
    let shorter = LowerOptions {
        max_backoff: Some(Duration::from_secs(5)),
        ..LowerOptions::default()
    };

    let pod = pod.lower_with(shorter).pod;

    let max = |id: usize| pod.containers[id].restart.backoff.max.as_secs();
    assert_eq!((max(0), max(1)), (5, 60));
    assert_eq!(pod.backoff.max.as_secs(), 5);
    assert!(pod.containers[0].plain, "it has no field of Pillion");
}

#[test]
fn rules_are_translated_in_their_order() {
    let pod = PodText::new(
        "
containers:
- name: a
  restartPolicy: Never
  restartPolicyRules:
  - {action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}
  - {action: RestartPod, signals: [SIGHUP]}
  - {action: FailPod, oomKilled: true}
  - {action: Restart, exitCodes: {operator: NotIn, values: [0]}}
",
    );
    let rules = &pod.lower().pod.containers[0].restart.rules;
    let rules: Vec<_> = rules
        .iter()
        .map(|rule| (rule.when.clone(), rule.reaction))
        .collect();

    assert_eq!(
        rules,
        [
            (When::CodeIn(vec![42]), Reaction::RestartAllContainers),
            (When::Signal(vec![1]), Reaction::RestartPod),
            (When::OomKilled, Reaction::FailPod),
            (When::CodeNotIn(vec![0]), Reaction::Restart),
        ]
    );
}
