//! What becomes of the fields.

use super::*;
use crate::env::{EnvSource, EnvValue, KeyRef};
use crate::hook::{Hook, PortRef, Scheme};
use crate::pillion::*;
use crate::probe::Check;
use crate::restart::{Backoff, Factor, Reaction, RestartPolicy, Signal, Trigger};
use crate::volume::{DownwardValue, Projection, VolumeSource};

#[test]
fn a_bare_pod_has_the_defaults_of_kubernetes() {
    let spec = clean(&container("")).pod.spec;
    assert_eq!(spec.restart_policy, RestartPolicy::Always);
    assert_eq!(spec.termination_grace_period_seconds, 30);
    assert_eq!(spec.active_deadline_seconds, None);
    assert!(!spec.host_network && !spec.share_process_namespace);
    let app = &spec.containers[0];
    assert_eq!(app.termination_message_path, "/dev/termination-log");
    assert_eq!(app.pillion, PillionFields::default());
    assert!(app.pillion_fields().is_empty());
}

#[test]
fn a_probe_has_the_defaults_of_kubernetes_and_zero_counts_as_not_given() {
    let app = clean_container("readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 0}");
    let probe = app.readiness_probe.unwrap();
    assert_eq!((probe.initial_delay_seconds, probe.period_seconds), (0, 10));
    assert_eq!((probe.timeout_seconds, probe.success_threshold), (1, 1));
    assert_eq!(
        (
            probe.failure_threshold,
            probe.termination_grace_period_seconds
        ),
        (3, None)
    );
}

#[test]
fn every_way_to_probe_is_read() {
    let app = clean_container(
        "livenessProbe: {grpc: {port: 9, service: s}, terminationGracePeriodSeconds: 7}
readinessProbe: {httpGet: {port: web, path: /r, scheme: HTTPS, httpHeaders: [{name: A, value: b}]}}
startupProbe: {exec: {command: [a, b]}, failureThreshold: 9}",
    );
    let live = app.liveness_probe.unwrap();
    assert_eq!(live.termination_grace_period_seconds, Some(7));
    assert!(matches!(live.check, Check::Grpc(grpc) if grpc.port == 9 && grpc.service == "s"));
    let Check::HttpGet(get) = app.readiness_probe.unwrap().check else {
        panic!()
    };
    assert_eq!(
        (get.port, get.path.as_str()),
        (PortRef::Name("web".into()), "/r")
    );
    assert_eq!(get.scheme, Scheme::Https);
    assert_eq!(get.headers, [("A".to_owned(), "b".to_owned())]);
    let Check::Exec(exec) = app.startup_probe.unwrap().check else {
        panic!()
    };
    assert_eq!(exec.command, ["a", "b"]);
}

#[test]
fn every_hook_is_read() {
    let app = clean_container(
        "lifecycle:
  postStart: {exec: {command: [a]}}
  preStop: {sleep: {seconds: 0}}
  podStopping: {httpGet: {port: 80}}
  type: PreSidecar
  onCompletion: TerminatePod",
    );
    assert!(matches!(app.lifecycle.post_start, Some(Hook::Exec(_))));
    assert_eq!(app.lifecycle.pre_stop, Some(Hook::Sleep { seconds: 0 }));
    let Some(Hook::HttpGet(get)) = &app.lifecycle.pod_stopping else {
        panic!()
    };
    assert_eq!((&get.port, get.path.as_str()), (&PortRef::Number(80), "/"));
    assert_eq!(
        app.pillion_fields(),
        [
            "lifecycle.podStopping",
            "lifecycle.type",
            "lifecycle.onCompletion"
        ]
    );
}

