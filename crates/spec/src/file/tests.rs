//! Whole files in, pods and objects out.

mod annotation;
mod decoding;
mod kinds;
mod plain;
mod watch;

use super::*;
use crate::code::Code;
use crate::container::Container;

/// A pod with these lines in its `spec`.
fn spec(lines: &str) -> String {
    let lines = lines.trim_matches('\n').replace('\n', "\n  ");
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: orders}}\nspec:\n  {lines}\n")
}

/// A pod with one container that has these lines beside its name and image.
fn container(lines: &str) -> String {
    let lines = lines.trim_matches('\n').replace('\n', "\n    ");
    spec(&format!(
        "containers:\n  - name: app\n    image: shop/app:7\n    {lines}"
    ))
}

fn read_text(text: &str) -> Outcome {
    read("pod.yaml", text.as_bytes())
}

/// The only pod of a file with which nothing is wrong.
fn clean(text: &str) -> PodFile {
    let mut outcome = read_text(text);
    assert!(
        outcome.diagnostics.is_empty(),
        "{:#?}\n{text}",
        outcome.diagnostics
    );
    assert_eq!(outcome.pods.len(), 1);
    outcome.pods.remove(0)
}

/// The only container of such a file.
fn clean_container(lines: &str) -> Container {
    clean(&container(lines)).pod.spec.containers.remove(0)
}

fn codes(text: &str) -> Vec<Code> {
    read_text(text)
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

/// Each finding as its code and the text it points at.
fn found(text: &str) -> Vec<(Code, String)> {
    let outcome = read_text(text);
    let pointed = |diagnostic: &Diagnostic| {
        let place = diagnostic.place().map(|span| outcome.source.slice(span));
        (diagnostic.code, place.unwrap_or_default().to_owned())
    };
    outcome.diagnostics.iter().map(pointed).collect()
}

#[test]
fn every_finding_of_a_file_is_collected_in_one_pass() {
    let text = container("tty: 1\nstdin: x\nrequire: [y]\nimagePullPolicy: z\nports: [{}]");
    let expected = [
        (Code::WrongType, "1".to_owned()),
        (Code::WrongType, "x".to_owned()),
        (Code::MisspeltField, "require".to_owned()),
        (Code::UnknownValue, "z".to_owned()),
        (Code::MissingField, "{}".to_owned()),
    ];
    assert_eq!(found(&text), expected);
}

#[test]
fn a_wrong_value_behind_an_alias_is_reported_once() {
    let text = spec(
        "containers:\n  - {name: a, image: x, env: &e [{name: A, value: 1}]}\n  - {name: b, image: x, env: *e}",
    );
    assert_eq!(found(&text), [(Code::WrongType, "1".to_owned())]);
}

#[test]
fn places_are_found_by_path() {
    let text = spec(
        "containers:\n  - name: a\n    image: x\n  - name: app\n    image: y\n    requires:\n      - a\n      - {container: a, until: started}",
    );
    let outcome = read_text(&text);
    let places = &outcome.pods[0].places;
    let value = |path: &str| outcome.source.slice(places.value(path));
    let key = |path: &str| outcome.source.slice(places.key(path));
    assert_eq!(value("spec.containers[1].name"), "app");
    assert_eq!(value("spec.containers[1].requires[0]"), "a");
    assert_eq!(value("spec.containers[1].requires[1].until"), "started");
    assert_eq!(key("spec.containers[1].requires[1].until"), "until");
    assert_eq!(
        key("spec.containers[1].requires[1]"),
        "{container: a, until: started}"
    );
}

#[test]
fn what_is_not_in_the_file_is_placed_at_what_is_around_it() {
    let outcome = read_text(&container("tty: true"));
    let places = &outcome.pods[0].places;
    let value = |path: &str| outcome.source.slice(places.value(path));
    assert!(value("spec.containers[0].requires[3].until").starts_with("name: app"));
    assert!(value("spec.nonsense").starts_with("containers:"));
    assert!(value("]]..[[\"").starts_with("apiVersion"));
    assert!(!places.contains("spec.containers[0].requires"));
    assert!(places.contains("spec.containers[0].tty"));
}

#[test]
fn keys_with_dots_are_written_in_quotes() {
    let text = container("").replace("{name: orders}", "{name: o, labels: {\"a.b/c\": d}}");
    let outcome = read_text(&text);
    let place = outcome.pods[0].places.value("metadata.labels[\"a.b/c\"]");
    assert_eq!(outcome.source.slice(place), "d");
}

#[test]
fn an_empty_entry_does_not_move_the_places_of_those_behind_it() {
    let app = "requires: [~, {container: proxi, timeoutSeconds: 0}]";
    let text = container(app);
    assert_eq!(
        found(&text),
        [
            (Code::EmptyEntry, "~".to_owned()),
            (Code::OutOfRange, "0".to_owned())
        ]
    );
    let outcome = read_text(&text);
    let requires = outcome.pods[0].pod.spec.containers[0]
        .pillion
        .requires
        .as_ref();
    assert_eq!(requires.unwrap()[0].entry, 1);
}

#[test]
fn containers_that_are_no_list_are_reported_once() {
    for containers in ["containers: {name: app, image: x}", "containers: app"] {
        assert_eq!(codes(&spec(containers)), [Code::WrongType], "{containers}");
    }
    assert_eq!(codes(&spec("containers: []")), [Code::MissingField]);
    assert_eq!(codes(&spec("containers:")), [Code::MissingField]);
}
