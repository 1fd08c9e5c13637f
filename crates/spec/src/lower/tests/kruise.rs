//! Launch priorities and job sidecars.

use super::*;
use crate::dialect::Dialect;
use crate::dialect::kruise::{PRIORITY_ANNOTATION, PRIORITY_VARIABLE, SIDECAR_VARIABLE};

fn with_priority(name: &str, priority: &str) -> String {
    format!("- {{name: {name}, env: [{{name: {PRIORITY_VARIABLE}, value: \"{priority}\"}}]}}")
}

fn with_priorities(priorities: &[(&str, &str)]) -> String {
    let lines = priorities
        .iter()
        .map(|(name, priority)| with_priority(name, priority));
    format!("containers:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_higher_priority_is_ready_before_the_lower_starts() {
    let edges = edges(&with_priorities(&[
        ("low", "1"),
        ("high", "5"),
        ("also", "5"),
    ]));

    assert_snapshot!(edges, @r"
    low: [priority 5] order start-only
    [priority 5]: high ready order start-only, also ready order start-only
    ");
}

#[test]
fn all_that_is_above_must_be_ready_at_that_moment() {
    let edges = edges(&with_priorities(&[("a", "3"), ("b", "2"), ("c", "-1")]));

    assert_snapshot!(edges, @r"
    b: [priority 3] order start-only
    c: [priority 2] order start-only
    [priority 3]: a ready order start-only
    [priority 2]: b ready order start-only, [priority 3] order start-only
    ");
}

#[test]
fn equal_priorities_mean_nothing() {
    assert_eq!(edges(&with_priorities(&[("a", "7"), ("b", "7")])), "");
}

#[test]
fn no_variable_is_priority_zero() {
    let edges = edges(&format!(
        "{}\n- {{name: plain}}",
        with_priorities(&[("a", "-1")])
    ));

    assert_snapshot!(edges, @r"
    a: [priority 0] order start-only
    [priority 0]: plain ready order start-only
    ");
}

#[test]
fn the_annotation_counts_down_the_list_and_wins_over_variables() {
    let pod = PodText::new(&with_priorities(&[("a", "1"), ("b", "2")]))
        .annotated(PRIORITY_ANNOTATION, "Ordered");

    assert_snapshot!(pod.edges(), @r"
    b: [priority 0] order start-only
    [priority 0]: a ready order start-only
    ");
    assert!(pod.lower().dialects.contains(&Dialect::LaunchPriority));
}

#[test]
fn another_value_of_the_annotation_is_reported_and_has_no_effect() {
    let pod = PodText::new("containers: [{name: a, stopTimeoutSeconds: 1}, {name: b}]")
        .annotated(PRIORITY_ANNOTATION, "ordered");

    assert_eq!(pod.edges(), "");
    assert_eq!(pod.codes(), [Code::MarkerWithoutEffect]);
}

#[test]
fn the_init_list_has_no_priorities() {
    let variable = format!("env: [{{name: {PRIORITY_VARIABLE}, value: \"9\"}}]");
    let edges = edges(&format!(
        "
initContainers: [{{name: i, {variable}}}]
containers: [{{name: a}}, {{name: b}}]
"
    ));

    assert_snapshot!(edges, @r"
    a: i succeeded
    b: i succeeded, a attempted order start-only
    ");
}

#[test]
fn a_priority_is_a_whole_number_in_range() {
    for (value, code) in [
        ("high", Code::BadFormat),
        ("", Code::BadFormat),
        ("1.5", Code::BadFormat),
        ("2147483648", Code::OutOfRange),
        ("-2147483648", Code::OutOfRange),
    ] {
        assert_eq!(
            codes(&with_priorities(&[("a", value), ("b", "0")])),
            [code],
            "{value}"
        );
    }
    assert_eq!(
        codes(&with_priorities(&[("a", "-2147483647"), ("b", "0")])),
        []
    );
}

fn job(policy: &str, value: &str) -> String {
    format!(
        "
restartPolicy: {policy}
containers:
- {{name: main}}
- {{name: helper, env: [{{name: {SIDECAR_VARIABLE}, value: \"{value}\"}}]}}
"
    )
}

#[test]
fn a_job_sidecar_ends_with_its_job_and_restarts_by_the_policy_of_the_pod() {
    for policy in ["Never", "OnFailure"] {
        let expected =
            format!("main: main service {policy}, plain\nhelper: sidecar service {policy}");
        assert_eq!(containers(&job(policy, "true")), expected);
    }
    assert_snapshot!(edges(&job("Never", "true")), @r"
    main: [mains] stop-only
    [mains]: helper stop-only
    ");
}

#[test]
fn a_job_sidecar_has_no_meaning_in_a_pod_that_always_restarts() {
    assert_eq!(codes(&job("Always", "true")), [Code::MarkerWithoutEffect]);
    let containers = containers(&job("Always", "true"));
    assert!(
        containers.contains("helper: main service Always, plain"),
        "{containers}"
    );
}

#[test]
fn only_the_value_true_marks_a_job_sidecar() {
    let containers = containers(&job("Never", "false"));
    assert!(
        containers.contains("helper: main service Never, plain"),
        "{containers}"
    );
}

#[test]
fn a_mark_of_a_job_sidecar_that_is_neither_true_nor_false_is_a_warning() {
    for (value, expected) in [
        ("yes", &[Code::MarkerWithoutEffect][..]),
        ("TRUE", &[]),
        ("False", &[]),
    ] {
        assert_eq!(codes(&job("Never", value)), expected, "{value}");
    }
}