#[test]
fn every_source_of_a_variable_is_read() {
    let app = clean_container(
        "env:
  - {name: A, value: x}
  - {name: B}
  - {name: C, valueFrom: {configMapKeyRef: {name: c, key: k, optional: true}}}
  - {name: D, valueFrom: {secretKeyRef: {name: s, key: k}}}
  - {name: E, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['a']\"}}}
  - {name: F, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
envFrom: [{prefix: P_, configMapRef: {name: c}}, {secretRef: {name: s, optional: true}}]",
    );
    let values: Vec<_> = app.env.into_iter().map(|variable| variable.value).collect();
    let key = |name: &str, optional| KeyRef {
        name: name.into(),
        key: "k".into(),
        optional,
    };
    assert_eq!(values[0], EnvValue::Text("x".into()));
    assert_eq!(values[1], EnvValue::Text(String::new()));
    assert_eq!(values[2], EnvValue::ConfigMapKey(key("c", true)));
    assert_eq!(values[3], EnvValue::SecretKey(key("s", false)));
    assert_eq!(
        values[4],
        EnvValue::Field {
            path: "metadata.labels['a']".into()
        }
    );
    let EnvValue::Resource(resource) = &values[5] else {
        panic!()
    };
    assert_eq!(
        (
            resource.resource.as_str(),
            resource.divisor.unwrap().nanos()
        ),
        ("limits.cpu", 1_000_000)
    );
    assert_eq!(app.env_from[0].prefix, "P_");
    assert!(matches!(&app.env_from[1].source, EnvSource::Secret(s) if s.optional));
}

#[test]
fn every_local_kind_of_volume_is_read_and_others_are_kept_by_name() {
    let text = spec(
        "containers: [{name: app, image: x}]
volumes:
  - {name: a}
  - {name: b, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
  - {name: c, hostPath: {path: /x, type: Directory}}
  - {name: d, configMap: {name: c, defaultMode: 0600, items: [{key: k, path: p, mode: 0400}]}}
  - {name: e, secret: {secretName: s, optional: true}}
  - {name: f, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.labels}}]}}
  - {name: g, projected: {sources: [{configMap: {name: c}}, {serviceAccountToken: {path: t}}]}}
  - {name: h, persistentVolumeClaim: {claimName: x}}",
    );
    let volumes = clean(&text).pod.spec.volumes;
    let source = |name: &str| {
        let volume = volumes.iter().find(|volume| volume.name == name);
        volume.unwrap().source.clone()
    };
    assert!(matches!(
        source("a"),
        VolumeSource::EmptyDir {
            size_limit: None,
            ..
        }
    ));
    assert!(matches!(source("b"), VolumeSource::EmptyDir { medium, .. } if medium == "Memory"));
    assert!(matches!(source("c"), VolumeSource::HostPath { path, .. } if path == "/x"));
    let VolumeSource::ConfigMap(files) = source("d") else {
        panic!()
    };
    assert_eq!(
        (files.default_mode, files.items[0].mode),
        (0o600, Some(0o400))
    );
    let VolumeSource::Secret(files) = source("e") else {
        panic!()
    };
    assert_eq!(
        (files.name.as_str(), files.default_mode, files.optional),
        ("s", 0o644, true)
    );
    let VolumeSource::DownwardApi(files) = source("f") else {
        panic!()
    };
    assert!(
        matches!(&files.items[0].value, DownwardValue::Field { path } if path == "metadata.labels")
    );
    let VolumeSource::Projected { sources, .. } = source("g") else {
        panic!()
    };
    assert!(matches!(&sources[1], Projection::Other { kind } if kind == "serviceAccountToken"));
    assert!(matches!(source("h"), VolumeSource::Other { kind } if kind == "persistentVolumeClaim"));
}

#[test]
fn requirements_have_a_short_and_a_long_form() {
    let app = clean_container(
        "requires: [cache, {container: db, until: started, need: soft, onRestart: stop, timeoutSeconds: 9}]",
    );
    let requires = app.pillion.requires.unwrap();
    let short = Requirement {
        container: "cache".into(),
        entry: 0,
        until: None,
        need: None,
        on_restart: None,
        timeout_seconds: None,
    };
    let long = Requirement {
        container: "db".into(),
        entry: 1,
        until: Some(Until::Started),
        need: Some(Need::Soft),
        on_restart: Some(OnRestart::Stop),
        timeout_seconds: Some(9),
    };
    assert_eq!(requires, [short, long]);
}

