//! Names, and what must be there at all.

use super::*;

#[test]
fn names_of_containers_are_dns_labels() {
    for name in ["App", "-a", "a-", "a.b", "a_b"] {
        refused(
            &spec(&format!("containers: [{{name: {name}, image: x}}]")),
            BadName,
            name,
        );
    }
    refused(&spec("containers: [{name: '', image: x}]"), BadName, "''");
    refused(
        &spec("containers: [{image: x}]"),
        MissingField,
        "{image: x}",
    );
}

#[test]
fn names_of_containers_are_unique_over_all_lists() {
    let text = spec(
        "initContainers: [{name: a, image: x}]\ncontainers: [{name: b, image: x}]\nephemeralContainers: [{name: a, image: x}]",
    );
    refused(&text, DuplicateName, "a");
    let outcome = read("pod.yaml", text.as_bytes());
    let lines: Vec<_> = outcome.diagnostics[0]
        .labels
        .iter()
        .map(|label| outcome.source.position(label.span).line)
        .collect();
    assert_eq!(lines, [7, 5], "both places are shown");
}

#[test]
fn a_pod_needs_a_container() {
    refused(&spec("containers: []"), MissingField, "containers");
    refused(
        &spec("initContainers: [{name: a, image: x}]"),
        MissingField,
        "initContainers: [{name: a, image: x}]",
    );
}

#[test]
fn a_container_needs_something_to_run() {
    refused(&spec("containers: [{name: app}]"), MissingField, "app");
    refused(
        &spec("containers: [{name: app, command: [x]}]"),
        NoImage,
        "app",
    );
    for nothing in ["[]", "", "null"] {
        let text = spec(&format!("containers: [{{name: app, command: {nothing}}}]"));
        refused(&text, MissingField, "app");
    }
}

#[test]
fn a_command_that_cannot_be_read_is_no_missing_one() {
    for (field, value) in [("command", "[true]"), ("command", "echo"), ("args", "[1]")] {
        let text = spec(&format!("containers: [{{name: app, {field}: {value}}}]"));
        let codes: Vec<_> = found(&text).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [NoImage, WrongType], "{field}: {value}");
    }
}

#[test]
fn objects_need_a_name_of_the_right_form() {
    let pod = |metadata: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {metadata}\nspec: {{containers: [{{name: a, image: x}}]}}\n"
        )
    };
    taken(&pod("{generateName: a-}"));
    taken(&pod("{name: a.b-c}"));
    refused(&pod("{labels: {a: b}}"), MissingField, "{labels: {a: b}}");
    refused(&pod("{name: A}"), BadName, "A");
    refused(&pod("{name: a, namespace: b.c}"), BadName, "b.c");
    refused(&pod("{name: a, labels: {-x: b}}"), BadName, "-x");
    refused(&pod("{name: a, labels: {x: 'b c'}}"), BadName, "'b c'");
    refused(&pod("{name: a, annotations: {'x y': z}}"), BadName, "'x y'");
    taken(&pod(
        "{name: a, annotations: {EXAMPLE.com/X: anything at all}}",
    ));
}
