//! Hooks and probes.

use super::fixture::app;
use crate::probe::Target;
use crate::process::recipe::{HookAction, ProbeAction};
use insta::assert_snapshot;
use pillion_engine::pod::{HookKind, ProbeKind};
use std::time::Duration;

fn hook(handler: &str) -> HookAction {
    let fields =
        format!("ports: [{{name: web, containerPort: 8080}}]\nlifecycle: {{preStop: {handler}}}");
    let mut hooks = app(&fields).recipe().hooks;
    hooks.remove(&HookKind::PreStop).unwrap()
}

fn probe(check: &str) -> ProbeAction {
    let fields = format!(
        "ports: [{{name: web, containerPort: 8080}}]\n\
         env: [{{name: A, value: \"a$(B)\"}}, {{name: NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}]\n\
         readinessProbe: {check}"
    );
    let mut probes = app(&fields).recipe().probes;
    probes.remove(&ProbeKind::Readiness).unwrap()
}

fn command(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn the_command_of_a_hook_is_taken_as_it_is_written() {
    let command = command(&["echo", "$(HOME)", "$$"]);
    assert_eq!(
        hook("{exec: {command: [echo, $(HOME), $$]}}"),
        HookAction::Exec { command }
    );
}

#[test]
fn the_command_of_a_probe_knows_what_env_spells_out() {
    let command = command(&["a$(B)", "", "$(C)"]);
    assert_eq!(
        probe("{exec: {command: [$(A), $(NAME), $(C)]}}"),
        ProbeAction::Exec { command }
    );
}

#[test]
fn requests_go_to_the_pod_by_default_and_ports_have_numbers() {
    let expected = Target::Http {
        secure: true,
        host: "127.0.0.1".into(),
        port: 8080,
        path: "/ready?x=1".into(),
        headers: vec![("A".into(), "b".into())],
    };
    let get = "{httpGet: {port: web, path: \"/ready?x=1\", scheme: HTTPS, httpHeaders: [{name: A, value: b}]}}";
    assert_eq!(probe(get), ProbeAction::Ask(expected.clone()));
    assert_eq!(hook(get), HookAction::Ask(expected));
}

#[test]
fn a_host_that_is_given_is_asked() {
    let tcp = ProbeAction::Ask(Target::Tcp {
        host: "db.example".into(),
        port: 5432,
    });
    assert_eq!(probe("{tcpSocket: {host: db.example, port: 5432}}"), tcp);
}

#[test]
fn grpc_asks_the_pod() {
    let grpc = ProbeAction::Ask(Target::Grpc {
        host: "127.0.0.1".into(),
        port: 9000,
        service: "live".into(),
    });
    assert_eq!(probe("{grpc: {port: 9000, service: live}}"), grpc);
}

#[test]
fn a_port_that_no_one_has_fails_every_attempt_and_not_the_run() {
    let why = "no port of the container is named `wbe`".to_owned();
    let fail = ProbeAction::Fail { why: why.clone() };
    assert_eq!(probe("{tcpSocket: {port: wbe}}"), fail);
    assert_eq!(hook("{httpGet: {port: wbe}}"), HookAction::Fail { why });
}

#[test]
fn a_tcp_hook_always_fails() {
    let why = "Kubernetes accepts `tcpSocket` in a hook and never carries it out".to_owned();
    assert_eq!(hook("{tcpSocket: {port: 80}}"), HookAction::Fail { why });
}

#[test]
fn a_sleep_is_as_long_as_it_says() {
    assert_eq!(
        hook("{sleep: {seconds: 4}}"),
        HookAction::Sleep(Duration::from_secs(4))
    );
}

#[test]
fn one_without_a_network_is_asked_over_none() {
    let pod = app(
        "network: none\nstartupProbe: {exec: {command: [x]}}\nreadinessProbe: {httpGet: {port: 80}}\n\
         livenessProbe: {tcpSocket: {port: 80, host: other.example}}\n\
         lifecycle: {preStop: {httpGet: {port: 80}}}",
    );
    assert_snapshot!(pod.wrong(), @"
    spec.containers[0].readinessProbe: container `app` has `network: none`, and its `readinessProbe` asks it over the network
      help: use `exec`, which runs where the container is, or leave `network: none` out
    spec.containers[0].lifecycle.preStop: container `app` has `network: none`, and its `lifecycle.preStop` asks it over the network
      help: use `exec`, which runs where the container is, or leave `network: none` out
    ");
}