#[test]
fn every_pillion_field_is_read() {
    let app = clean_container(
        "oneshot: yes
undo: [rm, x]
rerun: never
sidecar: no
keystone: failure
backoff: {initialSeconds: 0, factor: 1.5, maxSeconds: 60, resetSeconds: 90, maxRestarts: 3, windowSeconds: 600}
onGiveUp: ignore
provides: [network, secrets]
uses: [devices, {name: keys, need: soft}]
network: none
phase: clusterEnv
readyOn: {logLine: 'ready$'}
startTimeoutSeconds: 20
stopTimeoutSeconds: 0
listen: [8080, '127.0.0.1:81', '[::1]:82', ':83', /run/s.sock, {name: web, address: 'unix:/run/t.sock'}]",
    );
    let fields = app.pillion;
    assert_eq!((fields.oneshot, fields.sidecar), (Some(true), Some(false)));
    assert_eq!(fields.undo, Some(vec!["rm".into(), "x".into()]));
    assert_eq!(
        (fields.rerun, fields.keystone),
        (Some(Rerun::Never), Some(Some(Keystone::Failure)))
    );
    let backoff = Backoff {
        initial_seconds: Some(0),
        factor: Factor::from_thousandths(1500),
        max_seconds: Some(60),
        reset_seconds: Some(90),
        max_restarts: Some(3),
        window_seconds: Some(600),
    };
    assert_eq!(fields.backoff, Some(backoff));
    assert_eq!(
        fields.provides,
        Some(vec!["network".into(), "secrets".into()])
    );
    assert_eq!(fields.uses.as_ref().unwrap()[1].need, Some(Need::Soft));
    assert_eq!(
        (fields.network, fields.phase),
        (Some(Network::None), Some(Phase(20)))
    );
    assert_eq!(fields.ready_on, Some(ReadyOn::LogLine("ready$".into())));
    assert_eq!(
        (fields.start_timeout_seconds, fields.stop_timeout_seconds),
        (Some(20), Some(0))
    );
    let tcp = |host: Option<&str>, port| ListenAddress::Tcp {
        host: host.map(|h| h.parse().unwrap()),
        port,
    };
    let unix = |path: &str| ListenAddress::Unix(path.to_owned());
    let listen: Vec<_> = fields
        .listen
        .clone()
        .unwrap()
        .into_iter()
        .map(|l| l.address)
        .collect();
    assert_eq!(
        listen,
        [
            tcp(None, 8080),
            tcp(Some("127.0.0.1"), 81),
            tcp(Some("::1"), 82),
            tcp(None, 83),
            unix("/run/s.sock"),
            unix("/run/t.sock")
        ]
    );
    assert_eq!(fields.given().len(), 15, "all but `requires`");
}

#[test]
fn words_and_booleans_of_the_same_meaning_are_the_same() {
    for (lines, expected) in [
        ("keystone: true", Some(Some(Keystone::Any))),
        ("keystone: on", Some(Some(Keystone::Any))),
        ("keystone: any", Some(Some(Keystone::Any))),
        ("keystone: false", Some(None)),
        ("keystone: ~", None),
    ] {
        assert_eq!(clean_container(lines).pillion.keystone, expected, "{lines}");
    }
    for (lines, expected) in [("phase: 10", 10), ("phase: network", 10), ("phase: -5", -5)] {
        assert_eq!(
            clean_container(lines).pillion.phase,
            Some(Phase(expected)),
            "{lines}"
        );
    }
    assert_eq!(
        clean_container("readyOn: notify").pillion.ready_on,
        Some(ReadyOn::Notify)
    );
    let undo = clean_container("undo: {command: [a]}").pillion.undo;
    assert_eq!(undo, Some(vec!["a".to_owned()]));
}

