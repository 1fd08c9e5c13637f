//! Probes, hooks, rules: what happens to containers, and when.

use super::*;

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
