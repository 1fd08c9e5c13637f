//! What Kubernetes refuses, and what it takes although it looks alike.

use crate::code::Code::{self, *};
use crate::diagnostic::Diagnostic;
use crate::file::read;

/// A pod with these lines in its `spec`.
fn spec(lines: &str) -> String {
    let lines = lines.trim_matches('\n').replace('\n', "\n  ");
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: orders}}\nspec:\n  {lines}\n")
}

/// A pod whose only container has these entries.
fn container(entries: &str) -> String {
    spec(&format!("containers: [{{name: app, image: x, {entries}}}]"))
}

/// A pod with an init container that has these entries.
fn init(entries: &str) -> String {
    spec(&format!(
        "containers: [{{name: app, image: x}}]\ninitContainers: [{{name: i, image: x, {entries}}}]"
    ))
}

/// A pod with an ephemeral container that has these entries.
fn ephemeral(entries: &str) -> String {
    spec(&format!(
        "containers: [{{name: app, image: x}}]\nephemeralContainers: [{{name: e, image: x, {entries}}}]\nvolumes: [{{name: v}}]"
    ))
}

/// Each finding as its code and the text it points at.
fn found(text: &str) -> Vec<(Code, String)> {
    let outcome = read("pod.yaml", text.as_bytes());
    let pointed = |diagnostic: &Diagnostic| {
        let place = diagnostic.place().map(|span| outcome.source.slice(span));
        (diagnostic.code, place.unwrap_or_default().to_owned())
    };
    outcome.diagnostics.iter().map(pointed).collect()
}

#[track_caller]
fn refused(text: &str, code: Code, at: &str) {
    assert_eq!(found(text), [(code, at.to_owned())], "{text}");
}

#[track_caller]
fn taken(text: &str) {
    assert_eq!(found(text), [], "{text}");
}

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

#[test]
fn thresholds_and_times_of_probes_have_limits() {
    let probe =
        |kind: &str, rest: &str| container(&format!("{kind}: {{exec: {{command: [a]}}, {rest}}}"));
    for kind in ["livenessProbe", "startupProbe"] {
        refused(&probe(kind, "successThreshold: 2"), OutOfRange, "2");
        taken(&probe(
            kind,
            "successThreshold: 1, terminationGracePeriodSeconds: 1",
        ));
    }
    taken(&probe("readinessProbe", "successThreshold: 2"));
    refused(
        &probe("readinessProbe", "terminationGracePeriodSeconds: 5"),
        NotAllowedHere,
        "terminationGracePeriodSeconds",
    );
    for field in [
        "initialDelaySeconds",
        "periodSeconds",
        "timeoutSeconds",
        "failureThreshold",
    ] {
        refused(
            &probe("readinessProbe", &format!("{field}: -1")),
            OutOfRange,
            "-1",
        );
    }
    refused(
        &probe("livenessProbe", "terminationGracePeriodSeconds: 0"),
        OutOfRange,
        "0",
    );
}

#[test]
fn a_probe_or_hook_acts_in_exactly_one_way() {
    refused(
        &container("livenessProbe: {periodSeconds: 5}"),
        OneHandler,
        "{periodSeconds: 5}",
    );
    refused(
        &container("livenessProbe: {exec: {command: [a]}, tcpSocket: {port: 1}}"),
        OneHandler,
        "tcpSocket",
    );
    refused(&container("lifecycle: {preStop: {}}"), OneHandler, "{}");
    refused(
        &container("lifecycle: {preStop: {sleep: {seconds: 1}, exec: {command: [a]}}}"),
        OneHandler,
        "sleep",
    );
    refused(
        &container("lifecycle: {preStop: {exec: {command: []}}}"),
        MissingField,
        "{command: []}",
    );
    refused(
        &container("lifecycle: {preStop: {exec: {}}}"),
        MissingField,
        "{}",
    );
}

#[test]
fn a_hook_sleeps_within_the_grace_period() {
    let text = |grace: u32| {
        spec(&format!(
            "terminationGracePeriodSeconds: {grace}\ncontainers: [{{name: app, image: x, lifecycle: {{preStop: {{sleep: {{seconds: 10}}}}}}}}]"
        ))
    };
    taken(&text(10));
    refused(&text(9), OutOfRange, "10");
    refused(
        &container("lifecycle: {preStop: {sleep: {seconds: -1}}}"),
        OutOfRange,
        "-1",
    );
}

