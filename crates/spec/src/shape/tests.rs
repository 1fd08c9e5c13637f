//! Unknown fields, wrong types, wrong words.

use crate::code::Code;
use crate::diagnostic::Severity;
use crate::file::read;

/// The findings about a container with these lines: code, severity, message and help.
fn findings(lines: &str) -> Vec<(Code, Severity, String)> {
    let lines = lines.replace('\n', "\n    ");
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: o}}\nspec:\n  containers:\n  - name: app\n    image: x\n    {lines}\n"
    );
    let outcome = read("pod.yaml", text.as_bytes());
    let told = outcome.diagnostics.into_iter().map(|diagnostic| {
        let help = diagnostic
            .help
            .map(|help| format!(" | {help}"))
            .unwrap_or_default();
        (
            diagnostic.code,
            diagnostic.severity,
            diagnostic.message + &help,
        )
    });
    told.collect()
}

#[track_caller]
fn only(lines: &str, code: Code, severity: Severity, text: &str) {
    assert_eq!(
        findings(lines),
        [(code, severity, text.to_owned())],
        "{lines}"
    );
}

fn misspelt(field: &str, meant: &str) {
    let text = format!("an entry of `containers` has no field `{field}` | did you mean `{meant}`?");
    only(
        &format!("{field}: x"),
        Code::MisspeltField,
        Severity::Error,
        &text,
    );
}

fn unknown(field: &str, meant: &str) {
    let text = format!("an entry of `containers` has no field `{field}` | did you mean `{meant}`?");
    only(
        &format!("{field}: x"),
        Code::UnknownField,
        Severity::Warning,
        &text,
    );
}

#[test]
fn what_is_nearest_to_a_field_of_pillion_is_an_error() {
    for (field, meant) in [
        ("require", "requires"),
        ("Requires", "requires"),
        ("keyston", "keystone"),
        ("one-shot", "oneshot"),
        ("provide", "provides"),
        ("readyon", "readyOn"),
        ("stopTimeout", "stopTimeoutSeconds"),
        ("dependsOn", "requires"),
        ("after", "requires"),
    ] {
        misspelt(field, meant);
    }
}

#[test]
fn nothing_unknown_passes_in_the_maps_of_pillion() {
    for (lines, text) in [
        (
            "requires: [{container: app, untl: started}]",
            "an entry of `requires` has no field `untl` | did you mean `until`?",
        ),
        (
            "requires: [{container: app, onRestrat: restart}]",
            "an entry of `requires` has no field `onRestrat` | did you mean `onRestart`?",
        ),
        (
            "requires: [{container: app, colour: red}]",
            "an entry of `requires` has no field `colour`",
        ),
        (
            "uses: [{name: network, timeoutSecond: 5}]",
            "an entry of `uses` has no field `timeoutSecond` | did you mean `timeoutSeconds`?",
        ),
        (
            "backoff: {maxRestart: 3}",
            "`backoff` has no field `maxRestart` | did you mean `maxRestarts`?",
        ),
        (
            "readyOn: {file: /ready, logline: up}",
            "`readyOn` has no field `logline` | did you mean `logLine`?",
        ),
        (
            "undo: {command: [umount], args: [x]}",
            "`undo` has no field `args`",
        ),
        (
            "listen: [{address: 80, nam: web}]",
            "an entry of `listen` has no field `nam` | did you mean `name`?",
        ),
        (
            "restartPolicy: Never\nrestartPolicyRules: [{oomKilled: true, action: Restart, exitCode: {}}]",
            "an entry of `restartPolicyRules` has no field `exitCode` | did you mean `exitCodes`?",
        ),
    ] {
        only(lines, Code::MisspeltField, Severity::Error, text);
    }
}

#[test]
fn what_is_nearer_to_a_field_of_kubernetes_is_a_warning() {
    for (field, meant) in [
        ("livenessprobe", "livenessProbe"),
        ("comand", "command"),
        ("resource", "resources"),
        ("restartPolcy", "restartPolicy"),
        ("volumeMount", "volumeMounts"),
    ] {
        unknown(field, meant);
    }
    let text = "an entry of `containers` has no field `foo`";
    only("foo: 1", Code::UnknownField, Severity::Warning, text);
}

#[test]
fn a_field_of_pillion_in_the_pod_is_sent_to_a_container() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: o}\nspec: {keystone: app, containers: [{name: app, image: x}]}\n";
    let outcome = read("pod.yaml", text.as_bytes());
    assert_eq!(outcome.diagnostics.len(), 1);
    assert_eq!(outcome.diagnostics[0].code, Code::MisspeltField);
    let help = outcome.diagnostics[0].help.as_deref();
    assert_eq!(help, Some("it belongs to a container, not to the pod"));
}

#[test]
fn text_that_looks_like_something_else_must_be_quoted() {
    for (value, called) in [
        ("8080", "the number `8080`"),
        ("yes", "the boolean `yes`"),
        ("1e3", "the number `1e3`"),
        ("0644", "the number `0644`"),
        ("n", "the boolean `n`"),
    ] {
        let text = format!("`value` takes text, not {called} | quote it: `\"{value}\"`");
        let lines = format!("env: [{{name: A, value: {value}}}]");
        only(&lines, Code::WrongType, Severity::Error, &text);
    }
    for value in ["'8080'", "\"yes\"", "08:00", "2001-01-01", "1.2.3"] {
        assert_eq!(
            findings(&format!("env: [{{name: A, value: {value}}}]")),
            [],
            "{value}"
        );
    }
}

