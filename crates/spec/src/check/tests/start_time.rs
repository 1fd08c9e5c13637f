//! Timeouts, and what takes longer for certain.

use super::*;

#[test]
fn delays_shorter_than_the_timeout_are_accepted() {
    let probe = "readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 10}";
    let start = |timeout: u32| {
        format!("containers: [{{name: a, image: x, startTimeoutSeconds: {timeout}, {probe}}}]")
    };
    accepted(&start(11));
    refused(&start(10), Code::StartTimeoutTooShort);

    // Readiness does not delay the start that is waited for.
    accepted(&requires_b(
        "until: started, timeoutSeconds: 5",
        probe,
        "Always",
    ));
    refused(
        &requires_b("timeoutSeconds: 5", probe, "Always"),
        Code::WaitTooShort,
    );
    warned(
        &requires_b("need: soft, timeoutSeconds: 5", probe, "Always"),
        Code::WaitTooShort,
    );
}

#[test]
fn successes_in_a_row_take_their_time() {
    let pod = |threshold: u32| {
        format!(
            "
containers:
- name: app
  image: x
  startTimeoutSeconds: 20
  readinessProbe:
    {{exec: {{command: [x]}}, periodSeconds: 5, successThreshold: {threshold}}}
"
        )
    };
    accepted(&pod(4));
    refused(&pod(5), Code::StartTimeoutTooShort);
}

#[test]
fn successes_in_a_row_begin_after_the_startup_probe() {
    let pod = |timeout: u32| {
        format!(
            "
containers:
- name: app
  image: x
  startTimeoutSeconds: {timeout}
  startupProbe: {{exec: {{command: [x]}}, initialDelaySeconds: 5}}
  readinessProbe: {{exec: {{command: [x]}}, periodSeconds: 3, successThreshold: 4}}
"
        )
    };
    accepted(&pod(15));
    refused(&pod(14), Code::StartTimeoutTooShort);
}

#[test]
fn successes_in_a_row_come_quickly_while_somebody_waits() {
    let db = "name: db, image: x, startTimeoutSeconds: 20, readinessProbe: {exec: {command: [x]}, successThreshold: 9}";
    for pod in [
        format!("containers: [{{{db}}}, {{name: app, image: x, requires: [db]}}]"),
        format!(
            "containers: [{{{db}, phase: network, restartPolicy: Always}}, {{name: app, image: x}}]"
        ),
        format!(
            "containers: [{{{db}}}, {{name: app, image: x, requires: [{{container: db, timeoutSeconds: 10}}]}}]"
        ),
    ] {
        accepted(&pod);
    }
    let until_started = "requires: [{container: db, until: started}]";
    let pod = format!("containers: [{{{db}}}, {{name: app, image: x, {until_started}}}]");
    refused(&pod, Code::StartTimeoutTooShort);
}