#[test]
fn only_init_containers_that_stay_have_probes_and_hooks() {
    let probe = "livenessProbe: {tcpSocket: {port: 1}}";
    let hook = "lifecycle: {preStop: {sleep: {seconds: 1}}}";
    refused(&init(probe), NotAllowedHere, "livenessProbe");
    refused(&init(hook), NotAllowedHere, "lifecycle");
    refused(
        &init(&format!("restartPolicy: OnFailure, {probe}")),
        NotAllowedHere,
        "livenessProbe",
    );
    taken(&init(&format!("restartPolicy: Always, {probe}, {hook}")));
    taken(&init(&format!("oneshot: true, {hook}")));
    refused(
        &init("restartPolicy: Always, livenessProbe: {tcpSocket: {port: 1}, successThreshold: 2}"),
        OutOfRange,
        "2",
    );
}

#[test]
fn ephemeral_containers_take_few_fields() {
    taken(&ephemeral(
        "command: [a], env: [{name: A}], tty: true, targetContainerName: app",
    ));
    refused(
        &ephemeral("ports: [{containerPort: 1}]"),
        NotAllowedHere,
        "ports",
    );
    refused(
        &ephemeral("livenessProbe: {tcpSocket: {port: 1}}"),
        NotAllowedHere,
        "livenessProbe",
    );
    refused(
        &ephemeral("resources: {limits: {cpu: 1}}"),
        NotAllowedHere,
        "resources",
    );
    refused(
        &ephemeral("restartPolicy: Never"),
        NotAllowedHere,
        "restartPolicy",
    );
    refused(
        &ephemeral("targetContainerName: ap"),
        UnknownContainer,
        "ap",
    );
    let mount = "{name: v, mountPath: /v, subPath: a}";
    refused(
        &ephemeral(&format!("volumeMounts: [{mount}]")),
        NotAllowedHere,
        mount,
    );
}

#[test]
fn rules_need_a_policy_unless_pillion_reads_them() {
    let rule = "{exitCodes: {operator: In, values: [1]}, action: Restart}";
    refused(
        &container(&format!("restartPolicyRules: [{rule}]")),
        RulesWithoutPolicy,
        "restartPolicyRules",
    );
    taken(&container(&format!(
        "restartPolicy: Never, restartPolicyRules: [{rule}]"
    )));
    taken(&container(
        "restartPolicyRules: [{exitCodes: {operator: In}, action: RestartPod}]",
    ));
    taken(&container(&format!(
        "keystone: true, restartPolicyRules: [{rule}]"
    )));
}

#[test]
fn a_rule_has_one_condition_and_there_are_at_most_twenty() {
    let rules = |rules: &str| {
        container(&format!(
            "restartPolicy: Never, restartPolicyRules: [{rules}]"
        ))
    };
    refused(
        &rules("{action: Restart}"),
        MissingField,
        "{action: Restart}",
    );
    refused(
        &rules("{oomKilled: true, signals: [9], action: Restart}"),
        OneHandler,
        "signals",
    );
    refused(
        &rules("{oomKilled: false, action: Restart}"),
        BadFormat,
        "false",
    );
    refused(
        &rules("{signals: [SIGFOO], action: Restart}"),
        BadFormat,
        "SIGFOO",
    );
    refused(&rules("{signals: [0], action: Restart}"), BadFormat, "0");
    let rule = "{oomKilled: true, action: Restart}, ";
    taken(&rules(&rule.repeat(20)));
    assert_eq!(found(&rules(&rule.repeat(21)))[0].0, TooMany);
    let codes = |count: usize| {
        let values: Vec<_> = (0..count).map(|code| code.to_string()).collect();
        rules(&format!(
            "{{exitCodes: {{operator: In, values: [{}]}}, action: Restart}}",
            values.join(", ")
        ))
    };
    taken(&codes(255));
    assert_eq!(found(&codes(256))[0].0, TooMany);
}

#[test]
fn ports_have_numbers_and_names_of_their_own() {
    for number in ["0", "65536", "-1"] {
        refused(
            &container(&format!("ports: [{{containerPort: {number}}}]")),
            OutOfRange,
            number,
        );
    }
    taken(&container("ports: [{containerPort: 65535, hostPort: 0}]"));
    refused(
        &container("ports: [{containerPort: 1, hostPort: 70000}]"),
        OutOfRange,
        "70000",
    );
    refused(
        &container("ports: [{containerPort: 1, name: HTTP}]"),
        BadName,
        "HTTP",
    );
    refused(
        &container("ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]"),
        DuplicateName,
        "a",
    );
    refused(
        &container("livenessProbe: {tcpSocket: {port: '80'}}"),
        BadFormat,
        "'80'",
    );
    refused(
        &container("livenessProbe: {tcpSocket: {port: 0}}"),
        OutOfRange,
        "0",
    );
}