#[test]
fn numbers_and_booleans_must_not_be_quoted() {
    only(
        "stopTimeoutSeconds: \"5\"",
        Code::WrongType,
        Severity::Error,
        "`stopTimeoutSeconds` takes a whole number, not the text `\"5\"` | remove the quotes: `5`",
    );
    only(
        "tty: 'true'",
        Code::WrongType,
        Severity::Error,
        "`tty` takes `true` or `false`, not the text `'true'` | remove the quotes: `true`",
    );
    only(
        "tty: 1",
        Code::WrongType,
        Severity::Error,
        "`tty` takes `true` or `false`, not the number `1`",
    );
    only(
        "stopTimeoutSeconds: 1.5",
        Code::WrongType,
        Severity::Error,
        "`stopTimeoutSeconds` takes a whole number, not the number `1.5`",
    );
}

#[test]
fn lists_and_maps_are_told_apart() {
    only(
        "args: x",
        Code::WrongType,
        Severity::Error,
        "`args` takes a list, not the text `x` | make it a list: `[x]`",
    );
    only(
        "env: {A: b}",
        Code::WrongType,
        Severity::Error,
        "`env` takes a list, not a map | each entry of a list begins with `- `",
    );
    only(
        "resources: [a]",
        Code::WrongType,
        Severity::Error,
        "`resources` takes a map, not a list | remove the `- ` before its keys",
    );
    only(
        "keystone: [a]",
        Code::WrongType,
        Severity::Error,
        "`keystone` takes `true` or `false` or `any`, `success` or `failure`, not a list",
    );
}

#[test]
fn words_are_compared_exactly_and_the_nearest_is_named() {
    only(
        "requires: [{container: a, until: Ready}]",
        Code::UnknownValue,
        Severity::Error,
        "`until` cannot be `Ready` | did you mean `ready`?\nit takes `ready`, `started`, `succeeded` or `exited`",
    );
    assert_eq!(
        findings("terminationMessagePolicy: ''"),
        [],
        "empty is not given"
    );
}

#[test]
fn numbers_must_fit() {
    let text = "`stopTimeoutSeconds` takes a number from 0 to 2147483647";
    only(
        "stopTimeoutSeconds: 2147483648",
        Code::OutOfRange,
        Severity::Error,
        text,
    );
}

#[test]
fn empty_entries_of_lists_are_errors_and_of_maps_warnings() {
    let text = "an entry of `args` is empty | remove it, or write `\"\"` for empty text";
    only("args: [a, ~]", Code::EmptyEntry, Severity::Error, text);
    let text = "`cpu` has no value; Kubernetes takes it as empty | write `\"\"` if that is meant";
    only(
        "resources: {limits: {cpu: }}",
        Code::EmptyEntry,
        Severity::Warning,
        text,
    );
}

#[test]
fn fields_of_a_requirement_say_where_they_belong() {
    for (key, value) in [
        ("until", "ready"),
        ("need", "soft"),
        ("onRestart", "restart"),
    ] {
        let text = format!(
            "an entry of `containers` has no field `{key}` | it belongs to an entry of `requires`: `{{container: NAME, {key}: …}}`"
        );
        let lines = format!("{key}: {value}");
        only(&lines, Code::MisspeltField, Severity::Error, &text);
    }
}

#[test]
fn what_is_of_the_wrong_type_is_said_once() {
    for lines in ["undo: rm -rf", "undo: {}", "undo: [1]"] {
        assert_eq!(findings(lines).len(), 1, "{lines}");
    }
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: o}\nspec: {containers: [{name: y, image: x}], volumes: [{name: on, emptyDir: {}}]}\n";
    let outcome = read("pod.yaml", text.as_bytes());
    let codes: Vec<_> = outcome.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::WrongType, Code::WrongType]);
}

#[test]
fn a_range_begins_below_zero_only_where_such_numbers_are_taken() {
    only(
        "phase: 99999999999",
        Code::OutOfRange,
        Severity::Error,
        "`phase` takes a number from -2147483648 to 2147483647",
    );
}

#[test]
fn a_field_of_pillion_without_a_value_is_a_warning() {
    for field in ["sidecar", "requires", "phase", "stopTimeoutSeconds"] {
        let text = format!(
            "`{field}` has no value and counts as not given | give it a value, or remove it"
        );
        let lines = format!("{field}:");
        only(&lines, Code::EmptyEntry, Severity::Warning, &text);
    }
    only(
        "requires: [{container: a, until: }]",
        Code::EmptyEntry,
        Severity::Warning,
        "`until` has no value and counts as not given | give it a value, or remove it",
    );
    assert_eq!(findings("resources:\nlifecycle:\nrestartPolicy:"), []);
}

#[test]
fn a_quoted_value_that_would_be_right_without_its_quotes_is_told_so() {
    only(
        "phase: '25'",
        Code::WrongType,
        Severity::Error,
        "`phase` takes a whole number or `network`, `clusterEnv`, `appInit` or `appRun`, not the text `'25'` | remove the quotes: `25`",
    );
    only(
        "keystone: 'true'",
        Code::WrongType,
        Severity::Error,
        "`keystone` takes `true` or `false` or `any`, `success` or `failure`, not the text `'true'` | remove the quotes: `true`",
    );
}

#[test]
fn quotes_are_advised_only_where_they_help() {
    only(
        "network: off",
        Code::WrongType,
        Severity::Error,
        "`network` takes `required` or `none`, not the boolean `off`",
    );
}
