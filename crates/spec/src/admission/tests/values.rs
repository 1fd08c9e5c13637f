//! Variables, amounts and settings.

use super::*;

#[test]
fn variables_have_one_value() {
    let env = |entry: &str| container(&format!("env: [{{{entry}}}]"));
    refused(
        &env("name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}"),
        OneHandler,
        "valueFrom",
    );
    refused(&env("name: A, valueFrom: {}"), OneHandler, "{}");
    refused(
        &env("name: A, valueFrom: {fieldRef: {fieldPath: metadata.owner}}"),
        UnknownValue,
        "metadata.owner",
    );
    refused(
        &env("name: A, valueFrom: {resourceFieldRef: {resource: cpu}}"),
        UnknownValue,
        "cpu",
    );
    refused(
        &env("name: A, valueFrom: {secretKeyRef: {key: k}}"),
        MissingField,
        "{key: k}",
    );
    refused(&env("name: 'A=B'"), BadFormat, "'A=B'");
    taken(&env("name: 'a b.c-d'"));
    refused(
        &container("envFrom: [{prefix: A}]"),
        OneHandler,
        "{prefix: A}",
    );
}

#[test]
fn requests_stay_below_limits_and_above_zero() {
    let resources = |text: &str| container(&format!("resources: {{{text}}}"));
    taken(&resources("requests: {cpu: 1000m}, limits: {cpu: 1}"));
    refused(
        &resources("requests: {cpu: 1001m}, limits: {cpu: 1}"),
        OutOfRange,
        "1001m",
    );
    refused(&resources("requests: {memory: -1Gi}"), OutOfRange, "-1Gi");
    refused(&resources("requests: {memory: 1GB}"), BadQuantity, "1GB");
}

#[test]
fn settings_that_exclude_each_other_are_refused() {
    let pod = |line: &str| spec(&format!("{line}\ncontainers: [{{name: a, image: x}}]"));
    refused(
        &pod("shareProcessNamespace: true\nhostPID: true"),
        NotAllowedHere,
        "shareProcessNamespace",
    );
    refused(
        &container("securityContext: {privileged: true, allowPrivilegeEscalation: false}"),
        NotAllowedHere,
        "allowPrivilegeEscalation",
    );
    refused(&pod("hostname: a.b"), BadName, "a.b");
}

#[test]
fn pillions_own_values_have_forms_and_limits() {
    refused(&container("startTimeoutSeconds: 0"), OutOfRange, "0");
    refused(&container("stopTimeoutSeconds: -1"), OutOfRange, "-1");
    refused(
        &container("requires: [{container: a, timeoutSeconds: 0}]"),
        OutOfRange,
        "0",
    );
    refused(&container("backoff: {factor: 0.5}"), OutOfRange, "0.5");
    refused(
        &container("backoff: {windowSeconds: 5}"),
        MissingField,
        "windowSeconds",
    );
    refused(&container("provides: ['a b']"), BadName, "'a b'");
    refused(&container("uses: [{name: -a}]"), BadName, "-a");
    refused(&container("undo: []"), MissingField, "[]");
    refused(&container("readyOn: {}"), OneHandler, "{}");
    refused(
        &container("readyOn: {file: /a, logLine: b}"),
        OneHandler,
        "logLine",
    );
    refused(&container("readyOn: {logLine: 'a(b'}"), BadFormat, "'a(b'");
    taken(&container(r"readyOn: {logLine: '^\p{Greek} \d+ ready$'}"));
    for address in ["localhost:80", "'0'", "a", "unix:x", "1.2.3.4", "70000"] {
        refused(
            &container(&format!("listen: [{address}]")),
            BadFormat,
            address,
        );
    }
}