#[test]
fn rules_of_both_kinds_are_read_and_only_pillions_make_the_container_more_than_plain() {
    let app = clean_container(
        "restartPolicy: OnFailure
restartPolicyRules:
  - {exitCodes: {operator: In, values: [3, 4]}, action: RestartAllContainers}",
    );
    assert!(app.pillion_fields().is_empty());
    let app = clean_container(
        "restartPolicyRules:
  - {signals: [SIGSEGV, TERM, 9], action: FailPod}
  - {oomKilled: true, action: Ignore}",
    );
    assert_eq!(app.pillion_fields(), ["restartPolicyRules"]);
    let numbers = |rule: &crate::restart::RestartRule| match &rule.when {
        Trigger::Signals(signals) => signals.iter().map(|s| Signal::number(*s)).collect(),
        Trigger::ExitCodes { .. } | Trigger::OomKilled => Vec::new(),
    };
    assert_eq!(numbers(&app.restart_policy_rules[0]), [11, 15, 9]);
    assert_eq!(app.restart_policy_rules[1].action, Reaction::Ignore);
}

#[test]
fn one_word_of_pillions_in_a_rule_makes_the_container_more_than_plain() {
    let rule = |action| {
        let app = clean_container(&format!(
            "restartPolicyRules: [{{exitCodes: {{operator: In, values: [3]}}, action: {action}}}]"
        ));
        app.pillion_fields()
    };
    for action in ["RestartPod", "FailPod", "CompletePod", "Ignore"] {
        assert_eq!(rule(action), ["restartPolicyRules"], "{action}");
    }
}

#[test]
fn numbers_that_json_would_write_without_a_point_are_whole() {
    let file = clean(&spec(
        "terminationGracePeriodSeconds: 1e2\ncontainers: [{name: a, image: x}]",
    ));
    assert_eq!(file.pod.spec.termination_grace_period_seconds, 100);
}

#[test]
fn null_is_the_same_as_absent() {
    let app = clean_container("env:\nlifecycle: ~\nreadinessProbe: null\nrequires: null");
    assert!(app.env.is_empty() && app.readiness_probe.is_none() && app.pillion.requires.is_none());
}

#[test]
fn a_pod_keeps_what_a_local_runtime_needs() {
    let spec = clean(&spec(
        "restartPolicy: Never
activeDeadlineSeconds: 60
hostNetwork: true
shareProcessNamespace: true
hostname: h
hostAliases: [{ip: 1.2.3.4, hostnames: [a, b]}]
imagePullSecrets: [{name: s}]
os: {name: linux}
overhead: {cpu: 10m}
resources: {limits: {memory: 1Gi}}
securityContext: {runAsUser: 7, fsGroup: 8, supplementalGroups: [9], sysctls: [{name: a, value: b}]}
containers:
  - name: app
    image: x
    securityContext: {privileged: true, capabilities: {add: [NET_ADMIN], drop: [ALL]}}
    ports: [{name: web, containerPort: 80, hostPort: 80, protocol: UDP}]
    volumeMounts: [{name: v, mountPath: /v, subPath: a/b, readOnly: true}]
    resources: {requests: {cpu: 0.1}, claims: [{name: gpu}]}
volumes: [{name: v}]",
    ))
    .pod
    .spec;
    assert_eq!(spec.active_deadline_seconds, Some(60));
    assert_eq!(
        spec.host_aliases,
        [("1.2.3.4".to_owned(), vec!["a".to_owned(), "b".to_owned()])]
    );
    assert_eq!(spec.overhead["cpu"].millis(), 10);
    assert_eq!(spec.resources.unwrap().limits["memory"].units(), 1 << 30);
    assert_eq!(
        (
            spec.security_context.run_as_user,
            spec.security_context.fs_group
        ),
        (Some(7), Some(8))
    );
    let app = &spec.containers[0];
    assert_eq!(app.security_context.capabilities_add, ["NET_ADMIN"]);
    assert_eq!(
        (app.ports[0].container_port, app.ports[0].host_port),
        (80, Some(80))
    );
    assert_eq!(app.volume_mounts[0].sub_path.as_deref(), Some("a/b"));
    assert_eq!(app.resources.requests["cpu"].to_string(), "100m");
    assert_eq!(app.resources.claims, ["gpu"]);
}
