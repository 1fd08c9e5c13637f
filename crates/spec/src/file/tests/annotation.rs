//! The annotation `pillion.dev/lifecycle`.

use super::*;
use crate::pillion::{Keystone, Until};
use crate::restart::RestartPolicy;

/// A pod with two containers, `app` with these lines, and this annotation.
fn annotated(annotation: &str, lines: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: orders\n  annotations:\n    pillion.dev/lifecycle: {annotation}\nspec:\n  containers:\n  - {{name: proxy, image: x}}\n  - {{name: app, image: x, {lines}}}\n"
    )
}

fn block(lines: &str) -> String {
    format!("|\n      {}", lines.replace('\n', "\n      "))
}

#[test]
fn fields_come_from_the_annotation_in_any_way_of_writing_it() {
    for annotation in [
        block("containers:\n  app:\n    requires: [{container: proxy, until: started}]\n    keystone: true"),
        "'{containers: {app: {requires: [{container: proxy, until: started}], keystone: any}}}'".into(),
        r#""{\"containers\": {\"app\": {\"requires\": [{\"container\": \"proxy\", \"until\": \"started\"}], \"keystone\": true}}}""#.into(),
    ] {
        let file = clean(&annotated(&annotation, ""));
        let app = &file.pod.spec.containers[1];
        assert_eq!(app.pillion.requires.as_ref().unwrap()[0].until, Some(Until::Started));
        assert_eq!(app.pillion.keystone, Some(Some(Keystone::Any)));
    }
}

#[test]
fn policy_rules_and_hooks_can_stand_in_the_annotation() {
    let lines = "containers:\n  app:\n    restartPolicy: Never\n    restartPolicyRules: [{oomKilled: true, action: FailPod}]\n    lifecycle: {podStopping: {sleep: {seconds: 1}}, type: Sidecar}";
    let file = clean(&annotated(&block(lines), ""));
    let app = &file.pod.spec.containers[1];
    assert_eq!(app.restart_policy, Some(RestartPolicy::Never));
    assert_eq!(
        app.pillion_fields(),
        [
            "lifecycle.podStopping",
            "lifecycle.type",
            "restartPolicyRules"
        ]
    );
}

#[test]
fn places_of_annotated_fields_are_in_the_annotation() {
    let lines = "containers:\n  app:\n    requires:\n    - proxy\n    - {container: proxi}\n    lifecycle: {type: Sidecar}";
    let outcome = read_text(&annotated(
        &block(lines),
        "lifecycle: {preStop: {sleep: {seconds: 1}}}",
    ));
    let places = &outcome.pods[0].places;
    let value = |path: &str| outcome.source.slice(places.value(path));
    assert_eq!(value("spec.containers[1].requires[1].container"), "proxi");
    assert_eq!(value("spec.containers[1].lifecycle.type"), "Sidecar");
    assert_eq!(
        value("spec.containers[1].lifecycle.preStop.sleep.seconds"),
        "1"
    );
    assert!(places.is_annotated("spec.containers[1].requires"));
    assert!(!places.is_annotated("spec.containers[1].name"));
    let line = outcome
        .source
        .position(places.value("spec.containers[1].requires[1].container"))
        .line;
    assert_eq!(line, 11);
}

#[test]
fn a_field_in_both_places_must_say_the_same() {
    let lines = block("containers: {app: {keystone: any, requires: [proxy]}}");
    clean(&annotated(
        &lines,
        "keystone: true, requires: [{container: proxy}]",
    ));
    let text = annotated(&lines, "keystone: success, requires: [proxy, proxy]");
    let expected = [
        (Code::FieldsDisagree, "keystone".to_owned()),
        (Code::FieldsDisagree, "requires".to_owned()),
    ];
    assert_eq!(found(&text), expected);
}

#[test]
fn every_unknown_field_in_the_annotation_is_an_error() {
    for (lines, wrong) in [
        ("containers: {app: {image: x}}", "image"),
        (
            "containers: {app: {requires: [{container: proxy, when: x}]}}",
            "when",
        ),
        (
            "containers: {app: {lifecycle: {preStop: {sleep: {seconds: 1}}}}}",
            "preStop",
        ),
        ("containers: {app: {}}\nx: 1", "x"),
    ] {
        let text = annotated(&block(lines), "");
        assert_eq!(
            found(&text),
            [(Code::MisspeltField, wrong.to_owned())],
            "{lines}"
        );
    }
}

#[test]
fn names_in_the_annotation_must_exist() {
    let text = annotated(&block("containers: {ap: {sidecar: true}}"), "");
    assert_eq!(found(&text), [(Code::UnknownAnnotated, "ap".to_owned())]);
}

#[test]
fn an_annotation_that_is_no_map_of_containers_is_refused() {
    for (annotation, code) in [
        ("x", Code::WrongType),
        ("''", Code::WrongType),
        ("'{}'", Code::MissingField),
        ("'containers: [a]'", Code::WrongType),
        ("'a: ['", Code::Syntax),
        (
            "'containers: {app: {sidecar: true, sidecar: true}}'",
            Code::DuplicateKey,
        ),
        ("'containers: &a {app: {sidecar: *a}}'", Code::BadAlias),
        ("5", Code::WrongType),
    ] {
        let codes = codes(&annotated(annotation, ""));
        assert_eq!(codes.first(), Some(&code), "{annotation}: {codes:?}");
    }
}

#[test]
fn an_annotation_on_a_workload_has_no_effect_and_is_reported() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, annotations: {pillion.dev/lifecycle: 'containers: {}'}}\nspec: {selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: a, image: x}]}}}\n";
    assert_eq!(codes(text), [Code::AnnotationMisplaced]);
}

#[test]
fn a_key_under_the_domain_that_nobody_reads_is_an_error() {
    for (key, is_known) in [
        ("pillion.dev/lifecyle", false),
        ("pillion.dev/Lifecycle", false),
        ("Pillion.dev/watch", false),
        ("pillion.dev/colour", false),
        ("pilion.dev/lifecycle", false),
        ("pillion.dve/lifecycle", false),
        ("million.dev/colour", true),
        ("pillion.dev/pids-limit", true),
        ("pillion.dev.example/lifecyle", true),
    ] {
        let text = spec("containers: [{name: app, image: x}]").replace(
            "{name: orders}",
            &format!("{{name: orders, annotations: {{{key}: x}}}}"),
        );
        let expected = [(Code::MisspeltField, key.to_owned())];
        assert_eq!(found(&text), expected[usize::from(is_known)..], "{key}");
    }
}

#[test]
fn a_field_without_a_value_is_a_warning_in_the_annotation_too() {
    let lines = block("containers:\n  app:\n    keystone:\n    requires: ~");
    assert_eq!(
        found(&annotated(&lines, "")),
        [(Code::EmptyEntry, "keystone".to_owned())]
    );
}