#[test]
fn a_port_of_the_host_has_one_owner() {
    let pod = |first: &str, second: &str| {
        spec(&format!(
            "containers:\n- {{name: a, image: x, ports: [{{containerPort: 1, hostPort: 9{first}}}]}}\n- {{name: b, image: x, ports: [{{containerPort: 2, hostPort: 9{second}}}]}}"
        ))
    };
    refused(&pod("", ""), DuplicateName, "9");
    taken(&pod("", ", protocol: UDP"));
    taken(&pod(", hostIP: 1.2.3.4", ", hostIP: 1.2.3.5"));
    refused(
        &spec(
            "hostNetwork: true\ncontainers: [{name: a, image: x, ports: [{containerPort: 1, hostPort: 2}]}]",
        ),
        OutOfRange,
        "2",
    );
}

#[test]
fn mounts_are_of_volumes_that_exist_at_paths_of_their_own() {
    let mounts = |mounts: &str| {
        spec(&format!(
            "containers: [{{name: a, image: x, volumeMounts: [{mounts}]}}]\nvolumes: [{{name: data}}]"
        ))
    };
    taken(&mounts(
        "{name: data, mountPath: /a}, {name: data, mountPath: /b}",
    ));
    refused(
        &mounts("{name: date, mountPath: /a}"),
        UnknownVolume,
        "date",
    );
    refused(
        &mounts("{name: data, mountPath: /a}, {name: data, mountPath: /a}"),
        DuplicateName,
        "/a",
    );
    refused(
        &mounts("{name: data, mountPath: /a, subPath: ../x}"),
        BadFormat,
        "../x",
    );
    refused(
        &mounts("{name: data, mountPath: /a, subPath: /x}"),
        BadFormat,
        "/x",
    );
    refused(
        &mounts("{name: data, mountPath: /a, subPath: a, subPathExpr: b}"),
        OneHandler,
        "subPathExpr",
    );
}

#[test]
fn claims_of_a_stateful_set_are_volumes_of_its_pods() {
    taken(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  selector: {matchLabels: {a: b}}\n  template: {spec: {containers: [{name: a, image: x, volumeMounts: [{name: data, mountPath: /d}]}]}}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]\n",
    );
}

#[test]
fn volumes_have_one_source_and_a_name_of_their_own() {
    let volumes = |volumes: &str| {
        spec(&format!(
            "containers: [{{name: a, image: x}}]\nvolumes: [{volumes}]"
        ))
    };
    refused(
        &volumes("{name: a, emptyDir: {}, hostPath: {path: /}}"),
        OneHandler,
        "hostPath",
    );
    refused(&volumes("{name: a}, {name: a}"), DuplicateName, "a");
    refused(&volumes("{name: A}"), BadName, "A");
    refused(&volumes("{name: a, configMap: {}}"), MissingField, "{}");
    refused(&volumes("{name: a, secret: {}}"), MissingField, "{}");
    refused(
        &volumes("{name: a, configMap: {name: c, defaultMode: 01000}}"),
        OutOfRange,
        "01000",
    );
    refused(
        &volumes("{name: a, hostPath: {path: /a/../b}}"),
        BadFormat,
        "/a/../b",
    );
    refused(
        &volumes("{name: a, configMap: {name: c, items: [{key: k, path: ../x}]}}"),
        BadFormat,
        "../x",
    );
    refused(
        &volumes(
            "{name: a, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: status.podIP}}]}}",
        ),
        UnknownValue,
        "status.podIP",
    );
}

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
fn workloads_restrict_the_restart_policy() {
    let deployment = |policy: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec: {{selector: {{matchLabels: {{a: b}}}}, template: {{spec: {{{policy}containers: [{{name: a, image: x}}]}}}}}}\n"
        )
    };
    let job = |policy: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: d}}\nspec: {{template: {{spec: {{{policy}containers: [{{name: a, image: x}}]}}}}}}\n"
        )
    };
    taken(&deployment(""));
    taken(&deployment("restartPolicy: Always, "));
    refused(
        &deployment("restartPolicy: Never, "),
        NotAllowedHere,
        "Never",
    );
    refused(
        &deployment("activeDeadlineSeconds: 5, "),
        NotAllowedHere,
        "activeDeadlineSeconds",
    );
    taken(&job("restartPolicy: OnFailure, "));
    refused(&job("restartPolicy: Always, "), NotAllowedHere, "Always");
    refused(&job(""), NotAllowedHere, "spec");
}

#[test]
fn times_of_a_pod_have_limits() {
    let pod = |line: &str| spec(&format!("{line}\ncontainers: [{{name: a, image: x}}]"));
    taken(&pod("terminationGracePeriodSeconds: 0"));
    refused(&pod("terminationGracePeriodSeconds: -1"), OutOfRange, "-1");
    refused(&pod("activeDeadlineSeconds: 0"), OutOfRange, "0");
    refused(
        &pod("activeDeadlineSeconds: 2147483648"),
        OutOfRange,
        "2147483648",
    );
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
    for address in ["localhost:80", "'0'", "a", "unix:x", "1.2.3.4", "70000"] {
        refused(
            &container(&format!("listen: [{address}]")),
            BadFormat,
            address,
        );
    }
}
